"""`Idempotency-Key` on what a POST makes beside memory: made once, shown again as it stands, and a word for each no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from http_world import World, remembered

from iris_memory.access.issuers import Role

pytestmark = pytest.mark.enable_socket
KEY = {"Idempotency-Key": "the-first"}


def _count(client: httpx.Client, path: str, name: str) -> int:
    told = client.get(path).json()
    return int(told.get("total", len(told[name])))


MADE: dict[str, tuple[str, Role, dict[str, Any], str, Callable[[httpx.Client], int]]] = {
    "a data-rights request": (
        "/v1/rights",
        Role.CUSTOMER,
        {"payload": {"kind": "access"}},
        "request_id",
        lambda client: _count(client, "/v1/rights", "requests"),
    ),
    "an inspection": (
        "/v1/inspections",
        Role.SUPPORT,
        {
            "of_user": "once-target",
            "path": "routine-review",
            "reason": "support-case",
            "reference": "CASE-1",
            "target": {"categories": ["preference"]},
        },
        "inspection_id",
        lambda client: _count(client, "/v1/inspections", "inspections"),
    ),
    "a request for an approval": (
        "/v1/approvals",
        Role.AUDITOR,
        {"adapter_scope": "pose", "reason": "A trial", "for_days": 5},
        "request_id",
        lambda client: _count(client, "/v1/approvals", "requests"),
    ),
    "a legal hold": (
        "/v1/desk/legal-holds",
        Role.AUDITOR,
        {"of_user": "once-target", "reference": "Case 1", "reason": "A court", "expires_at": "2999-01-01T00:00:00Z"},
        "hold_id",
        lambda client: _count(client, "/v1/desk/legal-holds", "holds"),
    ),
}


@pytest.mark.parametrize("what", MADE)
def test_it_is_made_once(world: World, what: str) -> None:
    path, role, body, name, count = MADE[what]
    remembered(world.consenting("once-target"), "Prefers a window seat", category="preference")
    client = world.as_(f"once-{role.value}", roles=[role])
    before = count(client)
    first = client.post(path, json=body, headers=KEY)
    assert first.status_code == 201, first.text
    again = client.post(path, json=body, headers=KEY)
    assert (again.status_code, again.json()[name]) == (201, first.json()[name])
    assert count(client) == before + 1
    other = client.post(path, json=body, headers={"Idempotency-Key": "the-second"})
    assert other.json()[name] != first.json()[name]
    assert count(client) == before + 2
    foreign = world.as_(f"once-too-{role.value}", roles=[role]).post(path, json=body, headers=KEY)
    assert foreign.json()[name] != first.json()[name], "a key is its holder's own"


def test_another_body_is_a_conflict_and_a_refusal_binds_nothing(world: World) -> None:
    world.consenting("once-target")
    sam = world.as_("once-more", roles=[Role.SUPPORT])
    path, _, body, name, _ = MADE["an inspection"]
    unknown = {**body, "of_user": "nobody-at-all"}
    for _ in range(2):
        assert sam.post(path, json=unknown, headers=KEY).status_code == 404
    made = sam.post(path, json=body, headers=KEY)
    assert made.status_code == 201
    answer = sam.post(path, json={**body, "reference": "CASE-2"}, headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency-conflict")
    sam.post(f"{path}/{made.json()[name]}/steps", json={"step": "deny"})
    again = sam.post(path, json=body, headers=KEY).json()
    assert (again[name], again["state"]) == (made.json()[name], "denied")
