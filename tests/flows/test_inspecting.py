"""Operator inspection through a store (AUT-6 to AUT-9): granted by others, frozen, told before shown, over alone."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from flows.inspecting import (
    ORDINARY,
    PUBLIC,
    SAFETY,
    ada_of,
    as_,
    asked,
    bodies,
    code,
    dsar,
    events,
    granted_incident,
    granted_routine,
    incident,
    page,
    routine,
    signed,
)
from flows.stores import DAY, KEY, SteppingClock, chain, person, sound, written
from iris_memory.contracts.inspection import InspectionRefused
from iris_memory.contracts.scope import NotebookScope
from iris_memory.contracts.write import ActorMention
from iris_memory.errors import ContractError, StoreFullError, UnknownMemoryError
from iris_memory.flows.tend import chores
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

HOUR = timedelta(hours=1)


@pytest.fixture
def ada(iris: Iris) -> PersonMemory:
    return ada_of(iris)


def test_somebody_else_grants_and_the_exact_set_is_told_and_shown(iris: Iris, ada: PersonMemory) -> None:
    waiting = routine(iris)
    assert [step.state.value for step in waiting.trail] == ["requested", "routine-review"]
    assert code(as_(iris, "support").read(waiting.inspection_id)) == "not-granted"
    granted = asked(as_(iris, "admin").approve(waiting.inspection_id))
    assert granted.state.value == "granted"
    assert granted.grant is not None
    assert granted.grant.entries == 2
    assert granted.grant.withheld == {"sensitive-not-asked-for": 2}
    assert granted.grant.expires_at - granted.grant.granted_at == HOUR
    shown = page(as_(iris, "support").read(waiting.inspection_id))
    assert sorted(bodies(shown)) == ["Prefers a window seat on trains", "Works at the harbour"]
    moved = events(iris, "transition")
    assert [event["state"] for event in moved] == ["requested", "routine-review", "granted"]
    ids = [one.frozen.entry_id for one in shown.entries]
    assert moved[-1]["object_ids"] == ids
    assert moved[-1]["policy_id"] == "iris.admin_inspection.state_machine.v1"
    (read,) = events(iris, "read")
    assert read["object_ids"] == ids
    assert (read["actor"], read["role"], read["reason"]) == ("sam", "support", "support-case")
    sound(iris)


def test_what_comes_after_the_grant_is_never_seen(iris: Iris, ada: PersonMemory) -> None:
    granted = granted_routine(iris)
    support = as_(iris, "support")
    before = page(support.read(granted.inspection_id))
    seat = next(one for one in before.entries if one.entry is not None and one.entry.subject == "seat")
    ada.remember("Owns a green bicycle")
    ada.revise(seat.frozen.logical_id, "Prefers an aisle seat on trains")
    again = page(support.read(granted.inspection_id))
    assert again == before, "the revision that was frozen, and nothing new"


def test_the_one_who_asks_never_grants_nor_does_their_line(iris: Iris, ada: PersonMemory) -> None:
    waiting = routine(iris, role="admin")
    assert code(as_(iris, "admin").approve(waiting.inspection_id)) == "self-approval"
    assert code(as_(iris, "legal", "ann").approve(waiting.inspection_id)) == "self-approval", "in another role as well"
    assert code(as_(iris, "support").approve(waiting.inspection_id)) == "role-not-permitted"
    as_(iris, "legal").set_reporting_lines({"ann": "north", "lea": "north", "tom": "south"})
    assert code(as_(iris, "legal").approve(waiting.inspection_id)) == "self-approval"
    assert as_(iris, "admin").show(waiting.inspection_id).state.value == "routine-review", "it still waits"
    assert [event["reason_code"] for event in events(iris, "refused")] == [
        "self-approval",
        "self-approval",
        "role-not-permitted",
        "self-approval",
    ]
    assert asked(as_(iris, "t&s").approve(waiting.inspection_id)).state.value == "granted"


def test_two_others_open_sensitive_memory(iris: Iris, ada: PersonMemory) -> None:
    waiting = asked(incident(iris))
    once = asked(as_(iris, "legal").approve(waiting.inspection_id))
    twice = asked(as_(iris, "legal").approve(waiting.inspection_id))
    assert (once.state.value, len(twice.approvals)) == ("incident-escalation", 1), "the same person is one person"
    granted = asked(as_(iris, "admin").approve(waiting.inspection_id))
    assert bodies(as_(iris, "t&s").read(granted.inspection_id)) == ["Asked for help after threats"]


def test_an_incident_opens_safety_critical_memory_and_no_other_sensitive_one(iris: Iris, ada: PersonMemory) -> None:
    granted = granted_incident(iris, target={"categories": ["safety", "medical"]})
    assert granted.grant is not None
    assert granted.grant.withheld == {"sensitive-category-outside-relevant-context": 1}
    assert bodies(as_(iris, "t&s").read(granted.inspection_id)) == ["Asked for help after threats"]


def test_an_answer_to_the_persons_own_request_reaches_everything(iris: Iris, ada: PersonMemory) -> None:
    ada.remember("Plays the cello with her", actor=ActorMention(name="Anna"))
    waiting = asked(dsar(iris, ada))
    as_(iris, "admin").approve(waiting.inspection_id)
    granted = asked(as_(iris, "t&s").approve(waiting.inspection_id))
    assert granted.grant is not None
    assert (granted.grant.entries, granted.grant.withheld) == (5, {})
    shown = page(as_(iris, "legal").read(granted.inspection_id))
    assert sum(one.entry is not None and one.entry.multi_actor is not None for one in shown.entries) == 1


def test_other_people_are_nobody_outside_a_data_subject_request(iris: Iris, ada: PersonMemory) -> None:
    ada.remember("Plays the cello with her", actor=ActorMention(name="Anna"))
    shown = page(as_(iris, "support").read(granted_routine(iris).inspection_id))
    assert len(shown.entries) == 3
    assert all(one.entry is not None and one.entry.multi_actor is None for one in shown.entries)


@pytest.mark.parametrize(
    ("role", "wish", "expected"),
    [
        ("support", {"target": {"categories": ["medical"]}, "consent": True}, "sensitive-routine-review"),
        ("support", {"target": {**ORDINARY, "include_sensitive": True}}, "consent-not-current"),
        ("support", {"reason": "safety-incident"}, "no-legitimate-interest"),
        ("admin", {"target": {"scope": {"kind": "profile", "user_id": "bob"}}}, "scope-out-of-bounds"),
        ("admin", {"target": {"scope": {"kind": "tenant", "tenant_id": "rival", "user_id": "ada"}}}, "cross-tenant"),
        ("support", {"target": {**ORDINARY, "most": 1}}, "scope-too-wide"),
        ("support", {"path": "dsar-fulfillment", "reason": "data-subject-request"}, "no-legitimate-interest"),
        ("support", {"path": "incident-escalation", "reason": "abuse-report"}, "no-legitimate-interest"),
    ],
)
def test_the_gate_denies_for_good(
    iris: Iris, ada: PersonMemory, role: str, wish: dict[str, object], expected: str
) -> None:
    wish = dict(wish)
    if wish.pop("consent", False):
        wish["consent_snapshot_id"] = as_(iris, role).consent_snapshot("ada")
    waiting = routine(iris, role=role, **wish)
    denied = as_(iris, "legal").approve(waiting.inspection_id)
    assert code(denied) == expected
    assert code(as_(iris, "t&s").approve(waiting.inspection_id)) == "not-waiting"
    assert code(as_(iris, role).read(waiting.inspection_id)) == "not-granted"


@pytest.mark.parametrize("role", ["support", "admin", "legal"])
def test_no_other_role_sees_sensitive_memory_after_an_incident(iris: Iris, ada: PersonMemory, role: str) -> None:
    waiting = asked(incident(iris, role=role))
    denied = as_(iris, "legal", "another").approve(waiting.inspection_id)
    assert code(denied) == "role-not-permitted"


def test_an_incident_needs_a_reference_that_verifies(iris: Iris, ada: PersonMemory, clock: SteppingClock) -> None:
    now = clock.now()
    stranger = Ed25519PrivateKey.from_private_bytes(b"\x06" * 32)
    good = signed(now)
    bad = {
        "none": None,
        "by an unknown key": signed(now, by=stranger),
        "in the name of the known key": signed(now, by=stranger, key_id=good.key_id),
        "about somebody else": signed(now, target="bob"),
        "of another tenant": signed(now, tenant_id="rival"),
        "not yet": signed(now, issued_at=now + HOUR),
        "over": signed(now, issued_at=now - 2 * HOUR, expires_at=now - HOUR),
        "far too long": signed(now, expires_at=now + 31 * DAY),
        "changed afterwards": good.model_copy(update={"incident_id": "INC-8"}),
        "with another's signature": signed(now, signature="00" * 64),
    }
    for what, reference in bad.items():
        waiting = asked(incident(iris, incident=reference))
        assert code(as_(iris, "legal").approve(waiting.inspection_id)) == "no-legitimate-interest", what
    pseudonym = asked(incident(iris)).person
    waiting = asked(incident(iris, incident=signed(now, target=pseudonym)))
    assert asked(as_(iris, "legal").approve(waiting.inspection_id)).state.value == "incident-escalation"
    as_(iris, "legal").revoke_incident_key(good.key_id)
    assert code(as_(iris, "admin").approve(waiting.inspection_id)) == "no-legitimate-interest", "revoked meanwhile"
    assert code(as_(iris, "admin").register_incident_key(PUBLIC.hex(), label="again")) == "not-waiting"
    assert code(as_(iris, "support").register_incident_key(PUBLIC.hex(), label="mine")) == "role-not-permitted"
    with pytest.raises(ContractError):
        as_(iris, "admin").register_incident_key("zz", label="none")


def test_a_grant_ends_by_itself_and_nothing_is_read_after(iris: Iris, ada: PersonMemory, clock: SteppingClock) -> None:
    granted = granted_routine(iris, minutes=30)
    clock.step(timedelta(minutes=29, seconds=59))
    assert bodies(as_(iris, "support").read(granted.inspection_id))
    clock.step()
    assert code(as_(iris, "support").read(granted.inspection_id)) == "grant-expired"
    over = as_(iris, "support").show(granted.inspection_id)
    assert (over.state.value, over.trail[-1].reason, over.trail[-1].actor) == ("closed", "expired", "system")
    for minutes in (0, 24 * 60 + 1):
        with pytest.raises(ContractError):
            routine(iris, minutes=minutes)


def test_a_grant_that_nobody_reads_is_closed_by_the_chores(iris: Iris, ada: PersonMemory, clock: SteppingClock) -> None:
    granted, waiting = granted_routine(iris), routine(iris)
    clock.step(8 * DAY)
    chores(iris.instruments)
    found = {event["inspection"]: event["state"] for event in events(iris, "transition")}
    assert found[granted.inspection_id] == "closed"
    assert found[waiting.inspection_id] == "denied"
    assert code(as_(iris, "support").show(waiting.inspection_id)) == "grant-expired"


def test_a_grant_is_for_the_one_who_asked(iris: Iris, ada: PersonMemory) -> None:
    granted = granted_routine(iris)
    for other in (as_(iris, "admin"), as_(iris, "support", "sue"), as_(iris, "admin", "sam")):
        assert code(other.read(granted.inspection_id)) == "not-the-requester"
    assert code(as_(iris, "support", "sue").close(granted.inspection_id)) == "role-not-permitted"
    done = asked(as_(iris, "support").close(granted.inspection_id))
    assert done.trail[-1].reason == "finished"
    assert code(as_(iris, "support").read(granted.inspection_id)) == "not-granted"


def test_the_kill_switch_stops_everything_at_once(iris: Iris, ada: PersonMemory) -> None:
    granted, waiting = granted_routine(iris), routine(iris)
    assert code(as_(iris, "support").kill_switch(on=True)) == "role-not-permitted"
    assert as_(iris, "legal").kill_switch(on=True).on  # type: ignore[union-attr]
    assert as_(iris, "support").show(granted.inspection_id).trail[-1].reason == "killed"
    assert code(as_(iris, "support").read(granted.inspection_id)) == "kill-switch-on"
    assert code(as_(iris, "admin").approve(waiting.inspection_id)) == "kill-switch-on"
    assert (
        code(
            as_(iris, "support").request(
                "ada", path="routine-review", reason="support-case", reference="c", target=ORDINARY
            )
        )
        == "kill-switch-on"
    )
    as_(iris, "admin").kill_switch(on=False)
    assert as_(iris, "support").kill_switch().on is False  # type: ignore[union-attr]
    assert code(as_(iris, "support").read(granted.inspection_id)) == "not-granted", "what was stopped stays stopped"
    assert asked(as_(iris, "admin").approve(waiting.inspection_id)).state.value == "granted"


def test_consents_that_change_end_a_sensitive_grant(iris: Iris, ada: PersonMemory) -> None:
    waiting = asked(incident(iris))
    ada.consent.grant("personalization", terms="More.")
    assert code(as_(iris, "legal").approve(waiting.inspection_id)) == "consent-not-current"
    granted = granted_incident(iris)
    ada.consent.revoke("personalization")
    assert code(as_(iris, "t&s").read(granted.inspection_id)) == "consent-not-current"
    assert as_(iris, "t&s").show(granted.inspection_id).trail[-1].reason == "consent-changed"
    assert as_(iris, "t&s").pending_user_notices() == [], "nothing was read"


def test_nothing_is_shown_when_its_event_cannot_be_written(
    iris: Iris, ada: PersonMemory, monkeypatch: pytest.MonkeyPatch
) -> None:  # LOG-8
    granted = granted_routine(iris)
    write = iris.instruments.store.write

    def full(work: object, *, durable: bool = True) -> object:
        raise StoreFullError("there is no room left")

    monkeypatch.setattr(iris.instruments.store, "write", full)
    with pytest.raises(StoreFullError):
        as_(iris, "support").read(granted.inspection_id)
    monkeypatch.setattr(iris.instruments.store, "write", write)
    assert events(iris, "read") == []
    assert ada.looked() == []


def test_a_fast_reader_is_stopped_and_told_of(
    iris: Iris, ada: PersonMemory, monkeypatch: pytest.MonkeyPatch, clock: SteppingClock
) -> None:
    monkeypatch.setattr("iris_memory.flows.inspected.PACE_MOST", 5)
    granted, other = granted_routine(iris), granted_routine(iris)
    support = as_(iris, "support")
    assert len(bodies(support.read(granted.inspection_id))) == 2
    assert len(bodies(support.read(other.inspection_id))) == 2
    assert code(support.read(granted.inspection_id)) == "read-rate-exceeded", "over all grants"
    assert code(support.read(granted.inspection_id)) == "read-rate-exceeded"
    told = [alarm.kind.value for alarm in as_(iris, "admin").pending_alarms()]
    assert told == ["read-rate-exceeded"], "once a window"
    assert support.pending_alarms() == [], "alarms go to those who approve"
    clock.step(timedelta(minutes=10))
    assert support.read(granted.inspection_id, limit=1).next_offset == 1  # type: ignore[union-attr]


def test_a_canary_raises_an_alarm_and_the_reader_notices_nothing(iris: Iris, ada: PersonMemory) -> None:
    listed = ada.list().entries
    bait = next(entry for entry in listed if entry.category.value == "work")
    granted = granted_routine(iris)
    plain = as_(iris, "support").read(granted.inspection_id)
    assert as_(iris, "support").pending_alarms() == []
    assert code(as_(iris, "support").set_canaries([bait.id])) == "role-not-permitted"
    for name in (bait.id, bait.logical_id):
        as_(iris, "admin").set_canaries([name])
        assert as_(iris, "support").read(granted.inspection_id) == plain
    alarms = as_(iris, "admin").pending_alarms()
    assert [alarm.kind.value for alarm in alarms] == ["canary-touched", "canary-touched"]
    assert alarms[0].actor == "sam"
    assert {event["severity"] for event in events(iris, "alarm")} == {"critical"}


def test_a_snapshot_is_replayed_exactly_until_it_is_erased_with_proof(
    iris: Iris, ada: PersonMemory, clock: SteppingClock
) -> None:
    granted = granted_incident(iris)
    seen = page(as_(iris, "t&s").read(granted.inspection_id))
    clock.step(2 * HOUR)
    (one,) = seen.entries
    ada.revise(one.frozen.logical_id, "Asked for help after more threats")
    other = as_(iris, "t&s", "tim")
    assert page(other.replay_granted_snapshot(granted.inspection_id)) == seen
    for role in ("support", "admin", "legal"):
        assert code(as_(iris, role).replay_granted_snapshot(granted.inspection_id)) == "role-not-permitted"
    assert [(look.replayed, look.role.value) for look in ada.looked()] == [(True, "t&s"), (False, "t&s")]
    receipt = ada.forget(one.frozen.logical_id, scan=False)
    (gone,) = page(other.replay_granted_snapshot(granted.inspection_id)).entries
    assert gone.entry is None
    assert gone.erased is not None
    assert (gone.erased.receipt_id, gone.frozen) == (receipt.receipt_id, one.frozen)
    assert code(other.replay_granted_snapshot(routine(iris).inspection_id)) == "not-granted"


def test_erasing_the_person_leaves_pseudonymised_proof_alone(iris: Iris, ada: PersonMemory, folder: Path) -> None:
    granted = granted_incident(iris)
    as_(iris, "t&s").read(granted.inspection_id)
    receipt = ada.erase(scan=False)
    assert receipt is not None
    left = as_(iris, "t&s").show(granted.inspection_id)
    assert (left.target, left.incident) == (None, None)
    assert '"ada"' not in left.model_dump_json()
    assert as_(iris, "t&s").pending_user_notices() == []
    assert code(as_(iris, "t&s").read(granted.inspection_id)) == "subject-erased"
    assert as_(iris, "t&s").show(granted.inspection_id).trail[-1].reason == "subject-erased"
    (gone,) = page(as_(iris, "t&s", "tim").replay_granted_snapshot(granted.inspection_id)).entries
    assert gone.entry is None
    assert gone.erased is not None
    assert gone.erased.receipt_id == receipt.receipt_id
    assert person(iris).looked() == [], "who comes after is somebody new"
    sound(iris)


def test_no_word_of_a_memory_reaches_a_record_or_the_chain(iris: Iris, ada: PersonMemory) -> None:
    granted = granted_incident(iris)
    as_(iris, "t&s").read(granted.inspection_id)
    for event in chain(iris):
        text = json.dumps(event)
        assert "threats" not in text
        assert not any(part == "ada" for part in event.values()), "the person by their pseudonym"
        assert "profile:ada" not in text
    for line in (one.model_dump_json() for one in as_(iris, "legal").list()):
        assert "threats" not in line


def test_another_tenant_and_nobody_look_the_same(iris: Iris, ada: PersonMemory) -> None:  # AUT-4
    granted = granted_routine(iris)
    person(iris, tenant="rival")
    rival = as_(iris, "admin", tenant="rival")
    said = set()
    for name in (granted.inspection_id, "0" * 36):
        for act in (rival.approve, rival.deny, rival.close, rival.show, rival.read, rival.replay_granted_snapshot):
            with pytest.raises(UnknownMemoryError) as found:
                act(name)
            said.add(str(found.value))
    with pytest.raises(UnknownMemoryError) as found:
        rival.request("nobody known", path="routine-review", reason="support-case", reference="c", target=ORDINARY)
    said.add(str(found.value))
    assert len(said) == 1
    assert rival.list() == []


def test_a_grant_survives_the_process_and_is_the_same_in_another(
    iris: Iris, ada: PersonMemory, folder: Path, clock: SteppingClock
) -> None:
    granted = granted_routine(iris)
    seen = page(as_(iris, "support").read(granted.inspection_id))
    with Iris.open(folder, key=KEY, clock=clock, tended=False) as other:
        assert page(as_(other, "support").read(granted.inspection_id)) == seen
        assert isinstance(as_(other, "admin").read(granted.inspection_id), InspectionRefused)


def test_memory_named_by_id_that_is_not_there_is_counted_and_not_told_apart(iris: Iris, ada: PersonMemory) -> None:
    bob = person(iris, "bob")
    theirs = written(bob.remember("Likes chess")).entry.logical_id
    mine = next(entry for entry in ada.list().entries if entry.category.value == "work").logical_id
    granted = granted_routine(iris, target={"logical_ids": [mine, theirs, "0" * 36]})
    assert granted.grant is not None
    assert (granted.grant.entries, granted.grant.withheld) == (1, {"unknown-id": 2})


def test_scopes_that_operators_may_not_inspect_stay_shut(iris: Iris, ada: PersonMemory) -> None:
    ada.remember("Chapter one is finished", scope=NotebookScope(user_id="ada", notebook_id="novel"))
    granted = granted_routine(iris, target={"adapter_scopes": ["notebook", "assistant_profile"]})
    assert granted.grant is not None
    assert granted.grant.withheld["scope-not-inspectable"] == 1
    assert "Chapter one is finished" not in bodies(as_(iris, "support").read(granted.inspection_id))


def test_a_target_is_explicit(iris: Iris, ada: PersonMemory) -> None:
    for target in (
        {},
        {"most": 5},
        {"include_sensitive": True},
        {"logical_ids": ["a"], **SAFETY},
        {**ORDINARY, "most": 10_001},
    ):
        with pytest.raises(ContractError):
            routine(iris, target=target or {"most": 1})
