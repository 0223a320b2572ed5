"""Confirm: the person's word about an inference. It counts for the exact words that were shown, once (POI-8).

A yes makes the words the person's own: origin `user-confirmed`, label `user-typed`, with where they came from kept in
the provenance. It is the one way in which a label rises. A no keeps the words from coming back.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NoReturn

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.decision import ConflictOutcome, RefusalReason
from iris_memory.contracts.entry import (
    Label,
    Lifecycle,
    MemoryEntry,
    Origin,
    ProvenanceKind,
    ProvenanceLink,
    TombstoneReason,
)
from iris_memory.contracts.inference import Answered, InboxKind, Inference, InferenceQuestion
from iris_memory.contracts.write import Refused, Statement, WriteOutcome, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.answer import drafts_take_over, not_free
from iris_memory.flows.asking import shown_digest
from iris_memory.flows.cleaning import cleaned_words
from iris_memory.flows.composing import PROVENANCE_MOST, Composer, Draft
from iris_memory.flows.derived import Settled, settle
from iris_memory.flows.following import follow
from iris_memory.flows.forgetting import Going, bar_return, destroy, intend, scrub
from iris_memory.flows.held import held_among
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import shown_to, unknown
from iris_memory.flows.remember import packed_rows, store_drafts, tell
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.setting_aside import UNTIL_FORGOTTEN, restrict
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.packing import wording
from iris_memory.rules import retention
from iris_memory.rules.hygiene import normalise_for_match
from iris_memory.rules.lifecycle import successor
from iris_memory.rules.scope_change import is_read_only_copy
from iris_memory.tables.limits import HOLD_LIFETIME, QUESTION_LIFETIME
from iris_memory.tables.origins import ORIGINS

DECISIONS = ("yes", "no", "skip")


def ask_about(instruments: Instruments, caller: Caller, logical_id: str) -> InferenceQuestion | Refused:
    """Put a question about a memory that was inferred, imported or quarantined. It holds no words, so it is kept.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> InferenceQuestion | Refused:
        def work(tx: Transaction) -> InferenceQuestion | Refused:
            entry = _entry(caller, person.read(tx), logical_id, now)
            if is_read_only_copy(entry):
                return Refused(reason=RefusalReason.READ_ONLY_COPY, rule="a read-only copy is confirmed at its source")
            if entry.lifecycle is not Lifecycle.ACTIVE:
                return Refused(reason=RefusalReason.NOT_ACTIVE, rule="only an active memory is confirmed")
            if ORIGINS[entry.origin].own_words and entry.quarantine is None:
                return Refused(reason=RefusalReason.NOT_ACTIVE, rule="the person said or confirmed this already")
            for question in kept_questions(person, tx, now):
                if question.memory_id == logical_id:
                    return question
            asked = InferenceQuestion(
                question_id=instruments.ids.entry_id(now),
                memory_id=logical_id,
                asked_at=now,
                expires_at=now + QUESTION_LIFETIME,
            )
            seq = tx.bump(person.tenant, person.person)
            row = person.own_record(
                RecordKind.INFERENCE_QUESTION,
                asked.question_id,
                asked,
                seq=seq,
                now=now,
                expires_at=asked.expires_at,
            )
            tx.put_record(person.tenant, person.person, row)
            _event(tx, person, AuditAction.QUESTION_ASKED, asked, "", now)
            return asked

        return instruments.store.write(work, durable=True)

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def hold(instruments: Instruments, caller: Caller, question_id: str, *, digest: str) -> InferenceQuestion:
    """Keep the words of a question on disk, at most 7 days: the person agreed to have them held until they answer.

    Raises:
        UnknownMemoryError: there is no such question in this process.
        ContractError: the digest is not that of the words that were shown.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> InferenceQuestion:
        question = next(
            (one for one in instruments.asked.of(person.tenant, person.person, now) if one.question_id == question_id),
            None,
        )
        if question is None:
            raise UnknownMemoryError("there is no such question, or its time is over")
        _require_shown(question, digest, words_of(question, None))
        person.ensure_slots(1)
        ends = min(question.expires_at, now + HOLD_LIFETIME)
        held = question.model_copy(update={"expires_at": ends, "revision": question.revision + 1})

        def work(tx: Transaction) -> None:
            _require_waiting(instruments, person, question_id, now)  # a withdrawal or a forget may have come between
            seq = tx.bump(person.tenant, person.person)
            row = person.record(
                RecordKind.INFERENCE_QUESTION, question_id, held, seq=seq, now=now, expires_at=held.expires_at
            )
            tx.put_record(person.tenant, person.person, row)
            _event(tx, person, AuditAction.QUESTION_ASKED, held, "held", now)

        instruments.store.write(work, durable=True)
        instruments.asked.drop(person.tenant, person.person, question_id)
        return held

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def kept_questions(person: Person, reading: Reading, now: datetime) -> list[InferenceQuestion]:
    """Return the questions about inferences that are kept in the store and still in time."""
    rows = reading.records(person.tenant, person.person, RecordKind.INFERENCE_QUESTION)
    opened = [
        InferenceQuestion.model_validate_json(plain) for row in rows if (plain := person.open_record(row)) is not None
    ]
    return [question for question in opened if question.expires_at > now]


def words_of(question: InferenceQuestion, entry: MemoryEntry | None) -> tuple[str, ...]:
    """Return the exact words a question shows: the body, the slot, the category and who it is about."""
    if question.inference is not None:
        said = question.inference
        actor = (said.actor.name, said.actor.relationship_note or "") if said.actor is not None else ("", "")
        return (said.body, said.subject or "", said.category.value, *actor)
    if entry is None:
        return ()
    return (entry.id, entry.body, entry.subject or "", entry.category.value)


def digest_of(question: InferenceQuestion, words: tuple[str, ...]) -> str:
    """Return the digest of a question as it is shown now."""
    return shown_digest(question.question_id, question.revision, *words)


def answer_inference(
    instruments: Instruments,
    caller: Caller,
    question_id: str,
    decision: str,
    *,
    digest: str,
    session_id: str | None = None,
    after_untrusted: bool = False,
) -> Answered | Refused:
    """Decide a question about an inference: `yes`, `no` or `skip`.

    A yes is admitted like any statement of the person: without its consents, or off the record, it is refused and the
    question waits on. With `after_untrusted` it is no answer, and the question is to be shown anew.

    Raises:
        UnknownMemoryError: there is no such question, or what it asks about is gone.
        ContractError: the digest is not that of the words that were shown, or the decision is none of the three.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> Answered | Refused:
        person.ensure_slots(3)

        def work(tx: Transaction) -> tuple[Answered | Refused, Snapshot, Going | None, InferenceQuestion | None]:
            snapshot = person.read(tx)
            # looked at in the transaction: what a withdrawal or a forget took along is not put back
            waiting = {one.question_id: one for one in instruments.asked.of(person.tenant, person.person, now)}
            kept = {one.question_id: one for one in kept_questions(person, tx, now)}
            question = kept.get(question_id) or waiting.get(question_id)
            if question is None:
                raise UnknownMemoryError("there is no such question, or its time is over")
            if decision not in DECISIONS:
                raise ContractError(f"decision is one of {', '.join(DECISIONS)}; anything else is no answer")
            entry = _entry(caller, snapshot, question.memory_id, now) if question.memory_id is not None else None
            _require_shown(question, digest, words_of(question, entry))
            told = Answered(question_id=question_id, kind=InboxKind.INFERENCE, decision=decision)
            if decision == "skip" or after_untrusted:
                again = question.model_copy(update={"revision": question.revision + 1})
                if question_id in kept:
                    _put(person, tx, again)
                _event(
                    tx, person, AuditAction.QUESTION_ANSWERED, question, "not-free" if after_untrusted else "skip", now
                )
                return (not_free() if after_untrusted else told), snapshot, None, again
            composer = Composer(instruments, caller, person, snapshot, now)
            if decision == "no":
                going = _no(instruments, caller, person, tx, snapshot, question, entry, now)
                return told, snapshot, going, None
            draft = (
                _confirmed_memory(instruments, composer, entry, question, now, session_id=session_id)
                if entry is not None
                else composer.compose(_statement(question, now, session_id), confirmed=True)
            )
            if isinstance(draft.outcome, Refused):
                tell(person, tx, [draft], [], now=now)
                return draft.outcome, snapshot, None, question
            snapshot = _write(instruments, person, tx, composer, snapshot, draft, question, now)
            return _told(told, draft), snapshot, None, None

        slots = _slots(instruments, person, question_id)
        outcome, snapshot, going, left = instruments.store.write(work, durable=True)
        if slots and left is None:
            instruments.vault.destroy_slots(person.tenant, person.person, slots)
        if going is None:
            person.publish(snapshot)
        else:
            destroy(instruments, person, going)
            scrub(instruments, [(person.tenant, going.intent.receipt_id)])
        if left is None:
            instruments.asked.drop(person.tenant, person.person, question_id)
        else:
            instruments.asked.renew(person.tenant, person.person, left)
        announce_writes(instruments, caller, person, _heard(outcome))
        return outcome

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def end_questions(
    instruments: Instruments, person: Person, tx: Transaction, matching: Callable[[Inference], bool], now: datetime
) -> list[int]:
    """End the questions about inferences that match, inside the caller's transaction.

    Returns the vault slots of words that were held: whoever commits destroys them.
    """
    for waiting in instruments.asked.of(person.tenant, person.person, now):
        if waiting.inference is not None and matching(waiting.inference):
            instruments.asked.drop(person.tenant, person.person, waiting.question_id)
    slots = []
    for row in tx.records(person.tenant, person.person, RecordKind.INFERENCE_QUESTION):
        plain = person.open_record(row)
        held = InferenceQuestion.model_validate_json(plain).inference if plain is not None else None
        if held is not None and matching(held):
            tx.drop_records(person.tenant, person.person, RecordKind.INFERENCE_QUESTION, [row.key])
            slots.append(row.slot)
    return slots


