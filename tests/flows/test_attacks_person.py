"""Attacks on the person's side: words whose key outlives them, ways around a restriction, a hold, a consumer's scopes.

Each test is a defect that was found, with what is right (DSR-7, DSR-8, DSR-16, POI-1, POI-8).
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.attacking import NOTEBOOK, PROFILE, SESSION, asked_about, done, hold
from flows.stores import DAY, OpenIris, SteppingClock, bodies, chain, person, refused, remembered, written
from iris_memory.contracts.bridge import Turn, TurnRole
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.rights import RightsRequest, RightsState
from iris_memory.contracts.write import ActorMention, Refused, Statement
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows import tend
from iris_memory.front.bridge import create_memory_bridge
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk
from iris_memory.ports.rows import RecordKind, RecordRow
from words import stands_in


@pytest.fixture
def desk(iris: Iris) -> RightsDesk:
    return iris.rights_desk("acme")


def rows_of(iris: Iris, kind: RecordKind) -> list[RecordRow]:
    found = iris.instruments.vault.find_subject("acme", "ada")
    assert found is not None
    with iris.instruments.store.read() as reading:
        return list(reading.records("acme", found.person, kind))


def keys_of(iris: Iris, rows: list[RecordRow]) -> int:
    """Count the keys of records that still stand in the vault."""
    found = iris.instruments.vault.find_subject("acme", "ada")
    assert found is not None
    return len(iris.instruments.vault.wrapped_slots("acme", found.person, [row.slot for row in rows if row.slot]))


# --- keys of records -------------------------------------------------------------------------------------------------


def test_the_key_of_held_words_goes_with_the_consent(iris: Iris) -> None:
    """A question's words were dropped by the withdrawal, while their key went on standing in the vault."""
    me = person(iris, consents=["category:medical"])
    question, digest = asked_about(me, "Takes statins every day", category="medical")
    me.inbox.answer(question, "hold", digest=digest)
    kept = rows_of(iris, RecordKind.INFERENCE_QUESTION)
    assert keys_of(iris, kept) == 1
    told = me.consent.withdraw("category:medical")
    assert rows_of(iris, RecordKind.INFERENCE_QUESTION) == []
    assert keys_of(iris, kept) == 0
    assert told.receipt is not None
    assert (told.receipt.memories, told.receipt.keys_destroyed) == (0, 1)
    assert told.receipt.residue is not None
    assert told.receipt.residue.found == {}


def test_the_keys_of_turns_go_with_a_consent_and_with_their_day(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["category:medical"])
    bridge = create_memory_bridge(iris, tenant="acme", user="ada", session="s1")
    bridge.append(Turn(turn_id="t1", sequence=1, role=TurnRole.USER, text="I saw the cardiologist"))
    first = rows_of(iris, RecordKind.TURN_TEXT)
    assert keys_of(iris, first) == 1
    me.consent.withdraw("category:medical")
    assert (rows_of(iris, RecordKind.TURN_TEXT), keys_of(iris, first)) == ([], 0)
    bridge.append(Turn(turn_id="t2", sequence=2, role=TurnRole.USER, text="And the dentist"))
    second = rows_of(iris, RecordKind.TURN_TEXT)
    assert keys_of(iris, second) == 1
    clock.step(DAY)
    assert iris.sweep().expired_records >= 1
    assert (rows_of(iris, RecordKind.TURN_TEXT), keys_of(iris, second)) == ([], 0)


