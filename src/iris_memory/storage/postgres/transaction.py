"""A view that may also change things. Each method keeps all of what it is given or, if it refuses, nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from iris_memory.errors import ChainError, KeyDestroyedError, StorageError, StoreBusyError
from iris_memory.ports.rows import (
    ERASED,
    AuditRow,
    CheckpointRow,
    EntryRow,
    RecordKind,
    RecordRow,
    TombstoneRow,
)
from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.reading import PostgresReading
from iris_memory.storage.postgres.session import Session

BROKEN: Final = "the row breaks a rule of the store; nothing of it was kept"


class _End(NamedTuple):
    """Where a chain ends: how long it is in the database, how long with the lines kept back, and its head."""

    written: int
    size: int
    head: bytes | None


class Chains:
    """The audit lines of one group of works, kept back so that each tenant's are written once, just before the commit.

    A tenant's lock is held from the first look at its chain, so what stands here is the end of the chain.
    """

    __slots__ = ("_session", "ends", "lines")

    def __init__(self, session: Session) -> None:
        self._session = session
        self.ends: dict[str, _End] = {}
        self.lines: dict[str, list[AuditRow]] = {}

    def end(self, tenant: str) -> _End:
        """Return where a tenant's chain ends."""
        known = self.ends.get(tenant)
        if known is None:
            rows = self._session.ask_tenant(tenant, statements.AUDIT_HEAD)
            size, head = rows[0] if rows else (0, None)
            known = self.ends[tenant] = _End(size, size, head)
        return known

    def append(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Keep the next lines of a chain back."""
        end = self.end(tenant)
        if not rows or any(row.sequence != n for n, row in enumerate(rows, end.size + 1)):
            raise ChainError("the events to append are not the next ones of the chain")
        self.ends[tenant] = _End(end.written, end.size + len(rows), head)
        self.lines.setdefault(tenant, []).extend(rows)

    def mark(self) -> tuple[dict[str, _End], dict[str, list[AuditRow]]]:
        """Return what is kept back, for `back_to`."""
        return self.ends.copy(), {tenant: rows.copy() for tenant, rows in self.lines.items()}

    def back_to(self, mark: tuple[dict[str, _End], dict[str, list[AuditRow]]]) -> None:
        """Keep back what was kept back at a mark: the work since failed, and what it wrote out is rolled back."""
        self.ends, self.lines = mark

    def write(self) -> None:
        """Write what was kept back.

        Raises:
            StoreBusyError: somebody wrote to a chain without its lock.
        """
        for tenant, rows in self.lines.items():
            end = self.ends[tenant]
            grown = self._session.change_tenant(
                tenant,
                statements.GROW_CHAIN,
                size=end.size,
                head=end.head,
                written=end.written,
                sequences=[row.sequence for row in rows],
                lines=[row.line for row in rows],
            )
            if grown != len(rows):
                raise StoreBusyError("the chain has grown meanwhile, nothing was kept; retry")
            self.ends[tenant] = end._replace(written=end.size)
        self.lines = {}


class PostgresTransaction(PostgresReading):
    """Changes rows in a transaction that the group commit opened. It holds the lock of every tenant it looked at."""

    __slots__ = ("_chains",)

    def __init__(self, session: Session, chains: Chains) -> None:
        super().__init__(session)
        self._chains = chains

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the head of the tenant's chain, lines that are kept back included."""
        return self._chains_now().end(tenant).head

    def audit_lines(self, tenant: str, *, start: int, limit: int) -> list[AuditRow]:
        """Return up to `limit` events from sequence `start` on, lines that are kept back included."""
        self._chains_now().write()
        return super().audit_lines(tenant, start=start, limit=limit)

    def tenants(self) -> list[str]:
        """Return every tenant that has an audit chain, sorted."""
        self._chains_now().write()
        return super().tenants()

    def bump(self, tenant: str, person: str) -> int:
        """Move the person's version by one and return it; with an empty person, the tenant's.

        Raises:
            KeyDestroyedError: the person was erased.
        """
        rows = self._session.ask(tenant, person, statements.BUMP)
        if not rows:
            raise _erased()
        return int(rows[0][0])

    def add_entries(self, tenant: str, person: str, rows: Sequence[EntryRow]) -> None:
        """Add revisions; refuse all of them when one is there already or its memory is hidden or tombstoned.

        Raises:
            StorageError: a row of the same (logical_id, revision) or entry_id is there, or the memory is gone.
            KeyDestroyedError: the person was erased.
        """
        ids = [row.logical_id for row in rows]
        version, is_gone = self._session.ask(tenant, person, statements.STANDING, ids=ids)[0]
        if version == ERASED:
            raise _erased()
        if is_gone:
            raise StorageError("a forgotten memory cannot be written again; nothing was kept")
        added = self._session.ask(
            tenant,
            person,
            statements.ADD_ENTRIES,
            ids=ids,
            revisions=[row.revision for row in rows],
            entry_ids=[row.entry_id for row in rows],
            seqs=[row.seq for row in rows],
            slots=[row.slot for row in rows],
            created=[row.created_at for row in rows],
            updated=[row.updated_at for row in rows],
            expires=[row.expires_at for row in rows],
            superseded=[row.superseded_by for row in rows],
            blobs=[row.blob for row in rows],
        )
        if len(added) != len(rows):
            self._session.change(tenant, person, statements.TAKE_BACK, entry_ids=[entry_id for (entry_id,) in added])
            raise StorageError(BROKEN)

    def supersede(self, tenant: str, person: str, pairs: Sequence[tuple[str, int, str]]) -> None:
        """Mark revisions as superseded; refuse all when one already is, is hidden or is not there.

        Raises:
            StorageError: see above.
        """
        marked = self._session.ask(
            tenant,
            person,
            statements.SUPERSEDE,
            ids=[pair[0] for pair in pairs],
            revisions=[pair[1] for pair in pairs],
            successors=[pair[2] for pair in pairs],
        )
        if len(marked) != len(pairs):
            self._session.change(
                tenant,
                person,
                statements.RESTORE,
                ids=[logical_id for logical_id, _ in marked],
                revisions=[revision for _, revision in marked],
            )
            raise StorageError("a revision that is not the current one cannot be superseded; nothing was kept")

    def hide(self, tenant: str, person: str, logical_ids: Sequence[str], *, seq: int) -> None:
        """Take memories out of reach; one that is hidden already keeps the number at which it was."""
        self._session.change(tenant, person, statements.HIDE, ids=list(logical_ids), seq=seq)

    def bury(self, tenant: str, person: str, tombstones: Sequence[TombstoneRow]) -> int:
        """Delete every row of these memories and leave the tombstones; a memory's first tombstone stands."""
        ((deleted,),) = self._session.ask(
            tenant,
            person,
            statements.BURY,
            ids=[stone.logical_id for stone in tombstones],
            seqs=[stone.seq for stone in tombstones],
            created=[stone.created_at for stone in tombstones],
            forgotten=[stone.forgotten_at for stone in tombstones],
            reasons=[stone.reason for stone in tombstones],
            receipts=[stone.receipt_id for stone in tombstones],
        )
        return int(deleted)

    def mark_usage(self, tenant: str, person: str, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Replace usage blobs, move the usage counter by one and return it; pass over what is out of reach.

        Of an erased person nothing is marked, and the counter stays at 0.
        """
        moved = self._session.ask(tenant, person, statements.BUMP_USAGE)
        if not moved:
            return 0
        seq = int(moved[0][0])
        marks = {logical_id: (slot, blob) for logical_id, slot, blob in rows}
        self._session.change(
            tenant,
            person,
            statements.MARK_USAGE,
            seq=seq,
            ids=list(marks),
            slots=[slot for slot, _ in marks.values()],
            blobs=[blob for _, blob in marks.values()],
        )
        return seq

    def put_record(self, tenant: str, person: str, row: RecordRow) -> None:
        """Add or replace one record."""
        self._session.change(
            tenant,
            person,
            statements.PUT_RECORD,
            kind=row.kind.value,
            key=row.key,
            seq=row.seq,
            created=row.created_at,
            expires=row.expires_at,
            slot=row.slot,
            blob=row.blob,
        )

    def drop_records(self, tenant: str, person: str, kind: RecordKind, keys: Sequence[str] | None) -> int:
        """Delete records by key, or all of the kind with None; return how many."""
        if keys is None:
            return self._session.change(tenant, person, statements.DROP_KIND, kind=kind.value)
        return self._session.change(tenant, person, statements.DROP_RECORDS, kind=kind.value, keys=list(keys))

    def drop_expired(self, now: int, kinds: Sequence[RecordKind]) -> int:
        """Delete records of these kinds, of everybody, whose expiry is at or before `now`; return how many.

        The census names whose records are due; each owner's are then deleted within the owner's walls.
        """
        names = [kind.value for kind in kinds]
        return sum(
            self._session.change(tenant, person, statements.DROP_DUE, kinds=names, due=now)
            for tenant, person in self._owners(kinds, due=now)
        )

    def erase_person(self, tenant: str, person: str, *, keep_tombstones: bool = True) -> dict[str, int]:
        """Delete every row of a person; the pseudonym is marked as erased for good, known before or not.

        Raises:
            StorageError: the person is empty, which would mean the tenant itself.
        """
        if not person:
            raise StorageError("a person must be named to be erased")
        ((entries, uses, records, stones),) = self._session.ask(tenant, person, statements.ERASE, keep=keep_tombstones)
        counts = {"entry": entries, "usage": uses, "record": records}
        return counts if keep_tombstones else {**counts, "tombstone": stones}

    def append_audit(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Append events and replace the head.

        Raises:
            ChainError: there is no event, or the sequences are not the next ones.
        """
        self._chains_now().append(tenant, rows, head)

    def add_checkpoint(self, tenant: str, row: CheckpointRow) -> None:
        """Keep a signed checkpoint; a later one of the same size takes the place of the earlier."""
        self._session.change_tenant(tenant, statements.ADD_CHECKPOINT, size=row.size, note=row.note)

    def _chains_now(self) -> Chains:
        _ = self._session  # refuses once the transaction has ended
        return self._chains


def _erased() -> KeyDestroyedError:
    return KeyDestroyedError("the person was erased; nothing can be written for them any more")