def _slots(instruments: Instruments, person: Person, question_id: str) -> list[int]:
    """Return the slot that holds a question's words on disk, if there is one."""
    with instruments.store.read() as reading:
        row = reading.record(person.tenant, person.person, RecordKind.INFERENCE_QUESTION, question_id)
    return [row.slot] if row is not None and row.slot else []


def _statement(question: InferenceQuestion, now: datetime, session_id: str | None) -> Statement:
    said = question.inference
    assert said is not None
    return Statement(
        body=said.body,
        category=said.category,
        subject=said.subject,
        scope=said.scope,
        adapter_scope=said.adapter_scope,
        origin=Origin.USER_CONFIRMED,
        label=Label.USER_TYPED,
        provenance=(_confirmation(question, now), *_sources(said, question.asked_at))[:PROVENANCE_MOST],
        actor=said.actor,
        session_id=session_id,
        confidence=said.confidence,
    )


def _confirmation(question: InferenceQuestion, now: datetime) -> ProvenanceLink:
    return ProvenanceLink(
        kind=ProvenanceKind.SESSION_TURN,
        ref=f"confirmation:{question.question_id}",
        captured_at=now,
        label=Label.USER_TYPED,
    )


def _sources(said: Inference, at: datetime) -> tuple[ProvenanceLink, ...]:
    return said.provenance or (
        ProvenanceLink(kind=ProvenanceKind.INFERENCE_BATCH, ref=said.session_id, captured_at=at, label=said.label),
    )


