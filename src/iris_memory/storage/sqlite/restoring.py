"""Every row as it stands, out of SQLite and into it."""

# ruff: noqa: S608 - statements are put together from constants of this room, never from a value

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import apsw

from iris_memory.ports.restoring import StoredEntry, StoredUse
from iris_memory.ports.rows import EntryRow, RecordKind, RecordRow, UsageRow
from iris_memory.storage.sqlite import boxes
from iris_memory.storage.sqlite.faults import FAILURES, translate

if TYPE_CHECKING:
    from collections.abc import Iterator

_PERSON: Final = "(SELECT person_no FROM person JOIN tenant USING (tenant_no) WHERE tenant = ? AND person = ?)"
_OWNERS: Final = "SELECT tenant, person FROM person JOIN tenant USING (tenant_no) ORDER BY tenant, person"
_ENTRIES: Final = (
    "SELECT logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at, superseded_by, bytes,"
    f" hidden_seq FROM entry JOIN box USING (box_no) WHERE person_no = {_PERSON}"
    " AND (logical_id, revision) > (?, ?) ORDER BY logical_id, revision LIMIT ?"
)
_USES: Final = (
    "SELECT logical_id, seq, slot, bytes, hidden FROM usage JOIN box USING (box_no)"
    f" WHERE person_no = {_PERSON} AND logical_id > ? ORDER BY logical_id LIMIT ?"
)
_RECORDS: Final = (
    "SELECT kind, key, seq, created_at, expires_at, slot, bytes FROM record JOIN box USING (box_no)"
    f" WHERE person_no = {_PERSON} AND (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?"
)
_COUNTERS: Final = "UPDATE person SET version = ?, usage_seq = ? WHERE person_no = ?"
_ADD_ENTRY: Final = (
    "INSERT INTO entry (person_no, logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at,"
    " superseded_by, hidden_seq, box_no) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_USE: Final = "INSERT INTO usage (person_no, logical_id, seq, slot, hidden, box_no) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_RECORD: Final = (
    "INSERT INTO record (person_no, kind, key, seq, created_at, expires_at, slot, box_no)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


class SqliteWholeReading:
    """Sees every row."""

    __slots__ = ()

    if TYPE_CHECKING:

        def _all(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]: ...

    def owners(self) -> list[tuple[str, str]]:
        """Return (tenant, person) of everybody the store knows, sorted."""
        return [(tenant, person) for tenant, person in self._all(_OWNERS, ())]

    def every_entry(
        self, tenant: str, person: str, *, after: tuple[str, int] = ("", 0), limit: int
    ) -> list[StoredEntry]:
        """Return up to `limit` revisions beyond (logical_id, revision), in that order."""
        rows = self._all(_ENTRIES, (tenant, person, *after, max(limit, 0)))
        return [StoredEntry(EntryRow._make(row[:10]), row[10]) for row in rows]

    def every_use(self, tenant: str, person: str, *, after: str = "", limit: int) -> list[StoredUse]:
        """Return up to `limit` use rows beyond a logical_id, in that order."""
        rows = self._all(_USES, (tenant, person, after, max(limit, 0)))
        return [StoredUse(UsageRow._make(row[:4]), bool(row[4])) for row in rows]

    def every_record(
        self, tenant: str, person: str, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[RecordRow]:
        """Return up to `limit` records of all kinds beyond (kind, key), in that order."""
        rows = self._all(_RECORDS, (tenant, person, *after, max(limit, 0)))
        return [RecordRow(RecordKind(row[0]), *row[1:]) for row in rows]


class SqliteWholeWriting:
    """Puts rows back exactly as they were."""

    __slots__ = ()

    if TYPE_CHECKING:
        _connection: apsw.Connection

        def _make_person(self, tenant: str, person: str) -> int: ...

        def _delete(self, table: str, where: str, keys: Iterable[tuple[Any, ...]]) -> int: ...

        def _atomically(self, change: Callable[[Any, Any], None], first: Any, second: Any) -> None: ...

    def clear_person(self, tenant: str, person: str) -> None:
        """Delete every row of a person and set both counters to 0."""
        with self._translating():
            person_no = self._make_person(tenant, person)
            for table in ("entry", "usage", "record"):
                self._delete(table, "WHERE person_no = ?", [(person_no,)])
            self._connection.execute("DELETE FROM tombstone WHERE person_no = ?", (person_no,))
            self._connection.execute(_COUNTERS, (0, 0, person_no))

    def restore_counters(self, tenant: str, person: str, *, version: int, usage_seq: int) -> None:
        """Set both counters of a person."""
        with self._translating():
            self._connection.execute(_COUNTERS, (version, usage_seq, self._make_person(tenant, person)))

    def restore_entries(self, tenant: str, person: str, rows: Sequence[StoredEntry]) -> None:
        """Add revisions as they are."""
        with self._translating():
            self._atomically(self._restore_entries, self._make_person(tenant, person), rows)

    def restore_uses(self, tenant: str, person: str, rows: Sequence[StoredUse]) -> None:
        """Add use rows as they are."""
        with self._translating():
            self._atomically(self._restore_uses, self._make_person(tenant, person), rows)

    def restore_records(self, tenant: str, person: str, rows: Sequence[RecordRow]) -> None:
        """Add records as they are."""
        with self._translating():
            self._atomically(self._restore_records, self._make_person(tenant, person), rows)

    def _restore_entries(self, person_no: int, rows: Sequence[StoredEntry]) -> None:
        numbers = boxes.put_many(self._connection, [one.row.blob for one in rows])
        kept = [(person_no, *one.row[:9], one.hidden_seq, n) for one, n in zip(rows, numbers, strict=True)]
        self._connection.executemany(_ADD_ENTRY, kept)

    def _restore_uses(self, person_no: int, rows: Sequence[StoredUse]) -> None:
        numbers = boxes.put_many(self._connection, [one.row.blob for one in rows])
        kept = [(person_no, *one.row[:3], int(one.is_hidden), n) for one, n in zip(rows, numbers, strict=True)]
        self._connection.executemany(_ADD_USE, kept)

    def _restore_records(self, person_no: int, rows: Sequence[RecordRow]) -> None:
        numbers = boxes.put_many(self._connection, [row.blob for row in rows])
        kept = [(person_no, row.kind.value, *row[1:6], n) for row, n in zip(rows, numbers, strict=True)]
        self._connection.executemany(_ADD_RECORD, kept)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise translate(error, self._connection) from error
