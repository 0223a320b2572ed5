"""Mentions: other people as the person sees them, handles with notes and counts; and everything tagged with one, to go.

There is no way from a handle to facts: nothing lists memories by handle but the count here and the forget.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.others import MentionedPerson
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.namespace import handles_of
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import shown_to
from iris_memory.flows.recall import current
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.unit_of_work import Reading
from iris_memory.recall.columns import Columns
from iris_memory.recall.packing import unpack, wording

_TAGGED: Final = b'"actor_handle"'
"""Stands in the packed form of every memory about somebody else, and in no other but by its words."""


@dataclass(slots=True)
class _Counted:
    since: datetime
    memories: int = 0
    sensitive: int = 0
    notes: dict[str, None] = field(default_factory=dict)
    last_at: datetime | None = None

    def add(self, entry: MemoryEntry) -> None:
        """Count a memory that is tagged with the handle."""
        assert entry.multi_actor is not None
        self.memories += 1
        self.sensitive += entry.multi_actor.sensitive_interaction
        if entry.multi_actor.relationship_note:
            self.notes[entry.multi_actor.relationship_note] = None
        self.last_at = entry.updated_at if self.last_at is None else max(self.last_at, entry.updated_at)


def mentions(instruments: Instruments, caller: Caller) -> list[MentionedPerson]:
    """Return everybody the person mentioned: handle, relationship notes and counts; the latest mentioned first.

    Notes and counts are of memories that the caller's consumer may be shown; of a handle alone nothing can be told.
    """

    def attempt(person: Person) -> list[MentionedPerson]:
        snapshot = current(instruments, person)
        found = _counted(snapshot, shown_to(caller, snapshot, instruments.clock.now()))
        if found:
            _note(instruments, person, len(found))
        people = [
            MentionedPerson(
                handle=handle,
                relationship_notes=tuple(counted.notes),
                memories=counted.memories,
                sensitive=counted.sensitive,
                since=counted.since,
                last_at=counted.last_at,
            )
            for handle, counted in found.items()
        ]
        return sorted(people, key=lambda one: (one.last_at or one.since, one.handle), reverse=True)

    return with_known_person(instruments, caller, attempt, nobody=list)


def tagged_rows(person: Person, reading: Reading, columns: Columns, handles: Collection[str]) -> list[int]:
    """Return the memories of which some revision is tagged with one of the handles."""
    return [row for row in columns.rows() if _was_tagged(person, reading, columns, row, handles)]


def named_rows(person: Person, reading: Reading, snapshot: Snapshot, mention: str) -> tuple[list[int], frozenset[str]]:
    """Return the memories tagged with somebody, by name or handle, and the handles; both empty for nobody known."""
    handles = handles_of(person, snapshot, mention)
    rows = tagged_rows(person, reading, snapshot.columns, handles)
    known = {one.handle for one in snapshot.mentions.values()}
    return rows, handles if rows or handles & known else frozenset()


def _was_tagged(person: Person, reading: Reading, columns: Columns, row: int, handles: Collection[str]) -> bool:
    if _is_tagged(columns.entry(row), handles):
        return True
    if wording(columns.packs[row])[1] == 1:
        return False
    rows = reading.revisions(person.tenant, person.person, columns.keys[row])
    return any(_is_tagged(unpack(packed.pack), handles) for packed in person.open_entries(rows))


def _is_tagged(entry: MemoryEntry, handles: Collection[str]) -> bool:
    return entry.multi_actor is not None and entry.multi_actor.actor_handle in handles


def _counted(snapshot: Snapshot, shown: Callable[[MemoryEntry], bool]) -> dict[str, _Counted]:
    found = {mention.handle: _Counted(mention.since) for mention in snapshot.mentions.values()}
    columns = snapshot.columns
    for row in columns.rows():
        if _TAGGED not in columns.packs[row]:
            continue  # most memories are about nobody else, and are not unpacked
        entry = columns.entry(row)
        if entry.multi_actor is not None and shown(entry):
            found.setdefault(entry.multi_actor.actor_handle, _Counted(entry.created_at)).add(entry)
    return found


def _note(instruments: Instruments, person: Person, count: int) -> None:
    now = instruments.clock.now()
    instruments.store.write(
        lambda tx: write_event(
            tx,
            person.tenant,
            action=AuditAction.MEMORY_READ,
            policy=WRITE_POLICY,
            person=person.person,
            now=now,
            facts={"object_ids": [], "mentions": count, "by": "subject"},
        ),
        durable=False,
    )
