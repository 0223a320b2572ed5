"""A view that may also change things. Each method keeps all of what it is given or, if it refuses, nothing."""

# ruff: noqa: S608 - statements are put together from constants of this room, never from a value

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import apsw

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
)
from iris_memory.storage.sqlite import boxes
from iris_memory.storage.sqlite.connection import run_script
from iris_memory.storage.sqlite.faults import FAILURES, translate
from iris_memory.storage.sqlite.reading import Execute, SqliteReading, Values, refuse
from iris_memory.storage.sqlite.restoring import SqliteWholeWriting

P = ParamSpec("P")
R = TypeVar("R")

_FIND: Final = "SELECT person_no FROM person JOIN tenant USING (tenant_no) WHERE tenant = ? AND person = ?"
_MAKE_TENANT: Final = "INSERT INTO tenant (tenant) VALUES (?) ON CONFLICT DO NOTHING"
_MAKE_PERSON: Final = (
    "INSERT INTO person (tenant_no, person) SELECT tenant_no, ? FROM tenant WHERE tenant = ? RETURNING person_no"
)
_BUMP: Final = "UPDATE person SET version = version + 1 WHERE person_no = ? AND version >= 0 RETURNING version"
_BUMP_USAGE: Final = (
    "UPDATE person SET usage_seq = usage_seq + 1 WHERE person_no = ? AND version >= 0 RETURNING usage_seq"
)
_ERASE: Final = f"UPDATE person SET version = {ERASED}, usage_seq = 0 WHERE person_no = ?"

_ADD_ENTRY: Final = (
    "INSERT INTO entry (person_no, logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at,"
    " superseded_by, box_no) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_STANDING: Final = (
    "SELECT version, EXISTS (SELECT 1 FROM tombstone WHERE person_no = ?1)"
    " OR EXISTS (SELECT 1 FROM entry WHERE person_no = ?1 AND hidden_seq IS NOT NULL)"
    " FROM person WHERE person_no = ?1"
)
_IS_GONE: Final = (
    "SELECT EXISTS (SELECT 1 FROM tombstone WHERE person_no = ?1 AND logical_id = ?2)"
    " OR EXISTS (SELECT 1 FROM entry WHERE person_no = ?1 AND logical_id = ?2 AND hidden_seq IS NOT NULL)"
)
_SUPERSEDE: Final = (
    "UPDATE entry SET superseded_by = ? WHERE person_no = ? AND logical_id = ? AND revision = ?"
    " AND superseded_by IS NULL AND hidden_seq IS NULL"
)
_HIDE_ENTRY: Final = "UPDATE entry SET hidden_seq = ? WHERE person_no = ? AND logical_id = ? AND hidden_seq IS NULL"
_HIDE_USAGE: Final = "UPDATE usage SET hidden = 1 WHERE person_no = ? AND logical_id = ?"

_ONE_MEMORY: Final = "WHERE person_no = ? AND logical_id = ?"
_ADD_TOMBSTONE: Final = "INSERT INTO tombstone VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"

_USAGE_BOX: Final = f"SELECT box_no, hidden FROM usage {_ONE_MEMORY}"
_SET_USAGE: Final = f"UPDATE usage SET seq = ?, slot = ?, box_no = ? {_ONE_MEMORY}"
_ADD_USAGE: Final = "INSERT INTO usage (person_no, logical_id, seq, slot, box_no) VALUES (?, ?, ?, ?, ?)"
_IS_LIVING: Final = f"SELECT 1 FROM entry {_ONE_MEMORY} AND hidden_seq IS NULL LIMIT 1"

