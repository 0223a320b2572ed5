"""Operator inspection over HTTP: roles from the token, others grant, the frozen set alone, the person's own log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from http_world import World, remembered

from flows.inspecting import PUBLIC, signed
from iris_memory.access.issuers import Role
from iris_memory.access.tokens import Holder
from words import stands_in

pytestmark = pytest.mark.enable_socket
INSPECTIONS = "/v1/inspections"
RULES = "/v1/inspection-rules"


def wish(user: str, **changes: Any) -> dict[str, Any]:
    return {
        "of_user": user,
        "path": "routine-review",
        "reason": "support-case",
        "reference": "CASE-1",
        "target": {"categories": ["preference"]},
        **changes,
    }


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.ASSISTANT, Role.AUDITOR])
def test_nobody_but_operators_opens_it(world: World, role: Role) -> None:
    client = world.as_(f"no-operator-{role.name}", roles=[role])
    for answer in (client.get(INSPECTIONS), client.post(INSPECTIONS, json=wish("x")), client.get(f"{RULES}/pending")):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")
    hidden = client.get(f"{INSPECTIONS}/anything")
    assert (hidden.status_code, hidden.json()["code"]) == (403, "not-permitted"), "whether it is one or not"


def test_a_routine_review_from_request_to_the_persons_log(world: World) -> None:
    me = world.consenting("iona")
    remembered(me, "Prefers a window seat", category="preference")
    sam, ann, zoe = (
        world.as_(name, roles=[role])
        for name, role in (("sam", Role.SUPPORT), ("ann", Role.ADMIN), ("zoe", Role.SUPPORT))
    )
    waiting = sam.post(INSPECTIONS, json=wish("iona")).json()
    where = f"{INSPECTIONS}/{waiting['inspection_id']}"
    own = sam.post(f"{where}/steps", json={"step": "approve"})
    assert (own.status_code, own.json()["code"]) == (403, "role-not-permitted")
    assert sam.post(f"{where}/read", json={}).status_code == 409
    granted = ann.post(f"{where}/steps", json={"step": "approve"}).json()
    assert granted["state"] == "granted"
    assert ann.post(f"{where}/read", json={}).json()["code"] == "not-the-requester"
    assert zoe.post(f"{where}/read", json={}).status_code == 403
    shown = sam.post(f"{where}/read", json={"limit": 20}).json()
    assert [one["entry"]["body"] for one in shown["entries"]] == ["Prefers a window seat"]
    told = me.get("/v1/access-log").json()
    assert told["notices"] == [], "an ordinary look is in the log alone"
    (look,) = told["entries"]
    assert (look["role"], look["reason"], len(look["logical_ids"])) == ("support", "support-case", 1)
    assert not stands_in("sam", str(look))
    assert sam.post(f"{where}/steps", json={"step": "close"}).json()["state"] == "closed"
    assert ann.get(f"{RULES}/report").json()["reads"] >= 1


def test_another_tenants_operator_finds_nothing(world: World) -> None:
    world.consenting("ivor")
    name = world.as_("sam", roles=[Role.SUPPORT]).post(INSPECTIONS, json=wish("ivor")).json()["inspection_id"]
    rival = world.as_("rita", tenant="rival", roles=[Role.ADMIN])
    absent = rival.get(f"{INSPECTIONS}/never")
    for answer in (
        rival.get(f"{INSPECTIONS}/{name}"),
        rival.post(f"{INSPECTIONS}/{name}/steps", json={"step": "approve"}),
        rival.post(f"{INSPECTIONS}/{name}/read", json={}),
        rival.post(f"{INSPECTIONS}/{name}/replay", json={}),
        rival.post(INSPECTIONS, json=wish("ivor")),
    ):
        assert (answer.status_code, answer.content) == (404, absent.content)
    assert rival.get(INSPECTIONS).json() == {"inspections": [], "total": 0, "next_cursor": None}


def test_an_incident_by_break_glass_is_reviewed(world: World) -> None:
    me = world.consenting("ines", "category:safety")
    remembered(me, "Asked for help after threats", category="safety")
    tom, lea = world.as_("tom", roles=[Role.TRUST_AND_SAFETY]), world.as_("lea", roles=[Role.LEGAL])
    key = {"public_key": PUBLIC.hex(), "label": "incident desk"}
    assert lea.post(f"{RULES}/incident-keys", json=key).status_code == 201
    head = tom.get(f"{RULES}/consent-snapshot", params={"of_user": "ines"}).json()["consent_snapshot_id"]
    now = world.iris.instruments.clock.now()
    glass = wish(
        "ines",
        path="incident-escalation",
        reason="safety-incident",
        reference="INC-7",
        target={"categories": ["safety"]},
        consent_snapshot_id=head,
        incident=signed(now - timedelta(minutes=1), target="ines").model_dump(mode="json"),
        break_glass=True,
    )
    granted = tom.post(INSPECTIONS, json=glass).json()
    assert granted["state"] == "granted", granted
    where = f"{INSPECTIONS}/{granted['inspection_id']}"
    assert len(tom.post(f"{where}/read", json={}).json()["entries"]) == 1
    pending = lea.get(f"{RULES}/pending").json()
    assert granted["inspection_id"] in {one["inspection_id"] for one in pending["reviews"]}
    assert "break-glass" in {alarm["kind"] for alarm in pending["alarms"]}
    assert "ines" in {notice["user_id"] for notice in pending["notices"]}
    assert lea.post(f"{where}/steps", json={"step": "review"}).status_code == 422
    done = lea.post(f"{where}/steps", json={"step": "review", "verdict": "justified"}).json()
    assert done["review"]["verdict"] == "justified"


def test_a_token_with_several_roles_names_one_and_never_another(world: World) -> None:
    both = world.as_("bo", roles=[Role.SUPPORT, Role.ADMIN])
    assert both.get(INSPECTIONS).status_code == 422
    assert both.get(INSPECTIONS, params={"as_role": "admin"}).status_code == 200
    assert both.get(INSPECTIONS, params={"as_role": "legal"}).status_code == 403


def test_opening_and_granting_need_a_fresh_sign_in(world: World) -> None:
    import httpx

    token = world.tokens.mint(Holder("acme", "stale", roles=frozenset({Role.ADMIN})))
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=world.address, headers=headers, timeout=60, verify=False) as stale:
        assert stale.get(INSPECTIONS).status_code == 200
        for path, body in (
            ("", wish("x")),
            ("/any/steps", {"step": "approve"}),
            ("/any/read", {}),
            ("/any/replay", {}),
        ):
            answer = stale.post(f"{INSPECTIONS}{path}", json=body)
            assert (answer.status_code, answer.json()["code"]) == (401, "step-up-needed")


def test_anybody_who_approves_stops_at_once_and_only_the_freshly_signed_in_let_it_go_on(world: World) -> None:
    import httpx

    ann = world.as_("ann", tenant="stopping", roles=[Role.ADMIN])
    token = world.tokens.mint(Holder("stopping", "stale", roles=frozenset({Role.ADMIN})))
    with httpx.Client(base_url=world.address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as stale:
        assert stale.post(f"{RULES}/kill-switch", json={"on": True}).json()["on"] is True
        answer = stale.post(f"{RULES}/kill-switch", json={"on": False})
        assert (answer.status_code, answer.json()["code"]) == (401, "step-up-needed")
        assert "max_age" in answer.headers["www-authenticate"]
    assert ann.get(f"{RULES}/kill-switch").json()["on"] is True
    assert ann.post(f"{RULES}/kill-switch", json={"on": False}).json()["on"] is False


def test_rules_are_changed_one_at_a_time_and_shown_to_those_who_approve(world: World) -> None:
    ann = world.as_("ann", tenant="ruling", roles=[Role.ADMIN])
    sam = world.as_("sam", tenant="ruling", roles=[Role.SUPPORT])
    ann.post(f"{RULES}/reporting-lines", json={"lines": {"lea": "south"}})
    done = ann.post(f"{RULES}/reporting-lines/one", json={"operator": "sam", "line": "north"})
    assert done.json() == ann.get(f"{RULES}/reporting-lines").json() == {"lines": {"lea": "south", "sam": "north"}}
    done = ann.post(f"{RULES}/reporting-lines/one", json={"operator": "LEA", "line": None})
    assert done.json() == {"lines": {"sam": "north"}}
    ann.post(f"{RULES}/canaries/one", json={"id": "x", "planted": True})
    done = ann.post(f"{RULES}/canaries/one", json={"id": "y", "planted": True})
    assert done.json() == ann.get(f"{RULES}/canaries").json() == {"ids": ["x", "y"]}
    assert ann.post(f"{RULES}/canaries/one", json={"id": "x", "planted": False}).json() == {"ids": ["y"]}
    for answer in (
        sam.get(f"{RULES}/reporting-lines"),
        sam.get(f"{RULES}/canaries"),
        sam.post(f"{RULES}/reporting-lines/one", json={"operator": "sam", "line": None}),
        sam.post(f"{RULES}/canaries/one", json={"id": "y", "planted": False}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "role-not-permitted")


def test_what_was_told_is_listed_with_when_and_a_reader_is_not_told_of_a_canary(world: World) -> None:
    me = world.consenting("ilse")
    bait = remembered(me, "Prefers an aisle seat", category="preference")
    sam = world.as_("sam", roles=[Role.SUPPORT])
    ann, lea = world.as_("ann", roles=[Role.ADMIN]), world.as_("lea", roles=[Role.LEGAL])
    assert ann.post(f"{RULES}/canaries/one", json={"id": bait, "planted": True}).status_code == 200
    name = sam.post(INSPECTIONS, json=wish("ilse")).json()["inspection_id"]
    ann.post(f"{INSPECTIONS}/{name}/steps", json={"step": "approve"})
    assert sam.post(f"{INSPECTIONS}/{name}/read", json={}).status_code == 200
    for path in ("pending", "given"):
        assert sam.get(f"{RULES}/{path}").json()["alarms"] == []
        assert name in {alarm["inspection_id"] for alarm in lea.get(f"{RULES}/{path}").json()["alarms"]}
    world.iris.inspections(tenant="acme", actor="lea", role="legal").deliver_pending(lambda what: None)
    assert name not in {alarm["inspection_id"] for alarm in lea.get(f"{RULES}/pending").json()["alarms"]}
    (alarm,) = (one for one in lea.get(f"{RULES}/given").json()["alarms"] if one["inspection_id"] == name)
    assert alarm["delivered_at"] is not None
