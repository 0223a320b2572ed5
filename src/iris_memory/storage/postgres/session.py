"""One transaction's talk with the server: it tells the server whose rows are asked for before each question."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper

from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.faults import FAILURES, Failure, translate

Rows: TypeAlias = list[tuple[Any, ...]]
Connection: TypeAlias = psycopg.Connection[Any]

_VIEW: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WORK: Final = "BEGIN"
_LIMITS: Final = "SET LOCAL statement_timeout = {limit}; SET LOCAL lock_timeout = {limit}"
_SAVEPOINT: Final = "SAVEPOINT job"
_LAZY: Final = "SET LOCAL synchronous_commit = off"


class LockTakenError(Exception):
    """Another transaction holds a tenant's lock, and this one holds another tenant's already."""


def prepare_connection(connection: Connection) -> None:
    """Set a new connection up: transactions are opened by hand, and every integer is a bigint to the server."""
    connection.autocommit = True
    connection.adapters.register_dumper(int, Int8Dumper)


class Session:
    """A transaction on a borrowed connection, from its first question to `end`.

    It begins with its first question, in the same round trip that names the tenant and the person. Settings are the
    transaction's own (`set_config(..., true)`), so nothing of them is left for whoever gets the connection next, behind
    a transaction pooler as well. A writing session holds the lock of every tenant it asked about; unless it is patient
    it waits for the first lock only, and who holds one waits for no other, so no two wait for each other.
    """

    __slots__ = ("_ahead", "_connection", "_cursor", "_guard", "_held", "_patient", "fault", "locked", "who")

    def __init__(
        self,
        connection: Connection,
        *,
        milliseconds: int,
        writes: bool = False,
        durable: bool = True,
        patient: bool = False,
    ) -> None:
        limits = _LIMITS.format(limit=milliseconds)
        self._connection = connection
        self._cursor = connection.cursor(binary=True)
        self._patient = patient
        self._ahead = [_WORK if writes else _VIEW, limits, *([] if durable else [_LAZY])]
        self._guard: bool | None = None
        self.who: tuple[str, str] | None = None
        self.locked: frozenset[str] | None = frozenset() if writes else None
        self._held = self.locked
        self.fault: Failure | LockTakenError | None = None

    @property
    def connection(self) -> Connection:
        """What was borrowed."""
        return self._connection

    def ask(self, tenant: str, person: str, query: str, /, **values: Any) -> Rows:
        """Return the rows of a statement on the rows of one person (or, with an empty person, of the tenant)."""
        return self._run(query, {"tenant": tenant, "person": person, **values}, (tenant, person)).fetchall()

    def ask_tenant(self, tenant: str, query: str, /, **values: Any) -> Rows:
        """Return the rows of a statement on tables without persons; whichever person is named stays named."""
        return self._run(query, {"tenant": tenant, **values}, self._any_of(tenant)).fetchall()

    def change(self, tenant: str, person: str, query: str, /, **values: Any) -> int:
        """Run a statement without rows; return how many it changed."""
        return self._run(query, {"tenant": tenant, "person": person, **values}, (tenant, person)).rowcount

    def change_tenant(self, tenant: str, query: str, /, **values: Any) -> int:
        """Run a statement without rows on tables without persons; return how many it changed."""
        return self._run(query, {"tenant": tenant, **values}, self._any_of(tenant)).rowcount

    def ask_census(self, query: str, /, **values: Any) -> Rows:
        """Return the rows of one of the functions that look across tenants."""
        return self._run(query, values, None).fetchall()

    def guard(self) -> None:
        """Set a savepoint before the next change, and none where nothing is changed."""
        self._guard = False

    def undo(self) -> bool:
        """Go back to where `guard` was called; say whether that can be done.

        Settings and locks that came after the savepoint are undone by the server as well.
        """
        if self._guard:
            if _SAVEPOINT not in self._ahead:
                self._connection.execute(b"ROLLBACK TO job")
                self.who, self.locked = None, self._held
            self.keep()
            return True
        self._guard = None
        return not self.is_broken()

    def keep(self) -> None:
        """Keep what was done since `guard` was called."""
        if self._guard:
            self._ahead.append("RELEASE job")
        self._guard = None

    def commit(self, *, marks: bool) -> None:
        """Commit, after a mark in the log if there must be something to flush."""
        if self._has_begun() or marks:
            ending = [*self._ahead, *([statements.MARK_SYNC] if marks else []), "COMMIT"]
            self._connection.execute("; ".join(ending).encode())
        self._ahead = []

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

    def _any_of(self, tenant: str) -> tuple[str, str]:
        return self.who if self.who is not None and self.who[0] == tenant else (tenant, "")

    def _run(self, query: str, values: dict[str, Any], who: tuple[str, str] | None) -> psycopg.Cursor[Any]:
        if self._guard is False and not _reads(query):
            self._ahead.append(_SAVEPOINT)
            self._guard, self._held = True, self.locked
        try:
            if who is not None and who != self.who:
                self._enter(*who)
            elif self._ahead:
                self._connection.execute("; ".join(self._ahead).encode())
                self._ahead = []
            self._cursor.execute(query.encode(), values)
        except FAILURES as error:
            self.fault = error
            raise translate(error) from None
        return self._cursor

    def _enter(self, tenant: str, person: str) -> None:
        """Send what was to be sent ahead, name the tenant and the person, and be the tenant's only writer."""
        form, tries = statements.ENTER, False
        if self.locked is not None and tenant not in self.locked:
            tries = bool(self.locked) and not self._patient
            form = statements.TRY_LOCK if tries else statements.LOCK
        values = {"tenant": sql.Literal(tenant), "setting": sql.Literal("=" + person)}
        naming = sql.SQL(form).format(**values).as_bytes(self._connection)  # refuses text that the server cannot keep
        script = b"; ".join([*map(str.encode, self._ahead), naming])
        self.who, self._ahead = None, []
        cursor = self._connection.execute(script)
        while cursor.nextset():
            pass
        if tries and not _last(cursor):
            self.fault = LockTakenError()
            raise self.fault
        if self.locked is not None:
            self.locked |= {tenant}
        self.who = (tenant, person)


@cache
def _reads(query: str) -> bool:
    return query.lstrip().startswith("SELECT")


def _last(cursor: psycopg.Cursor[Any]) -> bool:
    row = cursor.fetchone()
    return row is not None and bool(row[-1])
