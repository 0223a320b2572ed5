"""Data rights over HTTP: the person's steps, the desk's steps, and who may take which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from http_world import World, remembered, served

from iris_memory.access.tokens import Holder

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with served(tmp_path) as running:
        yield running


def submitted(client: httpx.Client, **payload: object) -> str:
    answer = client.post("/v1/rights", json={"payload": payload})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["request_id"])


def test_an_access_request_from_end_to_end(world: World) -> None:
    me, ops = world.consenting("ada"), world.as_("ops")
    remembered(me, "Likes green tea")
    name = submitted(me, kind="access")
    assert [row["state"] for row in ops.get("/v1/desk/rights").json()["requests"]] == ["submitted"]
    sent = ops.post(f"/v1/desk/rights/{name}/challenges", json={"method": "email-link"})
    assert sent.status_code == 201
    wrong = me.post(f"/v1/rights/{name}/steps", json={"step": "verify", "method": "email-link", "secret": "x"})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "proof-not-accepted")
    step = {"step": "verify", "method": "email-link", "secret": sent.json()["secret"]}
    assert me.post(f"/v1/rights/{name}/steps", json=step).json()["state"] == "verified"
    early = me.get(f"/v1/rights/{name}/answer")
    assert (early.status_code, early.json()["code"]) == (409, "not-allowed-from-state")
    done = ops.post(f"/v1/desk/rights/{name}/steps", json={"step": "fulfil"})
    assert done.json()["state"] == "completed"
    assert "green tea" not in done.text
    told = me.get(f"/v1/rights/{name}/answer").json()
    assert [entry["body"] for entry in told["memories"]] == ["Likes green tea"]
    assert me.get(f"/v1/rights/{name}").json()["decided_by"] == "ops"
    assert len(me.get("/v1/rights").json()["requests"]) == 1


def test_a_session_that_was_just_opened_is_a_step_up_and_an_old_one_is_not(world: World) -> None:
    fresh = world.consenting("ada")
    name = submitted(fresh, kind="access")
    token = world.tokens.mint(Holder("acme", "ada"))
    headers = {"Authorization": f"Bearer {token}"}
    step = {"step": "verify"}
    old = httpx.post(f"{world.address}/v1/rights/{name}/steps", json=step, headers=headers)
    assert old.json()["state"] == "submitted"
    assert fresh.post(f"/v1/rights/{name}/steps", json=step).json()["state"] == "verified"


def test_a_denial_an_appeal_and_another_operator(world: World) -> None:
    me, ops, chief = world.consenting("ada"), world.as_("ops"), world.as_("chief")
    name = submitted(me, kind="object", purposes=["history"])
    me.post(f"/v1/rights/{name}/steps", json={"step": "verify"})
    desk = f"/v1/desk/rights/{name}/steps"
    assert ops.post(desk, json={"step": "extend", "reason": "much to do"}).json()["extended"] is True
    denial = {"step": "deny", "ground": "excessive", "legal_reference": "GDPR Art. 12(5)"}
    assert ops.post(desk, json=denial).json()["state"] == "failed"
    told = me.get(f"/v1/rights/{name}").json()
    assert told["denial"]["remedy"]
    appeal = {"step": "appeal", "reason": "it is not"}
    assert me.post(f"/v1/rights/{name}/steps", json=appeal).json()["state"] == "appealed"
    decision = {"step": "decide-appeal", "overturned": True, "reason": "it is not"}
    own = ops.post(desk, json=decision)
    assert (own.status_code, own.json()["code"]) == (403, "own-decision")
    assert chief.post(desk, json=decision).json()["state"] == "in-progress"
    assert chief.post(desk, json={"step": "fulfil"}).json()["state"] == "completed"


def test_a_hold_over_http(world: World) -> None:
    me, ops, chief = world.consenting("ada"), world.as_("ops"), world.as_("chief")
    tea = remembered(me, "Likes green tea")
    body = {"of_user": "ada", "reference": "case 1", "reason": "asked", "expires_at": "2999-01-01T00:00:00Z"}
    hold = ops.post("/v1/desk/legal-holds", json=body).json()["hold_id"]
    own = ops.post(f"/v1/desk/legal-holds/{hold}/steps", json={"step": "confirm"})
    assert (own.status_code, own.json()["code"]) == (403, "hold-self-confirmation")
    assert chief.post(f"/v1/desk/legal-holds/{hold}/steps", json={"step": "confirm"}).status_code == 200
    assert [one["hold_id"] for one in me.get("/v1/legal-holds").json()["holds"]] == [hold]
    receipt = me.post("/v1/forget", json={"logical_id": tea, "scan": False}).json()
    assert (receipt["memories"], receipt["reached"]["held"]) == (0, 1)
    assert chief.post(f"/v1/desk/legal-holds/{hold}/steps", json={"step": "release"}).status_code == 200
    assert me.get("/v1/memories").json()["total"] == 0


def test_the_desk_is_closed_to_those_who_may_not(world: World) -> None:
    me = world.consenting("ada")
    name = submitted(me, kind="access")
    plain = world.as_("mallory", may_audit=False)
    for answer in (
        plain.get("/v1/desk/rights"),
        plain.get("/v1/desk/legal-holds"),
        plain.post(f"/v1/desk/rights/{name}/steps", json={"step": "start"}),
        plain.post(f"/v1/desk/rights/{name}/challenges", json={"method": "email-link"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")
    elsewhere = world.as_("ops", tenant="globex")
    answers = [
        elsewhere.post(f"/v1/desk/rights/{name}/steps", json={"step": "start"}),
        plain.get(f"/v1/rights/{name}"),
        plain.get("/v1/rights/never-was"),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert plain.get("/v1/rights").json() == {"requests": []}


def test_what_makes_no_request_is_told_by_its_fields(world: World) -> None:
    me = world.consenting("ada")
    for payload in (
        {"kind": "delete"},
        {"kind": "delete", "mode": "hard", "categories": ["work"], "retention_grace_ms": 5},
        {"kind": "no-such-kind"},
        {"kind": "delete", "mode": "soft", "categories": ["work"], "retention_grace_ms": 10**10},
    ):
        answer = me.post("/v1/rights", json={"payload": payload})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
