"""Derived: what was made from a memory (summaries, promotions, inferences), and what becomes of it when that goes.

Which memory came from which stands in provenance alone, sealed with the memory itself, so the index can neither be
older than what it tells of nor outlive it. Forgetting a source ends what was made from it, in the same transaction; a
summary whose other sources can be told apart is written anew without it, as another memory, so that the key of the
words that went is destroyed with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, ProvenanceKind, ProvenanceLink, TombstoneReason
from iris_memory.contracts.retaining import ExpandedSource, Expansion, SourceState
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import from_micros, with_fields
from iris_memory.contracts.write import Written
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import unknown
from iris_memory.flows.recall import current
from iris_memory.flows.remember import store_drafts
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.rows import TombstoneRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.columns import Columns
from iris_memory.recall.packing import json_start
from iris_memory.rules.compaction import DERIVING, made_by, read_ref, without
from iris_memory.rules.extracting import SEPARATOR
from iris_memory.rules.scope_policy import is_shown_to

_MARKS: Final = re.compile(b'"kind":"(?:%s)"' % b"|".join(re.escape(kind.value.encode()) for kind in sorted(DERIVING)))


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of everything that was made from memories that go.

    `ending` has to go with them: the caller hands it to `intend` in the same transaction. `rebuilt` was written in the
    place of some of it. `texts` are the words that end, for the residue scan.
    """

    ending: tuple[str, ...] = ()
    rebuilt: tuple[MemoryEntry, ...] = ()
    texts: tuple[str, ...] = field(default=(), repr=False)


class Rebuilt(NamedTuple):
    """What was written in the place of something that ends, and the pieces of it that are not to come back."""

    entries: tuple[MemoryEntry, ...]
    lost: frozenset[str]


def derived_from(columns: Columns, logical_ids: Collection[str]) -> dict[str, frozenset[str]]:
    """Return every memory that was made from these, directly or by way of another, with what it was made from of them.

    A source need not be there any more: what was made from a memory that ended with its envelope is found all the same.
    What is asked for is not part of the answer.
    """
    made = dict(_sources_of(columns))
    reached: set[str] = set(logical_ids)
    found: dict[str, frozenset[str]] = {}
    grew = True
    while grew:
        grew = False
        for name, sources in made.items():
            meets = sources & reached - {name}
            if meets and found.get(name) != meets:
                found[name] = frozenset(meets)
                reached.add(name)
                grew = True
    return {name: found[name] for name in sorted(found) if name not in logical_ids}


def settle(
    instruments: Instruments,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    gone: Collection[str],
    *,
    now: datetime,
) -> Settled:
    """Rebuild or end what was made from memories that go, inside the caller's transaction.

    Args:
        instruments: the engines.
        person: whose memory it is.
        tx: the caller's transaction; `intend` for `gone` and for what this returns as `ending` has to follow in it.
        snapshot: what `person.read(tx)` gave.
        gone: what goes.
        now: when.
    """
    found = derived_from(snapshot.columns, gone)
    if not found:
        return Settled()
    rebuilt = rebuild(instruments, person, tx, snapshot, gone, ending=found, now=now)
    texts = {snapshot.columns.entry(snapshot.columns.row_of[name]).body for name in found} | rebuilt.lost
    texts -= {entry.body for entry in rebuilt.entries}
    return Settled(tuple(sorted(found)), rebuilt.entries, tuple(sorted(texts)))


def rebuild(
    instruments: Instruments,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    gone: Collection[str],
    *,
    ending: Collection[str],
    now: datetime,
) -> Rebuilt:
    """Write anew what can be told apart from sources that go.

    `ending` is what was made from them and goes with them (see `derived_from`); what a legal hold keeps stands in
    neither.
    """
    if not ending:
        return Rebuilt((), frozenset())
    columns = snapshot.columns
    leaving = {*gone, *ending}
    composer = Composer(instruments, Caller(person.tenant, person.user_id), person, snapshot, now)
    drafts, lost = [], set[str]()
    for name in sorted(ending):
        entry = columns.entry(columns.row_of[name])
        left = without(entry, leaving)
        if entry.lifecycle is Lifecycle.PAUSED:
            continue  # it was to be deleted itself; written anew, no request would name it
        if left is not None and composer.refuse_forgotten(left[0]) is None:
            drafts.append(_anew(instruments, entry, *left, now=now))
            lost |= {*entry.body.split(SEPARATOR)} - {*left[0].split(SEPARATOR)}
    if drafts:
        store_drafts(person, tx, composer, drafts, seq=tx.bump(person.tenant, person.person))
    rebuilt = tuple(draft.entry for draft in drafts if draft.entry is not None)
    write_event(
        tx,
        person.tenant,
        action=AuditAction.DERIVED_SETTLED,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        facts={
            "object_ids": [entry.id for entry in rebuilt],
            "commitments": [draft.commitment for draft in drafts],
            "ending": sorted(ending),
        },
    )
    return Rebuilt(rebuilt, frozenset(lost))