def sources_of(question: InferenceQuestion, entry: MemoryEntry | None) -> tuple[ProvenanceLink, ...]:
    """Return where the words of a question come from."""
    if question.inference is not None:
        return _sources(question.inference, question.asked_at)
    return entry.provenance_chain if entry is not None else ()


def _confirmed_memory(
    instruments: Instruments,
    composer: Composer,
    entry: MemoryEntry,
    question: InferenceQuestion,
    now: datetime,
    *,
    session_id: str | None,
) -> Draft:
    """Return the next revision of a memory, confirmed; or why there is none."""
    if is_read_only_copy(entry):
        return Draft(Refused(reason=RefusalReason.READ_ONLY_COPY, rule="a read-only copy is confirmed at its source"))
    words = cleaned_words(body=entry.body, subject=entry.subject)
    ends = entry.expires_at
    if entry.quarantine is not None:
        ends = retention.expiry(entry.adapter_scope, Origin.USER_CONFIRMED, created_at=entry.created_at, asked=None)
    made = successor(
        entry,
        entry_id=instruments.ids.entry_id(now),
        now=now,
        origin=Origin.USER_CONFIRMED,
        label=Label.USER_TYPED,
        quarantine=None,
        expires_at=ends,
        provenance_chain=(_confirmation(question, now), *entry.provenance_chain)[:PROVENANCE_MOST],
    )
    refused = words if isinstance(words, Refused) else composer.admit_entry(made, session_id=session_id)
    if refused is not None:
        return Draft(refused)
    met = composer.clash(made)
    if met is not None and met.outcome is not ConflictOutcome.REPLACE:
        return Draft(Refused(reason=RefusalReason.CONFLICT_KEPT_EXISTING, rule=met.rule.value))
    return Draft(Written(entry=made, replaced=entry.id), entry=made, is_new=True)


def _write(
    instruments: Instruments,
    person: Person,
    tx: Transaction,
    composer: Composer,
    snapshot: Snapshot,
    draft: Draft,
    question: InferenceQuestion,
    now: datetime,
) -> Snapshot:
    written = [draft] if draft.is_new else []
    seq = tx.bump(person.tenant, person.person)
    store_drafts(person, tx, composer, written, seq=seq)
    changed = [one.entry for one in written if one.entry is not None]
    written += follow(instruments, person, tx, snapshot, composer, changed, seq=seq, now=now)
    _end(person, tx, question)
    tell(person, tx, [draft], written, now=now)
    _event(tx, person, AuditAction.QUESTION_ANSWERED, question, "yes", now)
    return snapshot.after_writing(packed_rows(written), version=seq)


