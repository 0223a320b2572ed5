"""The reference engine: what the other engines are compared with. It keeps nothing when the process ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock, get_ident
from typing import TypeVar

from iris_memory.chain.canonical import JsonValue
from iris_memory.errors import StorageError
from iris_memory.ports.linking import append_unless_changed
from iris_memory.ports.rows import SubjectState
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.storage.memory.reading import MemoryReading, closed
from iris_memory.storage.memory.state import State
from iris_memory.storage.memory.transaction import MemoryTransaction

T = TypeVar("T")


class Shelf:
    """What outlives a store that is closed: the place where another one finds the rows again."""

    def __init__(self) -> None:
        self.state = State()
        self.writing = Lock()
        self.writer = 0


class MemoryStore:
    """A store in dictionaries, safe for many threads. Stores on one shelf see each other's rows."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self._shelf = shelf or Shelf()
        self._closed = False

    def read(self) -> AbstractContextManager[Reading]:
        """Open a consistent view."""
        return self._view()

    def write(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `work` as the only writer; share the state it made, unless it raises."""
        self._check()
        if self._shelf.writer == get_ident():
            raise StorageError("a write was started inside a write; finish the outer one first")
        with self._shelf.writing:
            self._shelf.writer = get_ident()
            transaction = MemoryTransaction(self._shelf.state)
            try:
                result = work(transaction)
                self._shelf.state = transaction.result()
            finally:
                transaction.end()
                self._shelf.writer = 0
        return result

    def append_if(
        self,
        tenant: str,
        person: str,
        state: SubjectState,
        body: Mapping[str, JsonValue],
        *,
        at: int,
        durable: bool = True,
    ) -> bool:
        """Append one event on condition that a person's counters are still these; say whether they were."""

        def work(tx: Transaction) -> bool:
            return append_unless_changed(tx, tenant, person, state, body, at=at)

        return self.write(work, durable=durable)

    def sync(self) -> None:
        """Do nothing: there is nothing more durable to be had."""
        self._check()

    def is_unsynced(self) -> bool:
        """Say no."""
        return False

    def scrub(self) -> bool:
        """Do nothing: what is deleted is on no file."""
        self._check()
        return True

    def files(self) -> tuple[Path, ...]:
        """Name no file."""
        return ()

    def problems(self) -> list[str]:
        """Check what must hold between the rows."""
        self._check()
        return self._shelf.state.problems()

    def close(self) -> None:
        """Let go."""
        self._closed = True

    @contextmanager
    def _view(self) -> Iterator[MemoryReading]:
        self._check()
        reading = MemoryReading(self._shelf.state)
        try:
            yield reading
        finally:
            reading.end()

    def _check(self) -> None:
        if self._closed:
            raise closed()
