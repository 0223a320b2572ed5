"""Attacks on what follows, goes back and lives in a session: copies of tenant memory, reviews, rollback, kept answers.

Each test is a defect that was found, with what is right (POI-1, POI-8, POI-9).
"""

from __future__ import annotations

import pytest

from flows.attacking import PROFILE, SESSION, TENANT, approve, done
from flows.stores import BASE, DAY, TERMS, SteppingClock, bodies, person, refused, written
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.scope import CrisisScope
from iris_memory.contracts.write import Refused, Statement
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk


@pytest.fixture
def desk(iris: Iris) -> RightsDesk:
    return iris.rights_desk("acme")


@pytest.fixture
def customer(iris: Iris, clock: SteppingClock) -> PersonMemory:
    """Somebody whose tenant keeps memory of them for a year, under an approval."""
    me = person(iris, consents=["tenant_processing"])
    approve(iris, clock, "tenant")
    return me


# --- read-only copies and reviews ------------------------------------------------------------------------------------


def test_copies_follow_a_review_a_restriction_and_a_rollback(
    iris: Iris, customer: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    source = written(customer.remember(Statement(body="Badge seven", subject="badge", scope=TENANT))).entry.logical_id
    copy = written(customer.change_scope(source, PROFILE, read_only_copy=True)).entry.logical_id
    request = done(customer, desk, "restrict", logical_ids=[source])
    assert bodies(customer) == []
    customer.rights.lift_restriction(request)
    assert bodies(customer, adapter_scope="tenant", scope=TENANT) == ["Badge seven"]
    noon = clock.step(DAY)
    clock.step(DAY)
    written(customer.revise(source, "Badge nine"))
    assert customer.show(copy)[0].body == "Badge nine"
    assert customer.inbox.roll_back(noon).restored == 1
    assert customer.show(copy)[0].body == customer.show(source)[0].body == "Badge seven"
    clock.step(364 * DAY)
    assert [review.entry.logical_id for review in customer.reviews()] == [source]
    assert refused(customer.decide_review(copy, "extend")).reason is RefusalReason.READ_ONLY_COPY
    written(customer.decide_review(source, "extend"))  # type: ignore[arg-type]
    assert customer.show(copy)[0].expires_at == customer.show(source)[0].expires_at


def test_a_copy_is_not_confirmed_beside_its_source(customer: PersonMemory) -> None:
    said = Statement(
        body="Badge seven", scope=TENANT, origin=Origin.MODEL_INFERRED, label=Label.ASSISTANT, subject="badge"
    )
    source = written(customer.remember(said)).entry.logical_id
    copy = written(customer.change_scope(source, PROFILE, read_only_copy=True)).entry.logical_id
    assert refused(customer.inbox.ask(copy)).reason is RefusalReason.READ_ONLY_COPY
    question = customer.inbox.ask(source)
    assert not isinstance(question, Refused)
    customer.inbox.answer(question.question_id, "yes", digest=question.digest)
    seen, followed = customer.show(source)[0], customer.show(copy)[0]
    assert (followed.origin, followed.label) == (seen.origin, seen.label) == (Origin.USER_CONFIRMED, Label.USER_TYPED)


def test_a_correction_keeps_the_end_that_a_review_gave(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["personalization", "cross_domain_sharing"])
    approve(iris, clock, "cross_domain")
    said = {"adapter_scope": "cross_domain", "subject": "choir", "origin": "model-inferred", "label": "assistant"}
    name = written(me.remember("Sings in 2 choirs.", **said)).entry.logical_id  # type: ignore[arg-type]
    clock.step(90 * DAY)
    until = written(me.decide_review(name, "extend")).entry.expires_at  # type: ignore[arg-type]
    clock.step(DAY)
    replaced = written(me.remember("Sings in 3 choirs.", **said)).entry  # type: ignore[arg-type]
    assert (replaced.logical_id, replaced.expires_at) == (name, until)
    assert bodies(me, "choirs", adapter_scope="cross_domain") == ["Sings in 3 choirs."]
    sooner = clock.now() + 10 * DAY
    assert written(me.revise(name, "Sings in 4 choirs.", expires_at=sooner)).entry.expires_at == sooner
    assert iris.sweep().due == 0


# --- going back ------------------------------------------------------------------------------------------------------


def test_going_back_writes_nothing_that_is_not_agreed_to(me: PersonMemory, clock: SteppingClock) -> None:
    name = written(me.remember("Likes tea")).entry.logical_id
    noon = clock.step(DAY)
    clock.step(DAY)
    me.revise(name, "Likes coffee")
    me.consent.withdraw("data_storage")
    assert me.inbox.roll_back(noon).restored == 0
    assert me.show(name)[0].body == "Likes coffee"
    me.consent.grant(*BASE, terms=TERMS)
    assert me.inbox.roll_back(noon).restored == 1


def test_going_back_does_not_undo_a_deletion_or_a_forget(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    work = written(me.remember("Works at the harbour", category="work")).entry.logical_id
    first = written(me.remember("Likes tea", subject="drink")).entry.logical_id
    second = written(me.remember("Likes tea", subject="habit")).entry.logical_id
    noon = clock.step(DAY)
    clock.step(DAY)
    me.revise(first, "Likes coffee")
    me.forget(second)
    done(me, desk, "delete", categories=["work"], mode="soft", retention_grace_ms=10 * 86_400_000)
    me.inbox.roll_back(noon)
    assert bodies(me, contexts=["general", "work"]) == ["Likes coffee"]
    assert me.show(work)[0].lifecycle.value == "paused"


# --- sessions --------------------------------------------------------------------------------------------------------


def test_an_answer_of_a_session_does_not_bring_back_what_was_forgotten(iris: Iris) -> None:
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", terms=TERMS)
    batch = [
        Statement(body="Call my sister first", scope=CrisisScope(user_id="ada", session_id="s1")),
        Statement(body="Likes tea", scope=SESSION),
    ]
    first = me.remember_many(batch, idempotency_key="k1")
    stored = written(first[0]).entry.logical_id
    assert (written(first[0]).mode, written(first[1]).mode) == ("durable", "ephemeral")
    me.forget(stored)
    again = me.remember_many(batch, idempotency_key="k1")
    assert refused(again[0]).reason is RefusalReason.UNKNOWN_MEMORY
    assert written(again[1]).entry.body == "Likes tea"


def test_answers_of_a_session_are_bounded_and_go_with_their_words(
    iris: Iris, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iris_memory.flows.volatile.EPHEMERAL_MEMORIES_MOST", 4)
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", terms=TERMS)
    for number in range(12):
        me.remember(f"Fact number {number}", scope=SESSION, idempotency_key=f"k{number}")
    known = next(one for one in iris.instruments.people.known() if one.user_id == "ada")
    (held,) = iris.instruments.people.sessions.of(known)
    assert len(held.answers) == len(held.memories) == 4
    assert {one.entry.logical_id for _, told in held.answers.values() for one in told} == set(held.memories)  # type: ignore[union-attr]
