"""Operator notes: listed, confirmed, corrected, forgotten exactly, and recalled for a prompt in one transaction.

The notes of an operator are records of a subject of their own, sealed under keys of their own: nobody else's request
can name them, forgetting one destroys its keys, and erasing the operator's account ends them all.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import NOTES_POLICY, AuditAction
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, TombstoneReason
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.operator_note import (
    EarlierValue,
    NoteHit,
    NoteListing,
    NoteMarker,
    NoteRecall,
    NoteRollout,
    NoteScope,
    NotesForgotten,
    NoteSource,
    OperatorNote,
    RolloutReport,
)
from iris_memory.contracts.shape import Contract, Instant, to_micros
from iris_memory.contracts.write import Refused
from iris_memory.errors import StorageError
from iris_memory.flows.cleaning import cleaned_words
from iris_memory.flows.forget import erase
from iris_memory.flows.forgetting import Going, Intent, destroy, keep_intent, scrub
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.lexical import overlap, share, tokens
from iris_memory.recall.recency import MINUTE, table
from iris_memory.rules.operator_notes import Withheld, canonical_operator, quarantine_of, withheld
from iris_memory.tables.limits import MILLION
from iris_memory.tables.operator_notes import (
    EARLIER_MOST,
    NOTES_MOST,
    NOTES_RECALLED_MOST,
    RECENCY_WEIGHT,
    RELEVANCE_WEIGHT,
)

_NAMESPACE = "\x1foperator\x1f"
"""Begins the name an operator's subject has in the vault. No identifier of a person may hold it."""

_PAGE = 4_096
_TOO_MANY = f"an operator has up to {NOTES_MOST} notes"


@dataclass(frozen=True, slots=True)
class Operator:
    """Who asks: tenant, issuer and sub of a verified token."""

    tenant: str
    issuer: str
    sub: str

    @property
    def canonical(self) -> str:
        """The one spelling of the operator."""
        return canonical_operator(tenant=self.tenant, issuer=self.issuer, sub=self.sub)

    @property
    def caller(self) -> Caller:
        """The subject that holds the notes."""
        return Caller(self.tenant, _NAMESPACE + self.canonical)


class _Kept(Contract):
    """A note as it is stored, with the slots of the rows it replaced, whose keys go with it."""

    note: OperatorNote
    slots: Annotated[tuple[int, ...], Field(strict=False)] = ()


class _Used(Contract):
    """When a note was last used. No words."""

    at: Instant


@dataclass(frozen=True, slots=True)
class _Found:
    key: str
    slot: int
    kept: _Kept

    @property
    def note(self) -> OperatorNote:
        return self.kept.note


def list_notes(instruments: Instruments, operator: Operator) -> NoteListing:
    """Return everything kept for the operator, by category and slot. It marks no use and writes nothing.

    Where the store cannot be read, the answer says so by its scope: there is nothing durable to show or change.
    """

    def attempt(person: Person) -> tuple[OperatorNote, ...]:
        with instruments.store.read() as reading:
            return tuple(found.note for found in _found(person, reading))

    try:
        notes = with_known_person(instruments, operator.caller, attempt, nobody=lambda: ())
    except StorageError:
        return NoteListing(scope=NoteScope.SESSION_ONLY, notes=())
    return NoteListing(scope=NoteScope.OPERATOR_PROFILE, notes=notes)


def confirm_note(
    instruments: Instruments,
    operator: Operator,
    *,
    category: str,
    slot: str,
    value: str,
    marker: NoteMarker,
    label: Label = Label.OPERATOR,
) -> OperatorNote | Refused:
    """Keep a note that the operator confirmed in the assistant's chat, exactly as it was shown.

    Args:
        instruments: the engines.
        operator: the operator of the token.
        category: what it is about.
        slot: which note of the category; a note that is there is superseded and stays in the history.
        value: the exact text that was shown and confirmed.
        marker: `confirm-entry`.
        label: who wrote the words; what the operator did not write is kept aside.
    """
    if marker is not NoteMarker.CONFIRM_ENTRY:
        return _unmarked(NoteMarker.CONFIRM_ENTRY)
    return _write(
        instruments,
        operator,
        category,
        slot,
        value,
        source=NoteSource.ASSISTANT_CONFIRMATION,
        label=label,
        must_be=False,
    )


