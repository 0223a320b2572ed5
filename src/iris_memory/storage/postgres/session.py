"""One transaction's talk with the server: it tells the server whose rows are asked for before each question.

What needs no answer is not sent at once. It waits for the next question and goes with it in one round trip (a pipeline
of the protocol), and what waits at the end goes with the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper

from iris_memory.ports.rows import NOTHING_WRITTEN, SubjectState
from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.arrays import register
from iris_memory.storage.postgres.faults import FAILURES, Failure, translate
from iris_memory.storage.postgres.locks import Locks, LockTakenError, Want

Rows: TypeAlias = list[tuple[Any, ...]]
Connection: TypeAlias = psycopg.Connection[Any]
Columns: TypeAlias = Callable[[list[Any]], Mapping[str, Any]]
"""Makes the values of a statement on many rows."""

_VIEW: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WORK: Final = "BEGIN"
_LONG: Final = 6
"""How many times as long as a statement may take a transaction may lie idle, or a work may last, before the server ends
it: a process that stands still holds nothing for longer."""
_HAS_WHOLE_LIMIT: Final = 170_000

_SAVEPOINT: Final = "SAVEPOINT job"
_BACK: Final = "ROLLBACK TO job"
_RELEASE: Final = "RELEASE job"


class _Statement(NamedTuple):
    """A statement and its values, not sent yet."""

    query: str
    values: Mapping[str, Any] | None = None


class _Gathered:
    """A statement on many rows, not sent yet: those of the same key take each other's place."""

    __slots__ = ("_columns", "_whose", "query", "rows")

    def __init__(self, whose: tuple[str, str], query: str, columns: Columns) -> None:
        self._whose = whose
        self._columns = columns
        self.query = query
        self.rows: dict[Hashable, Any] = {}

    def takes(self, whose: tuple[str, str], query: str) -> bool:
        """Say whether a row may go with those that are here."""
        return self.query is query and self._whose == whose

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the rows as columns, with whose they are."""
        tenant, person = self._whose
        return {"tenant": tenant, "person": person, **self._columns(list(self.rows.values()))}


def prepare_connection(connection: Connection) -> None:
    """Set a new connection up: transactions are opened by hand, and every integer is a bigint to the server."""
    connection.autocommit = True
    connection.adapters.register_dumper(int, Int8Dumper)
    register(connection)


class Session:
    """A transaction on a borrowed connection, from its first question to `end`.

    Settings are the transaction's own (`set_config(..., true)`), so nothing of them is left for whoever gets the
    connection next, behind a transaction pooler as well. A writing session holds a lock for everybody it asked about
    (see `locks`). It waits for a lock only while it holds none; else it raises LockTakenError, and whoever runs the
    work runs it again with the locks named before it begins.
    """

    __slots__ = (
        "_before",
        "_changes",
        "_connection",
        "_cursor",
        "_guarded",
        "_held",
        "_locks",
        "_mark",
        "_queue",
        "_states",
        "_who",
        "fault",
        "wants",
    )

    def __init__(
        self,
        connection: Connection,
        *,
        milliseconds: int,
        writes: bool = False,
        durable: bool = True,
        wants: Sequence[Want] = (),
    ) -> None:
        limits = {"limit": str(milliseconds), "idle": str(_LONG * milliseconds)}
        self._connection = connection
        self._cursor = connection.cursor(binary=True)
        # the driver's pipelines end with a message that stops the server's clock of idleness
        whole = writes and connection.info.server_version >= _HAS_WHOLE_LIMIT
        self._queue: list[_Statement | _Gathered] = [
            _Statement(_WORK if writes else _VIEW),
            _Statement(statements.WORK_LIMITS[whole, not durable], limits),
        ]
        self._locks = Locks() if writes else None
        self._queue += [_Statement(statements.ENTER, {**want.values, "tries": False}) for want in wants]
        if self._locks is not None:
            self._locks.take(wants)
        self._before = self._held = self._locks
        self._mark: int | None = None
        self._changes = False
        self._guarded = False
        self._who: tuple[str, str] | None = None
        self._states: dict[tuple[str, str], SubjectState] = {}
        self.wants: tuple[Want, ...] = ()
        self.fault: Failure | LockTakenError | None = None

    @property
    def connection(self) -> Connection:
        """What was borrowed."""
        return self._connection

    def state(self, tenant: str, person: str) -> SubjectState:
        """Return the counters of a person: they came with the answer when the person was named."""
        known = self._states.get((tenant, person))
        if known is None:
            self._enter(tenant, person, changes=False, must_ask=True)
            known = self._states[tenant, person]
        return known

    def knows(self, tenant: str, person: str) -> bool:
        """Say whether the row of a person is known to be there, so that nobody need make it."""
        state = self._states.get((tenant, person), NOTHING_WRITTEN)
        return state.version != 0 or state.usage_seq != 0

    def note_state(self, tenant: str, person: str, state: SubjectState) -> None:
        """Take note of counters that this session itself has changed."""
        self._states = {name: seen for name, seen in self._states.items() if name[0] != tenant or (person and name[1])}
        self._states[tenant, person] = state

    def ask(self, tenant: str, person: str, query: str, /, **values: Any) -> Rows:
        """Return the rows of a statement on the rows of one person (or, with an empty person, of the tenant)."""
        self._enter(tenant, person, changes=False)
        return self._run(query, {"tenant": tenant, "person": person, **values}).fetchall()

    def alter(self, tenant: str, person: str, query: str, /, **values: Any) -> Rows:
        """Run a statement that changes rows of one person, and return what it answers."""
        self._enter(tenant, person, changes=True)
        self._begin_change()
        return self._run(query, {"tenant": tenant, "person": person, **values}).fetchall()

    def change(self, tenant: str, person: str, query: str, /, **values: Any) -> int:
        """Run a statement without rows; return how many it changed. The counters are asked for anew afterwards."""
        self._enter(tenant, person, changes=True)
        self._begin_change()
        changed = self._run(query, {"tenant": tenant, "person": person, **values}).rowcount
        self._states.clear()
        return changed

    def delete(self, tenant: str, person: str, query: str, /, **values: Any) -> int:
        """Run a statement without rows that leaves the counters alone; return how many rows it changed."""
        self._enter(tenant, person, changes=True)
        self._begin_change()
        return self._run(query, {"tenant": tenant, "person": person, **values}).rowcount

    def hold_alone(self, tenant: str, person: str) -> None:
        """Be the only writer of a person's rows, and know the counters as they are from then on."""
        if self._locks is not None and self._locks.missing(tenant, person, changes=True) is not None:
            self._enter(tenant, person, changes=True, must_ask=True)

    def hold(self, tenant: str) -> None:
        """Hold what must be held of a tenant before its chain is appended to."""
        self._enter_any(tenant)

    def defer(self, tenant: str, person: str, query: str, /, **values: Any) -> None:
        """Have a statement that needs no answer sent with the next one."""
        self._enter(tenant, person, changes=True)
        self._begin_change()
        self._queue.append(_Statement(query, {"tenant": tenant, "person": person, **values}))

    def gather(self, tenant: str, person: str, query: str, columns: Columns, *, key: Hashable, row: object) -> None:
        """Have a row sent with the next statement; those that follow each other go in one. A key's last row counts."""
        self._enter(tenant, person, changes=True)
        self._begin_change()
        last = self._queue[-1] if self._queue else None
        if not isinstance(last, _Gathered) or not last.takes((tenant, person), query):
            last = _Gathered((tenant, person), query, columns)
            self._queue.append(last)
        last.rows[key] = row

    def ask_tenant(self, tenant: str, query: str, /, **values: Any) -> Rows:
        """Return the rows of a statement on tables without persons; whichever person is named stays named."""
        self._enter_any(tenant)
        return self._run(query, {"tenant": tenant, **values}).fetchall()

    def alter_tenant(self, tenant: str, query: str, /, **values: Any) -> Rows:
        """Run a statement that changes, or locks, rows of tables without persons, and return what it answers."""
        self._enter_any(tenant)
        self._begin_change()
        return self._run(query, {"tenant": tenant, **values}).fetchall()

    def defer_tenant(self, tenant: str, query: str, /, **values: Any) -> None:
        """Have a statement on tables without persons, that needs no answer, sent with the next one."""
        self._enter_any(tenant)
        self._begin_change()
        self._queue.append(_Statement(query, {"tenant": tenant, **values}))

    def change_tenant(self, tenant: str, query: str, /, **values: Any) -> int:
        """Run a statement without rows on tables without persons; return how many it changed."""
        self._enter_any(tenant)
        self._begin_change()
        return self._run(query, {"tenant": tenant, **values}).rowcount

    def ask_census(self, query: str, /, **values: Any) -> Rows:
        """Return the rows of one of the functions that look across tenants."""
        return self._run(query, values or None).fetchall()

    def guard(self) -> None:
        """Begin something that may have to be undone: a savepoint is set before its first change."""
        self._mark, self._guarded = len(self._queue), False
        self._before = self._locks.copy() if self._locks is not None else None

    def undo(self) -> bool:
        """Go back to where `guard` was called; say whether that can be done.

        Settings and locks that came after the savepoint are undone by the server as well.
        """
        mark, self._mark = self._mark, None
        if self._guarded and _Statement(_SAVEPOINT) not in self._queue:
            try:
                self._connection.execute(_BACK.encode())
            except psycopg.Error:  # what broke the transaction came before the savepoint
                if self._connection.closed:
                    raise
                return False
            self._queue, self._locks = [_Statement(_RELEASE)], self._held
        elif self.is_broken():
            return False
        elif len(self._queue) > (mark or 0):
            self._queue, self._locks = self._queue[:mark], self._before
        self._guarded = False
        self._who, self._states = None, {}
        return True

    def keep(self) -> None:
        """Keep what was done since `guard` was called; what waits is sent, so that a fault in it is this work's."""
        if self._mark is None:
            return
        if self._guarded:
            self._queue.append(_Statement(_RELEASE))
            self.flush()
        self._mark, self._guarded = None, False

    def flush(self) -> None:
        """Send what waits."""
        if self._queue:
            waiting, self._queue = self._queue, []
            self._send_within(waiting)

    def commit(self, *, marks: bool) -> None:
        """Send what waits and commit, after a mark in the log if there must be something to flush: one round trip.

        Raises:
            psycopg.Error: nothing was kept, or it is not known.
        """
        if self._has_begun() or self._changes or marks:
            mark = [_Statement(statements.MARK_SYNC)] if marks else []
            self._send([*self._queue, *mark, _Statement("COMMIT")])
        self._queue = []

    def pass_over(self) -> None:
        """Take note that what failed before is no matter any more."""
        self.fault = None

    def is_broken(self) -> bool:
        """Say whether the server refuses everything until the transaction, or its savepoint, is rolled back."""
        return self._connection.info.transaction_status is TransactionStatus.INERROR

    def is_lost(self) -> bool:
        """Say whether the connection is gone."""
        return self._connection.closed

    def end(self) -> None:
        """Roll back what is open. A connection that fails to do so is closed, for the pool to throw away."""
        try:
            if self._has_begun():
                self._connection.execute(b"ROLLBACK")
        except psycopg.Error:
            self._connection.close()

    def _has_begun(self) -> bool:
        return self._connection.info.transaction_status is not TransactionStatus.IDLE

    def _begin_change(self) -> None:
        self._changes = True
        if self._mark is not None and not self._guarded:
            self._queue.append(_Statement(_SAVEPOINT))
            self._guarded = True
            self._held = self._locks.copy() if self._locks is not None else None

    def _run(self, query: str, values: Mapping[str, Any] | None) -> psycopg.Cursor[Any]:
        waiting, self._queue = self._queue, []
        self._send_within([*waiting, _Statement(query, values)])
        return self._cursor

    def _send_within(self, batch: Sequence[_Statement | _Gathered]) -> None:
        if self._mark is not None:
            self._mark = 0
        try:
            self._send(batch)
        except FAILURES as error:
            self.fault = error
            raise translate(error) from None

    def _send(self, batch: Sequence[_Statement | _Gathered]) -> None:
        """Send statements in one round trip; the last one's answer is in the cursor."""
        if len(batch) == 1:
            self._cursor.execute(batch[0].query.encode(), batch[0].values)
            return
        with self._connection.pipeline():
            for each in batch[:-1]:
                self._connection.execute(each.query.encode(), each.values, binary=True)
            self._cursor.execute(batch[-1].query.encode(), batch[-1].values)

    def _enter_any(self, tenant: str) -> None:
        if self._who is None or self._who[0] != tenant:
            self._enter(tenant, "", changes=False)

    def _enter(self, tenant: str, person: str, *, changes: bool, must_ask: bool = False) -> None:
        """Name the tenant and the person, and hold what must be held of them.

        Where nothing is to be waited for, the naming itself waits for the next question.
        """
        want = None if self._locks is None else self._locks.missing(tenant, person, changes=changes)
        if want is None and not must_ask and self._who == (tenant, person):
            return
        tries = want is not None and self._locks is not None and not self._locks.is_empty()
        values = {"tenant": tenant, "person": person, "holds": want.holds if want else 0, "tries": tries}
        if not tries and not must_ask:  # the lock is waited for, and the question goes with the waiting
            self._queue.append(_Statement(statements.ENTER, values))
            if want is not None and self._locks is not None:
                self._locks.take([want])
            self._who = (tenant, person)
            return
        self._who = None
        row = self._run(statements.ENTER, values).fetchone()
        assert row is not None
        got, *counters = row
        if want is not None and self._locks is not None:
            if not got:
                self.wants = (*self._locks.all(), want)
                self.fault = LockTakenError()
                raise self.fault
            self._locks.take([want])
        self._who = (tenant, person)
        self._states[tenant, person] = SubjectState(*counters)