def expand(instruments: Instruments, caller: Caller, logical_id: str) -> Expansion:
    """Return a memory with everything it was made from: sources that are there, when others went, and turns.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """

    def attempt(person: Person) -> Expansion:
        snapshot, now = current(instruments, person), instruments.clock.now()
        columns, approved = snapshot.columns, snapshot.approved(now)
        closed = {one for one in AdapterScope if not is_shown_to(one, caller.consumer, approvals=approved)}
        row = columns.row_of.get(logical_id)
        entry = columns.entry(row) if row is not None else None
        if entry is None or entry.adapter_scope in closed:
            raise unknown()
        with instruments.store.read() as reading:
            stones = {stone.logical_id: stone for stone in reading.tombstones(person.tenant, person.person)}
        sources = tuple(
            _expanded(link, columns, stones, closed)
            for link in entry.provenance_chain
            if not (link.kind is ProvenanceKind.SESSION_SUMMARY and link.ref.startswith("by:"))
        )
        seen = [entry.id, *(source.entry.id for source in sources if source.entry is not None)]
        instruments.store.write(
            lambda tx: write_event(
                tx,
                person.tenant,
                action=AuditAction.MEMORY_READ,
                policy=WRITE_POLICY,
                person=person.person,
                now=now,
                facts={"object_ids": list(seen), "by": "expand"},
            ),
            durable=False,
        )
        return Expansion(entry=entry, made_by=made_by(entry), sources=sources)

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def _nobody() -> Expansion:
    raise unknown()


def _expanded(
    link: ProvenanceLink, columns: Columns, stones: dict[str, TombstoneRow], closed: Collection[AdapterScope]
) -> ExpandedSource:
    source = read_ref(link.kind, link.ref)
    row = columns.row_of.get(source.logical_id) if source is not None else None
    stone = stones.get(source.logical_id) if source is not None else None
    entry = columns.entry(row) if row is not None else None
    if entry is not None and entry.adapter_scope in closed:
        entry = None  # a source in a scope that this consumer is not shown
    if source is None or (entry is None and stone is None):
        state = SourceState.OUTSIDE
    elif entry is None:
        state = SourceState.GONE
    else:
        state = SourceState.THERE if source.revision in (None, entry.revision) else SourceState.REVISED
    is_known = source is not None and state is not SourceState.OUTSIDE
    return ExpandedSource(
        kind=link.kind,
        ref=link.ref,
        captured_at=link.captured_at,
        label=link.label,
        state=state,
        logical_id=source.logical_id if source is not None and is_known else None,
        revision=source.revision if source is not None and is_known else None,
        entry=entry,
        gone_at=from_micros(stone.forgotten_at) if stone is not None and entry is None else None,
        gone_because=TombstoneReason(stone.reason) if stone is not None and entry is None else None,
    )


def _anew(
    instruments: Instruments, entry: MemoryEntry, body: str, chain: tuple[ProvenanceLink, ...], *, now: datetime
) -> Draft:
    entry_id = instruments.ids.entry_id(now)
    made = with_fields(
        entry,
        id=entry_id,
        logical_id=entry_id,
        revision=1,
        supersedes=None,
        superseded_by=None,
        body=body,
        provenance_chain=chain,
        reference_count=0,
        last_referenced_at=None,
        updated_at=max(now, entry.created_at),
    )
    return Draft(Written(entry=made, replaced=entry.id), entry=made, is_new=True)


def _sources_of(columns: Columns) -> Iterator[tuple[str, frozenset[str]]]:
    is_derived, rows = _MARKS.search, columns.rows()
    for row, packed in zip(rows, columns.packs.at(rows), strict=True):
        if is_derived(packed) is None:
            continue
        chain = json.loads(packed[json_start(packed) :])["provenance_chain"]
        named = (read_ref(ProvenanceKind(link["kind"]), link["ref"]) for link in chain)
        sources = frozenset(source.logical_id for source in named if source is not None)
        if sources:
            yield columns.keys[row], sources


__all__ = ["Rebuilt", "Settled", "derived_from", "expand", "rebuild", "settle"]
