"""A consistent view of the reference engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_memory.errors import StorageError
from iris_memory.ports.rows import (
    NOTHING_WRITTEN,
    AuditRow,
    CheckpointRow,
    EntryRow,
    RecordKind,
    RecordRow,
    SubjectState,
    TombstoneRow,
    UsageRow,
)
from iris_memory.storage.memory.restoring import MemoryWholeReading
from iris_memory.storage.memory.state import Chain, PersonRows, State

_NOBODY = PersonRows()
_NO_CHAIN = Chain()


class MemoryReading(MemoryWholeReading):
    """Answers from one state. It is of no use after `end`."""

    def __init__(self, state: State) -> None:
        self._shared: State | None = state

    def end(self) -> None:
        """Refuse every later use."""
        self._shared = None

    @property
    def _state(self) -> State:
        if self._shared is None:
            raise closed()
        return self._shared

    def state(self, tenant: str, person: str) -> SubjectState:
        """Return the counters of a person and the tenant's; with an empty person the tenant's as both."""
        rows = self._rows(tenant, person)
        found = SubjectState(rows.version, rows.usage_seq, self._rows(tenant, "").version)
        return found if found != NOTHING_WRITTEN else NOTHING_WRITTEN

    def entries_since(self, tenant: str, person: str, seq: int) -> list[EntryRow]:
        """Return the latest revision of each living memory written after `seq`."""
        rows = self._rows(tenant, person)
        living = (row for row in rows.entries.values() if row.superseded_by is None and row.seq > seq)
        return sorted(
            (row for row in living if row.logical_id not in rows.hidden), key=lambda row: (row.seq, row.logical_id)
        )

    def count_entries(self, tenant: str, person: str) -> int:
        """Count the living memories of a person."""
        return len(self.entries_since(tenant, person, -1))

    def due(
        self, tenant: str, person: str, now: int, *, after: tuple[int, str] = (-1, ""), limit: int
    ) -> list[EntryRow]:
        """Return up to `limit` latest revisions of living memories whose expiry is at or before `now`."""
        living = self.entries_since(tenant, person, -1)
        found = (row for row in living if (row.seq, row.logical_id) > after)
        return [row for row in found if row.expires_at is not None and row.expires_at <= now][: max(limit, 0)]

    def gone_since(self, tenant: str, person: str, seq: int) -> list[str]:
        """Return the ids that were tombstoned or hidden after `seq`, ordered by when."""
        rows = self._rows(tenant, person)
        gone = {logical_id: stone.seq for logical_id, stone in rows.tombstones.items() if stone.seq > seq}
        gone |= {logical_id: hidden for logical_id, hidden in rows.hidden.items() if hidden > seq}
        return sorted(gone, key=lambda logical_id: (gone[logical_id], logical_id))

    def revisions(self, tenant: str, person: str, logical_id: str) -> list[EntryRow]:
        """Return every revision of one memory that is within reach, oldest first."""
        rows = self._rows(tenant, person)
        return rows.revisions(logical_id) if logical_id not in rows.hidden else []

    def slots_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[int]:
        """Return the vault slots (from 1) that these memories name, hidden ones included, sorted."""
        return sorted({row.slot for row in self._sealed(tenant, person, logical_ids) if row.slot})

    def blobs_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[bytes]:
        """Return the sealed bytes of these memories, hidden ones included."""
        return [row.blob for row in self._sealed(tenant, person, logical_ids)]

    def created_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> dict[str, int]:
        """Return when each of these memories was first written, hidden ones included."""
        rows = self._rows(tenant, person)
        found = {logical_id: rows.revisions(logical_id) for logical_id in logical_ids}
        return {key: min(row.created_at for row in revisions) for key, revisions in found.items() if revisions}

    def usage_since(self, tenant: str, person: str, seq: int) -> list[UsageRow]:
        """Return the usage rows that changed after usage batch `seq`."""
        rows = self._rows(tenant, person)
        return sorted(row for row in rows.usage.values() if row.seq > seq and row.logical_id not in rows.hidden)

    def usage_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[UsageRow]:
        """Return the usage rows of these memories, ordered by logical_id."""
        wanted = set(logical_ids)
        return [row for row in self.usage_since(tenant, person, -1) if row.logical_id in wanted]

    def tombstones(self, tenant: str, person: str) -> list[TombstoneRow]:
        """Return the person's tombstones."""
        return sorted(self._rows(tenant, person).tombstones.values(), key=lambda stone: (stone.seq, stone.logical_id))

    def record(self, tenant: str, person: str, kind: RecordKind, key: str) -> RecordRow | None:
        """Return one record."""
        return self._rows(tenant, person).records.get((kind, key))

    def records(
        self, tenant: str, person: str, kind: RecordKind, *, since: int = -1, limit: int | None = None
    ) -> list[RecordRow]:
        """Return the records of one kind with `seq` above `since`."""
        found = (row for row in self._rows(tenant, person).records.values() if row.kind == kind and row.seq > since)
        return _by_seq(found)[: None if limit is None else max(limit, 0)]

    def records_everywhere(self, kind: RecordKind) -> list[tuple[str, str, RecordRow]]:
        """Return (tenant, person, record) of one kind across tenants, sorted."""
        return [
            (tenant, person, row)
            for tenant, person in sorted(self._state.persons)
            for row in self.records(tenant, person, kind)
        ]

    def tenants(self) -> list[str]:
        """Return every tenant that has an audit chain, sorted."""
        return sorted(tenant for tenant, chain in self._state.chains.items() if chain.lines)

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the stored head of the tenant's chain."""
        return self._chain(tenant).head

    def audit_lines(self, tenant: str, *, start: int, limit: int) -> list[AuditRow]:
        """Return up to `limit` events from sequence `start` on."""
        first = max(start, 1) - 1
        return list(self._chain(tenant).lines[first : first + max(limit, 0)])

    def checkpoints(self, tenant: str) -> list[CheckpointRow]:
        """Return the tenant's signed checkpoints, smallest size first."""
        return sorted(self._chain(tenant).checkpoints)

    def _rows(self, tenant: str, person: str) -> PersonRows:
        return self._state.persons.get((tenant, person), _NOBODY)

    def _chain(self, tenant: str) -> Chain:
        return self._state.chains.get(tenant, _NO_CHAIN)

    def _sealed(self, tenant: str, person: str, logical_ids: Iterable[str]) -> list[EntryRow | UsageRow]:
        rows = self._rows(tenant, person)
        found: list[EntryRow | UsageRow] = []
        for logical_id in dict.fromkeys(logical_ids):
            found += rows.revisions(logical_id)
            found += [rows.usage[logical_id]] if logical_id in rows.usage else []
        return found


def closed() -> StorageError:
    """The error of a store, view or transaction that is used after its end."""
    return StorageError("the store is closed; open it again")


def _by_seq(rows: Iterable[RecordRow]) -> list[RecordRow]:
    return sorted(rows, key=lambda row: (row.seq, row.key))
