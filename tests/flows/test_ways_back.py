"""Everything from one source goes; a person's memory goes back to an instant (POI-9)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import SteppingClock, actions, bodies, refused, remembered, sound, written
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.inference import Observed
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

PAGE = "https://mallory.example/“tips”?a=1"
HOUR = timedelta(hours=1)


def from_page(me: PersonMemory, body: str, ref: str = PAGE, **more: object) -> str:
    """Remember something from a page; return its id."""
    from iris_memory.contracts.write import Statement

    at = me.inbox._instruments.clock.now()
    link = ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref=ref, captured_at=at, label=Label.WEB)
    statement = Statement(body=body, origin=Origin.MODEL_INFERRED, label=Label.WEB, provenance=(link,), **more)  # type: ignore[arg-type]
    return written(me.remember(statement)).entry.logical_id


def test_everything_from_a_source_goes(me: PersonMemory, iris: Iris) -> None:
    from_page(me, "Opens at nine")
    from_page(me, "Opens at noon", ref=PAGE + "x")
    me.remember(f"Reads {PAGE}")
    receipt = me.inbox.forget_source(PAGE)
    assert (receipt.memories, receipt.reason) == (1, "source-forgotten")
    assert remembered(me) == {"Opens at noon", f"Reads {PAGE}"}
    again = me.remember("Opens at nine", origin="model-inferred", label="web")
    assert refused(again).reason is R.FORGOTTEN_BEFORE, "read again, it does not come back"
    sound(iris)


def test_the_person_s_own_words_stay_though_they_took_its_place(me: PersonMemory) -> None:
    entry = from_page(me, "Opens at nine", subject="shop")
    assert written(me.remember("Opens at eight", subject="shop")).entry.logical_id == entry
    assert me.inbox.forget_source(PAGE).memories == 0
    assert remembered(me) == {"Opens at eight"}


def test_a_session_is_a_source(me: PersonMemory) -> None:
    me.remember("Said in the one", session="s1")
    me.remember("Said in the other", session="s2")
    for session in ("s1", "s2"):
        me.inbox.observe("Likes tea", label="user-typed", session=session)
    me.inbox.forget_source("s1")
    assert remembered(me) == {"Said in the other"}
    counted = me.inbox.observe("Likes tea", label="user-typed", session="s3")
    assert isinstance(counted, Observed)
    assert counted.sessions == 2, "what was observed in it counts no more"


def test_a_source_of_nothing_is_a_receipt_of_nothing(me: PersonMemory, iris: Iris) -> None:
    assert me.inbox.forget_source("nowhere").memories == 0
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="nobody").inbox.forget_source("nowhere")


def test_back_to_an_instant(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    kept = written(me.remember("Walks to work", subject="way")).entry
    changed = written(me.remember("Likes tea", subject="drink", category="preference")).entry
    clock.step(HOUR)
    noon = clock.now()
    clock.step(HOUR)
    me.revise(changed.logical_id, "Likes gin")
    me.revise(changed.logical_id, "Likes rum", category="fact")
    from_page(me, "Opens at nine")
    me.remember("Said since")
    done = me.inbox.roll_back(noon)
    assert (done.receipt.memories, done.receipt.reason, done.restored) == (2, "rolled-back", 1)
    assert remembered(me) == {"Walks to work", "Likes tea"}
    stands = me.show(changed.logical_id)[0]
    assert (stands.revision, stands.category, stands.subject) == (4, "preference", "drink")
    assert me.show(kept.logical_id)[0] == kept
    assert [entry.body for entry in me.history(changed.logical_id)][-1] == "Likes tea"
    assert set(bodies(me)) == {"Walks to work", "Likes tea"}
    assert "memory.rolled-back" in actions(iris)
    sound(iris)


def test_the_label_goes_back_with_the_words(me: PersonMemory, clock: SteppingClock) -> None:
    entry = from_page(me, "Opens at nine", subject="shop")
    noon = clock.step(HOUR)
    clock.step(HOUR)
    me.remember("Opens at eight", subject="shop")
    me.inbox.roll_back(noon)
    stands = me.show(entry)[0]
    assert (stands.body, stands.label, stands.origin) == ("Opens at nine", Label.WEB, Origin.MODEL_INFERRED)


def test_what_is_rolled_back_needs_a_time_and_a_person(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    with pytest.raises(ContractError, match="time zone"):
        me.inbox.roll_back(clock.now().replace(tzinfo=None))
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="nobody").inbox.roll_back(clock.now())
    me.remember("Likes tea")
    assert me.inbox.roll_back(clock.now() + HOUR).receipt.memories == 0
    assert remembered(me) == {"Likes tea"}


def test_a_correction_that_takes_a_taken_slot_asks(me: PersonMemory, iris: Iris) -> None:
    """A known hole: correcting a memory into another's slot went around the ladder."""
    seat = written(me.remember("Prefers a window seat", subject="seat")).entry
    other = written(me.remember("Prefers to stand", subject="tram")).entry
    outcome = me.revise(other.logical_id, subject="seat")
    assert outcome.outcome == "ask-user"
    assert me.show(other.logical_id)[0] == other, "it stays as it was"
    (question,) = me.inbox.questions()
    assert (question.was, question.new) == ("Prefers a window seat", "Prefers to stand")
    me.inbox.answer(question.question_id, "keep", digest=question.digest)
    assert me.show(seat.logical_id)[0] == seat
    sound(iris)


def test_a_guess_that_is_moved_into_a_stated_slot_is_refused(me: PersonMemory) -> None:
    me.remember("Prefers a window seat", subject="seat")
    guess = written(me.remember("Prefers to stand", subject="tram", origin="model-inferred", label="assistant")).entry
    outcome = refused(me.revise(guess.logical_id, subject="seat"))
    assert (outcome.reason, outcome.rule) == (R.CONFLICT_KEPT_EXISTING, "explicit-user-trumps-inferred")
    assert me.show(guess.logical_id)[0].subject == "tram"


def test_a_correction_in_its_own_slot_is_one(me: PersonMemory) -> None:
    seat = written(me.remember("Prefers a window seat", subject="seat")).entry
    assert me.revise(seat.logical_id, "Prefers an aisle seat").outcome == "written"
    assert me.revise(seat.logical_id, subject="seats").outcome == "written"
