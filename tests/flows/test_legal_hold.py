"""DSR-7: no path destroys what a legal hold keeps; restriction goes on; release resumes the erasure by itself."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.stores import (
    DAY,
    SteppingClock,
    asked,
    bodies,
    open_store,
    person,
    refused,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.bridge import Turn, TurnRole
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.rights import HoldRefusal, HoldRefused, HoldState, LegalHold, RightsRefused, RightsState
from iris_memory.contracts.write import ActorMention
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows import tend
from iris_memory.front.bridge import create_memory_bridge
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk
from iris_memory.ports.rows import RecordKind


@pytest.fixture
def desk(iris: Iris) -> RightsDesk:
    return iris.rights_desk("acme")


def in_force(
    desk: RightsDesk, clock: SteppingClock, *, days: int = 365, user: str = "ada", **target: object
) -> LegalHold:
    """Place a hold and have it confirmed by somebody else."""
    placed = desk.place_hold(
        user=user,
        actor="op-1",
        reference="case 1",
        reason="a court asked",
        expires_at=clock.now() + days * DAY,
        **target,  # type: ignore[arg-type]
    )
    held = desk.confirm_hold(placed.hold_id, actor="op-2")
    assert isinstance(held, LegalHold)
    return held


def why(done: object) -> HoldRefusal:
    assert isinstance(done, HoldRefused), done
    return done.reason


# --- the hold itself -------------------------------------------------------------------------------------------------


def test_two_people_a_review_and_an_end(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    placed = desk.place_hold(
        user="ada", actor="op-1", reference="case 1", reason="x", expires_at=clock.now() + 200 * DAY, logical_ids=[tea]
    )
    assert (placed.state, placed.review_at) == (HoldState.PLACED, clock.now() + 90 * DAY)
    assert me.rights.holds() == []
    assert why(desk.review_hold(placed.hold_id, actor="op-2", review_at=clock.now() + DAY)) is HoldRefusal.NOT_IN_FORCE
    assert why(desk.confirm_hold(placed.hold_id, actor="op-1")) is HoldRefusal.SELF_CONFIRMATION
    held = desk.confirm_hold(placed.hold_id, actor="op-2")
    assert isinstance(held, LegalHold)
    assert (held.state, held.confirmed_by) == (HoldState.IN_FORCE, "op-2")
    assert why(desk.confirm_hold(placed.hold_id, actor="op-3")) is HoldRefusal.NOT_WAITING
    assert me.rights.holds() == [held]
    reviewed = desk.review_hold(placed.hold_id, actor="op-3", review_at=clock.now() + 150 * DAY)
    assert isinstance(reviewed, LegalHold)
    with pytest.raises(ContractError):
        desk.review_hold(placed.hold_id, actor="op-3", review_at=clock.now() + 201 * DAY)
    released = desk.release_hold(placed.hold_id, actor="op-3")
    assert isinstance(released, LegalHold)
    assert released.state is HoldState.RELEASED
    assert why(desk.release_hold(placed.hold_id, actor="op-3")) is HoldRefusal.ALREADY_OVER
    with pytest.raises(UnknownMemoryError):
        desk.release_hold("no-such-hold", actor="op-3")


def test_an_unconfirmed_hold_holds_nothing(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    desk.place_hold(user="ada", actor="op-1", reference="c", reason="x", expires_at=clock.now() + DAY)
    assert me.forget(tea, scan=False).memories == 1


@pytest.mark.parametrize(("review", "ends"), [(-1, 5), (0, 5), (6, 5), (None, 0), (None, -1)])
def test_a_hold_has_sensible_dates(
    me: PersonMemory, desk: RightsDesk, clock: SteppingClock, review: int | None, ends: int
) -> None:
    with pytest.raises(ContractError):
        desk.place_hold(
            user="ada",
            actor="op-1",
            reference="c",
            reason="x",
            review_at=clock.now() + review * DAY if review is not None else None,
            expires_at=clock.now() + ends * DAY,
        )


def test_a_sealed_hold_is_not_seen_and_still_counts(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    held = in_force(desk, clock, is_sealed=True)
    assert me.rights.holds() == []
    assert desk.holds() == [held]
    assert me.forget(tea, scan=False).reached["held"] == 1
    request = me.rights.submit("access")
    desk.sign_off(request.request_id, "operator-signoff", actor="op-0")
    desk.fulfil(request.request_id, actor="op-0")
    told = me.rights.answer(request.request_id)
    assert not isinstance(told, RightsRefused)
    assert (told.holds, told.holdings["records: legal-hold"]) == ((), 0)


def test_a_hold_on_nobody_is_refused(desk: RightsDesk, clock: SteppingClock) -> None:
    with pytest.raises(UnknownMemoryError):
        in_force(desk, clock, user="nobody")


# --- what it keeps, and what happens when it ends --------------------------------------------------------------------


def test_a_forget_leaves_what_is_held_and_the_release_resumes_it(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    gin = written(me.remember("Likes gin", category="preference")).entry.logical_id
    held = in_force(desk, clock, logical_ids=[tea])
    preview = me.preview_forget(category="preference")
    receipt = me.forget(category="preference", scan=False)
    assert (preview.memories, preview.reached) == (receipt.memories, receipt.reached)
    assert (receipt.memories, receipt.reached["held"]) == (1, 1)
    assert "legal hold" in receipt.stays[-1]
    assert [entry.logical_id for entry in me.list().entries] == [tea]
    assert gin not in {entry.logical_id for entry in me.list().entries}
    assert bodies(me, "tea") == [], "what is to be forgotten is not recalled while it waits"
    assert me.forget(tea, scan=False).memories == 0
    desk.release_hold(held.hold_id, actor="op-9")
    assert remembered(me) == set()
    last = iris.receipts(tenant="acme")[-1]
    assert last.memories == 1
    again = refused(me.remember("Likes tea"))
    assert again.reason is RefusalReason.FORGOTTEN_BEFORE
    sound(iris)


def test_an_expired_hold_resumes_in_the_sweep(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    tea = written(me.remember("Likes tea")).entry.logical_id
    in_force(desk, clock, days=10)
    me.forget(tea, scan=False)
    clock.step(10 * DAY - timedelta(seconds=1))
    tend.hourly(iris.instruments)
    assert remembered(me) == {"Likes tea"}
    clock.step()
    tend.hourly(iris.instruments)
    assert remembered(me) == set()
    assert [hold.state for hold in desk.holds()] == [HoldState.EXPIRED]
    sound(iris)


def test_two_holds_are_two(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    first, second = in_force(desk, clock, logical_ids=[tea]), in_force(desk, clock, categories=["preference"])
    me.forget(tea, scan=False)
    desk.release_hold(first.hold_id, actor="op-9")
    assert remembered(me) == {"Likes tea"}
    desk.release_hold(second.hold_id, actor="op-9")
    assert remembered(me) == set()


@pytest.mark.parametrize("whole", [True, False])
def test_an_erasure_waits_and_ends_by_itself(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock, whole: bool
) -> None:
    me.consent.grant("category:medical", terms="x")
    written(me.remember("Likes tea", category="preference"))
    pill = written(me.remember("Takes statins", category="medical")).entry.logical_id
    held = in_force(desk, clock) if whole else in_force(desk, clock, categories=["medical"])
    receipt = me.erase(scan=False)
    assert receipt is not None
    assert receipt.reached["held"] == (2 if whole else 1)
    assert pill in {entry.logical_id for entry in me.list().entries}
    assert me.consent.active(), "the ledger waits with them"
    desk.release_hold(held.hold_id, actor="op-9")
    assert iris.instruments.people.find("acme", "ada") is None
    assert me.list().total == 0
    sound(iris)


def test_a_whole_hold_keeps_a_person_without_memories(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    held = in_force(desk, clock)
    me.erase(scan=False)
    assert iris.instruments.people.find("acme", "ada") is not None
    desk.release_hold(held.hold_id, actor="op-9")
    assert iris.instruments.people.find("acme", "ada") is None


def records_beside(iris: Iris) -> set[RecordKind]:
    known = iris.instruments.people.find("acme", "ada")
    assert known is not None
    kinds = (RecordKind.TURN_TEXT, RecordKind.IDEMPOTENCY, RecordKind.MENTION)
    with iris.instruments.store.read() as reading:
        return {kind for kind in kinds if list(reading.records("acme", known.person, kind))}


def sealed_beside(iris: Iris) -> dict[int, bytes]:
    known = iris.instruments.people.find("acme", "ada")
    assert known is not None
    with iris.instruments.store.read() as reading:
        slots = [
            row.slot
            for kind in (RecordKind.TURN_TEXT, RecordKind.MENTION)
            for row in reading.records("acme", known.person, kind)
        ]
    return dict(iris.instruments.vault.open_slots(known.subject, [slot for slot in slots if slot]))


@pytest.mark.parametrize("with_memories", [True, False])
def test_a_whole_hold_keeps_what_lies_beside_the_memories_until_it_ends(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock, with_memories: bool
) -> None:
    tea = me.remember("Anna likes tea", actor=ActorMention(name="Anna"), idempotency_key="once")
    bridge = create_memory_bridge(iris, tenant="acme", user="ada", session="monday")
    bridge.append(Turn(turn_id="t1", sequence=1, role=TurnRole.USER, text="Ask Anna about the flat"))
    if not with_memories:
        me.forget(written(tea).entry.logical_id, scan=False)
    before, sealed = records_beside(iris), sealed_beside(iris)
    assert {RecordKind.TURN_TEXT, RecordKind.MENTION} <= before
    assert sealed
    held = in_force(desk, clock)
    clock.step(DAY)
    me.forget(everything=True, scan=False)
    assert records_beside(iris) == before
    assert sealed_beside(iris) == sealed
    clock.step(DAY)
    bridge.append(Turn(turn_id="t2", sequence=2, role=TurnRole.USER, text="The door is blue"))
    known = iris.instruments.people.find("acme", "ada")
    assert known is not None
    desk.release_hold(held.hold_id, actor="op-9")
    assert records_beside(iris) == {RecordKind.TURN_TEXT}, "what was said after the forget stays"
    assert iris.instruments.vault.open_slots(known.subject, list(sealed)) == {}
    sound(iris)


def test_forgetting_everything_ends_what_only_a_category_hold_lies_on_beside(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    written(
        me.remember("Anna likes tea", category="preference", actor=ActorMention(name="Anna"), idempotency_key="once")
    )
    in_force(desk, clock, categories=["preference"])
    me.forget(everything=True, scan=False)
    assert records_beside(iris) == set()


def test_a_draft_takes_over_from_what_is_held_and_forgotten(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    window = written(me.remember("Prefers the window", category="preference", subject="seat")).entry.logical_id
    asked(me.remember("Prefers the aisle", category="preference", subject="seat"))
    held = in_force(desk, clock, logical_ids=[window])
    me.forget(window, scan=False)
    assert bodies(me, "seat aisle window") == ["Prefers the aisle"]
    assert list(me.questions()) == []
    desk.release_hold(held.hold_id, actor="op-9")
    assert remembered(me) == {"Prefers the aisle"}
    sound(iris)


def test_two_wishes_for_the_whole_person_are_one_erasure(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    written(me.remember("Likes tea"))
    held = in_force(desk, clock)
    me.erase(scan=False)
    me.erase(scan=False)
    me.forget(everything=True, scan=False)
    desk.release_hold(held.hold_id, actor="op-9")
    assert iris.instruments.people.find("acme", "ada") is None
    sound(iris)


def test_restriction_is_not_blocked(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    written(me.remember("Likes tea", category="preference"))
    in_force(desk, clock)
    request = me.rights.submit("restrict", categories=["preference"])
    me.rights.verify(request.request_id)
    desk.fulfil(request.request_id, actor="op-1")
    assert bodies(me, "tea") == []
    assert remembered(me) == {"Likes tea"}


def test_a_deletion_under_a_hold_is_granted_in_part(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    written(me.remember("Likes gin", category="preference"))
    held = in_force(desk, clock, logical_ids=[tea])
    request = me.rights.submit("delete", categories=["preference"])
    desk.sign_off(request.request_id, "operator-signoff", actor="op-0")
    reach = me.rights.reach(request.request_id)
    assert (reach.memories, reach.reached["held"]) == (1, 1)
    assert remembered(me) == {"Likes tea", "Likes gin"}, "counted, not done"
    done = desk.fulfil(request.request_id, actor="op-1")
    assert not isinstance(done, RightsRefused)
    assert done.state is RightsState.COMPLETED
    assert done.result is not None
    assert done.result.counts == {"memories": 1, "held": 1}
    assert done.denial is not None
    assert [item.item for item in done.denial.items] == [tea]
    desk.release_hold(held.hold_id, actor="op-9")
    assert remembered(me) == set()


def test_what_is_said_under_a_hold_is_held_too(me: PersonMemory, desk: RightsDesk, clock: SteppingClock) -> None:
    in_force(desk, clock, categories=["preference"])
    tea = written(me.remember("Likes tea", category="preference")).entry.logical_id
    me.revise(tea, category="fact")
    assert me.forget(tea, scan=False).reached["held"] == 1, "an earlier revision was of the category"


def test_a_draft_under_a_hold_is_not_let_go(
    me: PersonMemory, desk: RightsDesk, iris: Iris, clock: SteppingClock
) -> None:
    written(me.remember("Prefers the window", category="preference", subject="seat"))
    waiting = asked(me.remember("Prefers the aisle", category="preference", subject="seat"))
    held = in_force(desk, clock, logical_ids=[waiting.question_id])
    clock.step(31 * DAY)
    tend.hourly(iris.instruments)
    assert "Prefers the aisle" in remembered(me)
    events = len(list(iris.export_audit(tenant="acme")))
    tend.hourly(iris.instruments)
    assert len(list(iris.export_audit(tenant="acme"))) == events, "it is asked for once"
    desk.release_hold(held.hold_id, actor="op-9")
    assert remembered(me) == {"Prefers the window"}


# --- the property ----------------------------------------------------------------------------------------------------


def _all_of_a_category(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    for category in ("preference", "medical", "work"):
        me.forget(category=category, scan=False)


def _each_by_id(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    for entry in me.list(limit=100).entries:
        me.forget(entry.logical_id, scan=False)


def _everything(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    me.forget(everything=True, scan=False)


def _erase(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    me.erase(scan=False)


def _withdraw(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    if "category:medical" in me.consent.active():
        me.consent.revoke("category:medical")


def _forget_mentions(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    for mention in me.others.mentions():
        me.others.forget_mentions(mention.handle, scan=False)


def _sweep(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    clock.step(40 * DAY)
    tend.hourly(iris.instruments)


def _answer_against(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    for question in me.questions():
        me.answer(question.question_id, "keep", digest=question.digest)


def _delete_request(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    desk = iris.rights_desk("acme")
    request = me.rights.submit("delete", categories=["preference", "medical", "work"])
    desk.sign_off(request.request_id, "court-order", actor="op-0")
    desk.fulfil(request.request_id, actor="op-0")


def _forget_source(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    me.inbox.forget_source("direct")


def _roll_back(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    me.inbox.roll_back(clock.now() - 300 * DAY)


DEEDS: list[Callable[[PersonMemory, Iris, SteppingClock], None]] = [
    _all_of_a_category,
    _each_by_id,
    _everything,
    _erase,
    _withdraw,
    _forget_mentions,
    _sweep,
    _answer_against,
    _delete_request,
    _forget_source,
    _roll_back,
]
TARGETS = ["ids", "category", "scope", "whole"]


def _filled(iris: Iris) -> PersonMemory:
    me = person(iris, consents=("category:medical", "multi_actor_sensitive"))
    written(me.remember("Likes tea", category="preference"))
    written(me.remember("Prefers the window", category="preference", subject="seat"))
    asked(me.remember("Prefers the aisle", category="preference", subject="seat"))
    written(me.remember("Takes statins", category="medical"))
    written(me.remember("Works with Anna", category="work", actor=ActorMention(name="Anna")))
    written(
        me.remember("Is in a hurry", category="work", session="monday", expires_at=iris.instruments.clock.now() + DAY)
    )
    return me


@settings(max_examples=10)
@given(
    target=st.sampled_from(TARGETS),
    deeds=st.lists(st.sampled_from(DEEDS), min_size=1, max_size=4),
    picked=st.sets(st.integers(0, 5), min_size=1, max_size=3),
)
def test_no_path_destroys_what_is_held(
    target: str, deeds: list[Callable[[PersonMemory, Iris, SteppingClock], None]], picked: set[int]
) -> None:
    clock = SteppingClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "s", clock=clock, audit_durability="default") as iris,
    ):
        me = _filled(iris)
        entries = sorted(me.list(limit=100).entries, key=lambda entry: entry.logical_id)
        assert len(entries) == 6
        names = {
            "ids": {entries[place].logical_id for place in picked},
            "category": {entry.logical_id for entry in entries if entry.category == "preference"},
            "scope": {entry.logical_id for entry in entries},
            "whole": {entry.logical_id for entry in entries},
        }[target]
        named = {
            "ids": {"logical_ids": sorted(names)},
            "category": {"categories": ["preference"]},
            "scope": {"scopes": ["assistant_profile"]},
            "whole": {},
        }[target]
        desk = iris.rights_desk("acme")
        held = in_force(desk, clock, **named)
        for deed in deeds:
            deed(me, iris, clock)
            assert names <= {entry.logical_id for entry in me.list(limit=100).entries}, deed.__name__
            for name in names:
                assert me.history(name), "its words can still be read"
        desk.release_hold(held.hold_id, actor="op-9")
        if _erase in deeds:
            assert iris.instruments.people.find("acme", "ada") is None
        elif _everything in deeds or _each_by_id in deeds:
            assert me.list().total == 0
        sound(iris, "acme")
