"""Words that look sensitive under a harmless category: a question in the memory of the process, bound to the words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from flows.stores import OpenIris, SteppingClock, actions, chain, person, refused, sound, written
from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.inference import InboxKind
from iris_memory.contracts.write import ActorMention, AskCategory, AskUser, Statement
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.unsettled import LIFETIME, PEOPLE_MOST, PER_PERSON_MOST, Unsettled, Waiting
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

SICK = "I was diagnosed with diabetes last spring"


def doubted(me: PersonMemory, body: str = SICK, **more: object) -> AskCategory:
    outcome = me.remember(body, **more)  # type: ignore[arg-type]
    assert isinstance(outcome, AskCategory), outcome
    return outcome


def test_sensitive_words_under_a_harmless_category_are_a_question_and_no_fact(
    iris: Iris, me: PersonMemory, folder: Path
) -> None:
    asked = doubted(me, subject="diagnosis")
    assert (asked.said, asked.looks_like, asked.needs) == (
        Category.FACT,
        (Category.MEDICAL,),
        ("category:medical",),
    )
    assert "diabetes" not in asked.model_dump_json()
    assert me.list().total == 0
    shown = me.doubts.waiting()[0]
    assert (shown.kind, shown.new, shown.digest, shown.is_held) == (InboxKind.CATEGORY, SICK, asked.digest, False)
    event = chain(iris)[-1]
    assert actions(iris)[-2:].count("memory.question.asked") == 1 or event["action"] == "memory.question.asked"
    iris.flush()
    for path in folder.rglob("*"):
        assert not path.is_file() or b"diabetes" not in path.read_bytes()
    assert "diabetes" not in str(chain(iris))


def test_filed_where_it_belongs_it_needs_that_consent(iris: Iris, me: PersonMemory) -> None:
    asked = doubted(me)
    without = me.doubts.answer(asked.question_id, "file-there", digest=asked.digest)
    assert refused(without).needs == ("category:medical",)
    assert me.doubts.waiting()
    me.consent.grant("category:medical", terms="t")
    stands = me.doubts.answer(asked.question_id, "file-there", digest=asked.digest)
    assert stands is not None
    entry = written(stands).entry  # type: ignore[arg-type]
    assert (entry.category, entry.body) == (Category.MEDICAL, SICK)
    assert me.doubts.waiting() == []
    answered = next(event for event in chain(iris) if event["action"] == "memory.question.answered")
    assert (answered["answer"], answered["object_ids"]) == ("file-there", [entry.id])
    sound(iris)


def test_kept_as_said_it_is_stored_as_it_was_filed(me: PersonMemory) -> None:
    asked = doubted(me, category="work", subject="health")
    stands = me.doubts.answer(asked.question_id, "keep-as-said", digest=asked.digest)
    entry = written(stands).entry  # type: ignore[arg-type]
    assert (entry.category, entry.subject, entry.body) == (Category.WORK, "health", SICK)


def test_dropped_it_is_gone(iris: Iris, me: PersonMemory) -> None:
    asked = doubted(me)
    assert me.doubts.answer(asked.question_id, "drop", digest=asked.digest) is None
    assert me.list().total == 0
    with pytest.raises(UnknownMemoryError):
        me.doubts.answer(asked.question_id, "keep-as-said", digest=asked.digest)
    assert actions(iris).count("memory.question.answered") == 1


def test_an_answer_is_bound_to_the_exact_words_and_category_that_were_shown(me: PersonMemory) -> None:
    asked, other = doubted(me), doubted(me, "I was diagnosed with asthma")
    with pytest.raises(ContractError):
        me.doubts.answer(asked.question_id, "keep-as-said", digest=other.digest)
    with pytest.raises(ContractError):
        me.doubts.answer(asked.question_id, "file-there", digest=asked.digest, category="legal")
    with pytest.raises(ContractError):
        me.doubts.answer(asked.question_id, "keep-as-said", digest=asked.digest, category="medical")
    assert written(me.remember(SICK, as_said=asked.digest)).entry.body == SICK
    for words, category in ((SICK + " indeed", "fact"), (SICK, "work")):
        assert isinstance(me.remember(words, category=category, as_said=asked.digest), AskCategory)
    assert isinstance(me.remember("I was diagnosed with cancer", as_said="0" * 64), AskCategory)


def test_nobody_else_s_digest_counts(iris: Iris, me: PersonMemory) -> None:
    bob = person(iris, "bob")
    assert doubted(me).digest != doubted(bob).digest
    assert isinstance(bob.remember(SICK, as_said=doubted(me).digest), AskCategory)
    with pytest.raises(UnknownMemoryError):
        bob.doubts.answer(doubted(me).question_id, "drop", digest=doubted(me).digest)


def test_the_same_words_again_are_one_question(me: PersonMemory) -> None:
    assert doubted(me).question_id == doubted(me).question_id
    assert len(me.doubts.waiting()) == 1


def test_what_is_filed_as_sensitive_is_not_doubted(iris: Iris) -> None:
    me = person(iris, consents=["category:medical"])
    assert written(me.remember(SICK, category="medical")).entry.category is Category.MEDICAL


def test_without_consent_to_store_it_nothing_is_looked_at(iris: Iris) -> None:
    me = iris.for_user(tenant="acme", user="ada")
    assert refused(me.remember(SICK)).reason is R.CONSENT_MISSING
    assert me.doubts.waiting() == []


def test_a_batch_keeps_what_is_harmless_and_asks_about_the_rest(iris: Iris, me: PersonMemory) -> None:
    outcomes = me.remember_many([Statement(body="Likes tea"), Statement(body=SICK), Statement(body="Likes jazz")])
    assert [outcome.outcome for outcome in outcomes] == ["written", "ask-category", "written"]
    assert chain(iris)[-1]["category_questions"] == 1


def test_an_idempotent_call_gets_the_same_question_and_settles_it_once(me: PersonMemory) -> None:
    first = me.remember(SICK, idempotency_key="k")
    assert me.remember(SICK, idempotency_key="k") == first
    assert isinstance(first, AskCategory)
    me.doubts.answer(first.question_id, "drop", digest=first.digest)
    assert me.remember(SICK, idempotency_key="k") == first
    assert me.doubts.waiting() == []


def test_the_words_wait_a_day_and_no_longer(me: PersonMemory, clock: SteppingClock) -> None:
    asked = doubted(me)
    assert asked.expires_at == clock.now() + LIFETIME
    clock.step(LIFETIME - timedelta(seconds=1))
    assert me.doubts.waiting()
    clock.step(timedelta(seconds=1))
    assert me.doubts.waiting() == []
    with pytest.raises(UnknownMemoryError):
        me.doubts.answer(asked.question_id, "drop", digest=asked.digest)


def test_the_words_go_with_the_process_with_the_person_and_with_everything(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris)
    doubted(me)
    me.forget(everything=True, scan=False)
    assert me.doubts.waiting() == []
    doubted(me)
    gone = iris.instruments.people.get("acme", "ada").person
    me.erase(scan=False)
    assert iris.instruments.people.unsettled.of(gone, now=iris.instruments.clock.now()) == []
    me = person(iris)
    doubted(me)
    iris.close()
    assert open_iris().for_user(tenant="acme", user="ada").doubts.waiting() == []


def test_the_words_go_with_the_category_they_look_like_and_with_what_was_said_since(
    me: PersonMemory, clock: SteppingClock
) -> None:
    doubted(me)
    me.forget(category="financial", scan=False)
    assert me.doubts.waiting(), "they look like something else"
    me.forget(category="medical", scan=False)
    assert me.doubts.waiting() == []
    doubted(me)
    me.inbox.roll_back(clock.now())
    assert me.doubts.waiting() == []


def test_the_words_go_with_somebody_they_are_about(me: PersonMemory) -> None:
    me.remember("Bo likes tea", actor=ActorMention(name="Bo"))
    doubted(me, "Bo was diagnosed with diabetes", actor=ActorMention(name="Bo"))
    me.others.forget_mentions("bo", scan=False)
    assert me.doubts.waiting() == []


def test_off_the_record_nothing_waits(me: PersonMemory) -> None:
    me.pause()
    assert refused(me.remember(SICK)).reason is R.OFF_THE_RECORD
    assert me.doubts.waiting() == []


def test_an_answer_meets_the_ladder_like_any_statement(me: PersonMemory) -> None:
    written(me.remember("Nothing special", subject="health"))
    asked = doubted(me, subject="health")
    assert isinstance(me.doubts.answer(asked.question_id, "keep-as-said", digest=asked.digest), AskUser)


def test_a_correction_to_sensitive_words_names_its_category(iris: Iris, me: PersonMemory) -> None:
    entry = written(me.remember("Was away last spring")).entry
    no = refused(me.revise(entry.logical_id, SICK))
    assert (no.reason, no.needs) == (R.LOOKS_SENSITIVE, ("category:medical",))
    assert refused(me.revise(entry.logical_id, SICK, category="medical")).needs == ("category:medical",)
    me.consent.grant("category:medical", terms="t")
    assert written(me.revise(entry.logical_id, SICK, category="medical")).entry.category is Category.MEDICAL
    assert written(me.revise(entry.logical_id, "Was away")).entry.body == "Was away"
    said = written(me.remember("Was away in May")).entry
    assert written(me.revise(said.logical_id, SICK + " too", category="fact")).entry.category is Category.FACT


def test_what_waits_is_bounded(me: PersonMemory, clock: SteppingClock) -> None:
    asked, held = doubted(me), Unsettled()
    statement = Statement(body=SICK)
    for number in range(PER_PERSON_MOST + 5):
        one = asked.model_copy(update={"question_id": str(number)})
        held.put("p", Waiting(statement, one, clock.now()))
    assert held.of("p", now=clock.now())[0].asked.question_id == "5"
    for number in range(PEOPLE_MOST):
        held.put(f"q{number}", Waiting(statement, asked, clock.now()))
    assert held.of("p", now=clock.now()) == []
