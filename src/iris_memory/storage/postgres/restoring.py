"""Every row as it stands, out of PostgreSQL and into it, one owner's walls at a time."""

# ruff: noqa: S608 - statements are put together from constants of this room, never from a value

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iris_memory.errors import StorageError
from iris_memory.ports.restoring import StoredEntry, StoredUse
from iris_memory.ports.rows import EntryRow, RecordKind, RecordRow, UsageRow
from iris_memory.storage.postgres.arrays import Column, bigints, bigints_or_none, blobs, texts, texts_or_none

if TYPE_CHECKING:
    from iris_memory.storage.postgres.session import Session

_OWN: Final = "tenant = %(tenant)s AND person = %(person)s"
_ENTRY: Final = "logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at, superseded_by, blob"

OWNERS: Final = "SELECT tenant, person FROM iris.owners()"
EVERY_ENTRY: Final = (
    f"SELECT {_ENTRY}, hidden_seq FROM iris.entry WHERE {_OWN}"
    " AND (logical_id, revision) > (%(name)s, %(revision)s) ORDER BY logical_id, revision LIMIT %(limit)s"
)
EVERY_USE: Final = (
    f"SELECT logical_id, seq, slot, blob, hidden FROM iris.usage WHERE {_OWN} AND logical_id > %(name)s"
    " ORDER BY logical_id LIMIT %(limit)s"
)
EVERY_RECORD: Final = (
    f"SELECT kind, key, seq, created_at, expires_at, slot, blob FROM iris.record WHERE {_OWN}"
    " AND (kind, key) > (%(kind)s, %(name)s) ORDER BY kind, key LIMIT %(limit)s"
)
CLEAR_PERSON: Final = f"""
WITH entries AS (DELETE FROM iris.entry WHERE {_OWN}),
uses AS (DELETE FROM iris.usage WHERE {_OWN}),
records AS (DELETE FROM iris.record WHERE {_OWN}),
stones AS (DELETE FROM iris.tombstone WHERE {_OWN})
UPDATE iris.person SET version = 0, usage_seq = 0 WHERE {_OWN}
"""
_MAKE: Final = (
    "made_tenant AS (INSERT INTO iris.tenant (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING),"
    " made_person AS (INSERT INTO iris.person (tenant, person) VALUES (%(tenant)s, %(person)s) ON CONFLICT DO NOTHING)"
)
RESTORE_COUNTERS: Final = """
WITH made_tenant AS (INSERT INTO iris.tenant (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING)
INSERT INTO iris.person (tenant, person, version, usage_seq)
VALUES (%(tenant)s, %(person)s, %(version)s, %(usage_seq)s)
ON CONFLICT (tenant, person) DO UPDATE SET version = excluded.version, usage_seq = excluded.usage_seq
"""
RESTORE_ENTRIES: Final = f"""
WITH {_MAKE}
INSERT INTO iris.entry (tenant, person, {_ENTRY}, hidden_seq)
SELECT %(tenant)s, %(person)s, * FROM unnest(
  %(ids)s::text[], %(revisions)s::bigint[], %(entry_ids)s::text[], %(seqs)s::bigint[], %(slots)s::bigint[],
  %(created)s::bigint[], %(updated)s::bigint[], %(expires)s::bigint[], %(superseded)s::text[], %(blobs)s::bytea[],
  %(hidden)s::bigint[])
ON CONFLICT DO NOTHING
"""
RESTORE_USES: Final = f"""
WITH {_MAKE}
INSERT INTO iris.usage (tenant, person, logical_id, seq, slot, blob, hidden)
SELECT %(tenant)s, %(person)s, * FROM unnest(
  %(ids)s::text[], %(seqs)s::bigint[], %(slots)s::bigint[], %(blobs)s::bytea[], %(hidden)s::boolean[])
ON CONFLICT DO NOTHING
"""
RESTORE_RECORDS: Final = f"""
WITH {_MAKE}
INSERT INTO iris.record (tenant, person, kind, key, seq, created_at, expires_at, slot, blob)
SELECT %(tenant)s, %(person)s, * FROM unnest(
  %(kinds)s::text[], %(keys)s::text[], %(seqs)s::bigint[], %(created)s::bigint[], %(expires)s::bigint[],
  %(slots)s::bigint[], %(blobs)s::bytea[])
ON CONFLICT DO NOTHING
"""