def correct_note(
    instruments: Instruments, operator: Operator, *, category: str, slot: str, value: str, marker: NoteMarker
) -> OperatorNote | Refused:
    """Correct a note in the memory controls. The new value has not been in a prompt, so its last use is none."""
    if marker is not NoteMarker.SAVE_CORRECTION:
        return _unmarked(NoteMarker.SAVE_CORRECTION)
    return _write(
        instruments,
        operator,
        category,
        slot,
        value,
        source=NoteSource.MEMORY_CONTROLS,
        label=Label.OPERATOR,
        must_be=True,
    )


def forget_note(
    instruments: Instruments, operator: Operator, *, category: str, slot: str, marker: NoteMarker
) -> NotesForgotten | Refused:
    """Forget exactly one note: its keys are destroyed, then its row. Category and slot are both compared whole."""
    if marker is not NoteMarker.FORGET_ENTRY:
        return _unmarked(NoteMarker.FORGET_ENTRY)
    return _forget(instruments, operator, (category, slot))


def forget_all_notes(instruments: Instruments, operator: Operator, *, marker: NoteMarker) -> NotesForgotten | Refused:
    """Forget every note of the operator, and of nobody else."""
    if marker is not NoteMarker.FORGET_ALL:
        return _unmarked(NoteMarker.FORGET_ALL)
    return _forget(instruments, operator, None)


def erase_operator(instruments: Instruments, operator: Operator) -> ForgetReceipt | None:
    """End everything kept for an operator whose account is erased; None where there was nothing."""
    return erase(instruments, operator.caller)


def recall_notes(
    instruments: Instruments, operator: Operator, text: str = "", *, limit: int = NOTES_RECALLED_MOST
) -> NoteRecall:
    """Return notes for a prompt, best first, and mark them used in the transaction that reads them.

    Shadow looks up, counts and marks nothing as used, and gives out nothing; off looks at nothing.
    """
    rollout = instruments.notes_rollout
    if rollout is NoteRollout.OFF:
        return NoteRecall(rollout=rollout, hits=(), withheld={}, evaluated=0)
    now = instruments.clock.now()
    asked = set(tokens(text))
    most = max(0, min(limit, NOTES_RECALLED_MOST))

    def attempt(person: Person) -> NoteRecall:
        def work(tx: Transaction) -> NoteRecall:
            found = _found(person, tx)
            counts: Counter[str] = Counter()
            fit = []
            for each in found:
                reason = withheld(each.note, now)
                if reason is None:
                    fit.append((_scored(each.note, asked, now), each))
                else:
                    counts[reason.value] += 1
            fit.sort(key=lambda pair: (-pair[0].score, pair[1].note.category, pair[1].note.slot))
            counts[Withheld.OVER_BUDGET.value] += max(0, len(fit) - most)
            chosen = fit[:most]
            is_on = rollout is NoteRollout.ON
            if not is_on:
                counts[Withheld.SHADOW.value] += len(chosen)
            seq = tx.bump(person.tenant, person.person) if is_on and chosen else 0
            for _, each in chosen if is_on else []:
                row = person.own_record(RecordKind.OPERATOR_NOTE_USE, each.key, _Used(at=now), seq=seq, now=now)
                tx.put_record(person.tenant, person.person, row)
            counted = {name: count for name, count in sorted(counts.items()) if count}
            _tell(
                tx,
                person,
                AuditAction.NOTES_RECALLED,
                now,
                evaluated=len(found),
                found=len(chosen),
                given=len(chosen) if is_on else 0,
                withheld={**counted},
            )
            hits = tuple(
                # a prompt gets the value in force: an earlier one was replaced, and may have been kept aside
                hit.model_copy(update={"note": hit.note.model_copy(update={"last_used_at": now, "earlier": ()})})
                for hit, _ in chosen
            )
            return NoteRecall(rollout=rollout, hits=hits if is_on else (), withheld=counted, evaluated=len(found))

        return instruments.store.write(work, durable=False)

    nobody = NoteRecall(rollout=rollout, hits=(), withheld={}, evaluated=0)
    return with_known_person(instruments, operator.caller, attempt, nobody=lambda: nobody)


