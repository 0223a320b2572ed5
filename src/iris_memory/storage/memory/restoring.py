"""Every row as it stands, out of the reference engine and into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iris_memory.errors import StorageError
from iris_memory.ports.restoring import StoredEntry, StoredUse
from iris_memory.ports.rows import RecordRow
from iris_memory.storage.memory.state import PersonRows, State


class MemoryWholeReading:
    """Sees every row."""

    if TYPE_CHECKING:

        @property
        def _state(self) -> State: ...

        def _rows(self, tenant: str, person: str) -> PersonRows: ...

    def owners(self) -> list[tuple[str, str]]:
        """Return (tenant, person) of everybody the store knows, sorted."""
        return sorted(self._state.persons)

    def every_entry(
        self, tenant: str, person: str, *, after: tuple[str, int] = ("", 0), limit: int
    ) -> list[StoredEntry]:
        """Return up to `limit` revisions beyond (logical_id, revision), in that order."""
        rows = self._rows(tenant, person)
        found = sorted(key for key in rows.entries if key > after)[: max(limit, 0)]
        return [StoredEntry(rows.entries[key], rows.hidden.get(key[0])) for key in found]

    def every_use(self, tenant: str, person: str, *, after: str = "", limit: int) -> list[StoredUse]:
        """Return up to `limit` use rows beyond a logical_id, in that order."""
        rows = self._rows(tenant, person)
        found = sorted(key for key in rows.usage if key > after)[: max(limit, 0)]
        return [StoredUse(rows.usage[key], key in rows.hidden) for key in found]

    def every_record(
        self, tenant: str, person: str, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[RecordRow]:
        """Return up to `limit` records of all kinds beyond (kind, key), in that order."""
        rows = self._rows(tenant, person)
        found = sorted(key for key in rows.records if (key[0].value, key[1]) > after)[: max(limit, 0)]
        return [rows.records[key] for key in found]


class MemoryWholeWriting:
    """Puts rows back exactly as they were."""

    if TYPE_CHECKING:

        def _own(self, tenant: str, person: str) -> PersonRows: ...

        @property
        def _state(self) -> State: ...

    def clear_person(self, tenant: str, person: str) -> None:
        """Delete every row of a person and set both counters to 0."""
        self._own(tenant, person)
        self._state.persons[tenant, person] = PersonRows()

    def restore_counters(self, tenant: str, person: str, *, version: int, usage_seq: int) -> None:
        """Set both counters of a person."""
        mine = self._own(tenant, person)
        mine.version, mine.usage_seq = version, usage_seq

    def restore_entries(self, tenant: str, person: str, rows: Sequence[StoredEntry]) -> None:
        """Add revisions as they are."""
        mine = self._own(tenant, person)
        _refuse_known([(one.row.logical_id, one.row.revision) for one in rows], mine.entries)
        for row, hidden_seq in rows:
            mine.entries[row.logical_id, row.revision] = row
            if hidden_seq is not None:
                mine.hidden[row.logical_id] = hidden_seq

    def restore_uses(self, tenant: str, person: str, rows: Sequence[StoredUse]) -> None:
        """Add use rows as they are."""
        mine = self._own(tenant, person)
        _refuse_known([one.row.logical_id for one in rows], mine.usage)
        mine.usage.update((one.row.logical_id, one.row) for one in rows)

    def restore_records(self, tenant: str, person: str, rows: Sequence[RecordRow]) -> None:
        """Add records as they are."""
        mine = self._own(tenant, person)
        _refuse_known([(row.kind, row.key) for row in rows], mine.records)
        mine.records.update(((row.kind, row.key), row) for row in rows)


def _refuse_known(keys: Sequence[object], known: object) -> None:
    if len(set(keys)) < len(keys) or any(key in known for key in keys):  # type: ignore[operator]
        raise StorageError("the row breaks a rule of the store; nothing of it was kept")