class PostgresWholeReading:
    """Sees every row of one owner; the census names the owners."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def _session(self) -> Session: ...

    def owners(self) -> list[tuple[str, str]]:
        """Return (tenant, person) of everybody the store knows, sorted."""
        return sorted((tenant, person) for tenant, person in self._session.ask_census(OWNERS))

    def every_entry(
        self, tenant: str, person: str, *, after: tuple[str, int] = ("", 0), limit: int
    ) -> list[StoredEntry]:
        """Return up to `limit` revisions beyond (logical_id, revision), in that order."""
        rows = self._session.ask(tenant, person, EVERY_ENTRY, name=after[0], revision=after[1], limit=max(limit, 0))
        return [StoredEntry(EntryRow._make(row[:10]), row[10]) for row in rows]

    def every_use(self, tenant: str, person: str, *, after: str = "", limit: int) -> list[StoredUse]:
        """Return up to `limit` use rows beyond a logical_id, in that order."""
        rows = self._session.ask(tenant, person, EVERY_USE, name=after, limit=max(limit, 0))
        return [StoredUse(UsageRow._make(row[:4]), row[4]) for row in rows]

    def every_record(
        self, tenant: str, person: str, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[RecordRow]:
        """Return up to `limit` records of all kinds beyond (kind, key), in that order."""
        rows = self._session.ask(tenant, person, EVERY_RECORD, kind=after[0], name=after[1], limit=max(limit, 0))
        return [RecordRow(RecordKind(row[0]), *row[1:]) for row in rows]


class PostgresWholeWriting:
    """Puts rows back exactly as they were. A batch of which a row is there already fails the whole transaction."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def _session(self) -> Session: ...

    def clear_person(self, tenant: str, person: str) -> None:
        """Delete every row of a person and set both counters to 0."""
        self._session.change(tenant, person, CLEAR_PERSON)

    def restore_counters(self, tenant: str, person: str, *, version: int, usage_seq: int) -> None:
        """Set both counters of a person."""
        self._session.change(tenant, person, RESTORE_COUNTERS, version=version, usage_seq=usage_seq)

    def restore_entries(self, tenant: str, person: str, rows: Sequence[StoredEntry]) -> None:
        """Add revisions as they are."""
        kept = [one.row for one in rows]
        added = self._session.change(
            tenant,
            person,
            RESTORE_ENTRIES,
            **entry_columns(kept),
            hidden=bigints_or_none([one.hidden_seq for one in rows]),
        )
        _require(added, len(rows))

    def restore_uses(self, tenant: str, person: str, rows: Sequence[StoredUse]) -> None:
        """Add use rows as they are."""
        added = self._session.change(
            tenant,
            person,
            RESTORE_USES,
            ids=texts([one.row.logical_id for one in rows]),
            seqs=bigints([one.row.seq for one in rows]),
            slots=bigints([one.row.slot for one in rows]),
            blobs=blobs([one.row.blob for one in rows]),
            hidden=[one.is_hidden for one in rows],
        )
        _require(added, len(rows))

    def restore_records(self, tenant: str, person: str, rows: Sequence[RecordRow]) -> None:
        """Add records as they are."""
        added = self._session.change(
            tenant,
            person,
            RESTORE_RECORDS,
            **record_columns(rows),
        )
        _require(added, len(rows))


def entry_columns(rows: Sequence[EntryRow]) -> dict[str, Column | None]:
    """Return revisions as columns."""
    return {
        "ids": texts([row.logical_id for row in rows]),
        "revisions": bigints([row.revision for row in rows]),
        "entry_ids": texts([row.entry_id for row in rows]),
        "seqs": bigints([row.seq for row in rows]),
        "slots": bigints([row.slot for row in rows]),
        "created": bigints([row.created_at for row in rows]),
        "updated": bigints([row.updated_at for row in rows]),
        "expires": bigints_or_none([row.expires_at for row in rows]),
        "superseded": texts_or_none([row.superseded_by for row in rows]),
        "blobs": blobs([row.blob for row in rows]),
    }


def record_columns(rows: Sequence[RecordRow]) -> dict[str, Column | None]:
    """Return records as columns."""
    return {
        "kinds": texts([row.kind.value for row in rows]),
        "keys": texts([row.key for row in rows]),
        "seqs": bigints([row.seq for row in rows]),
        "created": bigints([row.created_at for row in rows]),
        "expires": bigints_or_none([row.expires_at for row in rows]),
        "slots": bigints([row.slot for row in rows]),
        "blobs": blobs([row.blob for row in rows]),
    }


def _require(added: int, wanted: int) -> None:
    if added != wanted:
        raise StorageError("the row breaks a rule of the store; nothing of it was kept")
