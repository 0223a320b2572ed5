"""The unit of work: every change of a flow and its audit event commit together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from iris_memory.chain.canonical import JsonValue
from iris_memory.ports.restoring import WholeReading, WholeWriting
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

T = TypeVar("T")


class Reading(WholeReading, Protocol):
    """A consistent view of the store. Every method names the tenant first: an engine MUST filter by it."""

    def state(self, tenant: str, person: str) -> SubjectState:
        """Return the counters of a person; zeros where nothing was written."""
        ...

    def entries_since(self, tenant: str, person: str, seq: int) -> list[EntryRow]:
        """Return the latest revision of each living memory written after `seq`, ordered by (seq, logical_id)."""
        ...

    def count_entries(self, tenant: str, person: str) -> int:
        """Count the living memories of a person: as many as `entries_since` returns from the start."""
        ...

    def due(
        self, tenant: str, person: str, now: int, *, after: tuple[int, str] = (-1, ""), limit: int
    ) -> list[EntryRow]:
        """Return up to `limit` latest revisions of living memories whose expiry is at or before `now`.

        They come in order of (seq, logical_id), from the first above `after` on.
        """
        ...

    def gone_since(self, tenant: str, person: str, seq: int) -> list[str]:
        """Return the logical ids that were taken out of reach after `seq`: tombstoned, or hidden by a forget."""
        ...

    def revisions(self, tenant: str, person: str, logical_id: str) -> list[EntryRow]:
        """Return every revision of one memory, oldest first; nothing for a foreign, hidden or unknown id."""
        ...

    def slots_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[int]:
        """Return every vault slot that revisions and usage rows of these memories name, hidden ones included."""
        ...

    def blobs_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[bytes]:
        """Return every sealed blob of these memories, hidden ones included: what a residue scan must not find."""
        ...

    def created_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> dict[str, int]:
        """Return when each of these memories was first written (microseconds), hidden ones included."""
        ...

    def usage_since(self, tenant: str, person: str, seq: int) -> list[UsageRow]:
        """Return the usage rows that changed after usage batch `seq`, ordered by logical_id."""
        ...

    def usage_of(self, tenant: str, person: str, logical_ids: Sequence[str]) -> list[UsageRow]:
        """Return the usage rows of these memories."""
        ...

    def tombstones(self, tenant: str, person: str) -> list[TombstoneRow]:
        """Return the person's tombstones, ordered by (seq, logical_id)."""
        ...

    def record(self, tenant: str, person: str, kind: RecordKind, key: str) -> RecordRow | None:
        """Return one record."""
        ...

    def records(
        self, tenant: str, person: str, kind: RecordKind, *, since: int = -1, limit: int | None = None
    ) -> list[RecordRow]:
        """Return the records of one kind with `seq` above `since`, ordered by (seq, key)."""
        ...

    def records_everywhere(self, kind: RecordKind) -> list[tuple[str, str, RecordRow]]:
        """Return (tenant, person, record) of one kind across tenants, for start-up and the sweep only."""
        ...

    def tenants(self) -> list[str]:
        """Return every tenant that has an audit chain, sorted."""
        ...

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the stored head of the tenant's chain."""
        ...

    def audit_lines(self, tenant: str, *, start: int, limit: int) -> list[AuditRow]:
        """Return up to `limit` events from sequence `start` on, in order."""
        ...

    def checkpoints(self, tenant: str) -> list[CheckpointRow]:
        """Return the tenant's signed checkpoints, smallest size first."""
        ...


