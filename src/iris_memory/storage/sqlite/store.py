"""The default engine: one SQLite file in write-ahead mode, many readers, one writer at a time across all processes.

Safe for many threads, and for many processes on one machine. The store is bound to the process that opened it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import Final, TypeVar

import apsw

from iris_memory.chain.canonical import JsonValue
from iris_memory.errors import StorageError
from iris_memory.ports.linking import append_unless_changed
from iris_memory.ports.rows import SubjectState
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.storage.sqlite import integrity
from iris_memory.storage.sqlite.connection import FileKind, connect, open_file, patience
from iris_memory.storage.sqlite.faults import FAILURES, closed, translate
from iris_memory.storage.sqlite.group_commit import GroupCommit
from iris_memory.storage.sqlite.reading import SqliteReading
from iris_memory.storage.sqlite.schema import STORE

T = TypeVar("T")

BUSY_SECONDS: Final = 10.0
MOST_IDLE: Final = 16
SCRUBS: Final = 20
SCRUB_PAUSE: Final = 0.025


class SqliteStore:
    """A store in one file at `path`, beside which SQLite keeps `-wal` and `-shm`."""

    def __init__(
        self, path: Path, *, create: bool = False, busy_seconds: float = BUSY_SECONDS, kind: FileKind = STORE
    ) -> None:
        """Open the store, or make it with `create` (folder 0700, file 0600).

        A writer that cannot get its turn from other processes for `busy_seconds` raises StoreBusyError.
        """
        self._path = path
        self._busy_seconds = busy_seconds
        self._process = os.getpid()
        self._idle: list[apsw.Connection] = []
        self._closed = False
        self._commits = GroupCommit(open_file(path, kind, create=create, busy_seconds=busy_seconds))

    def read(self) -> AbstractContextManager[Reading]:
        """Open a consistent view: the snapshot is taken by the first question asked of it."""
        return _View(self)

    def write(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `work` as the only writer and commit; see the port. `work` may run on another caller's thread."""
        self._check()
        return self._commits.run(work, durable=durable)

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
        """Make every commit so far durable, those of other processes included."""
        self._check()
        self._commits.run(lambda transaction: transaction.mark_sync(), durable=True)

    def is_unsynced(self) -> bool:
        """Say whether some commit of this process is not durable yet."""
        return self._commits.is_unsynced

    def scrub(self) -> bool:
        """Copy the write-ahead log into the file and cut it to nothing.

        Deleted bytes were zeroed in their pages by `secure_delete` and by emptying boxes. A reader that still needs
        the log, here or in another process, is waited for a little; then the answer is False.
        """
        self._check()
        return self._commits.exclusively(self._scrub)

    def files(self) -> tuple[Path, ...]:
        """Name every file that may hold bytes of the store; some may not be there."""
        return tuple(self._path.with_name(self._path.name + end) for end in ("", "-wal", "-shm", "-journal"))

    def problems(self) -> list[str]:
        """Check the file and what must hold between its rows."""
        connection = self.borrow()
        try:
            connection.execute("BEGIN")
            return integrity.problems(connection)
        except FAILURES as error:
            raise translate(error, connection) from error
        finally:
            self.give_back(connection)

    def close(self) -> None:
        """Make everything durable and let go. Views that are still open end with their own `with`."""
        if self._closed or self._process != os.getpid():
            return
        try:
            if self._commits.is_unsynced:
                self.sync()
        finally:
            self._closed = True
            while self._idle:
                self._idle.pop().close()
            self._commits.close()

    def borrow(self) -> apsw.Connection:
        """Hand out a reading connection."""
        self._check()
        try:
            return self._idle.pop()
        except IndexError:
            return connect(self._path, busy_seconds=self._busy_seconds, read_only=True)

    def give_back(self, connection: apsw.Connection) -> None:
        """Take a reading connection back and end what it was doing."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:
            connection.close()
            return
        if self._closed or len(self._idle) >= MOST_IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    def _scrub(self, connection: apsw.Connection) -> bool:
        connection.set_busy_handler(None)
        try:
            for attempt in range(SCRUBS):
                try:
                    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                except apsw.BusyError:
                    sleep(SCRUB_PAUSE if attempt < SCRUBS - 1 else 0)
                    continue
                self._commits.note_synced()
                return True
            return False
        finally:
            connection.set_busy_handler(patience(self._busy_seconds))

    def _check(self) -> None:
        if self._closed:
            raise closed()
        if self._process != os.getpid():
            raise StorageError("the store was opened before this process was forked; open it again in this process")


class _View:
    """One consistent view, from `with` to its end."""

    __slots__ = ("_connection", "_reading", "_store")

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._connection: apsw.Connection | None = None
        self._reading: SqliteReading | None = None

    def __enter__(self) -> SqliteReading:
        if self._connection is not None:
            raise StorageError("a view can be entered once only; ask the store for another")
        self._connection = self._store.borrow()
        self._reading = SqliteReading(self._connection)
        try:
            self._connection.execute("BEGIN")
        except apsw.Error as error:
            raise translate(error, self._connection) from error
        return self._reading

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None and self._reading is not None:
            self._reading.end()
            self._store.give_back(self._connection)
