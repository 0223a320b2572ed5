"""Cascade: what a withdrawn consent takes along, in the transaction that records the withdrawal (DSR-16).

The withdrawal of `category:<name>`, `sensitive_data` or `multi_actor_sensitive` hides every memory it is about and
every memory that was made from one, and takes along what other areas keep of them (see `register.CASCADES`). Then their
keys are destroyed as for every forget, and a signed receipt says what went. The ledger and the audit chain stay.

Jobs in flight stop at the transaction: a write reads the ledger inside its own, a recall's event is inserted only while
what it was computed from still holds, and what names a source that went is refused (see `flows.sourcing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction
from iris_memory.contracts.consent import (
    ConsentEvent,
    ConsentStatus,
    RevocationPreview,
    ScopeChange,
    ScopeMode,
    Withdrawal,
)
from iris_memory.contracts.entry import MemoryEntry, TombstoneReason
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import ContractError
from iris_memory.flows.answer import drafts_take_over
from iris_memory.flows.cascading import Cascading, hangs_on
from iris_memory.flows.derived import derived_from, settle
from iris_memory.flows.ephemeral import living as living_now
from iris_memory.flows.forget import conclude
from iris_memory.flows.forgetting import Going, bar_return, intend, keep_intent
from iris_memory.flows.held import held_among
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.ledgers import Asking, append_events, require_answer
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.register import REGISTER
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.flows.setting_aside import UNTIL_FORGOTTEN, restrict
from iris_memory.flows.sourcing import sources_of
from iris_memory.flows.within import was_ever
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.columns import Columns
from iris_memory.recall.packing import unpack, wording
from iris_memory.rules.consent import CONSENT_NAMES, Cut, cut_of, withdrawn_with
from iris_memory.rules.scope_policy import policy_of

_ALWAYS: Final = frozenset({"sessions", "records: continuation", "records: continuation-key"})
"""What hangs on consents that cut off no category as well."""


class _Done(NamedTuple):
    events: list[ConsentEvent]
    going: Going | None
    counted: dict[str, int]
    snapshot: Snapshot


def withdraw(
    instruments: Instruments,
    caller: Caller,
    names: Sequence[str],
    status: ConsentStatus,
    asking: Asking,
    *,
    scan: bool = True,
) -> Withdrawal:
    """Record that the person took consents back, or said no, and take along what hangs on them.

    When this returns, nothing of it is stored or served by anybody. What a legal hold keeps is set aside and goes when
    the hold ends. With `scan`, every file is searched for what should be gone.

    Raises:
        ContractError: there is no such consent, or its legal basis is not allowed.
        StoreCorruptError: a decision of the person is missing from the data.
    """
    now = instruments.clock.now()
    require_answer(names, asking, now)

    def attempt(person: Person) -> Withdrawal:
        instruments.people.usage.flush(instruments.store)
        person.ensure_slots(len(names) + 2)

        def work(tx: Transaction) -> _Done:
            before = person.read(tx)
            ending = withdrawn_with(names, before.consents(now))
            events = append_events(instruments, caller, person, tx, before, ending, status, asking, now)
            return _cut_off(instruments, caller, person, tx, before, ending, events, now)

        done = instruments.store.write(work, durable=True)
        person.publish(done.snapshot)
        receipt = None
        if done.going is not None:
            receipt = conclude(instruments, person, done.going, done.counted, scan=scan)
        return Withdrawal(events=tuple(done.events), receipt=receipt)

    return with_person(instruments, caller, attempt)


def preview(instruments: Instruments, caller: Caller, names: Sequence[str]) -> RevocationPreview:
    """Count what stops when consents are withdrawn, and say how each scope may be used then; change nothing.

    Raises:
        ContractError: there is no such consent, or none is named.
    """
    if not names:
        raise ContractError("name at least one consent")
    if any(name not in CONSENT_NAMES for name in names):
        raise ContractError("there is no such consent; see the list of consents")
    now = instruments.clock.now()

    def attempt(person: Person) -> RevocationPreview:
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
            ending = withdrawn_with(names, snapshot.consents(now))
            cut = cut_of(ending)
            chosen = _chosen(person, reading, snapshot.columns, cut)
            made = _made_from(snapshot.columns, chosen)
            revisions = sum(len(reading.revisions(person.tenant, person.person, name)) for name in {*chosen, *made})
        deleted = {"memories": len(chosen), "made from them": len(made), "revisions": revisions}
        return _told(instruments, caller, person, snapshot, ending, deleted, {*chosen, *made}, now)

    return with_known_person(
        instruments,
        caller,
        attempt,
        nobody=lambda: RevocationPreview(
            names=tuple(names), deleted={}, hidden=0, ephemeral=0, scopes=(), notes=("Nothing is known of the person.",)
        ),
    )


def _cut_off(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    before: Snapshot,
    ending: Sequence[str],
    events: list[ConsentEvent],
    now: datetime,
) -> _Done:
    cut = cut_of(ending)
    snapshot = person.read(tx)  # with the withdrawal in it: what is written anew is written under it
    chosen = _chosen(person, tx, snapshot.columns, cut)
    made = _made_from(snapshot.columns, chosen)
    settled = settle(instruments, person, tx, snapshot, sorted({*chosen, *made}), now=now) if chosen else None
    gone = {*chosen, *made, *(settled.ending if settled else ())}
    going, counted = None, dict[str, int]()
    if gone:
        held = held_among(instruments, tx, person.tenant, person.person, sorted(gone), now=now)
        texts = sorted({*_texts(person, tx, snapshot.columns, gone), *(settled.texts if settled else ())})
        counted = {"memories": len(set(chosen) - held), "made from them": len(gone - set(chosen) - held)}
        counted |= {"held": len(held)} if held else {}
        going = intend(
            instruments,
            tx,
            person.tenant,
            person.person,
            sorted(gone),
            reason=TombstoneReason.CONSENT_WITHDRAWN,
            now=now,
            texts=texts,
        )
        restrict(instruments, caller, person, tx, snapshot, sorted(held), note=UNTIL_FORGOTTEN, now=now)
        bar_return(person, tx, going)
        drafts_take_over(instruments, caller, person, tx, snapshot, gone=gone, now=now)
    cascading = Cascading(instruments, person, tx, frozenset(ending), cut, frozenset(gone), now)
    counted |= _joined(cascading)
    going = _with_records(instruments, cascading, going, now)
    if any(counted.values()):
        write_event(
            tx,
            person.tenant,
            action=AuditAction.CONSENT_CASCADED,
            policy=CONSENT_POLICY,
            person=person.person,
            now=now,
            facts={
                "consents": [event.event_id for event in events],
                "receipt": going.intent.receipt_id if going else "",
                "reached": dict(sorted(counted.items())),
            },
        )
    return _Done(events, going, counted, before)


def _with_records(instruments: Instruments, cascading: Cascading, going: Going | None, now: datetime) -> Going | None:
    """Let the keys of records that were taken along be destroyed with those of the memories, after a crash as well."""
    if not cascading.slots:
        return going
    person, tx = cascading.person, cascading.tx
    if going is None:
        going = intend(
            instruments, tx, person.tenant, person.person, [], reason=TombstoneReason.CONSENT_WITHDRAWN, now=now
        )
    intent = going.intent.model_copy(update={"slots": tuple(sorted({*going.intent.slots, *cascading.slots}))})
    keep_intent(instruments, tx, intent)
    return replace(going, intent=intent, blobs=(*going.blobs, *cascading.blobs))


def _joined(cascading: Cascading) -> dict[str, int]:
    """Let every area of the register take along what is its own; return the counts of those that had something."""
    counted: Counter[str] = Counter()
    for holding in REGISTER:
        if holding.cascade is None or (cascading.cut.is_empty and holding.name not in _ALWAYS):
            continue
        counted[holding.name] += holding.cascade(cascading)
    return {name: count for name, count in counted.items() if count}


def _chosen(person: Person, reading: Reading, columns: Columns, cut: Cut) -> list[str]:
    """Return the memories a withdrawal is about: by what they are, or what an earlier revision of theirs was."""
    if cut.is_empty:
        return []
    return [columns.keys[row] for row in columns.rows() if _is_about(person, reading, columns, row, cut)]


def _is_about(person: Person, reading: Reading, columns: Columns, row: int, cut: Cut) -> bool:
    entry = columns.entry(row)
    if entry.category in cut.categories or (cut.interactions and _is_interaction(entry)):
        return True
    if entry.revision == 1:
        return False
    if cut.interactions:
        rows = reading.revisions(person.tenant, person.person, entry.logical_id)
        if any(_is_interaction(unpack(packed.pack)) for packed in person.open_entries(rows)):
            return True
    return any(was_ever(person, reading, columns, row, category) for category in cut.categories)


def _is_interaction(entry: MemoryEntry) -> bool:
    return entry.multi_actor is not None and entry.multi_actor.sensitive_interaction


def _made_from(columns: Columns, chosen: Collection[str]) -> list[str]:
    """Return what names one of these memories in its provenance, directly or by way of another."""
    if not chosen:
        return []
    named = {columns.keys[row]: sources_of(columns.entry(row)) for row in columns.rows()}
    reached, grew = {*chosen, *derived_from(columns, set(chosen))}, True
    while grew:
        more = {name for name, sources in named.items() if name not in reached and sources & reached}
        reached |= more
        grew = bool(more)
    return sorted(reached - set(chosen))


def _texts(person: Person, reading: Reading, columns: Columns, names: Collection[str]) -> set[str]:
    texts = set()
    for name in names:
        row = columns.row_of.get(name)
        if row is None:
            continue
        body, revision = wording(columns.packs[row])
        texts.add(body)
        if revision > 1:
            rows = reading.revisions(person.tenant, person.person, name)
            texts.update(wording(packed.pack)[0] for packed in person.open_entries(rows))
    return texts


def _told(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    snapshot: Snapshot,
    ending: Sequence[str],
    deleted: dict[str, int],
    gone: Collection[str],
    now: datetime,
) -> RevocationPreview:
    consents = snapshot.consents(now)
    left = consents - set(ending)
    facts = (snapshot.opt_outs, caller.consumer)
    approved = snapshot.approved(now)
    changes, notes, hidden = [], list[str](), 0
    columns = snapshot.columns
    living = Counter(columns.entry(row).adapter_scope for row in columns.rows() if columns.keys[row] not in gone)
    for scope in AdapterScope:
        before = policy_of(scope, consents, *facts, approvals=approved)
        after = policy_of(scope, left, *facts, approvals=approved)
        if before.mode is not after.mode:
            changes.append(ScopeChange(adapter_scope=scope, before=before.mode, after=after.mode))
            notes += [note for note in after.notes if note not in before.notes]
            if before.mode is ScopeMode.DURABLE:
                hidden += living[scope]
    cut = cut_of(ending)
    fleeting = [memory.entry for memory in living_now(instruments, person, snapshot, now)]
    return RevocationPreview(
        names=tuple(ending),
        deleted=deleted,
        hidden=hidden,
        ephemeral=sum(hangs_on(entry, ending, cut) for entry in fleeting),
        scopes=tuple(changes),
        notes=tuple(dict.fromkeys(notes)),
    )
