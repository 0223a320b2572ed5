"""A consistent view of the store: every statement filters by the tenant first."""

# ruff: noqa: S608 - statements are put together from constants of this room, never from a value

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import apsw

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
from iris_memory.storage.sqlite.faults import FAILURES, closed, translate
from iris_memory.storage.sqlite.restoring import SqliteWholeReading

R = TypeVar("R")

Value: TypeAlias = int | str | bytes | None
Values: TypeAlias = tuple[Value, ...]
Execute: TypeAlias = Callable[[str, Any], apsw.Cursor]

TENANT: Final = "(SELECT tenant_no FROM tenant WHERE tenant = ?)"
PERSON: Final = f"(SELECT person_no FROM person WHERE tenant_no = {TENANT} AND person = ?)"

_STATE: Final = f"SELECT person, version, usage_seq FROM person WHERE tenant_no = {TENANT} AND person IN ('', ?)"

_ENTRY: Final = (
    "SELECT logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at, superseded_by, bytes"
    " FROM entry JOIN box USING (box_no)"
)
_ENTRIES_SINCE: Final = (
    f"{_ENTRY} WHERE person_no = {PERSON} AND seq > ? AND superseded_by IS NULL AND hidden_seq IS NULL"
    " ORDER BY seq, logical_id"
)
_COUNT_ENTRIES: Final = (
    f"SELECT count(*) FROM entry WHERE person_no = {PERSON} AND superseded_by IS NULL AND hidden_seq IS NULL"
)
_DUE: Final = (
    f"{_ENTRY} WHERE person_no = {PERSON} AND superseded_by IS NULL AND hidden_seq IS NULL"
    " AND (seq, logical_id) > (?, ?) AND expires_at <= ? ORDER BY seq, logical_id LIMIT ?"
)
_REVISIONS: Final = f"{_ENTRY} WHERE person_no = {PERSON} AND logical_id = ? AND hidden_seq IS NULL ORDER BY revision"
_GONE_SINCE: Final = f"""
WITH one (no) AS (SELECT {PERSON}), since (seq) AS (SELECT ?)
SELECT logical_id, min(seq) AS first FROM (
  SELECT logical_id, hidden_seq AS seq FROM entry
   WHERE person_no = (SELECT no FROM one) AND hidden_seq > (SELECT seq FROM since)
  UNION ALL
  SELECT logical_id, seq FROM tombstone
   WHERE person_no = (SELECT no FROM one) AND seq > (SELECT seq FROM since)
) GROUP BY logical_id ORDER BY first, logical_id
"""
_NAMED: Final = f"WITH one (no, id) AS (SELECT {PERSON}, value FROM json_each(?))"
"""The person's number beside each distinct id of a JSON array, so that many ids cost one statement."""
_SLOTS_OF: Final = f"""{_NAMED}
SELECT slot FROM one CROSS JOIN entry ON person_no = no AND logical_id = id
UNION ALL
SELECT slot FROM one CROSS JOIN usage ON person_no = no AND logical_id = id
"""
_BLOBS_OF: Final = f"""{_NAMED},
named (box_no) AS (
  SELECT box_no FROM one CROSS JOIN entry ON person_no = no AND logical_id = id
  UNION ALL
  SELECT box_no FROM one CROSS JOIN usage ON person_no = no AND logical_id = id
)
SELECT bytes FROM named CROSS JOIN box USING (box_no)
"""
_CREATED_OF: Final = f"""{_NAMED}
SELECT id, (SELECT min(created_at) FROM entry WHERE person_no = no AND logical_id = id) AS first
 FROM one WHERE first IS NOT NULL
"""
_USAGE: Final = "SELECT logical_id, seq, slot, bytes FROM usage JOIN box USING (box_no)"
_USAGE_SINCE: Final = f"{_USAGE} WHERE person_no = {PERSON} AND seq > ? AND NOT hidden ORDER BY logical_id"
_USAGE_OF: Final = f"""{_NAMED}
SELECT logical_id, seq, slot, bytes
 FROM one CROSS JOIN usage ON person_no = no AND logical_id = id CROSS JOIN box USING (box_no) WHERE NOT hidden
"""
_TOMBSTONES: Final = (
    "SELECT logical_id, seq, created_at, forgotten_at, reason, receipt_id FROM tombstone"
    f" WHERE person_no = {PERSON} ORDER BY seq, logical_id"
)
_RECORD: Final = "key, seq, created_at, expires_at, slot, bytes FROM record JOIN box USING (box_no)"
_ONE_RECORD: Final = f"SELECT {_RECORD} WHERE person_no = {PERSON} AND kind = ? AND key = ?"
_RECORDS: Final = f"SELECT {_RECORD} WHERE person_no = {PERSON} AND kind = ? AND seq > ? ORDER BY seq, key LIMIT ?"
_RECORDS_EVERYWHERE: Final = (
    f"SELECT tenant, person, {_RECORD} JOIN person USING (person_no) JOIN tenant USING (tenant_no)"
    " WHERE kind = ? ORDER BY tenant, person, seq, key"
)
_TENANTS: Final = "SELECT tenant FROM tenant WHERE audit_size > 0 ORDER BY tenant"
_AUDIT_HEAD: Final = "SELECT audit_head FROM tenant WHERE tenant = ?"
_AUDIT_LINES: Final = (
    f"SELECT sequence, line FROM audit WHERE tenant_no = {TENANT} AND sequence >= ? ORDER BY sequence LIMIT ?"
)
_CHECKPOINTS: Final = f"SELECT size, note FROM checkpoint WHERE tenant_no = {TENANT} ORDER BY size"