_ONE_RECORD: Final = "WHERE person_no = ? AND kind = ? AND key = ?"
_RECORD_BOX: Final = f"SELECT box_no FROM record {_ONE_RECORD}"
_SET_RECORD: Final = f"UPDATE record SET seq = ?, created_at = ?, expires_at = ?, slot = ?, box_no = ? {_ONE_RECORD}"
_ADD_RECORD: Final = (
    "INSERT INTO record (person_no, kind, key, seq, created_at, expires_at, slot, box_no)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)

MARK_SYNC: Final = "UPDATE sync_mark SET syncs = syncs + 1"

_CHAIN: Final = "SELECT tenant_no, audit_size FROM tenant WHERE tenant = ?"
_GROW_CHAIN: Final = "UPDATE tenant SET audit_size = ?, audit_head = ? WHERE tenant_no = ? AND audit_size = ?"
_ADD_LINE: Final = "INSERT INTO audit (tenant_no, sequence, line) VALUES (?, ?, ?)"
_ADD_CHECKPOINT: Final = (
    "INSERT INTO checkpoint (tenant_no, size, note) SELECT tenant_no, ?, ? FROM tenant WHERE tenant = ?"
    " ON CONFLICT DO UPDATE SET note = excluded.note"
)


def _translated(
    method: Callable[Concatenate[SqliteTransaction, P], R],
) -> Callable[Concatenate[SqliteTransaction, P], R]:
    """Turn SQLite's errors into Iris's at the edge of each method, so that `work` never sees a driver's error."""

    def call(self: SqliteTransaction, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except FAILURES as error:
            raise translate(error, self._connection) from error

    call.__name__, call.__doc__ = method.__name__, method.__doc__
    return call


class Chains:
    """The audit lines of one group of works, kept back so that each tenant's are written once, just before the commit.

    The writer is alone while it lasts, so what stands here is the end of the chain.
    """

    __slots__ = ("_connection", "heads", "lines")

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.heads: dict[str, tuple[int, int, int, bytes]] = {}
        self.lines: list[tuple[int, int, bytes]] = []

    def mark(self) -> tuple[dict[str, tuple[int, int, int, bytes]], list[tuple[int, int, bytes]]]:
        """Return what is kept back, for `back_to`."""
        return self.heads.copy(), self.lines.copy()

    def back_to(self, mark: tuple[dict[str, tuple[int, int, int, bytes]], list[tuple[int, int, bytes]]]) -> None:
        """Keep back what was kept back at a mark: the work since failed, and what it wrote out is rolled back."""
        self.heads, self.lines = mark

    def write(self) -> None:
        """Write what was kept back."""
        if not self.lines:
            return
        for tenant_no, written, size, head in self.heads.values():
            self._connection.execute(_GROW_CHAIN, (size, head, tenant_no, written))
        self._connection.executemany(_ADD_LINE, self.lines)
        self.heads, self.lines = {}, []


class SqliteTransaction(SqliteReading, SqliteWholeWriting):
    """Changes the store through the one writing connection, inside a transaction that the group commit opened."""

    __slots__ = ("_chains", "_many", "_persons")

    def __init__(self, connection: apsw.Connection, chains: Chains) -> None:
        super().__init__(connection)
        self._many: Execute = connection.executemany
        self._persons: dict[tuple[str, str], int] = {}
        self._chains = chains

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the head of the tenant's chain, lines that are kept back included."""
        kept = self._chains.heads.get(tenant)
        return kept[3] if kept is not None else super().audit_head(tenant)

    def audit_lines(self, tenant: str, *, start: int, limit: int) -> list[AuditRow]:
        """Return up to `limit` events from sequence `start` on, lines that are kept back included."""
        self._write_chains()
        return super().audit_lines(tenant, start=start, limit=limit)

    def tenants(self) -> list[str]:
        """Return every tenant that has an audit chain, sorted."""
        self._write_chains()
        return super().tenants()

    @_translated
    def _write_chains(self) -> None:
        self._chains.write()

    def end(self) -> None:
        """Refuse every later use."""
        super().end()
        self._many = refuse

    @_translated
    def bump(self, tenant: str, person: str) -> int:
        """Move the person's version by one and return it; with an empty person, the tenant's.

        Raises:
            KeyDestroyedError: the person was erased.
        """
        version = self._execute(_BUMP, (self._make_person(tenant, person),)).get
        if version is None:
            raise _erased()
        return int(version)

    @_translated
    def add_entries(self, tenant: str, person: str, rows: Sequence[EntryRow]) -> None:
        """Add revisions; refuse all of them when one is there already or its memory is hidden or tombstoned.

        Raises:
            StorageError: a row of the same (logical_id, revision) or entry_id is there, or the memory is gone.
            KeyDestroyedError: the person was erased.
        """
        person_no = self._make_person(tenant, person)
        version, has_gone = self._execute(_STANDING, (person_no,)).get
        if version == ERASED:
            raise _erased()
        if has_gone:
            for row in rows:
                if self._execute(_IS_GONE, (person_no, row.logical_id)).get:
                    raise StorageError("a forgotten memory cannot be written again; nothing was kept")
        self._atomically(self._add_entries, person_no, rows)

    def _add_entries(self, person_no: int, rows: Sequence[EntryRow]) -> None:
        numbers = boxes.put_many(self._connection, [row.blob for row in rows])
        self._many(_ADD_ENTRY, [(person_no, *row[:9], n) for row, n in zip(rows, numbers, strict=True)])

    @_translated
    def supersede(self, tenant: str, person: str, pairs: Sequence[tuple[str, int, str]]) -> None:
        """Mark revisions as superseded; refuse all when one already is, is hidden or is not there.

        Raises:
            StorageError: see above.
        """
        self._atomically(self._supersede, self._find_person(tenant, person), pairs)

    def _supersede(self, person_no: int | None, pairs: Sequence[tuple[str, int, str]]) -> None:
        for logical_id, revision, successor in pairs:
            self._execute(_SUPERSEDE, (successor, person_no, logical_id, revision))
            if self._connection.changes() != 1:
                raise StorageError("a revision that is not the current one cannot be superseded; nothing was kept")

    @_translated
    def hide(self, tenant: str, person: str, logical_ids: Sequence[str], *, seq: int) -> None:
        """Take memories out of reach; one that is hidden already keeps the number at which it was."""
        person_no = self._find_person(tenant, person)
        self._many(_HIDE_ENTRY, [(seq, person_no, logical_id) for logical_id in logical_ids])
        self._many(_HIDE_USAGE, [(person_no, logical_id) for logical_id in logical_ids])

    @_translated
    def bury(self, tenant: str, person: str, tombstones: Sequence[TombstoneRow]) -> int:
        """Delete every row of these memories and leave the tombstones; a memory's first tombstone stands."""
        person_no = self._make_person(tenant, person)
        keys = [(person_no, stone.logical_id) for stone in tombstones]
        deleted = sum(self._delete(table, _ONE_MEMORY, keys) for table in ("entry", "usage"))
        self._many(_ADD_TOMBSTONE, [(person_no, *stone) for stone in tombstones])
        return deleted

    @_translated
    def mark_usage(self, tenant: str, person: str, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Replace usage blobs, move the usage counter by one and return it; pass over what is out of reach.

        Of an erased person nothing is marked, and the counter stays at 0.
        """
        person_no = self._make_person(tenant, person)
        seq: int | None = self._execute(_BUMP_USAGE, (person_no,)).get
        if seq is None:
            return 0
        for logical_id, slot, blob in rows:
            key = (person_no, logical_id)
            known: tuple[int, int] | None = self._execute(_USAGE_BOX, key).get
            if known is None:
                if self._execute(_IS_LIVING, key).get:
                    box_no = boxes.put(self._connection, blob)
                    self._execute(_ADD_USAGE, (*key, seq, slot, box_no))
            elif not known[1]:
                box_no = boxes.replace(self._connection, known[0], blob)
                self._execute(_SET_USAGE, (seq, slot, box_no, *key))
        return seq

    @_translated
    def put_record(self, tenant: str, person: str, row: RecordRow) -> None:
        """Add or replace one record."""
        key = (self._make_person(tenant, person), row.kind.value, row.key)
        rest = (row.seq, row.created_at, row.expires_at, row.slot)
        known: int | None = self._execute(_RECORD_BOX, key).get
        if known is None:
            self._execute(_ADD_RECORD, (*key, *rest, boxes.put(self._connection, row.blob)))
        else:
            self._execute(_SET_RECORD, (*rest, boxes.replace(self._connection, known, row.blob), *key))

    @_translated
    def drop_records(self, tenant: str, person: str, kind: RecordKind, keys: Sequence[str] | None) -> int:
        """Delete records by key, or all of the kind with None; return how many."""
        person_no = self._find_person(tenant, person)
        if keys is None:
            return self._delete("record", "WHERE person_no = ? AND kind = ?", [(person_no, kind.value)])
        return self._delete("record", _ONE_RECORD, [(person_no, kind.value, key) for key in keys])

    @_translated
    def drop_expired(self, now: int, kinds: Sequence[RecordKind]) -> int:
        """Delete records of these kinds, of everybody, whose expiry is at or before `now`; return how many."""
        return self._delete("record", "WHERE kind = ? AND expires_at <= ?", [(kind.value, now) for kind in kinds])

    @_translated
    def erase_person(self, tenant: str, person: str, *, keep_tombstones: bool = True) -> dict[str, int]:
        """Delete every row of a person; the pseudonym is marked as erased for good, known before or not.

        Raises:
            StorageError: the person is empty, which would mean the tenant itself.
        """
        if not person:
            raise StorageError("a person must be named to be erased")
        key = (self._make_person(tenant, person),)
        counts = {table: self._delete(table, "WHERE person_no = ?", [key]) for table in ("entry", "usage", "record")}
        if not keep_tombstones:
            self._execute("DELETE FROM tombstone WHERE person_no = ?", key)
            counts["tombstone"] = self._connection.changes()
        self._execute(_ERASE, key)
        return counts

    @_translated
    def append_audit(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Append events and replace the head.

        Raises:
            ChainError: there is no event, or the sequences are not the next ones.
        """
        kept = self._chains.heads.get(tenant)
        if kept is not None:
            tenant_no, written, size, _ = kept
        else:
            known = self._execute(_CHAIN, (tenant,)).get
            if known is None:
                self._execute(_MAKE_TENANT, (tenant,))
                known = self._execute(_CHAIN, (tenant,)).get
            tenant_no, size = known
            written = size
        if not rows or any(row.sequence != n for n, row in enumerate(rows, size + 1)):
            raise ChainError("the events to append are not the next ones of the chain")
        self._chains.heads[tenant] = (tenant_no, written, size + len(rows), head)
        self._chains.lines += [(tenant_no, *row) for row in rows]

    def append_event(self, tenant: str, body: Mapping[str, JsonValue], *, at: int) -> None:
        """Link one event to the end of the tenant's chain and append it."""
        append_linked(self, tenant, body, at=at)

    @_translated
    def add_checkpoint(self, tenant: str, row: CheckpointRow) -> None:
        """Keep a signed checkpoint; a later one of the same size takes the place of the earlier."""
        self._execute(_MAKE_TENANT, (tenant,))
        self._execute(_ADD_CHECKPOINT, (row.size, row.note, tenant))

    @_translated
    def mark_sync(self) -> None:
        """Change one byte, so that a durable commit has something to fsync."""
        self._execute(MARK_SYNC, ())

    def _find_person(self, tenant: str, person: str) -> int | None:
        number = self._persons.get((tenant, person))
        if number is None:
            number = self._execute(_FIND, (tenant, person)).get
            if number is not None:
                self._persons[tenant, person] = number
        return number

    def _make_person(self, tenant: str, person: str) -> int:
        number = self._find_person(tenant, person)
        if number is None:
            self._execute(_MAKE_TENANT, (tenant,))
            number = int(self._execute(_MAKE_PERSON, (person, tenant)).get)
            self._persons[tenant, person] = number
        return number

    def _delete(self, table: str, where: str, keys: Iterable[Values]) -> int:
        """Delete the rows of a table that lead to boxes, and empty those boxes."""
        emptying = f"{boxes.EMPTY}(SELECT box_no FROM {table} {where})"
        deleting = f"DELETE FROM {table} {where}"
        deleted = 0
        for key in keys:
            self._execute(emptying, key)
            self._execute(deleting, key)
            deleted += self._connection.changes()
        return deleted

    def _atomically(self, change: Callable[[Any, Any], None], first: Any, second: Any) -> None:
        self._execute("SAVEPOINT change", ())
        try:
            change(first, second)
        except BaseException:
            if self._connection.in_transaction:
                run_script(self._connection, "ROLLBACK TO change; RELEASE change")
            raise
        self._execute("RELEASE change", ())


def _erased() -> KeyDestroyedError:
    return KeyDestroyedError("the person was erased; nothing can be written for them any more")
