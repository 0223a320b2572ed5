"""The audit lines of one group of works, kept back so that each tenant's are written once, with the commit.

An event is linked at the server, which holds the end of the chain from then until the commit, in the same round trip.
Only who looks at the end of a chain (its head, or to append lines that are linked already) holds it from that look on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from iris_memory.chain.canonical import JsonValue
from iris_memory.errors import ChainError, StoreBusyError
from iris_memory.ports.rows import AuditRow
from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.arrays import bigints, blobs
from iris_memory.storage.postgres.pieces import Pieces, pieces
from iris_memory.storage.postgres.session import Session


class _End(NamedTuple):
    """Where a chain ends: how long it is in the database, how long with the lines kept back, and its head."""

    written: int
    size: int
    head: bytes | None


class Mark(NamedTuple):
    """What was kept back at one moment."""

    ends: dict[str, _End]
    lines: dict[str, list[AuditRow]]
    events: dict[str, list[Pieces]]


class Chains:
    """What is to be appended to the chains of tenants."""

    __slots__ = ("_ends", "_events", "_lines", "_session")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ends: dict[str, _End] = {}
        self._lines: dict[str, list[AuditRow]] = {}
        self._events: dict[str, list[Pieces]] = {}

    def head(self, tenant: str) -> bytes | None:
        """Return the head of a chain, what is kept back included, and hold the chain."""
        return self._end(tenant).head

    def append(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Keep the next lines of a chain back, and hold the chain.

        Raises:
            ChainError: they are not the next lines, or there is none.
        """
        end = self._end(tenant)
        if not rows or any(row.sequence != n for n, row in enumerate(rows, end.size + 1)):
            raise ChainError("the events to append are not the next ones of the chain")
        self._ends[tenant] = _End(end.written, end.size + len(rows), head)
        self._lines.setdefault(tenant, []).extend(rows)

    def append_event(self, tenant: str, body: Mapping[str, JsonValue], *, at: int) -> None:
        """Keep an event back that the server is to link."""
        piece = pieces(tenant, body, at=at)
        self._session.hold(tenant)
        if tenant in self._lines:
            self._write_lines(tenant)
        self._events.setdefault(tenant, []).append(piece)

    def mark(self) -> Mark:
        """Return what is kept back, for `back_to`."""
        return Mark(
            self._ends.copy(),
            {tenant: rows.copy() for tenant, rows in self._lines.items()},
            {tenant: events.copy() for tenant, events in self._events.items()},
        )

    def back_to(self, mark: Mark) -> None:
        """Keep back what was kept back at a mark: the work since failed, and what it wrote out is rolled back."""
        self._ends, self._lines, self._events = mark

    def write(self) -> None:
        """Write what was kept back, or have it sent with the commit; tenants in order, so no two wait for each other.

        Raises:
            StoreBusyError: somebody wrote to a chain that was held.
        """
        for tenant in sorted({*self._lines, *self._events}):
            if tenant in self._lines:
                self._write_lines(tenant)
            if tenant in self._events:
                self._write_events(tenant)

    def _end(self, tenant: str) -> _End:
        if tenant in self._events:
            self._write_events(tenant)
        known = self._ends.get(tenant)
        if known is None:
            size, head = self._session.alter_tenant(tenant, statements.CHAIN_END)[0]
            known = self._ends[tenant] = _End(size, size, head)
        return known

    def _write_lines(self, tenant: str) -> None:
        rows, end = self._lines[tenant], self._ends[tenant]
        grown = self._session.change_tenant(
            tenant,
            statements.EXTEND_CHAIN,
            size=end.size,
            head=end.head,
            written=end.written,
            sequences=bigints([row.sequence for row in rows]),
            lines=blobs([row.line for row in rows]),
        )
        if grown != len(rows):
            raise StoreBusyError("the chain has grown meanwhile, nothing was kept; retry")
        self._ends[tenant] = end._replace(written=end.size)
        del self._lines[tenant]

    def _write_events(self, tenant: str) -> None:
        events = self._events.pop(tenant)
        self._ends.pop(tenant, None)
        self._session.defer_tenant(
            tenant,
            statements.GROW_CHAIN,
            times=bigints([event.at for event in events]),
            firsts=blobs([event.first for event in events]),
            seconds=blobs([event.second for event in events]),
            thirds=blobs([event.third for event in events]),
            lasts=blobs([event.last for event in events]),
        )
