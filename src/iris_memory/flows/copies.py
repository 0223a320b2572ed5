"""Read-only copies of a tenant's memory in the person's profile: they change with their source and end with it.

A copy lies in the profile's scope under the tenant's adapter scope: the tenant's consents, approval, consumers and
retention hold it as they hold the source. Which memory is a copy of which is a record named by both ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from iris_memory.contracts.entry import MemoryEntry, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.shape import Contract, Identifier
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.lifecycle import successor

if TYPE_CHECKING:
    from iris_memory.flows.people import Person


class CopyOf(Contract):
    """Which memory a copy follows. No words."""

    source_id: Identifier
    copy_id: Identifier


def copy_row(person: Person, source_id: str, copy_id: str, *, seq: int, now: datetime) -> RecordRow:
    """Return the record of a copy."""
    value = CopyOf(source_id=source_id, copy_id=copy_id)
    return person.own_record(RecordKind.COPY, f"{source_id}/{copy_id}", value, seq=seq, now=now)


def copies_of(reading: Reading, tenant: str, person: str, source_ids: Collection[str]) -> list[str]:
    """Return the copies of memories, by their ids."""
    pairs = [_pair(row) for row in reading.records(tenant, person, RecordKind.COPY)]
    return sorted(copy_id for source_id, copy_id in pairs if source_id in source_ids)


def with_copies(tx: Transaction, tenant: str, person: str, going: Iterable[str]) -> list[str]:
    """Return memories that go with the copies that go with them, and drop what said which is a copy of which."""
    names = set(going)
    rows = tx.records(tenant, person, RecordKind.COPY)
    if rows:
        names |= {copy_id for source_id, copy_id in map(_pair, rows) if source_id in names}
        ended = [row.key for row in rows if not names.isdisjoint(_pair(row))]
        if ended:
            tx.drop_records(tenant, person, RecordKind.COPY, ended)
    return sorted(names)


def like_source(copy: MemoryEntry, source: MemoryEntry, *, entry_id: str, now: datetime) -> MemoryEntry:
    """Return the revision of a copy that says what its source says now."""
    return successor(
        copy,
        entry_id=entry_id,
        now=now,
        lifecycle=source.lifecycle,
        category=source.category,
        subject=source.subject,
        body=source.body,
        origin=source.origin,
        label=source.label,
        quarantine=source.quarantine,
        consents=source.consents,
        suppression=source.suppression or copy.suppression,  # what the person held back of the copy stays so
        multi_actor=source.multi_actor,
        provenance_chain=(link_to(source, now=now), *source.provenance_chain)[:64],
        confidence=source.confidence,
        expires_at=source.expires_at,
    )


def link_to(source: MemoryEntry, *, now: datetime) -> ProvenanceLink:
    """Return the link from a copy to the revision it says the words of."""
    return ProvenanceLink(
        kind=ProvenanceKind.PROFILE_PROMOTION,
        ref=f"copy-of/{source.logical_id}/{source.id}",
        captured_at=now,
        label=source.label,
    )


def _pair(row: RecordRow) -> tuple[str, str]:
    source_id, _, copy_id = row.key.partition("/")
    return source_id, copy_id
