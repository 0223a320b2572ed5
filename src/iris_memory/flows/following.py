"""Following: when a tenant's memory gets its next revision, so does every read-only copy of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.scope import ScopeKind
from iris_memory.contracts.write import Written
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.copies import copies_of, like_source
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import Person, Snapshot
from iris_memory.ports.unit_of_work import Transaction


def follow(
    instruments: Instruments,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    composer: Composer,
    changed: Sequence[MemoryEntry],
    *,
    seq: int,
    now: datetime,
    but: Collection[str] = (),
) -> list[Draft]:
    """Write the next revision of every copy whose source has a new one, inside the caller's transaction.

    `but` names copies that the caller has given a revision of their own in it.
    """
    written: list[Draft] = []
    for source in changed:
        if source.scope.kind is not ScopeKind.TENANT or source.supersedes is None:
            continue
        columns = snapshot.columns  # not before: it lays in all that was written since somebody last looked
        for copy_id in copies_of(tx, person.tenant, person.person, {source.logical_id}):
            if copy_id in but or copy_id not in columns.row_of:
                continue
            copy = columns.entry(columns.row_of[copy_id])
            entry = like_source(copy, source, entry_id=instruments.ids.entry_id(now), now=now)
            draft = Draft(Written(entry=entry, replaced=copy.id), entry=entry, is_new=True)
            row = composer.seal(draft, seq=seq)
            tx.supersede(person.tenant, person.person, [(copy_id, copy.revision, entry.id)])
            tx.add_entries(person.tenant, person.person, [row])
            written.append(draft)
    return written
