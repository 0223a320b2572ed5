"""The bridge over HTTP: sessions of the token's person, admins apart, events as a stream, webhooks for admins alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from http_world import World, remembered

from iris_memory.access.issuers import Role
from iris_memory.http.routes import events

pytestmark = pytest.mark.enable_socket
SESSION = "/v1/bridge/sessions/s1"


def turns(*numbers: int, text: str = "Good evening") -> dict[str, Any]:
    return {"turns": [{"turn_id": f"t{n}", "sequence": n, "role": "user", "text": text} for n in numbers]}


def test_a_session_is_appended_to_read_redacted_and_ended(world: World) -> None:
    me = world.consenting("talker")
    assert me.get(SESSION).status_code == 404
    assert me.post(f"{SESSION}/turns", json=turns(1, 2)).json()["appended"] == 2
    assert me.post(f"{SESSION}/turns", json=turns(2, 3)).json() == {
        "session_id": "s1",
        "appended": 1,
        "already": 1,
        "last_sequence": 3,
    }
    assert me.get(SESSION).json()["last_sequence"] == 3
    assert me.post(f"{SESSION}/redact", json={"turn_ids": ["t2"]}).json() == {"redacted": 1}
    log = me.get(f"{SESSION}/turns").json()["turns"]
    assert [turn["text"] for turn in log] == ["Good evening", None, "Good evening"]
    conflict = me.post(f"{SESSION}/turns", json=turns(1, text="Other words"))
    assert (conflict.status_code, conflict.json()["code"]) == (409, "idempotency-conflict")
    assert me.post(f"{SESSION}/turns", json=turns(9)).json()["code"] == "turn-out-of-order"
    assert me.delete(SESSION).json()["was_over"] is False
    assert me.delete(SESSION).json()["was_over"] is True
    assert me.post(f"{SESSION}/turns", json=turns(4)).json()["code"] == "session-ended"


def test_recall_by_the_bridge_is_gated_like_every_recall(world: World) -> None:
    me = world.consenting("asker", "category:safety")
    remembered(me, "Prefers quiet trains")
    remembered(me, "Calls Noor when it gets dark", category="safety")
    wish = {"text": "trains dark", "contexts": ["general", "safety", "crisis"], "safety_critical_context": True}
    assert len(me.post(f"{SESSION}/recall", json=wish).json()["hits"]) == 2
    crisis = me.post(f"{SESSION}/recall", json={**wish, "crisis_frame": True}).json()
    assert [hit["entry"]["category"] for hit in crisis["hits"]] == ["safety"]
    assert me.post(f"{SESSION}/recall", json={"surface": "admin"}).status_code == 422


def test_the_admin_mode_is_for_admins_and_reaches_no_customer(world: World) -> None:
    me = world.consenting("dana")
    remembered(me, "Prefers quiet trains")
    for answer in (
        me.get(SESSION, params={"mode": "admin"}),
        me.post(f"{SESSION}/recall", params={"mode": "admin"}, json={}),
        me.post(f"{SESSION}/turns", params={"mode": "admin"}, json=turns(1)),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")
    admin = world.as_("dana", roles=[Role.ADMIN])
    found = admin.post(f"{SESSION}/recall", params={"mode": "admin"}, json={"text": "quiet trains"})
    assert found.json()["hits"] == []


def test_nobody_elses_session_is_there(world: World) -> None:
    assert world.consenting("hers").post(f"{SESSION}/turns", json=turns(1)).status_code == 200
    him = world.consenting("him")
    assert him.get(SESSION).status_code == 404
    assert him.get(f"{SESSION}/turns").json() == {"turns": []}
    assert him.post(f"{SESSION}/redact", json={}).json() == {"redacted": 0}


def frames(answer: httpx.Response, most: int) -> Iterator[dict[str, str]]:
    """Yield the frames of a stream of events, comments as `comment`."""
    frame: dict[str, str] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            frame[name or "comment"] = value
        elif frame:
            yield frame
            frame, most = {}, most - 1
        if not most:
            return


def test_events_stream_to_their_person_and_come_again_after_a_break(world: World) -> None:
    me = world.consenting("listener")
    with me.stream("GET", "/v1/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = frames(answer, 3)
        assert next(stream) == {"retry": "2000"}
        remembered(me, "Prefers quiet trains")
        remembered(world.consenting("stranger"), "Plays chess")
        me.post("/v1/recall", json={"text": "trains"})
        first, second = next(stream), next(stream)
    assert (first["event"], second["event"]) == ("memory.written", "recall.completed")
    told = json.loads(second["data"])
    assert (told["event_id"], told["counts"]) == (second["id"], {"returned": 1, "withheld": 0})
    assert "trains" not in first["data"] + second["data"]
    me.post("/v1/pause", json={"session_id": "s9"})
    headers = {"Last-Event-ID": first["id"]}
    with me.stream(
        "GET", "/v1/events", params={"name": ["pause.changed", "recall.completed"]}, headers=headers
    ) as answer:
        missed = [frame for frame in frames(answer, 3) if "event" in frame]
    assert [frame["event"] for frame in missed] == ["recall.completed", "pause.changed"]


def test_a_quiet_stream_has_a_heartbeat_and_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(events, "STREAM_SECONDS", 0.2)
    me = world.consenting("quiet")
    with me.stream("GET", "/v1/events") as answer:
        lines = [line for line in answer.iter_lines() if line]
    assert lines[0] == "retry: 2000"
    assert set(lines[1:]) == {": heartbeat"}
    assert world.iris.instruments.people.events._listening == {}


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.ADMIN}))
def test_assistants_and_webhooks_are_for_admins_alone(world: World, role: Role) -> None:
    client = world.as_(f"not-admin-{role.name}", roles=[role], may_audit=False)
    for answer in (
        client.get("/v1/webhooks"),
        client.post("/v1/webhooks", json={"url": "https://audit.example/"}),
        client.get("/v1/assistants"),
        client.post("/v1/assistants/retire", json={"assistant_id": "nova"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


def test_an_admin_registers_assistants_and_webhooks_of_their_tenant(world: World) -> None:
    admin, rival = world.as_("root", roles=[Role.ADMIN]), world.as_("root", tenant="rival", roles=[Role.ADMIN])
    nova = {
        "assistant_id": "nova",
        "display_name": "Nova",
        "persona_ref": "personas/nova",
        "surfaces": ["assistant"],
        "scopes": ["session"],
    }
    assert admin.post("/v1/assistants", json=nova).json()["scopes"] == ["session"]
    assert rival.get("/v1/assistants").json() == {"assistants": []}
    assert rival.post("/v1/assistants/retire", json={"assistant_id": "nova"}).status_code == 404
    assert admin.post("/v1/assistants/retire", json={"assistant_id": "nova"}).json()["retired_at"]
    made = admin.post("/v1/webhooks", json={"url": "https://audit.example/x"}).json()
    assert made["secret"].startswith("whsec_")
    (listed,) = admin.get("/v1/webhooks").json()["webhooks"]
    assert listed == made["webhook"]
    gone = {"webhook_id": listed["webhook_id"]}
    assert rival.post("/v1/webhooks/remove", json=gone).json() == {"removed": False}
    assert admin.post("/v1/webhooks/remove", json=gone).json() == {"removed": True}
    assert admin.post("/v1/webhooks", json={"url": "http://10.0.0.1/"}).status_code == 422
