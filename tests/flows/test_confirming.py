"""Confirmation (POI-8): it counts for the exact words shown, once; nothing else raises a label (POI-1)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import (
    DAY,
    TERMS,
    OpenIris,
    SteppingClock,
    actions,
    bodies,
    chain,
    confirmed,
    person,
    refused,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.inference import Answered, InboxKind, InboxQuestion
from iris_memory.contracts.write import ActorMention, Statement
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.tend import hourly
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind

SAID = "Prefers early trains"


def asked_about(me: PersonMemory, body: str = SAID, **more: object) -> InboxQuestion:
    """Have something inferred and asked about; return the question as it is shown."""
    noted = me.inbox.observe(body, **{"label": "assistant", "session": "s1", "ask": True, **more})  # type: ignore[arg-type]
    return me.inbox.show(noted.question_id)  # type: ignore[union-attr,arg-type]


def answered(me: PersonMemory, question: InboxQuestion, decision: str = "yes", **more: object) -> Answered:
    """Return an answer that must count."""
    outcome = me.inbox.answer(question.question_id, decision, digest=question.digest, **more)  # type: ignore[arg-type]
    assert isinstance(outcome, Answered), outcome
    return outcome


def test_a_yes_makes_the_words_the_person_s_own(me: PersonMemory, iris: Iris) -> None:
    question = asked_about(me, label="web", subject="train")
    assert (question.kind, question.new, question.was, question.is_held) == (InboxKind.INFERENCE, SAID, None, False)
    assert question.sources[0].label is Label.WEB
    assert {choice.decision for choice in question.choices} == {"yes", "no", "skip", "hold"}
    entry = answered(me, question).entry
    assert entry is not None
    assert (entry.body, entry.subject, entry.origin, entry.label) == (
        SAID,
        "train",
        Origin.USER_CONFIRMED,
        Label.USER_TYPED,
    )
    assert [link.label for link in entry.provenance_chain] == [Label.USER_TYPED, Label.WEB]
    assert bodies(me) == [SAID]
    assert me.inbox.questions() == []
    sound(iris)


def test_a_no_keeps_the_words_away(me: PersonMemory) -> None:
    answered(me, asked_about(me), "no")
    assert (remembered(me), me.inbox.questions()) == (set(), [])
    assert refused(me.inbox.observe(SAID, label="user-typed", session="s2")).reason is R.FORGOTTEN_BEFORE
    assert refused(me.remember(SAID)).reason is R.FORGOTTEN_BEFORE
    assert written(me.remember(SAID, again=True))


def test_a_digest_is_used_once(me: PersonMemory) -> None:
    """POI-8: a skip is an answer; the digest it was given with answers nothing more."""
    question = asked_about(me)
    answered(me, question, "skip")
    (again,) = me.inbox.questions()
    assert (again.question_id, again.revision) == (question.question_id, 2)
    assert again.digest != question.digest
    with pytest.raises(ContractError, match="digest"):
        me.inbox.answer(question.question_id, "yes", digest=question.digest)
    answered(me, again)
    with pytest.raises(UnknownMemoryError):
        me.inbox.answer(question.question_id, "yes", digest=again.digest)


def test_equal_words_of_another_question_have_another_digest(me: PersonMemory) -> None:
    first = asked_about(me)
    answered(me, first, "no")
    me.remember(SAID, again=True)
    me.forget(everything=True, scan=False)
    other = person_of(me)
    assert asked_about(other, "Likes tea").digest != asked_about(other, "Likes tea", subject="drink").digest


def person_of(me: PersonMemory) -> PersonMemory:
    """Return the same person: what is bound does not change by forgetting."""
    return me


def test_an_answer_beside_untrusted_content_is_none(me: PersonMemory, iris: Iris) -> None:
    """POI-8: delayed invocation. The yes of a turn that read untrusted content, or of the next, changes nothing."""
    question = asked_about(me)
    outcome = me.inbox.answer(question.question_id, "yes", digest=question.digest, after_untrusted=True)
    assert refused(outcome).reason is R.ANSWER_NOT_FREE
    assert chain(iris)[-1]["answer"] == "not-free"
    assert remembered(me) == set()
    with pytest.raises(ContractError, match="digest"):
        me.inbox.answer(question.question_id, "yes", digest=question.digest)
    answered(me, me.inbox.show(question.question_id))


@pytest.mark.parametrize("decision", ["", "Yes", "yes ", "y", "ok", "sure", "YES", "replace", "both", "yes please"])
def test_an_ambiguous_yes_is_none(decision: str, me: PersonMemory) -> None:
    question = asked_about(me)
    with pytest.raises(ContractError, match="no answer"):
        me.inbox.answer(question.question_id, decision, digest=question.digest)
    assert remembered(me) == set()
    assert me.inbox.show(question.question_id).digest == question.digest


def test_a_yes_to_changed_words_is_none(me: PersonMemory) -> None:
    entry = written(me.remember("Walks to work", origin="model-inferred", label="assistant")).entry
    question = me.inbox.ask(entry.logical_id)
    assert isinstance(question, InboxQuestion)
    me.revise(entry.logical_id, "Takes the car")
    with pytest.raises(ContractError, match="digest"):
        me.inbox.answer(question.question_id, "yes", digest=question.digest)


def test_a_memory_is_confirmed_where_it_stands(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Walks to work", origin="model-inferred", label="tool")).entry
    question = me.inbox.ask(entry.logical_id)
    assert isinstance(question, InboxQuestion)
    assert (question.was, question.new, question.rule) == ("Walks to work", "Walks to work", "model-inferred")
    assert me.inbox.ask(entry.logical_id) == question, "asked once"
    stands = answered(me, question).entry
    assert stands is not None
    assert (stands.logical_id, stands.revision, stands.supersedes) == (entry.logical_id, 2, entry.id)
    assert (stands.origin, stands.label) == (Origin.USER_CONFIRMED, Label.USER_TYPED)
    assert refused(me.inbox.ask(entry.logical_id)).reason is R.NOT_ACTIVE
    sound(iris)


def test_a_memory_that_is_wrong_goes(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Walks to work", origin="model-inferred", label="tool")).entry
    question = me.inbox.ask(entry.logical_id)
    assert isinstance(question, InboxQuestion)
    answered(me, question, "no")
    assert (remembered(me), me.inbox.questions()) == (set(), [])
    assert refused(me.remember("Walks to work", origin="model-inferred", label="tool")).reason is R.FORGOTTEN_BEFORE
    sound(iris)


def test_a_question_about_a_memory_outlives_the_process_and_holds_no_words(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris)
    entry = written(me.remember("Walks to work", origin="model-inferred", label="tool")).entry
    question = me.inbox.ask(entry.logical_id)
    someone = iris.instruments.people.find("acme", "ada")
    assert someone is not None
    with iris.instruments.store.read() as reading:
        (row,) = reading.records("acme", someone.person, RecordKind.INFERENCE_QUESTION)
    assert b"Walks" not in (someone.open_record(row) or b"")
    iris.close()
    me = open_iris().for_user(tenant="acme", user="ada")
    assert list(me.inbox.questions()) == [question]


def test_words_wait_in_the_process_unless_the_person_has_them_held(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris)
    lost, kept = asked_about(me), asked_about(me, "Likes tea")
    with pytest.raises(ContractError, match="digest"):
        me.inbox.hold(kept.question_id, digest=lost.digest)
    held = me.inbox.hold(kept.question_id, digest=kept.digest)
    assert held.is_held
    assert held.expires_at == clock.now() + timedelta(days=7)
    iris.close()
    iris = open_iris()
    me = iris.for_user(tenant="acme", user="ada")
    assert [one.new for one in me.inbox.questions()] == ["Likes tea"]
    (question,) = me.inbox.questions()
    slots = len(iris.instruments.vault.wrapped_slots("acme", _pseudonym(iris), None))
    answered(me, question)
    assert len(iris.instruments.vault.wrapped_slots("acme", _pseudonym(iris), None)) >= slots - 1
    assert bodies(me) == ["Likes tea"]
    with iris.instruments.store.read() as reading:
        assert reading.records("acme", _pseudonym(iris), RecordKind.INFERENCE_QUESTION) == []


def _pseudonym(iris: Iris) -> str:
    someone = iris.instruments.people.find("acme", "ada")
    assert someone is not None
    return someone.person


@pytest.mark.parametrize("is_held", [False, True])
def test_unanswered_it_ends(is_held: bool, me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    question = asked_about(me)
    if is_held:
        question = me.inbox.hold(question.question_id, digest=question.digest)
    clock.step((7 if is_held else 30) * DAY)
    assert me.inbox.questions() == []
    with pytest.raises(UnknownMemoryError):
        me.inbox.answer(question.question_id, "yes", digest=question.digest)
    assert hourly(iris.instruments) >= 1
    assert iris.instruments.asked.people() == []
    assert remembered(me) == set()
    sound(iris)


def test_a_sensitive_inference_needs_the_yes_and_the_consent(me: PersonMemory) -> None:
    question = asked_about(me, "Takes insulin", category="medical", label="user-typed")
    assert question.rule == "sensitive"
    outcome = me.inbox.answer(question.question_id, "yes", digest=question.digest)
    assert refused(outcome).needs == ("category:medical",)
    assert me.inbox.show(question.question_id).digest == question.digest, "the question waits on"
    me.consent.grant("category:medical", terms=TERMS)
    assert answered(me, question).entry is not None
    assert remembered(me) == {"Takes insulin"}


def test_a_sensitive_interaction_needs_its_own_consent(me: PersonMemory) -> None:
    question = asked_about(me, "Fights with Bo", actor=ActorMention(name="Bo", sensitive_interaction=True))
    outcome = me.inbox.answer(question.question_id, "yes", digest=question.digest)
    assert refused(outcome).reason is R.MULTI_ACTOR_WITHOUT_CONSENT


def test_off_the_record_a_yes_waits(me: PersonMemory) -> None:
    question = asked_about(me)
    me.pause()
    assert refused(me.inbox.answer(question.question_id, "yes", digest=question.digest)).reason is R.OFF_THE_RECORD
    me.resume()
    answered(me, question)


def test_nothing_is_written_as_confirmed(me: PersonMemory, iris: Iris) -> None:
    """No host claims a confirmation: neither by a keyword, nor in a batch, nor by sources that look like one."""
    link = ProvenanceLink(
        kind=ProvenanceKind.SESSION_TURN,
        ref="confirmation:x",
        captured_at=iris.instruments.clock.now(),
        label=Label.USER_TYPED,
    )
    claims = [
        me.remember(SAID, origin="user-confirmed"),
        *me.remember_many([Statement(body=SAID, origin=Origin.USER_CONFIRMED, provenance=(link,))]),
    ]
    assert {refused(claim).reason for claim in claims} == {R.ORIGIN_NEEDS_CONFIRMATION}
    assert remembered(me) == set()


def test_questions_are_their_person_s_own(iris: Iris) -> None:
    ada, bob = person(iris), person(iris, "bob")
    question = asked_about(ada)
    assert bob.inbox.questions() == []
    with pytest.raises(UnknownMemoryError):
        bob.inbox.answer(question.question_id, "yes", digest=question.digest)
    with pytest.raises(UnknownMemoryError):
        bob.inbox.hold(question.question_id, digest=question.digest)
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="nobody").inbox.answer(question.question_id, "yes", digest=question.digest)


def test_no_answer_is_told_of_with_words(me: PersonMemory, iris: Iris) -> None:
    answered(me, asked_about(me, "Collects antique umbrellas"))
    answered(me, asked_about(me, "Collects brass umbrellas"), "no")
    told = str(chain(iris))
    assert "umbrella" not in told
    assert actions(iris).count("memory.question.answered") == 2


def test_forgetting_takes_the_question_along(me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea")).entry
    asked_about(me, "Likes tea")
    asked_about(me, "Likes gin")
    me.forget(entry.logical_id, scan=False)
    assert [one.new for one in me.inbox.questions()] == ["Likes gin"]


def test_the_inbox_has_conflicts_too(me: PersonMemory) -> None:
    me.remember("Prefers a window seat", subject="seat")
    me.remember("Prefers an aisle seat", subject="seat")
    (question,) = me.inbox.questions()
    assert (question.kind, question.was, question.new) == (
        InboxKind.CONFLICT,
        "Prefers a window seat",
        "Prefers an aisle seat",
    )
    assert question.digest == me.questions()[0].digest
    answered(me, question, "skip")
    with pytest.raises(ContractError, match="digest"):
        me.answer(question.question_id, "replace", digest=question.digest)
    again = me.inbox.show(question.question_id)
    outcome = me.inbox.answer(question.question_id, "replace", digest=again.digest, after_untrusted=True)
    assert refused(outcome).reason is R.ANSWER_NOT_FREE
    with pytest.raises(ContractError, match="no answer"):
        me.inbox.answer(question.question_id, "yes", digest=me.inbox.show(question.question_id).digest)
    stands = answered(me, me.inbox.show(question.question_id), "replace").entry
    assert stands is not None
    assert stands.body == "Prefers an aisle seat"


def test_a_consent_that_is_due_is_asked_about(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris)
    me.consent.grant("personalization", terms="May we adapt?", expires_at=clock.now() + DAY)
    clock.step(2 * DAY)
    (question,) = me.inbox.questions()
    assert (question.kind, question.rule) == (InboxKind.RE_CONSENT, "expired")
    answered(me, question, "skip")
    with pytest.raises(ContractError, match="terms"):
        me.inbox.answer(question.question_id, "yes", digest=question.digest)
    with pytest.raises(ContractError, match="terms"):
        me.inbox.answer(question.question_id, "yes", digest=question.digest, terms="Anything goes")
    assert "personalization" not in me.consent.active()
    answered(me, question, "yes", terms="May we adapt?")
    assert "personalization" in me.consent.active()
    assert me.inbox.questions() == []


def test_a_category_question_is_in_the_inbox(me: PersonMemory) -> None:
    outcome = me.remember("My doctor prescribed chemotherapy")
    assert outcome.outcome == "ask-category"
    (question,) = me.inbox.questions()
    assert question.kind is InboxKind.CATEGORY
    refusal = me.inbox.answer(question.question_id, "drop", digest=question.digest, after_untrusted=True)
    assert refused(refusal).reason is R.ANSWER_NOT_FREE
    answered(me, question, "drop")
    assert me.inbox.questions() == []


def test_a_confirmed_fact_weighs_between_stated_and_inferred(me: PersonMemory) -> None:
    entry = written(confirmed(me, "Likes tea", subject="drink")).entry
    kept = me.remember("Likes gin", subject="drink", origin="model-inferred", label="assistant")
    assert refused(kept).rule == "user-confirmed-trumps-inferred"
    assert me.show(entry.logical_id)[0].body == "Likes tea"
