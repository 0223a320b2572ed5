"""Observe: an inference is noted, apart from memory, until there is enough of it or the person says so.

What is kept of it is a keyed fingerprint and, per session, a keyed tag, an instant and a label: no words, no entry.
User-typed text of three distinct sessions makes it a memory (POI-2). What is sensitive, looks sensitive or reads like
an order is not even counted: it can only be asked about, and its words then wait in the memory of the process.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, MultiActor, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.inference import (
    Inference,
    InferenceQuestion,
    Observation,
    Observed,
    ObserveOutcome,
    WhyNotCounted,
)
from iris_memory.contracts.scope import DEFAULT_ADAPTER, ProfileScope
from iris_memory.contracts.write import AskCategory, Refused, Statement
from iris_memory.flows.announcing import announce_question, announce_writes
from iris_memory.flows.budgeting import Budgets
from iris_memory.flows.cleaning import Words, cleaned_words
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.following import follow
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.remember import packed_rows, store_drafts, tell
from iris_memory.flows.retrying import with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.actors import actor_handle
from iris_memory.rules.hygiene import normalise_for_match
from iris_memory.rules.inference import (
    entry_label,
    is_enough,
    needs_the_person,
    sessions_that_count,
    source_label,
    with_session,
)
from iris_memory.tables.limits import (
    OBSERVATION_LIFETIME,
    OBSERVATIONS_MOST,
    PROMOTION_THRESHOLD,
    QUESTION_LIFETIME,
)


class _Noted(NamedTuple):
    outcome: ObserveOutcome
    snapshot: Snapshot
    question: InferenceQuestion | None = None


def observe(instruments: Instruments, caller: Caller, inference: Inference, *, ask: bool = False) -> ObserveOutcome:
    """Note an inference. It becomes `Observed`; `Written` or `AskUser` once there is enough of it; or `Refused`.

    With `ask` the person is asked in the inbox where it is not a memory yet. What is sensitive needs that, and the
    consent of its category when the answer is yes.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> ObserveOutcome:
        person.ensure_slots(2)
        noted = instruments.store.write(
            lambda tx: _note(instruments, caller, person, tx, inference, now, ask=ask), durable=False
        )
        if not isinstance(noted.outcome, Observed):
            instruments.store.sync()  # a memory is on the disk before it is acknowledged; a count may be lost
        person.publish(noted.snapshot)
        if noted.question is not None:
            instruments.asked.put(person.tenant, person.person, noted.question)
            announce_question(instruments, caller, person, noted.question.question_id)
        if not isinstance(noted.outcome, Observed):
            announce_writes(instruments, caller, person, [noted.outcome])
        return noted.outcome

    return with_person(instruments, caller, attempt)


def _note(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    inference: Inference,
    now: datetime,
    *,
    ask: bool,
) -> _Noted:
    snapshot = person.read(tx)
    composer = Composer(instruments, caller, person, snapshot, now)
    budgets = Budgets(person, tx, now)
    refused = budgets.take(source_label(inference), session_id=inference.session_id, provenance=inference.provenance)
    words = refused or _admitted(composer, caller, inference)
    budgets.keep(seq=snapshot.state.version)
    if isinstance(words, Refused):
        tell(person, tx, [Draft(words)], [], now=now)
        return _Noted(words, snapshot)
    inference = _as_kept(inference, words)
    why = needs_the_person(inference)
    if why is None and source_label(inference) is not Label.USER_TYPED:
        why = WhyNotCounted.NOT_USER_TYPED
    key = fingerprint(person, inference)
    sessions, question = 0, None
    if why in (None, WhyNotCounted.NOT_USER_TYPED):
        observation = _recorded(person, tx, key, inference, snapshot, now)
        sessions = sessions_that_count(observation.refs)
        if why is None and is_enough(observation):
            draft = composer.compose(_statement(inference, observation), screened=True)
            assert not isinstance(draft.outcome, AskCategory)  # what looks sensitive is not counted
            return _Noted(draft.outcome, _persist(instruments, person, tx, composer, snapshot, draft, key, now))
    if ask:
        question = _question(instruments, person, key, inference, now)
    outcome = Observed(
        sessions=sessions,
        needed=PROMOTION_THRESHOLD,
        why=why,
        question_id=question.question_id if question is not None else None,
    )
    _tell(person, tx, key, outcome, now)
    return _Noted(outcome, snapshot, question)


def _admitted(composer: Composer, caller: Caller, inference: Inference) -> Words | Refused:
    scope = inference.scope or ProfileScope(user_id=caller.user)
    adapter = inference.adapter_scope or DEFAULT_ADAPTER[scope.kind]
    # the category's own consent is needed when it becomes memory; to be asked about it needs the scope's consents
    refused = composer.admit(Category.OTHER, scope, adapter, sensitive=False, session_id=inference.session_id)
    if refused is not None:
        return refused
    note = inference.actor.relationship_note if inference.actor is not None else None
    words = cleaned_words(body=inference.body, subject=inference.subject, note=note)
    return words if isinstance(words, Refused) else composer.refuse_forgotten(words.body) or words


def _as_kept(inference: Inference, words: Words) -> Inference:
    actor = inference.actor
    return inference.model_copy(
        update={
            "body": words.body,
            "subject": words.subject,
            "actor": actor.model_copy(update={"relationship_note": words.note}) if actor is not None else None,
        }
    )


