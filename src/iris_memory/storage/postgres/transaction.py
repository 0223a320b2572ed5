"""A view that may also change things. Each method keeps all of what it is given or, if it refuses, nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from iris_memory.chain.canonical import JsonValue
from iris_memory.errors import KeyDestroyedError, StorageError
from iris_memory.ports.rows import (
    ERASED,
    AuditRow,
    CheckpointRow,
    EntryRow,
    RecordKind,
    RecordRow,
    SubjectState,
    TombstoneRow,
)
from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.arrays import bigints, blobs, texts
from iris_memory.storage.postgres.chains import Chains
from iris_memory.storage.postgres.reading import PostgresReading
from iris_memory.storage.postgres.restoring import PostgresWholeWriting, entry_columns, record_columns
from iris_memory.storage.postgres.session import Session

BROKEN: Final = "the row breaks a rule of the store; nothing of it was kept"


class PostgresTransaction(PostgresReading, PostgresWholeWriting):
    """Changes rows in a transaction that the group commit opened. It holds the lock of every tenant it looked at."""

    __slots__ = ("_chains",)

    def __init__(self, session: Session, chains: Chains) -> None:
        super().__init__(session)
        self._chains = chains

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the head of the tenant's chain, lines that are kept back included."""
        return self._chains_now().head(tenant)

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

        Nobody else moves it meanwhile, so the number is known before the server has done it.

        Raises:
            KeyDestroyedError: the person was erased.
        """
        self._session.hold_alone(tenant, person)
        state = self._session.state(tenant, person)
        if state.version == ERASED:
            raise _erased()
        self._session.defer(tenant, person, statements.BUMP)
        moved = state.version + 1
        fresh = replace(state, version=moved) if person else SubjectState(moved, state.usage_seq, moved)
        self._session.note_state(tenant, person, fresh)
        return moved

    def add_entries(self, tenant: str, person: str, rows: Sequence[EntryRow]) -> None:
        """Add revisions; refuse all of them when one is there already or its memory is hidden or tombstoned.

        Raises:
            StorageError: a row of the same (logical_id, revision) or entry_id is there, or the memory is gone.
            KeyDestroyedError: the person was erased.
        """
        ((refused,),) = self._session.alter(
            tenant,
            person,
            statements.ADD_ENTRIES,
            **entry_columns(rows),
        )
        if refused == "erased":
            raise _erased()
        if refused == "gone":
            raise StorageError("a forgotten memory cannot be written again; nothing was kept")
        if refused:
            raise StorageError(BROKEN)

    def supersede(self, tenant: str, person: str, pairs: Sequence[tuple[str, int, str]]) -> None:
        """Mark revisions as superseded; refuse all when one already is, is hidden or is not there.

        Raises:
            StorageError: see above.
        """
        if not pairs:
            return
        marked = self._session.alter(
            tenant,
            person,
            statements.SUPERSEDE,
            ids=texts([pair[0] for pair in pairs]),
            revisions=bigints([pair[1] for pair in pairs]),
            successors=texts([pair[2] for pair in pairs]),
        )
        if len(marked) != len(pairs):
            self._session.delete(
                tenant,
                person,
                statements.RESTORE,
                ids=texts([logical_id for logical_id, _ in marked]),
                revisions=bigints([revision for _, revision in marked]),
            )
            raise StorageError("a revision that is not the current one cannot be superseded; nothing was kept")

    def hide(self, tenant: str, person: str, logical_ids: Sequence[str], *, seq: int) -> None:
        """Take memories out of reach; one that is hidden already keeps the number at which it was."""
        self._session.defer(tenant, person, statements.HIDE, ids=texts(list(logical_ids)), seq=seq)
        self._session.defer(tenant, person, statements.NOTIFY)

    def bury(self, tenant: str, person: str, tombstones: Sequence[TombstoneRow]) -> int:
        """Delete every row of these memories and leave the tombstones; a memory's first tombstone stands."""
        self._session.defer(tenant, person, statements.NOTIFY)
        ((deleted,),) = self._session.alter(
            tenant,
            person,
            statements.BURY,
            ids=texts([stone.logical_id for stone in tombstones]),
            seqs=bigints([stone.seq for stone in tombstones]),
            created=bigints([stone.created_at for stone in tombstones]),
            forgotten=bigints([stone.forgotten_at for stone in tombstones]),
            reasons=texts([stone.reason for stone in tombstones]),
            receipts=texts([stone.receipt_id for stone in tombstones]),
        )
        return int(deleted)

    def mark_usage(self, tenant: str, person: str, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Replace usage blobs, move the usage counter by one and return it; pass over what is out of reach.

        Of an erased person nothing is marked, and the counter stays at 0.
        """
        self._session.hold_alone(tenant, person)
        state = self._session.state(tenant, person)
        if state.version == ERASED:
            return 0
        seq = state.usage_seq + 1
        marks = {logical_id: (slot, blob) for logical_id, slot, blob in rows}
        self._session.defer(
            tenant,
            person,
            statements.MARK_USAGE,
            seq=seq,
            ids=texts(list(marks)),
            slots=bigints([slot for slot, _ in marks.values()]),
            blobs=blobs([blob for _, blob in marks.values()]),
        )
        self._session.note_state(tenant, person, replace(state, usage_seq=seq))
        return seq

    def put_record(self, tenant: str, person: str, row: RecordRow) -> None:
        """Add or replace one record; those that follow each other go to the server in one statement."""
        query = statements.PUT_RECORDS
        if self._session.knows(tenant, person):
            query = statements.PUT_KNOWN_RECORDS
        self._session.gather(tenant, person, query, record_columns, key=(row.kind, row.key), row=row)

    def drop_records(self, tenant: str, person: str, kind: RecordKind, keys: Sequence[str] | None) -> int:
        """Delete records by key, or all of the kind with None; return how many."""
        if keys is None:
            return self._session.delete(tenant, person, statements.DROP_KIND, kind=kind.value)
        return self._session.delete(tenant, person, statements.DROP_RECORDS, kind=kind.value, keys=texts(list(keys)))

    def drop_expired(self, now: int, kinds: Sequence[RecordKind]) -> int:
        """Delete records of these kinds, of everybody, whose expiry is at or before `now`; return how many.

        The census names whose records are due; each owner's are then deleted within the owner's walls.
        """
        names = [kind.value for kind in kinds]
        return sum(
            self._session.delete(tenant, person, statements.DROP_DUE, kinds=names, due=now)
            for tenant, person in self._owners(kinds, due=now)
        )

    def erase_person(self, tenant: str, person: str, *, keep_tombstones: bool = True) -> dict[str, int]:
        """Delete every row of a person; the pseudonym is marked as erased for good, known before or not.

        Raises:
            StorageError: the person is empty, which would mean the tenant itself.
        """
        if not person:
            raise StorageError("a person must be named to be erased")
        self._session.defer(tenant, person, statements.NOTIFY)
        ((entries, uses, records, stones),) = self._session.alter(
            tenant, person, statements.ERASE, keep=keep_tombstones
        )
        tenant_version = self._session.state(tenant, person).tenant_version
        self._session.note_state(tenant, person, SubjectState(ERASED, 0, tenant_version))
        counts = {"entry": entries, "usage": uses, "record": records}
        return counts if keep_tombstones else {**counts, "tombstone": stones}

    def append_audit(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Append events and replace the head.

        Raises:
            ChainError: there is no event, or the sequences are not the next ones.
        """
        self._chains_now().append(tenant, rows, head)

    def append_event(self, tenant: str, body: Mapping[str, JsonValue], *, at: int) -> None:
        """Append one event, which the server links in the round trip of the commit.

        Raises:
            ChainError: the body names a reserved field, or `at` is not a time.
        """
        self._chains_now().append_event(tenant, body, at=at)

    def add_checkpoint(self, tenant: str, row: CheckpointRow) -> None:
        """Keep a signed checkpoint; a later one of the same size takes the place of the earlier."""
        self._session.defer_tenant(tenant, statements.ADD_CHECKPOINT, size=row.size, note=row.note)

    def _chains_now(self) -> Chains:
        _ = self._session  # refuses once the transaction has ended
        return self._chains


def _erased() -> KeyDestroyedError:
    return KeyDestroyedError("the person was erased; nothing can be written for them any more")