class Transaction(Reading, WholeWriting, Protocol):
    """A view that may also change things. It sees its own writes. It is the only writer while it lasts."""

    def bump(self, tenant: str, person: str) -> int:
        """Move the person's version by one and return it; with an empty `person`, the tenant's version."""
        ...

    def add_entries(self, tenant: str, person: str, rows: Sequence[EntryRow]) -> None:
        """Add revisions; keep all of them or none.

        MUST refuse a second row of the same (logical_id, revision) or entry_id, a memory that is hidden or tombstoned,
        and an erased person.
        """
        ...

    def supersede(self, tenant: str, person: str, pairs: Sequence[tuple[str, int, str]]) -> None:
        """Mark (logical_id, revision) as superseded by an entry id; MUST refuse one that already is or is absent."""
        ...

    def hide(self, tenant: str, person: str, logical_ids: Sequence[str], *, seq: int) -> None:
        """Take memories out of reach at once, before their keys and rows are destroyed."""
        ...

    def bury(self, tenant: str, person: str, tombstones: Sequence[TombstoneRow]) -> int:
        """Delete every row of these memories (revisions, usage) and leave the tombstones; return rows deleted."""
        ...

    def mark_usage(self, tenant: str, person: str, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Replace usage blobs (logical_id, slot, blob), move the usage counter by one and return it.

        A memory that is no longer there is passed over.
        """
        ...

    def put_record(self, tenant: str, person: str, row: RecordRow) -> None:
        """Add or replace one record."""
        ...

    def drop_records(self, tenant: str, person: str, kind: RecordKind, keys: Sequence[str] | None) -> int:
        """Delete records by key, or all of the kind with None; return how many."""
        ...

    def drop_expired(self, now: int, kinds: Sequence[RecordKind]) -> int:
        """Delete records of these kinds, of everybody, whose expiry is at or before `now`; return how many."""
        ...

    def erase_person(self, tenant: str, person: str, *, keep_tombstones: bool = True) -> dict[str, int]:
        """Delete every row of a person but the audit chain and (by default) tombstones; count per table.

        The pseudonym's version becomes ERASED for good: `state` says so, and `bump` MUST refuse it. An empty person,
        which would mean the tenant itself, MUST be refused.
        """
        ...

    def append_audit(self, tenant: str, rows: Sequence[AuditRow], head: bytes) -> None:
        """Append events and replace the head. MUST refuse a sequence that is not the next one, and no event at all."""
        ...

    def append_event(self, tenant: str, body: Mapping[str, JsonValue], *, at: int) -> None:
        """Link one event to the end of the tenant's chain (`chain.link`, byte for byte) and append it.

        Unlike `append_audit` it does not look at the end of the chain first, so an engine may link when it commits and
        hold the chain no longer than that. Heads and lines asked for afterwards contain the event.
        """
        ...

    def add_checkpoint(self, tenant: str, row: CheckpointRow) -> None:
        """Keep a signed checkpoint."""
        ...


class Store(Protocol):
    """An engine. Safe for use by many threads and, where it says so, many processes."""

    def read(self) -> AbstractContextManager[Reading]:
        """Open a consistent view. It MUST see every write that was acknowledged before it was opened."""
        ...

    def write(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `work` as the only writer and commit.

        With `durable` the call returns after the commit is fsynced; writers that wait at the same time share one
        fsync. Without, it returns once committed (the commit survives the death of the process, and is fsynced with
        the next durable commit or by `sync`). If `work` raises, nothing of it is kept and the error passes through;
        other callers sharing the commit are not touched. `work` MAY be called again by an engine that retries, and MAY
        run on another caller's thread: it MUST NOT wait for a lock that its own caller holds, nor start a write.
        """
        ...

    def append_if(
        self,
        tenant: str,
        person: str,
        state: SubjectState,
        body: Mapping[str, JsonValue],
        *,
        at: int,
        durable: bool = True,
    ) -> bool:
        """Append one event on condition that a person's counters are still `state`, and commit; say whether they were.

        It is `write` with that work and nothing else, which an engine that is far away does in one round trip.
        """
        ...

    def sync(self) -> None:
        """Make every commit so far durable."""
        ...

    def is_unsynced(self) -> bool:
        """Say whether some commit of this process is not durable yet."""
        ...

    def scrub(self) -> bool:
        """Leave no deleted byte in any file of the store (write-ahead log included); say whether it is done."""
        ...

    def files(self) -> Iterable[Path]:
        """Name every file that may hold bytes of the store."""
        ...

    def problems(self) -> list[str]:
        """Check the engine's own integrity; return plain sentences without content, none when all is well."""
        ...

    def close(self) -> None:
        """Make everything durable and let go. Closing twice is allowed."""
        ...
