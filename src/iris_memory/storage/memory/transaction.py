"""Changes on a copy: what a failing work did is simply never shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from iris_memory.chain.canonical import JsonValue
from iris_memory.errors import ChainError, KeyDestroyedError, StorageError
from iris_memory.ports.linking import append_linked
from iris_memory.ports.rows import (
    ERASED,
    AuditRow,
    CheckpointRow,
    EntryRow,
    RecordKind,
    RecordRow,
    TombstoneRow,
    UsageRow,
)
from iris_memory.storage.memory.reading import MemoryReading
from iris_memory.storage.memory.restoring import MemoryWholeWriting
from iris_memory.storage.memory.state import PersonRows, State


class MemoryTransaction(MemoryReading, MemoryWholeWriting):
    """A view of a copy of the state that may be changed."""

    def __init__(self, state: State) -> None:
        super().__init__(state.copy())
        self._owned: set[tuple[str, str]] = set()

    def result(self) -> State:
        """Return the state as it is after the changes."""
        return self._state

    def bump(self, tenant: str, person: str) -> int:
        """Move the person's version by one and return it; with an empty person, the tenant's."""
        rows = self._own(tenant, person)
        _refuse_erased(rows)
        rows.version += 1
        return rows.version

    def add_entries(self, tenant: str, person: str, rows: Sequence[EntryRow]) -> None:
        """Add revisions; refuse all of them when one is there already or its memory is hidden or tombstoned."""
        mine = self._own(tenant, person)
        _refuse_erased(mine)
        if any(row.logical_id in mine.tombstones or row.logical_id in mine.hidden for row in rows):
            raise StorageError("a forgotten memory cannot be written again; nothing was kept")
        everybody = self._state.persons.values()
        ids = {row.entry_id for one in everybody for row in one.entries.values()}
        new_ids = {row.entry_id for row in rows}
        keys = {(row.logical_id, row.revision) for row in rows}
        if len(keys) < len(rows) or len(new_ids) < len(rows) or keys & mine.entries.keys() or new_ids & ids:
            raise StorageError("the row breaks a rule of the store; nothing of it was kept")
        mine.entries.update(((row.logical_id, row.revision), row) for row in rows)

    def supersede(self, tenant: str, person: str, pairs: Sequence[tuple[str, int, str]]) -> None:
        """Mark revisions as superseded; refuse all when one already is, is hidden or is not there."""
        mine = self._own(tenant, person)
        changed: dict[tuple[str, int], EntryRow] = {}
        for logical_id, revision, successor in pairs:
            row = changed.get((logical_id, revision), mine.entries.get((logical_id, revision)))
            if row is None or row.superseded_by is not None or logical_id in mine.hidden:
                raise StorageError("a revision that is not the current one cannot be superseded; nothing was kept")
            changed[logical_id, revision] = row._replace(superseded_by=successor)
        mine.entries |= changed

    def hide(self, tenant: str, person: str, logical_ids: Sequence[str], *, seq: int) -> None:
        """Take memories out of reach; one that is hidden already keeps the number at which it was."""
        mine = self._own(tenant, person)
        for logical_id in logical_ids:
            if mine.is_living(logical_id):
                mine.hidden[logical_id] = seq

    def bury(self, tenant: str, person: str, tombstones: Sequence[TombstoneRow]) -> int:
        """Delete every row of these memories and leave the tombstones; a memory's first tombstone stands."""
        mine = self._own(tenant, person)
        gone = {stone.logical_id for stone in tombstones}
        deleted = len(mine.entries) + len(mine.usage)
        mine.entries = {key: row for key, row in mine.entries.items() if row.logical_id not in gone}
        mine.usage = {key: row for key, row in mine.usage.items() if key not in gone}
        mine.hidden = {key: seq for key, seq in mine.hidden.items() if key not in gone}
        for stone in tombstones:
            mine.tombstones.setdefault(stone.logical_id, stone)
        return deleted - len(mine.entries) - len(mine.usage)

    def mark_usage(self, tenant: str, person: str, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Replace usage blobs, move the usage counter by one and return it; pass over what is out of reach."""
        mine = self._own(tenant, person)
        if mine.version == ERASED:
            return 0
        mine.usage_seq += 1
        for logical_id, slot, blob in rows:
            if mine.is_living(logical_id):
                mine.usage[logical_id] = UsageRow(logical_id, mine.usage_seq, slot, blob)
        return mine.usage_seq

    def put_record(self, tenant: str, person: str, row: RecordRow) -> None:
        """Add or replace one record."""
        self._own(tenant, person).records[row.kind, row.key] = row

    def drop_records(self, tenant: str, person: str, kind: RecordKind, keys: Sequence[str] | None) -> int:
        """Delete records by key, or all of the kind with None; return how many."""
        wanted = None if keys is None else set(keys)
        return self._drop([(tenant, person)], lambda row: row.kind == kind and (wanted is None or row.key in wanted))

    def drop_expired(self, now: int, kinds: Sequence[RecordKind]) -> int:
        """Delete records of these kinds, of everybody, whose expiry is at or before `now`; return how many."""
        return self._drop(
            list(self._state.persons),
            lambda row: row.kind in kinds and row.expires_at is not None and row.expires_at <= now,
        )

    def erase_person(self, tenant: str, person: str, *, keep_tombstones: bool = True) -> dict[str, int]:
        """Delete every row of a person; the pseudonym is marked as erased for good, known before or not."""
        if not person:
            raise StorageError("a person must be named to be erased")
        mine = self._own(tenant, person)
        counts = {"entry": len(mine.entries), "usage": len(mine.usage), "record": len(mine.records)}
        if not keep_tombstones:
            counts["tombstone"] = len(mine.tombstones)
        kept = mine.tombstones if keep_tombstones else {}
        self._state.persons[tenant, person] = PersonRows(version=ERASED, tombstones=kept)
        return counts

    def append_audit(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Append events and replace the head."""
        chain = self._chain(tenant)
        if not rows or any(row.sequence != n for n, row in enumerate(rows, len(chain.lines) + 1)):
            raise ChainError("the events to append are not the next ones of the chain")
        self._state.chains[tenant] = replace(chain, lines=(*chain.lines, *rows), head=head)

    def append_event(self, tenant: str, body: Mapping[str, JsonValue], *, at: int) -> None:
        """Link one event to the end of the tenant's chain and append it."""
        append_linked(self, tenant, body, at=at)

    def add_checkpoint(self, tenant: str, row: CheckpointRow) -> None:
        """Keep a signed checkpoint; a later one of the same size takes the place of the earlier."""
        chain = self._chain(tenant)
        others = tuple(known for known in chain.checkpoints if known.size != row.size)
        self._state.chains[tenant] = replace(chain, checkpoints=(*others, row))

    def _own(self, tenant: str, person: str) -> PersonRows:
        """Return the rows of a person, copied once for this transaction."""
        key = (tenant, person)
        rows = self._state.persons.get(key)
        if rows is None or key not in self._owned:
            rows = PersonRows() if rows is None else rows.copy()
            self._state.persons[key] = rows
            self._owned.add(key)
        return rows

    def _drop(self, persons: Iterable[tuple[str, str]], is_due: Callable[[RecordRow], bool]) -> int:
        dropped = 0
        for tenant, person in persons:
            mine = self._own(tenant, person)
            kept = {key: row for key, row in mine.records.items() if not is_due(row)}
            dropped += len(mine.records) - len(kept)
            mine.records = kept
        return dropped


def _refuse_erased(rows: PersonRows) -> None:
    if rows.version == ERASED:
        raise KeyDestroyedError("the person was erased; nothing can be written for them any more")