def _no(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    question: InferenceQuestion,
    entry: MemoryEntry | None,
    now: datetime,
) -> Going | None:
    """End a question with no: the memory goes, and the words do not come back unless the person says them anew.

    What was made from the memory goes along (POI-1); what a legal hold keeps is set aside until it ends.
    """
    _end(person, tx, question)
    _event(tx, person, AuditAction.QUESTION_ANSWERED, question, "no", now)
    if entry is None:
        said = question.inference
        assert said is not None
        seq = tx.bump(person.tenant, person.person)
        key = person.tag("forgotten", normalise_for_match(said.body))
        tx.put_record(person.tenant, person.person, person.record(RecordKind.FORGOTTEN, key, None, seq=seq, now=now))
        return None
    name = entry.logical_id
    is_held = bool(held_among(instruments, tx, person.tenant, person.person, [name], now=now))
    settled = Settled() if is_held else settle(instruments, person, tx, snapshot, [name], now=now)
    rows = tx.revisions(person.tenant, person.person, name)
    texts = {*settled.texts, *(wording(packed.pack)[0] for packed in person.open_entries(rows))}
    names = sorted({name, *settled.ending})
    held = held_among(instruments, tx, person.tenant, person.person, names, now=now)
    going = intend(
        instruments,
        tx,
        person.tenant,
        person.person,
        names,
        reason=TombstoneReason.FORGOTTEN_BY_PERSON,
        now=now,
        texts=sorted(texts),
    )
    restrict(instruments, caller, person, tx, snapshot, sorted(held), note=UNTIL_FORGOTTEN, now=now)
    bar_return(person, tx, going)
    drafts_take_over(instruments, caller, person, tx, snapshot, gone=set(names), now=now)
    return going


def _told(told: Answered, draft: Draft) -> Answered:
    made = draft.outcome
    if isinstance(made, Written):
        return told.model_copy(update={"entry": made.entry, "replaced": made.replaced, "rule": made.rule})
    return told.model_copy(update={"asked": made})


def _heard(outcome: Answered | Refused) -> list[WriteOutcome]:
    if isinstance(outcome, Refused):
        return [outcome]
    if outcome.entry is not None:
        return [Written(entry=outcome.entry, replaced=outcome.replaced)]
    return [outcome.asked] if outcome.asked is not None else []


def _end(person: Person, tx: Transaction, question: InferenceQuestion) -> None:
    tx.drop_records(person.tenant, person.person, RecordKind.INFERENCE_QUESTION, [question.question_id])
    if question.fingerprint:
        tx.drop_records(person.tenant, person.person, RecordKind.OBSERVATION, [question.fingerprint])


def _put(person: Person, tx: Transaction, question: InferenceQuestion) -> None:
    seq = tx.bump(person.tenant, person.person)
    write: Callable[..., object] = person.own_record if question.inference is None else person.record
    row = write(
        RecordKind.INFERENCE_QUESTION,
        question.question_id,
        question,
        seq=seq,
        now=question.asked_at,
        expires_at=question.expires_at,
    )
    tx.put_record(person.tenant, person.person, row)  # type: ignore[arg-type]


def _require_shown(question: InferenceQuestion, digest: str, words: tuple[str, ...]) -> None:
    if digest_of(question, words) != digest:
        raise ContractError("an answer names the digest of the words that were shown; show them again")


def _require_waiting(instruments: Instruments, person: Person, question_id: str, now: datetime) -> None:
    waiting = instruments.asked.of(person.tenant, person.person, now)
    if all(one.question_id != question_id for one in waiting):
        raise UnknownMemoryError("there is no such question, or its time is over")


def _entry(caller: Caller, snapshot: Snapshot, logical_id: str, now: datetime) -> MemoryEntry:
    row = snapshot.columns.row_of.get(logical_id)
    entry = snapshot.columns.entry(row) if row is not None else None
    if entry is None or not shown_to(caller, snapshot, now)(entry):
        raise unknown()
    return entry


def _event(
    tx: Transaction, person: Person, action: AuditAction, question: InferenceQuestion, decision: str, now: datetime
) -> None:
    write_event(
        tx,
        person.tenant,
        action=action,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        facts={
            "question": question.question_id,
            "kind": InboxKind.INFERENCE.value,
            "existing": question.memory_id or "",
            "answer": decision,
        },
    )


def _nobody() -> NoReturn:
    raise UnknownMemoryError("there is no such question, or its time is over")