def test_keys_of_idempotent_answers_do_not_gather_for_ever(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    for number in range(5):
        me.remember(f"Fact number {number}", idempotency_key=f"k{number}")
    kept = rows_of(iris, RecordKind.IDEMPOTENCY)
    assert keys_of(iris, kept) == 5
    clock.step(8 * DAY)
    iris.sweep()
    assert keys_of(iris, kept) == 0


# --- words that wait -------------------------------------------------------------------------------------------------


def test_no_words_wait_without_the_consent_to_be_processed(me: PersonMemory) -> None:
    asked_about(me, "Seems to like opera")
    me.remember("I was diagnosed with diabetes last year")
    assert len(me.inbox.questions()) >= 2
    me.consent.withdraw("data_processing")
    assert [one for one in me.inbox.questions() if one.kind.value in {"inference", "category"}] == []


def test_a_question_about_a_sensitive_interaction_goes_with_its_consent(iris: Iris) -> None:
    me = person(iris, consents=["multi_actor_sensitive"])
    actor = ActorMention(name="Ben", relationship_note="brother", sensitive_interaction=True)
    asked_about(me, "Ben borrowed the car and was angry", actor=actor)
    me.consent.withdraw("multi_actor_sensitive")
    assert list(me.inbox.questions()) == []


def test_words_are_not_held_after_a_withdrawal_came_between(iris: Iris) -> None:
    """DSR-16: `hold` read the question, the withdrawal dropped it, and then the words were written to disk."""
    me = person(iris, consents=["category:medical"])
    question, digest = asked_about(me, "Takes statins every day", category="medical")
    store, write = iris.instruments.store, iris.instruments.store.write
    came = False

    def between(work, **more):  # type: ignore[no-untyped-def]
        nonlocal came
        if not came:
            came = True
            me.consent.withdraw("category:medical", scan=False)
        return write(work, **more)

    store.write = between  # type: ignore[method-assign]
    try:
        with pytest.raises(UnknownMemoryError):
            me.inbox.answer(question, "hold", digest=digest)
    finally:
        del store.write
    assert came
    assert rows_of(iris, RecordKind.INFERENCE_QUESTION) == []


def test_a_skipped_question_that_went_meanwhile_does_not_come_back(iris: Iris, me: PersonMemory) -> None:
    question, digest = asked_about(me, "Seems to like opera")
    store, write = iris.instruments.store, iris.instruments.store.write

    def then_forgotten(work, **more):  # type: ignore[no-untyped-def]
        told = write(work, **more)
        iris.instruments.asked.drop("acme", rows_person(iris))
        return told

    store.write = then_forgotten  # type: ignore[method-assign]
    try:
        me.inbox.answer(question, "skip", digest=digest)
    finally:
        del store.write
    assert list(me.inbox.questions()) == []


def rows_person(iris: Iris) -> str:
    found = iris.instruments.vault.find_subject("acme", "ada")
    assert found is not None
    return found.person


def test_a_deletion_reaches_what_waits_and_what_lives_in_sessions(iris: Iris, desk: RightsDesk) -> None:
    me = person(iris, consents=["category:medical"])
    question, digest = asked_about(me, "Takes statins every day", category="medical")
    me.inbox.answer(question, "hold", digest=digest)
    kept = rows_of(iris, RecordKind.INFERENCE_QUESTION)
    me.remember("I was diagnosed with diabetes last year")
    done(me, desk, "delete", categories=["medical"], retention_grace_ms=0)
    assert [one for one in me.inbox.questions() if one.kind.value in {"inference", "category"}] == []
    assert keys_of(iris, kept) == 0


# --- what was made from something ------------------------------------------------------------------------------------


def derived(me: PersonMemory, clock: SteppingClock, source: str, body: str) -> str:
    link = ProvenanceLink(
        kind=ProvenanceKind.INFERENCE_BATCH, ref=f"memory:{source}", captured_at=clock.now(), label=Label.USER_TYPED
    )
    said = Statement(body=body, provenance=(link,), origin=Origin.MODEL_INFERRED)
    return written(me.remember(said)).entry.logical_id


def test_a_no_takes_along_what_was_made_from_the_memory(me: PersonMemory, clock: SteppingClock) -> None:
    source = written(
        me.remember("Owns a red boat", origin="model-inferred", label="assistant", category="work")
    ).entry.logical_id
    derived(me, clock, source, "Sails on Sundays")
    question = me.inbox.ask(source)
    assert not isinstance(question, Refused)
    me.inbox.answer(question.question_id, "no", digest=question.digest)
    assert remembered(me) == set()
    assert refused(me.remember("Sails on Sundays")).reason is RefusalReason.FORGOTTEN_BEFORE


def test_a_no_bars_every_wording_and_sets_aside_what_is_held(
    iris: Iris, me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    source = written(
        me.remember("Owns a red boat", origin="model-inferred", label="assistant", category="work")
    ).entry.logical_id
    held = hold(desk, clock, source)
    question = me.inbox.ask(source)
    assert not isinstance(question, Refused)
    me.inbox.answer(question.question_id, "no", digest=question.digest)
    assert remembered(me) == {"Owns a red boat"}
    assert bodies(me, "boat", contexts=["general", "work"]) == []
    desk.release_hold(held.hold_id, actor="op-3")
    assert remembered(me) == set()
    assert not stands_in("boat", str(chain(iris)))


def test_a_deletion_sets_aside_and_purges_what_was_made_from_it(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    source = written(me.remember("Works at the harbour", category="work")).entry.logical_id
    derived(me, clock, source, "Gets up at five")
    me.remember("Likes tea")
    name = done(me, desk, "delete", categories=["work"], mode="soft", retention_grace_ms=10 * 86_400_000)
    assert bodies(me, contexts=["general", "work"]) == ["Likes tea"]
    clock.step(11 * DAY)
    assert me.rights.show(name).state in {RightsState.IN_PROGRESS, RightsState.COMPLETED}
    tend.chores(me._instruments)
    assert remembered(me) == {"Likes tea"}


# --- restriction -----------------------------------------------------------------------------------------------------


def test_nothing_is_summarised_of_what_is_held_back(
    iris: Iris, me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    """A restricted memory came back in the words of its summary, which nobody had restricted."""
    me.remember("Paid 12 euro for the boat.", scope=SESSION)
    done(me, desk, "restrict", scopes=["session"])
    assert bodies(me, "boat", scope=SESSION) == []
    clock.step(DAY)
    report = iris.sweep()
    assert (report.summarized, report.ended) == (0, 1)
    assert bodies(me, "boat", scope=SESSION) == []


def test_lifting_one_restriction_leaves_the_other(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    me.remember("Likes opera", category="preference")
    first = done(me, desk, "restrict", categories=["preference"])
    second = done(me, desk, "restrict", logical_ids=[tea])
    me.rights.lift_restriction(first)
    assert bodies(me) == ["Likes opera"]
    me.rights.lift_restriction(second)
    assert sorted(bodies(me)) == ["Likes opera", "Likes tea"]
    assert isinstance(me.rights.show(second), RightsRequest)


def test_taking_one_deletion_back_leaves_the_other(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    me.remember("Likes tea", category="preference")
    me.remember("Works at the harbour", category="work")
    every = done(me, desk, "delete", scopes=["assistant_profile"], mode="soft", retention_grace_ms=10 * 86_400_000)
    done(me, desk, "delete", categories=["preference"], mode="soft", retention_grace_ms=10 * 86_400_000)
    assert isinstance(me.rights.reactivate(every), RightsRequest)
    assert bodies(me, contexts=["general", "work"]) == ["Works at the harbour"]
    clock.step(11 * DAY)
    tend.chores(me._instruments)
    assert remembered(me) == {"Works at the harbour"}


def test_a_restricted_memory_does_not_slip_out_by_a_move(me: PersonMemory, desk: RightsDesk) -> None:
    name = written(me.remember("Sits at the window", subject="seat", scope=SESSION)).entry.logical_id
    done(me, desk, "restrict", logical_ids=[name])
    assert refused(me.change_scope(name, PROFILE)).reason is RefusalReason.NOT_ACTIVE
    assert bodies(me) == []


def test_lifting_a_restriction_does_not_bring_back_what_was_forgotten_under_a_hold(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    name = done(me, desk, "restrict", logical_ids=[tea])
    held = hold(desk, clock, tea)
    me.forget(tea)
    me.rights.lift_restriction(name)
    assert bodies(me) == []
    desk.release_hold(held.hold_id, actor="op-3")
    assert remembered(me) == set()


def test_what_is_said_anew_does_not_go_with_what_a_hold_kept(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock
) -> None:
    """The person said it again; it was laid into the memory that waits to be forgotten, and went with the hold."""
    tea = written(me.remember("Likes tea", subject="drink")).entry.logical_id
    held = hold(desk, clock, tea)
    me.forget(tea)
    again = written(me.remember("Likes tea", subject="drink", again=True)).entry.logical_id
    assert again != tea
    assert bodies(me) == ["Likes tea"]
    desk.release_hold(held.hold_id, actor="op-3")
    assert bodies(me) == ["Likes tea"]


# --- holds -----------------------------------------------------------------------------------------------------------


def test_the_sweep_writes_no_event_for_what_is_held(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me, desk = person(iris), iris.rights_desk("acme")
    hold(desk, clock, written(me.remember("Paid 12 euro.", scope=SESSION)).entry.logical_id)
    clock.step(DAY)
    for _ in range(3):
        clock.step(timedelta(hours=1))
        before = len(chain(iris))
        assert iris.sweep().held == 1
        assert len(chain(iris)) == before


# --- consumers -------------------------------------------------------------------------------------------------------


def test_a_consumer_is_shown_no_words_of_a_scope_it_may_not_see(iris: Iris, me: PersonMemory) -> None:
    me.remember("Aisle seat", subject="seat", scope=NOTEBOOK)
    me.remember("Window seat", subject="seat", scope=NOTEBOOK)
    actor = ActorMention(name="Ben", relationship_note="brother")
    guess = written(
        me.remember("Ben likes boats", scope=NOTEBOOK, actor=actor, origin="model-inferred", label="assistant")
    ).entry.logical_id
    me.inbox.ask(guess)
    asked_about(me, "Plans a trip to Oslo", scope=NOTEBOOK)
    me.remember("I was diagnosed with diabetes last year", scope=NOTEBOOK)
    assert len(me.inbox.questions()) == 4
    other = iris.for_user(tenant="acme", user="ada", consumer="support")
    assert list(other.inbox.questions()) == []
    assert list(other.doubts.waiting()) == []
    assert [one.relationship_notes for one in other.others.mentions()] == [()]
    with pytest.raises(UnknownMemoryError):
        other.inbox.ask(guess)
    assert [one.relationship_notes for one in me.others.mentions()] == [("brother",)]


def test_a_consumer_does_not_learn_whether_a_memory_is_there(iris: Iris, me: PersonMemory) -> None:
    hidden = written(me.remember("Sits at the window", scope=SESSION)).entry.logical_id
    other = iris.for_user(tenant="acme", user="ada", consumer="studio")
    with pytest.raises(UnknownMemoryError):
        other.inbox.promote(hidden, explicit=True)
