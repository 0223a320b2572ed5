"""A consistent view of the store: every statement names the tenant first, and the server's walls do so again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_memory.ports.rows import (
    AuditRow,
    CheckpointRow,
    EntryRow,
    RecordKind,
    RecordRow,
    SubjectState,
    TombstoneRow,
    UsageRow,
)
from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.arrays import Texts, texts
from iris_memory.storage.postgres.faults import closed
from iris_memory.storage.postgres.restoring import PostgresWholeReading
from iris_memory.storage.postgres.session import Session


class PostgresReading(PostgresWholeReading):
    """Answers from one session. It is of no use after `end`."""

    __slots__ = ("_shared",)

    def __init__(self, session: Session) -> None:
        self._shared: Session | None = session

    def end(self) -> None:
        """Refuse every later use: the connection is somebody else's now."""
        self._shared = None

    @property
    def _session(self) -> Session:
        if self._shared is None:
            raise closed()
        return self._shared

    def state(self, tenant: str, person: str) -> SubjectState:
        """Return the counters of a person and the tenant's; with an empty person the tenant's as both."""
        return self._session.state(tenant, person)

    def entries_since(self, tenant: str, person: str, seq: int) -> list[EntryRow]:
        """Return the latest revision of each living memory written after `seq`."""
        return list(map(EntryRow._make, self._session.ask(tenant, person, statements.ENTRIES_SINCE, seq=seq)))

    def count_entries(self, tenant: str, person: str) -> int:
        """Count the living memories of a person."""
        ((count,),) = self._session.ask(tenant, person, statements.COUNT_ENTRIES)
        return int(count)

    def due(
        self, tenant: str, person: str, now: int, *, after: tuple[int, str] = (-1, ""), limit: int
    ) -> list[EntryRow]:
        """Return up to `limit` latest revisions of living memories whose expiry is at or before `now`."""
        given = {"seq": after[0], "id": after[1], "now": now, "limit": max(limit, 0)}
        return list(map(EntryRow._make, self._session.ask(tenant, person, statements.DUE, **given)))

    def gone_since(self, tenant: str, person: str, seq: int) -> list[str]:
        """Return the ids that were tombstoned or hidden after `seq`, ordered by when."""
        return [logical_id for (logical_id,) in self._session.ask(tenant, person, statements.GONE_SINCE, seq=seq)]

    def revisions(self, tenant: str, person: str, logical_id: str) -> list[EntryRow]:
        """Return every revision of one memory that is within reach, oldest first."""
        return list(map(EntryRow._make, self._session.ask(tenant, person, statements.REVISIONS, id=logical_id)))

    def slots_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[int]:
        """Return the vault slots (from 1) that these memories name, hidden ones included, sorted."""
        return [slot for (slot,) in self._session.ask(tenant, person, statements.SLOTS_OF, ids=_once(logical_ids))]

    def blobs_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[bytes]:
        """Return the sealed bytes of these memories, hidden ones included."""
        return [blob for (blob,) in self._session.ask(tenant, person, statements.BLOBS_OF, ids=_once(logical_ids))]

    def created_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> dict[str, int]:
        """Return when each of these memories was first written, hidden ones included."""
        rows = self._session.ask(tenant, person, statements.CREATED_OF, ids=_once(logical_ids))
        return dict(rows)

    def usage_since(self, tenant: str, person: str, seq: int) -> list[UsageRow]:
        """Return the usage rows that changed after usage batch `seq`."""
        return list(map(UsageRow._make, self._session.ask(tenant, person, statements.USAGE_SINCE, seq=seq)))

    def usage_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[UsageRow]:
        """Return the usage rows of these memories, ordered by logical_id."""
        rows = self._session.ask(tenant, person, statements.USAGE_OF, ids=_once(logical_ids))
        return list(map(UsageRow._make, rows))

    def tombstones(self, tenant: str, person: str) -> list[TombstoneRow]:
        """Return the person's tombstones."""
        return list(map(TombstoneRow._make, self._session.ask(tenant, person, statements.TOMBSTONES)))

    def record(self, tenant: str, person: str, kind: RecordKind, key: str) -> RecordRow | None:
        """Return one record."""
        rows = self._session.ask(tenant, person, statements.RECORD, kind=kind.value, key=key)
        return RecordRow(kind, *rows[0]) if rows else None

    def records(
        self, tenant: str, person: str, kind: RecordKind, *, since: int = -1, limit: int | None = None
    ) -> list[RecordRow]:
        """Return the records of one kind with `seq` above `since`."""
        most = None if limit is None else max(limit, 0)
        rows = self._session.ask(tenant, person, statements.RECORDS, kind=kind.value, since=since, limit=most)
        return [RecordRow(kind, *row) for row in rows]

    def records_everywhere(self, kind: RecordKind) -> list[tuple[str, str, RecordRow]]:
        """Return (tenant, person, record) of one kind across tenants, sorted.

        The census names who has such records; each owner's are then read within the owner's walls.
        """
        return [
            (tenant, person, row)
            for tenant, person in self._owners([kind], due=None)
            for row in self.records(tenant, person, kind)
        ]

    def tenants(self) -> list[str]:
        """Return every tenant that has an audit chain, sorted."""
        return [tenant for (tenant,) in self._session.ask_census(statements.TENANT_NAMES)]

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the stored head of the tenant's chain."""
        rows = self._session.ask_tenant(tenant, statements.AUDIT_HEAD)
        return rows[0][1] if rows else None

    def audit_lines(self, tenant: str, *, start: int, limit: int) -> list[AuditRow]:
        """Return up to `limit` events from sequence `start` on."""
        rows = self._session.ask_tenant(tenant, statements.AUDIT_LINES, start=start, limit=max(limit, 0))
        return list(map(AuditRow._make, rows))

    def checkpoints(self, tenant: str) -> list[CheckpointRow]:
        """Return the tenant's signed checkpoints, smallest size first."""
        return list(map(CheckpointRow._make, self._session.ask_tenant(tenant, statements.CHECKPOINTS)))

    def problems(self) -> list[str]:
        """Return what is wrong between the rows, in plain sentences without content."""
        return [f"{amount} {sentence}" for amount, sentence in self._session.ask_census(statements.PROBLEMS)]

    def _owners(self, kinds: Sequence[RecordKind], *, due: int | None) -> list[tuple[str, str]]:
        rows = self._session.ask_census(statements.RECORD_OWNERS, kinds=[kind.value for kind in kinds], due=due)
        return sorted((tenant, person) for tenant, person in rows)


def _once(names: Iterable[str]) -> Texts:
    return texts(list(dict.fromkeys(names)))
