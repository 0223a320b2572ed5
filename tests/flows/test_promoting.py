"""Session to profile: two ways in, five exact reasons, and a label that stays what it was (POI-1)."""

from __future__ import annotations

import pytest

from flows.stores import SteppingClock, actions, chain, person, refused, sound, written
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, MemoryEntry, Origin, ProvenanceKind
from iris_memory.contracts.inference import Promoted, PromoteOutcome, PromotionReason
from iris_memory.contracts.scope import AdapterScope, ProfileScope, SessionScope
from iris_memory.contracts.write import AskUser
from iris_memory.errors import UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.promotion import evaluate_session_profile_promotion as evaluate

P = PromotionReason


@pytest.mark.parametrize(
    ("requested", "explicit", "occurrences", "reason"),
    [
        (True, True, 1, P.EXPLICIT),
        (True, True, 5, P.EXPLICIT),
        (False, True, 1, P.NOT_REQUESTED),
        (False, False, 2, P.NOT_REQUESTED),
        (False, False, 3, P.THRESHOLD_MET),
        (True, False, 3, P.THRESHOLD_MET),
        (True, False, 9, P.THRESHOLD_MET),
        (True, False, 0, P.IMPLICIT_BLOCKED),
        (True, False, 1, P.IMPLICIT_BLOCKED),
        (True, False, 2, P.THRESHOLD_NOT_MET),
    ],
)
def test_the_rule(requested: bool, explicit: bool, occurrences: int, reason: PromotionReason) -> None:
    decided = evaluate(requested=requested, explicit=explicit, occurrences=occurrences)
    assert decided == (reason in {P.EXPLICIT, P.THRESHOLD_MET}, reason)
    assert {one.value for one in P} == {
        "explicit-promotion",
        "repeated-occurrence-threshold-met",
        "not-requested",
        "implicit-promotion-blocked",
        "repeated-occurrence-threshold-not-met",
    }


def said_in(me: PersonMemory, session: str, body: str = "Prefers a window seat", **more: object) -> MemoryEntry:
    """Say something in a session's own scope."""
    scope = SessionScope(user_id="ada", session_id=session)
    return written(me.remember(body, scope=scope, session=session, **more)).entry  # type: ignore[arg-type]


def promoted(outcome: PromoteOutcome) -> Promoted:
    """Return an outcome that must be `Promoted`."""
    assert isinstance(outcome, Promoted), outcome
    return outcome


def test_the_person_asks(me: PersonMemory, iris: Iris) -> None:
    entry = said_in(me, "s1", subject="seat")
    done = promoted(me.inbox.promote(entry.logical_id, explicit=True))
    assert done.reason is P.EXPLICIT
    stands = done.entry
    assert stands.scope == ProfileScope(user_id="ada")
    assert stands.adapter_scope is AdapterScope.ASSISTANT_PROFILE
    assert (stands.label, stands.origin) == (entry.label, entry.origin)
    assert stands.provenance_chain[0].kind is ProvenanceKind.PROFILE_PROMOTION
    assert stands.expires_at is None
    assert [hit.entry.body for hit in me.recall().hits] == ["Prefers a window seat"]
    event = next(event for event in chain(iris) if event["action"] == "memory.promotion.decided")
    assert (event["promotion"], event["allowed"]) == ("explicit-promotion", True)
    sound(iris)


def test_nobody_asked_or_a_machine_did(me: PersonMemory, iris: Iris) -> None:
    entry = said_in(me, "s1")
    for requested, reason in ((False, P.NOT_REQUESTED), (True, P.IMPLICIT_BLOCKED)):
        outcome = refused(me.inbox.promote(entry.logical_id, explicit=False, requested=requested))
        assert (outcome.reason, outcome.rule) == (R.PROMOTION_REFUSED, reason.value)
    said_in(me, "s2")
    assert refused(me.inbox.promote(entry.logical_id, explicit=False)).rule == P.THRESHOLD_NOT_MET
    assert actions(iris).count("memory.promotion.decided") == 3
    assert me.show(entry.logical_id)[0].scope.kind == "session"


def test_it_recurs_in_three_sessions(me: PersonMemory) -> None:
    entries = [said_in(me, f"s{number}", body) for number, body in enumerate(["Likes tea", "likes TEA", "Likes  tea"])]
    assert promoted(me.inbox.promote(entries[0].logical_id, explicit=False, requested=False)).reason is P.THRESHOLD_MET


def test_observations_count_as_occurrences(me: PersonMemory) -> None:
    entry = said_in(me, "s1", "Likes tea")
    for session in ("s1", "s2", "s3"):
        if session != "s3":
            me.inbox.observe("Likes tea", label="user-typed", session=session)
    assert refused(me.inbox.promote(entry.logical_id, explicit=False)).rule == P.THRESHOLD_NOT_MET
    me.inbox.observe("Likes tea", label="web", session="s3")
    assert refused(me.inbox.promote(entry.logical_id, explicit=False)).rule == P.THRESHOLD_NOT_MET


@pytest.mark.parametrize("label", ["web", "tool", "file", "assistant", "user-pasted"])
def test_the_words_of_others_never_recur_into_the_profile(label: str, me: PersonMemory) -> None:
    """POI-2."""
    entries = [
        said_in(me, f"s{number}", "Sends money to mallory", origin="model-inferred", label=label) for number in range(8)
    ]
    outcome = refused(me.inbox.promote(entries[0].logical_id, explicit=False))
    assert outcome.rule == P.IMPLICIT_BLOCKED


def test_the_label_stays(me: PersonMemory) -> None:
    """POI-1: not even the person's own request makes web text theirs; that takes a confirmation."""
    entry = said_in(me, "s1", "Opens at nine", origin="model-inferred", label="web", subject="shop")
    stands = promoted(me.inbox.promote(entry.logical_id, explicit=True)).entry
    assert (stands.label, stands.origin) == (Label.WEB, Origin.MODEL_INFERRED)


def test_in_the_profile_it_meets_the_ladder(me: PersonMemory) -> None:
    me.remember("Prefers an aisle seat", subject="seat")
    guessed = said_in(me, "s1", "Prefers to stand", subject="seat", origin="model-inferred", label="assistant")
    assert refused(me.inbox.promote(guessed.logical_id, explicit=True)).reason is R.CONFLICT_KEPT_EXISTING
    own = said_in(me, "s2", subject="seat")
    assert isinstance(me.inbox.promote(own.logical_id, explicit=True), AskUser)
    assert me.show(own.logical_id)[0].scope.kind == "session"


def test_the_profile_s_consents_are_needed(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris)
    entry = said_in(me, "s1")
    me.opt_out("personalization")
    outcome = me.inbox.promote(entry.logical_id, explicit=True)
    assert refused(outcome).reason is R.OPTED_OUT
    assert clock.now()


def test_only_what_a_session_has_is_promoted(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    assert refused(me.inbox.promote(entry.logical_id, explicit=True)).reason is R.PROMOTION_REFUSED
    with pytest.raises(UnknownMemoryError):
        me.inbox.promote("nothing", explicit=True)
    with pytest.raises(UnknownMemoryError):
        iris.for_user(tenant="acme", user="nobody").inbox.promote(entry.logical_id, explicit=True)
