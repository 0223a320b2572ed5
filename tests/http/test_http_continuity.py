"""Continuity over HTTP: the person is the token's, the time the server's, and a foreign place reads like none."""

from __future__ import annotations

from typing import Any

import pytest
from http_world import TERMS, World

pytestmark = pytest.mark.enable_socket
PLACES = "/v1/continuation"


def stopped(device: str = "phone", position: int = 3, **more: Any) -> dict[str, Any]:
    return {
        "device_id": device,
        "surface_context": {"surface": "study", "title_ref": "course-1", "locale": "en"},
        "anchor_ref": {"surface": "study", "ref": "course-1", "position": position, "unit": "step"},
        "posture": "paused",
        "idempotency_key": f"{device}-{position}",
        **more,
    }


def test_a_place_goes_from_device_to_device(world: World) -> None:
    me = world.consenting("walker")
    kept = me.post(PLACES, json=stopped())
    assert (kept.status_code, kept.json()["stands"]) == (200, True)
    (card,) = me.get(PLACES, params={"device_id": "tablet"}).json()["tokens"]
    assert card == kept.json()["token"]
    place = me.post(f"{PLACES}/resume", json={"surface": "study", "ref": "course-1"}).json()
    assert place["anchor_ref"]["position"] == 3
    assert me.post(PLACES, json=stopped("tablet", 7)).json()["token"]["version"] == 2
    (notice,) = me.get("/v1/devices/notices", params={"device_id": "phone"}).json()["notices"]
    assert notice["told"] == "this was also playing on your other device"
    assert me.post("/v1/devices/notices/seen", json={"notice_id": notice["notice_id"]}).json() == {"dropped": True}
    assert me.get("/v1/devices/notices", params={"device_id": "phone"}).json() == {"notices": []}
    assert me.post("/v1/devices/name", json={"device_id": "phone", "name": "Mine"}).json()["name"] == "Mine"
    assert {device["device_id"] for device in me.get("/v1/devices").json()["devices"]} == {"phone", "tablet"}
    assert me.post("/v1/devices/remove", json={"device_id": "tablet"}).json() == {"places": 1, "notices": 0}
    assert me.get(PLACES).json() == {"tokens": []}


def test_the_same_key_with_another_body_is_a_conflict(world: World) -> None:
    me = world.consenting("twice")
    first = me.post(PLACES, json=stopped()).json()
    assert me.post(PLACES, json=stopped()).json() == first
    again = me.post(PLACES, json={**stopped(), "posture": "idle"})
    assert (again.status_code, again.json()["code"]) == (409, "idempotency-conflict")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"user_id": "somebody"}, 422, "invalid"),
        ({"anchor_ref": {"surface": "voice", "ref": "x", "position": 1, "unit": "ms"}}, 422, "invalid"),
        ({"anchor_ref": {"surface": "study", "ref": "two words", "position": 1, "unit": "step"}}, 422, "invalid"),
        ({"anchor_ref": {"surface": "study", "ref": "x", "position": 1, "unit": "ms"}}, 422, "place-not-of-surface"),
        ({"posture": "listening"}, 422, "place-not-of-surface"),
        ({"sensitive_categories": ["medical"]}, 422, "invalid"),
        (
            {"sensitive_categories": ["medical"], "cross_device_consent_id": "x"},
            403,
            "sensitive-category-without-consent",
        ),
    ],
)
def test_what_breaks_a_law_is_a_problem_without_the_value(
    world: World, change: dict[str, Any], status: int, code: str
) -> None:
    me = world.consenting("lawless")
    answer = me.post(PLACES, json={**stopped(), **change})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "two words" not in answer.text
    assert me.get(PLACES).json() == {"tokens": []}


def test_a_sensitive_place_ends_with_its_consent(world: World) -> None:
    me = world.consenting("careful", "category:medical")
    given = me.post("/v1/consent/grant", json={"names": ["cross_device"], "terms": TERMS}).json()
    event = given["events"][0]["event_id"]
    wish = {**stopped(), "sensitive_categories": ["medical"], "cross_device_consent_id": event}
    assert me.post(PLACES, json=wish).status_code == 200
    assert me.post("/v1/consent/revoke", json={"names": ["cross_device"]}).status_code == 200
    assert me.get(PLACES).json() == {"tokens": []}
    assert me.post(f"{PLACES}/resume", json={"surface": "study", "ref": "course-1"}).status_code == 404


def test_nobody_elses_places_are_there(world: World) -> None:
    token = world.consenting("hers").post(PLACES, json=stopped()).json()["token"]
    him = world.consenting("him")
    assert him.get(PLACES).json() == {"tokens": []}
    assert him.post(f"{PLACES}/drop", json={"token_id": token["token_id"]}).json() == {"dropped": False}
    assert him.post("/v1/devices/remove", json={"device_id": "phone"}).status_code == 404