def fingerprint(person: Person, inference: Inference) -> str:
    """Return the keyed tag under which equal inferences meet: kind of scope, conflict key, normalised words."""
    actor = inference.actor
    return observation_tag(
        person,
        kind=inference.scope.kind.value if inference.scope is not None else "profile",
        category=inference.category,
        handle=actor_handle(actor.name, key=person.actor_key) if actor is not None else "",
        subject=inference.subject,
        body=inference.body,
    )


def observation_tag(
    person: Person, *, kind: str, category: Category, handle: str, subject: str | None, body: str
) -> str:
    """Return the keyed tag of one observed inference by its parts."""
    parts = (kind, category.value, handle, normalise_for_match(subject or ""), normalise_for_match(body))
    return person.tag("observation", *(str(len(part)) + ":" + part for part in parts))


def multi_actor_handle(actor: MultiActor | None) -> str:
    """Return the handle of an entry's other person, or nothing."""
    return actor.actor_handle if actor is not None else ""


def observed(person: Person, reading: Reading, key: str, now: datetime) -> Observation | None:
    """Return what was noted under a fingerprint and is still in time."""
    row = reading.record(person.tenant, person.person, RecordKind.OBSERVATION, key)
    plain = person.open_record(row) if row is not None else None
    if plain is None:
        return None
    refs = tuple(ref for ref in Observation.model_validate_json(plain).refs if now - ref.at < OBSERVATION_LIFETIME)
    return Observation(refs=refs) if refs else None


def session_tag(person: Person, session_id: str) -> str:
    """Return the keyed tag that stands for a session among observations."""
    return person.tag("observed-session", session_id)


def _recorded(
    person: Person, tx: Transaction, key: str, inference: Inference, snapshot: Snapshot, now: datetime
) -> Observation:
    before = observed(person, tx, key, now)
    label = source_label(inference)
    after = with_session(before, session=session_tag(person, inference.session_id), at=now, label=label)
    if before is None and not _has_room(person, tx, counts=label is Label.USER_TYPED):
        return Observation(refs=())
    row = person.own_record(
        RecordKind.OBSERVATION,
        key,
        after,
        seq=snapshot.state.version,
        now=now,
        expires_at=now + OBSERVATION_LIFETIME,
    )
    tx.put_record(person.tenant, person.person, row)
    return after


def _has_room(person: Person, tx: Transaction, *, counts: bool) -> bool:
    """Make room for one more observation: the oldest that no user-typed text supports goes, then the oldest.

    What does not count itself never pushes out what does.
    """
    rows = tx.records(person.tenant, person.person, RecordKind.OBSERVATION)
    if len(rows) < OBSERVATIONS_MOST:
        return True
    ranked = []
    for row in rows:
        plain = person.open_record(row)
        refs = Observation.model_validate_json(plain).refs if plain is not None else ()
        ranked.append((sessions_that_count(refs) > 0, row.created_at, row.key))
    supported, _, oldest = min(ranked)
    if supported and not counts:
        return False
    tx.drop_records(person.tenant, person.person, RecordKind.OBSERVATION, [oldest])
    return True


def _statement(inference: Inference, observation: Observation) -> Statement:
    """Return the statement of an inference that was made often enough; its sources are the sessions, under tags."""
    links = tuple(
        ProvenanceLink(
            kind=ProvenanceKind.INFERENCE_BATCH, ref=f"session:{ref.session}", captured_at=ref.at, label=ref.label
        )
        for ref in observation.refs
        if ref.label is Label.USER_TYPED
    )
    return Statement(
        body=inference.body,
        category=inference.category,
        subject=inference.subject,
        scope=inference.scope,
        adapter_scope=inference.adapter_scope,
        origin=Origin(inference.origin),
        label=entry_label(inference),
        provenance=links,
        actor=inference.actor,
        session_id=inference.session_id,
        confidence=inference.confidence,
    )


def _persist(
    instruments: Instruments,
    person: Person,
    tx: Transaction,
    composer: Composer,
    snapshot: Snapshot,
    draft: Draft,
    key: str,
    now: datetime,
) -> Snapshot:
    written = [draft] if draft.entry is not None and draft.is_new else []
    if isinstance(draft.outcome, Refused):
        tell(person, tx, [draft], [], now=now)
        return snapshot
    tx.drop_records(person.tenant, person.person, RecordKind.OBSERVATION, [key])
    seq = tx.bump(person.tenant, person.person) if written else snapshot.state.version
    store_drafts(person, tx, composer, written, seq=seq)
    changed = [one.entry for one in written if one.entry is not None]
    written += follow(instruments, person, tx, snapshot, composer, changed, seq=seq, now=now)
    tell(person, tx, [draft], written, now=now)
    return snapshot.after_writing(packed_rows(written), version=seq)


def _question(
    instruments: Instruments, person: Person, key: str, inference: Inference, now: datetime
) -> InferenceQuestion:
    """Return the question about an inference: the one that waits already, or a new one."""
    for question in instruments.asked.of(person.tenant, person.person, now):
        if question.fingerprint == key:
            return question
    return InferenceQuestion(
        question_id=instruments.ids.entry_id(now),
        inference=inference,
        fingerprint=key,
        asked_at=now,
        expires_at=now + QUESTION_LIFETIME,
    )


def _tell(person: Person, tx: Transaction, key: str, outcome: Observed, now: datetime) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.INFERENCE_OBSERVED,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        facts={
            "observation": key,
            "sessions": outcome.sessions,
            "why": outcome.why.value if outcome.why is not None else "",
            "question": outcome.question_id or "",
        },
    )
