"""The inbox: one list of everything the person is asked, and one way to answer (POI-8).

Each question says what stands now, what would stand, which rule led to it, where the words come from, what each answer
does and until when it waits; unanswered, what was there stays. An answer names the digest of exactly what was shown,
and is one of the decisions that were offered: anything else is no answer.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.entry import Label, MemoryEntry
from iris_memory.contracts.inference import (
    Answered,
    Choice,
    InboxKind,
    InboxQuestion,
    InferenceQuestion,
    Source,
    WhyNotCounted,
)
from iris_memory.contracts.scope import DEFAULT_ADAPTER, ScopeKind
from iris_memory.contracts.write import Answer, AskUser, Refused, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows import answer as conflicts
from iris_memory.flows import confirm, reconsent, sensitive_question
from iris_memory.flows.answer import not_free
from iris_memory.flows.asking import Pending, prompt_of, question_digest, waiting
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import shown_to
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.sensitive_question import CategoryDecision
from iris_memory.ports.rows import RecordKind
from iris_memory.rules.inference import needs_the_person
from iris_memory.rules.scope_policy import is_shown_to

_CONFLICT_CHOICES = (
    Choice(decision=Answer.KEEP.value, effect="what was there stays, and the new words go"),
    Choice(
        decision=Answer.REPLACE.value,
        effect="the new words take the place of what was there, which stays in the history",
    ),
    Choice(decision=Answer.BOTH.value, effect="both stay; the new one takes a slot of its own, such as `seat (2)`"),
    Choice(decision="skip", effect="nothing is decided; the question waits on"),
)
_INFERENCE_CHOICES = (
    Choice(decision="yes", effect="these exact words are remembered as confirmed by you"),
    Choice(decision="no", effect="they are not remembered, and do not come back unless you say them yourself"),
    Choice(decision="skip", effect="nothing is decided; the question waits on"),
)
_HOLD = Choice(decision="hold", effect="the words are kept on disk for at most 7 days, so that you can answer later")


def inbox(instruments: Instruments, caller: Caller) -> list[InboxQuestion]:
    """Return every question that waits for the person, oldest first.

    As everywhere, a consumer is shown what its scopes hold and no other.
    """

    def attempt(person: Person) -> list[InboxQuestion]:
        now = instruments.clock.now()
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
            is_shown = shown_to(caller, snapshot, now)
            asked = [
                shown for one in waiting(person, reading) if (shown := _conflict(snapshot, one, is_shown)) is not None
            ]
            held = confirm.kept_questions(person, reading, now)
        own = {question.question_id for question in held}
        in_process = [
            one for one in instruments.asked.of(person.tenant, person.person, now) if one.question_id not in own
        ]
        for question in (*held, *in_process):
            about = inference_shown(snapshot, question, is_held=question.question_id in own)
            if about is not None and _is_open(caller, snapshot, question, now):
                asked.append(about)
        asked += reconsent.pending(instruments, caller)
        asked += sensitive_question.pending(instruments, caller)
        asked = sorted(
            (one for one in asked if one.expires_at > now),
            key=lambda question: (question.asked_at, question.question_id),
        )
        if asked:
            _note(instruments, person, [question.question_id for question in asked])
        return asked

    return with_known_person(instruments, caller, attempt, nobody=list)


def answer_question(
    instruments: Instruments,
    caller: Caller,
    question_id: str,
    decision: str,
    *,
    digest: str,
    session_id: str | None = None,
    after_untrusted: bool = False,
    terms: str | None = None,
) -> Answered | Refused:
    """Decide any question of the inbox.

    Args:
        instruments: the engines.
        caller: whose question it is.
        question_id: which question.
        decision: one of the choices that the question offers, exactly.
        digest: that of the question as it was shown.
        session_id: the session the person is in.
        after_untrusted: the turn of the answer, or the one before, read untrusted content: then it is no answer.
        terms: the exact text a question of consent was asked with.

    Raises:
        UnknownMemoryError: there is no such question, or its time is over.
        ContractError: the digest is another one, or the decision is none that was offered.
    """
    if decision == "hold":
        if after_untrusted:
            return not_free()
        confirm.hold(instruments, caller, question_id, digest=digest)
        return Answered(question_id=question_id, kind=InboxKind.INFERENCE, decision=decision)
    if reconsent.is_reconsent(question_id):
        return reconsent.answer(
            instruments, caller, question_id, decision, digest=digest, terms=terms, after_untrusted=after_untrusted
        )
    if sensitive_question.is_category_question(question_id):
        return _category(instruments, caller, question_id, decision, digest=digest, after_untrusted=after_untrusted)
    if _is_conflict(instruments, caller, question_id):
        return _answer_conflict(
            instruments,
            caller,
            question_id,
            decision,
            digest=digest,
            session_id=session_id,
            after_untrusted=after_untrusted,
        )
    return confirm.answer_inference(
        instruments,
        caller,
        question_id,
        decision,
        digest=digest,
        session_id=session_id,
        after_untrusted=after_untrusted,
    )


def shown(instruments: Instruments, caller: Caller, question_id: str) -> InboxQuestion:
    """Return one question as it is shown.

    Raises:
        UnknownMemoryError: there is no such question.
    """
    found = next((one for one in inbox(instruments, caller) if one.question_id == question_id), None)
    if found is None:
        raise UnknownMemoryError("there is no such question, or its time is over")
    return found


def _is_open(caller: Caller, snapshot: Snapshot, question: InferenceQuestion, now: datetime) -> bool:
    """Say whether the caller's consumer may be shown the scope that a question is about."""
    entry = _entry(snapshot, question.memory_id) if question.memory_id is not None else None
    if entry is not None:
        return shown_to(caller, snapshot, now)(entry)
    said = question.inference
    kind = said.scope.kind if said is not None and said.scope is not None else ScopeKind.PROFILE
    adapter = said.adapter_scope if said is not None else None
    return is_shown_to(adapter or DEFAULT_ADAPTER[kind], caller.consumer, approvals=snapshot.approved(now))


