"""The engine for teams: one PostgreSQL database, many stateless processes of Iris, on any number of machines."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, TypeVar

from iris_memory.chain.canonical import JsonValue
from iris_memory.errors import StorageError, StoreBusyError
from iris_memory.ports.rows import SubjectState
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.connections import Connections, connect
from iris_memory.storage.postgres.erasures import Erasures
from iris_memory.storage.postgres.faults import FAILURES, RETRIED, closed, translate
from iris_memory.storage.postgres.group_commit import TRIES, GroupCommit
from iris_memory.storage.postgres.pieces import pieces
from iris_memory.storage.postgres.preparing import recognise
from iris_memory.storage.postgres.reading import PostgresReading
from iris_memory.storage.postgres.session import Session
from iris_memory.storage.postgres.standing import standing_problems

T = TypeVar("T")

BUSY_SECONDS: Final = 10.0
MOST_VIEWS: Final = 8
PREPARE_AFTER: Final = 3


class PostgresStore:
    """A store in the database at `url`, which its owner prepared (`prepare`).

    The role in `url` is a member of `iris_app` and nothing more; one that could pass the walls is refused.
    """

    def __init__(
        self,
        url: str,
        *,
        busy_seconds: float = BUSY_SECONDS,
        most_views: int = MOST_VIEWS,
        pooled: bool = False,
        direct: str | None = None,
    ) -> None:
        """Open the store.

        A statement, a lock or a connection that is waited for longer than `busy_seconds` raises StoreBusyError.
        `pooled` says that a transaction pooler stands before the server: then no statement is prepared for later, and
        erasures are heard of only by `direct`, an address of the same database that leads past the pooler.
        """
        recognise(url)
        self._process = os.getpid()
        self._closed = False
        self._milliseconds = max(1, int(busy_seconds * 1_000))
        threshold = None if pooled else PREPARE_AFTER
        self._views = Connections(url, most=most_views, busy_seconds=busy_seconds, prepare_threshold=threshold)
        self._writers = Connections(url, most=1, busy_seconds=busy_seconds, prepare_threshold=threshold)
        self._direct = direct or (None if pooled else url)
        self._busy_seconds = busy_seconds
        self._erasures: Erasures | None = None
        self._commits = GroupCommit(self._writers.borrowed, milliseconds=self._milliseconds)

    def read(self) -> AbstractContextManager[Reading]:
        """Open a consistent view: the snapshot is taken by the first question asked of it."""
        self._check()
        return _View(self)

    def write(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `work` as the only writer of the tenants it looks at, and commit; see the port.

        `work` may run on another caller's thread, and again when other processes wrote at the same time.
        """
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
        """Append one event on condition that a person's counters are still these; say whether they are.

        It is one statement, so one round trip, in which the server links the event, and commits. No lock outlives it.
        """
        self._check()
        piece = pieces(tenant, body, at=at)
        values = {
            "tenant": tenant,
            "person": person,
            "version": state.version,
            "usage": state.usage_seq,
            "tenant_version": state.tenant_version,
            "patience": self._milliseconds,
            "durable": durable,
            **piece._asdict(),
        }
        for _ in range(TRIES):
            try:
                with self._views.borrowed() as connection:
                    row = connection.execute(statements.TELL.encode(), values, binary=True).fetchone()
            except FAILURES as error:
                if getattr(error, "sqlstate", None) in RETRIED:
                    continue
                raise translate(error) from None
            if not durable:
                self._commits.note_unsynced()
            return row is not None and bool(row[0])
        raise StoreBusyError("other processes wrote at the same time again and again; retry")

    def on_erasure(self, heard: Callable[[str, str], None], *, missed: Callable[[], None]) -> bool:
        """Call `heard` with tenant and pseudonym of each erasure in any process; `missed` when some may not be heard.

        False where a pooler stands before the server and no direct address is known.
        """
        self._check()
        if self._direct is None:
            return False
        if self._erasures is not None:
            raise StorageError("somebody hears of erasures already; open the store again to hear of them twice")
        make = partial(connect, self._direct, seconds=self._busy_seconds)
        self._erasures = Erasures(make, heard, missed)
        return True

    def sync(self) -> None:
        """Make every commit so far durable, those of other processes included."""
        self._check()
        try:
            with self._writers.borrowed() as connection:
                connection.execute(statements.MARK_SYNC)
        except FAILURES as error:
            raise translate(error) from None
        self._commits.note_synced()

    def is_unsynced(self) -> bool:
        """Say whether some commit of this process is not durable yet."""
        return self._commits.is_unsynced

    def scrub(self) -> bool:
        """Make everything durable and let the server give up the room of deleted rows (`VACUUM`).

        The files are the server's. What stays of a deleted row in them, in its log and in its backups is sealed under a
        key that the vault has destroyed; no engine of this kind can promise more.
        """
        self.sync()
        try:
            with self._views.borrowed() as connection:
                connection.execute(statements.VACUUM)
        except FAILURES as error:
            raise translate(error) from None
        return True

    def files(self) -> tuple[Path, ...]:
        """Name no file: they are the server's, and out of this process's reach."""
        return ()

    def problems(self) -> list[str]:
        """Check the role and the schema, then what must hold between the rows of all tenants; no content is named."""
        self._check()
        try:
            with self._views.borrowed() as connection:
                found = standing_problems(connection)
                if found:  # the rows cannot be looked at where the schema is not whole
                    return found
                session = Session(connection, milliseconds=0)  # a look at everything may take its time
                try:
                    return PostgresReading(session).problems()
                finally:
                    session.end()
        except FAILURES as error:
            raise translate(error) from None

    def close(self) -> None:
        """Make everything durable and let go. Views that are still open end with their own `with`."""
        if self._closed or self._process != os.getpid():
            return
        if self._erasures is not None:
            self._erasures.stop()
        try:
            if self._commits.is_unsynced:
                self.sync()
        finally:
            self._closed = True
            self._commits.close()
            self._writers.close()
            self._views.close()

    def open_session(self) -> Session:
        """Borrow a connection for a view."""
        self._check()
        return Session(self._views.take(), milliseconds=self._milliseconds)

    def close_session(self, session: Session) -> None:
        """End a view and give its connection back."""
        session.end()
        self._views.give_back(session.connection)

    def _check(self) -> None:
        if self._closed:
            raise closed()
        if self._process != os.getpid():
            raise StorageError("the store was opened before this process was forked; open it again in this process")


class _View:
    """One consistent view, from `with` to its end."""

    __slots__ = ("_reading", "_session", "_store")

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self._session: Session | None = None
        self._reading: PostgresReading | None = None

    def __enter__(self) -> PostgresReading:
        if self._session is not None:
            raise StorageError("a view can be entered once only; ask the store for another")
        self._session = self._store.open_session()
        self._reading = PostgresReading(self._session)
        return self._reading

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None and self._reading is not None:
            self._reading.end()
            self._store.close_session(self._session)