def rollout_report(instruments: Instruments, tenant: str, *, days: int = 7) -> RolloutReport:
    """Return what notes did over the last days, from the tenant's audit chain: counts, no note and no operator."""
    since = to_micros(instruments.clock.now() - timedelta(days=days))
    counts: Counter[str] = Counter()
    held: Counter[str] = Counter()
    operators = set()
    with instruments.store.read() as reading:
        for event in _note_events(reading, tenant, since):
            operators.add(event["person"])
            counts[event["action"]] += 1
            counts["quarantined"] += int(event.get("quarantined", False))
            for name in ("evaluated", "found", "given"):
                counts[name] += int(event.get(name, 0))
            held.update(event.get("withheld", {}))
    return RolloutReport(
        days=days,
        rollout=instruments.notes_rollout,
        operators=len(operators),
        lookups=counts[AuditAction.NOTES_RECALLED],
        evaluated=counts["evaluated"],
        found=counts["found"],
        given=counts["given"],
        withheld=dict(sorted(held.items())),
        confirmed=counts[AuditAction.NOTE_CONFIRMED],
        corrected=counts[AuditAction.NOTE_CORRECTED],
        forgotten=counts[AuditAction.NOTES_FORGOTTEN],
        quarantined=counts["quarantined"],
    )


def _note_events(reading: Reading, tenant: str, since: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    start = 1
    mark = f'"policy_id":"{NOTES_POLICY}"'.encode()
    while rows := reading.audit_lines(tenant, start=start, limit=_PAGE):
        for row in rows:
            if mark in row.line:
                event = json.loads(row.line)
                if int(event["at"]) >= since:
                    found.append(event)
        start += len(rows)
    return found


def _write(
    instruments: Instruments,
    operator: Operator,
    category: str,
    slot: str,
    value: str,
    *,
    source: NoteSource,
    label: Label,
    must_be: bool,
) -> OperatorNote | Refused:
    words = cleaned_words(body=value, subject=None)
    if isinstance(words, Refused):
        return words
    now = instruments.clock.now()

    def attempt(person: Person) -> OperatorNote | Refused:
        person.ensure_slots(1)
        key = person.tag("operator-note", category, slot)

        def work(tx: Transaction) -> OperatorNote | Refused:
            found = {each.key: each for each in _found(person, tx)}
            prior = found.get(key)
            if prior is None and must_be:
                return Refused(reason=RefusalReason.UNKNOWN_MEMORY, rule="there is no such note")
            if prior is None and len(found) >= NOTES_MOST:
                return Refused(
                    reason=RefusalReason.WRITE_BUDGET_SPENT, rule=f"an operator has up to {NOTES_MOST} notes"
                )
            note = OperatorNote(
                operator_sub=operator.canonical,
                category=category,
                slot=slot,
                value=words.body,
                source=source,
                confirmed_at=now,
                updated_at=now,
                quarantine=quarantine_of(words.body, label=label, now=now),
                earlier=_earlier(prior.note, now) if prior else (),
            )
            slots = (*prior.kept.slots, prior.slot) if prior else ()
            seq = tx.bump(person.tenant, person.person)
            row = person.record(RecordKind.OPERATOR_NOTE, key, _Kept(note=note, slots=slots), seq=seq, now=now)
            tx.put_record(person.tenant, person.person, row)
            tx.drop_records(person.tenant, person.person, RecordKind.OPERATOR_NOTE_USE, [key])
            action = AuditAction.NOTE_CORRECTED if must_be else AuditAction.NOTE_CONFIRMED
            _tell(tx, person, action, now, object_ids=[key], quarantined=note.quarantine is not None)
            return note

        return instruments.store.write(work, durable=True)

    if not must_be:
        return with_person(instruments, operator.caller, attempt)
    absent = Refused(reason=RefusalReason.UNKNOWN_MEMORY, rule="there is no such note")
    return with_known_person(instruments, operator.caller, attempt, nobody=lambda: absent)


def _forget(instruments: Instruments, operator: Operator, named: tuple[str, str] | None) -> NotesForgotten | Refused:
    now = instruments.clock.now()
    nothing = Refused(reason=RefusalReason.UNKNOWN_MEMORY, rule="there is no such note")

    def attempt(person: Person) -> NotesForgotten | Refused:
        def work(tx: Transaction) -> tuple[Going, int] | None:
            wanted = None if named is None else person.tag("operator-note", *named)
            going = [each for each in _found(person, tx) if wanted in (None, each.key)]
            if not going and named is not None:
                return None
            keys = [each.key for each in going]
            slots = sorted({slot for each in going for slot in (*each.kept.slots, each.slot)})
            tx.bump(person.tenant, person.person)
            for kind in (RecordKind.OPERATOR_NOTE, RecordKind.OPERATOR_NOTE_USE):
                tx.drop_records(person.tenant, person.person, kind, keys)
            intent = Intent(
                receipt_id=instruments.ids.entry_id(now),
                tenant=person.tenant,
                person=person.person,
                reason=TombstoneReason.FORGOTTEN_BY_PERSON,
                asked_at=now,
                logical_ids=(),
                slots=tuple(slots),
            )
            keep_intent(instruments, tx, intent)
            _tell(tx, person, AuditAction.NOTES_FORGOTTEN, now, object_ids=list(keys), everything=named is None)
            return Going(intent), len(going)

        done = instruments.store.write(work, durable=True)
        if done is None:
            return nothing
        going, count = done
        gone = destroy(instruments, person, going)
        scrubbed = scrub(instruments, [(person.tenant, going.intent.receipt_id)])
        return NotesForgotten(notes=count, keys_destroyed=gone.keys_destroyed, files_scrubbed=scrubbed)

    empty = NotesForgotten(notes=0, keys_destroyed=0, files_scrubbed=True)
    return with_known_person(instruments, operator.caller, attempt, nobody=lambda: empty if named is None else nothing)


def _found(person: Person, reading: Reading) -> list[_Found]:
    """Return the operator's notes, by category and slot, each with its last use."""
    used = {
        row.key: _Used.model_validate_json(plain).at
        for row in reading.records(person.tenant, person.person, RecordKind.OPERATOR_NOTE_USE)
        if (plain := person.open_record(row)) is not None
    }
    found = []
    for row in reading.records(person.tenant, person.person, RecordKind.OPERATOR_NOTE):
        plain = person.open_record(row)
        if plain is None:
            continue
        kept = _Kept.model_validate_json(plain)
        note = kept.note.model_copy(update={"last_used_at": used.get(row.key)})
        found.append(_Found(row.key, row.slot, kept.model_copy(update={"note": note})))
    return sorted(found, key=lambda each: (each.note.category, each.note.slot))


def _scored(note: OperatorNote, asked: set[int], now: datetime) -> NoteHit:
    """Score a note: lately confirmed or used, and fitting the text (the share of the text's words it holds)."""
    latest = max(note.confirmed_at, note.last_used_at or note.confirmed_at)
    minutes = max(0, (to_micros(now) - to_micros(latest)) // MINUTE)
    ages = table()
    recency = int(ages[min(minutes, len(ages) - 1)])
    words = set(tokens(f"{note.category} {note.slot} {note.value}"))
    covered = share(len(asked & words), len(asked)) if asked and words else 0
    relevance = max(covered, overlap(asked, words))
    score = (RECENCY_WEIGHT * recency + RELEVANCE_WEIGHT * relevance) // 1_000
    return NoteHit(note=note, score=min(score, MILLION), recency=recency, relevance=relevance)


def _earlier(prior: OperatorNote, now: datetime) -> tuple[EarlierValue, ...]:
    replaced = EarlierValue(value=prior.value, source=prior.source, confirmed_at=prior.confirmed_at, replaced_at=now)
    return (replaced, *prior.earlier)[:EARLIER_MOST]


def _unmarked(marker: NoteMarker) -> Refused:
    return Refused(
        reason=RefusalReason.MARKER_MISSING, rule="a note changes only under its marker", needs=(marker.value,)
    )


def _tell(tx: Transaction, person: Person, action: AuditAction, now: datetime, **facts: JsonValue) -> None:
    write_event(tx, person.tenant, action=action, policy=NOTES_POLICY, person=person.person, now=now, facts=facts)