def _conflict(snapshot: Snapshot, pending: Pending, is_shown: Callable[[MemoryEntry], bool]) -> InboxQuestion | None:
    existing, draft = _entry(snapshot, pending.existing_id), _entry(snapshot, pending.draft_id)
    if existing is None or draft is None or not (is_shown(existing) and is_shown(draft)):
        return None
    return InboxQuestion(
        question_id=pending.draft_id,
        kind=InboxKind.CONFLICT,
        asked_at=pending.asked_at,
        expires_at=pending.expires_at,
        revision=pending.revision,
        rule=pending.rule.value,
        prompt=prompt_of(existing.body, draft.body),
        was=existing.body,
        new=draft.body,
        category=draft.category,
        subject=draft.subject,
        sources=_sources(draft),
        choices=_CONFLICT_CHOICES,
        digest=question_digest(pending, existing=existing, draft=draft),
    )


def inference_shown(snapshot: Snapshot, question: InferenceQuestion, *, is_held: bool) -> InboxQuestion | None:
    """Return a question about an inference as it is shown; None where the memory it is about is gone."""
    entry = _entry(snapshot, question.memory_id) if question.memory_id is not None else None
    said = question.inference
    if said is None and entry is None:
        return None
    if said is not None:
        why = needs_the_person(said) or WhyNotCounted.NOT_USER_TYPED
        rule = (
            why.value if why is not WhyNotCounted.NOT_USER_TYPED or said.label is not Label.USER_TYPED else "inferred"
        )
        body, category, subject = said.body, said.category, said.subject
    else:
        assert entry is not None
        rule = entry.quarantine.reason.value if entry.quarantine is not None else entry.origin.value
        body, category, subject = entry.body, entry.category, entry.subject
    return InboxQuestion(
        question_id=question.question_id,
        kind=InboxKind.INFERENCE,
        asked_at=question.asked_at,
        expires_at=question.expires_at,
        revision=question.revision,
        rule=rule,
        prompt=f"This was inferred: {body}\nIs it right, and may it be remembered?",
        was=entry.body if entry is not None else None,
        new=body,
        category=category,
        subject=subject,
        sources=tuple(
            Source(label=link.label, ref=link.ref, captured_at=link.captured_at)
            for link in confirm.sources_of(question, entry)
        ),
        choices=_INFERENCE_CHOICES if is_held else (*_INFERENCE_CHOICES, _HOLD),
        is_held=is_held,
        digest=confirm.digest_of(question, confirm.words_of(question, entry)),
    )


def _answer_conflict(
    instruments: Instruments,
    caller: Caller,
    question_id: str,
    decision: str,
    *,
    digest: str,
    session_id: str | None,
    after_untrusted: bool,
) -> Answered | Refused:
    told = Answered(question_id=question_id, kind=InboxKind.CONFLICT, decision=decision)
    if decision == "skip":
        conflicts.skip(instruments, caller, question_id, digest=digest)
        return told
    if decision not in set(Answer):
        raise ContractError(f"decision is one of {', '.join(Answer)}, skip; anything else is no answer")
    stands = conflicts.answer(
        instruments,
        caller,
        question_id,
        Answer(decision),
        digest=digest,
        session_id=session_id,
        after_untrusted=after_untrusted,
    )
    return stands if isinstance(stands, Refused) else told.model_copy(update={"entry": stands})


def _category(
    instruments: Instruments, caller: Caller, question_id: str, decision: str, *, digest: str, after_untrusted: bool
) -> Answered | Refused:
    if decision not in set(CategoryDecision):
        raise ContractError(f"decision is one of {', '.join(CategoryDecision)}; anything else is no answer")
    if after_untrusted:
        return not_free()
    outcome = sensitive_question.answer(instruments, caller, question_id, CategoryDecision(decision), digest=digest)
    if isinstance(outcome, Refused):
        return outcome
    told = Answered(question_id=question_id, kind=InboxKind.CATEGORY, decision=decision)
    if isinstance(outcome, Written):
        return told.model_copy(update={"entry": outcome.entry})
    return told.model_copy(update={"asked": outcome}) if isinstance(outcome, AskUser) else told


def _is_conflict(instruments: Instruments, caller: Caller, question_id: str) -> bool:
    def attempt(person: Person) -> bool:
        with instruments.store.read() as reading:
            return reading.record(person.tenant, person.person, RecordKind.QUESTION, question_id) is not None

    return with_known_person(instruments, caller, attempt, nobody=lambda: False)


def _entry(snapshot: Snapshot, logical_id: str) -> MemoryEntry | None:
    row = snapshot.columns.row_of.get(logical_id)
    return snapshot.columns.entry(row) if row is not None else None


def _sources(entry: MemoryEntry) -> tuple[Source, ...]:
    return tuple(
        Source(label=link.label, ref=link.ref, captured_at=link.captured_at) for link in entry.provenance_chain
    )


def _note(instruments: Instruments, person: Person, ids: list[str]) -> None:
    now = instruments.clock.now()
    instruments.store.write(
        lambda tx: write_event(
            tx,
            person.tenant,
            action=AuditAction.MEMORY_READ,
            policy=WRITE_POLICY,
            person=person.person,
            now=now,
            facts={"object_ids": list(ids), "by": "inbox"},
        ),
        durable=False,
    )