class SqliteReading(SqliteWholeReading):
    """Answers from one connection that has a transaction open. It is of no use after `end`."""

    __slots__ = ("_connection", "_execute")

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute: Execute = connection.execute

    def end(self) -> None:
        """Refuse every later use: the connection is somebody else's now."""
        self._execute = refuse

    def state(self, tenant: str, person: str) -> SubjectState:
        """Return the counters of a person and the tenant's; with an empty person the tenant's as both."""
        rows = self._all(_STATE, (tenant, person))
        if not rows:
            return NOTHING_WRITTEN
        version = usage_seq = tenant_version = 0
        for name, its_version, its_usage in rows:
            if not name:
                tenant_version = its_version
            if name == person:
                version, usage_seq = its_version, its_usage
        return SubjectState(version, usage_seq, tenant_version)

    def entries_since(self, tenant: str, person: str, seq: int) -> list[EntryRow]:
        """Return the latest revision of each living memory written after `seq`."""
        return self._rows(EntryRow._make, _ENTRIES_SINCE, (tenant, person, seq))

    def count_entries(self, tenant: str, person: str) -> int:
        """Count the living memories of a person."""
        ((count,),) = self._all(_COUNT_ENTRIES, (tenant, person))
        return int(count)

    def due(
        self, tenant: str, person: str, now: int, *, after: tuple[int, str] = (-1, ""), limit: int
    ) -> list[EntryRow]:
        """Return up to `limit` latest revisions of living memories whose expiry is at or before `now`."""
        return self._rows(EntryRow._make, _DUE, (tenant, person, *after, now, max(limit, 0)))

    def gone_since(self, tenant: str, person: str, seq: int) -> list[str]:
        """Return the ids that were tombstoned or hidden after `seq`, ordered by when."""
        return [logical_id for logical_id, _ in self._all(_GONE_SINCE, (tenant, person, seq))]

    def revisions(self, tenant: str, person: str, logical_id: str) -> list[EntryRow]:
        """Return every revision of one memory that is within reach, oldest first."""
        return self._rows(EntryRow._make, _REVISIONS, (tenant, person, logical_id))

    def slots_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[int]:
        """Return the vault slots (from 1) that these memories name, hidden ones included, sorted."""
        return sorted({slot for (slot,) in self._each(_SLOTS_OF, tenant, person, logical_ids) if slot})

    def blobs_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[bytes]:
        """Return the sealed bytes of these memories, hidden ones included."""
        return [sealed for (sealed,) in self._each(_BLOBS_OF, tenant, person, logical_ids)]

    def created_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> dict[str, int]:
        """Return when each of these memories was first written, hidden ones included."""
        return dict(self._each(_CREATED_OF, tenant, person, logical_ids))

    def usage_since(self, tenant: str, person: str, seq: int) -> list[UsageRow]:
        """Return the usage rows that changed after usage batch `seq`."""
        return self._rows(UsageRow._make, _USAGE_SINCE, (tenant, person, seq))

    def usage_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[UsageRow]:
        """Return the usage rows of these memories, ordered by logical_id."""
        return sorted(map(UsageRow._make, self._each(_USAGE_OF, tenant, person, logical_ids)))

    def tombstones(self, tenant: str, person: str) -> list[TombstoneRow]:
        """Return the person's tombstones."""
        return self._rows(TombstoneRow._make, _TOMBSTONES, (tenant, person))

    def record(self, tenant: str, person: str, kind: RecordKind, key: str) -> RecordRow | None:
        """Return one record."""
        rows = self._all(_ONE_RECORD, (tenant, person, kind.value, key))
        return RecordRow(kind, *rows[0]) if rows else None

    def records(
        self, tenant: str, person: str, kind: RecordKind, *, since: int = -1, limit: int | None = None
    ) -> list[RecordRow]:
        """Return the records of one kind with `seq` above `since`."""
        most = -1 if limit is None else max(limit, 0)
        return [RecordRow(kind, *row) for row in self._all(_RECORDS, (tenant, person, kind.value, since, most))]

    def records_everywhere(self, kind: RecordKind) -> list[tuple[str, str, RecordRow]]:
        """Return (tenant, person, record) of one kind across tenants, sorted."""
        return [
            (tenant, person, RecordRow(kind, *row))
            for tenant, person, *row in self._all(_RECORDS_EVERYWHERE, (kind.value,))
        ]

    def tenants(self) -> list[str]:
        """Return every tenant that has an audit chain, sorted."""
        return [tenant for (tenant,) in self._all(_TENANTS, ())]

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the stored head of the tenant's chain."""
        rows = self._all(_AUDIT_HEAD, (tenant,))
        return rows[0][0] if rows else None

    def audit_lines(self, tenant: str, *, start: int, limit: int) -> list[AuditRow]:
        """Return up to `limit` events from sequence `start` on."""
        return self._rows(AuditRow._make, _AUDIT_LINES, (tenant, start, max(limit, 0)))

    def checkpoints(self, tenant: str) -> list[CheckpointRow]:
        """Return the tenant's signed checkpoints, smallest size first."""
        return self._rows(CheckpointRow._make, _CHECKPOINTS, (tenant,))

    def _rows(self, make: Callable[[Iterable[Any]], R], sql: str, values: Values) -> list[R]:
        """Return rows as named tuples, made while they are fetched, without a list in between."""
        try:
            return list(map(make, self._execute(sql, values)))
        except FAILURES as error:
            raise translate(error, self._connection) from error

    def _all(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        try:
            return self._execute(sql, values).fetchall()
        except FAILURES as error:
            raise translate(error, self._connection) from error

    def _each(self, sql: str, tenant: str, person: str, logical_ids: Iterable[str]) -> list[tuple[Any, ...]]:
        return self._all(sql, (tenant, person, json.dumps(list(dict.fromkeys(logical_ids)))))


def refuse(sql: str, values: object) -> apsw.Cursor:
    """Stand where a connection was."""
    raise closed()
