"""Operator notes over HTTP: admins alone, the subject from the token, markers in full."""

from __future__ import annotations

from typing import Any

import pytest
from http_world import World

from iris_memory.access.issuers import Role

pytestmark = pytest.mark.enable_socket
NOTES = "/v1/operator/notes"
NOTE = {"category": "style", "slot": "tone", "value": "Short answers", "marker": "confirm-entry"}


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.ADMIN}))
def test_nobody_but_an_admin_opens_it(world: World, role: Role) -> None:
    client = world.as_(f"not-admin-{role.name}", roles=[role])
    for answer in (client.get(NOTES), client.post(NOTES, json=NOTE), client.post(f"{NOTES}/recall", json={})):
        assert answer.status_code == 403
        assert answer.json()["code"] == "not-permitted"


def test_a_note_is_confirmed_seen_corrected_used_and_forgotten(world: World) -> None:
    dana, erin = (world.as_(name, roles=[Role.ADMIN]) for name in ("dana", "erin"))
    assert dana.get(NOTES).json() == {
        "scope": "operator-profile",
        "notes": [],
        "erasure_location": "Admin assistant → Memory",
        "retention": "until forgotten, or until the operator's account is erased",
    }
    assert dana.post(NOTES, json=NOTE).status_code == 201
    assert erin.post(NOTES, json={**NOTE, "value": "Erin's own"}).status_code == 201
    assert dana.get(NOTES).json()["notes"][0]["last_used_at"] is None
    assert dana.post(f"{NOTES}/recall", json={"text": "answers"}).json()["hits"][0]["note"]["value"] == "Short answers"
    assert dana.get(NOTES).json()["notes"][0]["last_used_at"] is not None
    fixed = {**NOTE, "value": "Long answers", "marker": "save-correction"}
    assert dana.post(f"{NOTES}/corrections", json=fixed).json()["last_used_at"] is None
    gone = dana.post(f"{NOTES}/forget", json={"category": "style", "slot": "tone", "marker": "forget-entry"})
    assert gone.json()["notes"] == 1
    assert dana.get(NOTES).json()["notes"] == []
    assert [note["value"] for note in erin.get(NOTES).json()["notes"]] == ["Erin's own"]
    assert erin.get(f"{NOTES}/report").json()["confirmed"] >= 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("", {**NOTE, "marker": "save-correction"}),
        ("", {name: value for name, value in NOTE.items() if name != "marker"}),
        ("", {**NOTE, "operator_sub": "acme::erin"}),
        ("/corrections", {**NOTE, "marker": "confirm-entry"}),
        ("/forget", {"slot": "tone", "marker": "forget-entry"}),
        ("/forget", {"category": "style", "marker": "forget-entry"}),
        ("/forget", {"category": "style", "slot": "tone"}),
        ("/forget", {"category": "style", "slot": "tone", "marker": "forget-all"}),
        ("/forget-all", {}),
        ("/forget-all", {"marker": "forget-entry"}),
        ("/forget-all", {"marker": "forget-all", "operator_sub": "acme::erin"}),
    ],
)
def test_what_is_not_said_in_full_is_refused_and_changes_nothing(world: World, path: str, body: dict[str, Any]) -> None:
    frank = world.as_("frank", roles=[Role.ADMIN])
    assert frank.post(NOTES, json=NOTE).status_code == 201
    before = frank.get(NOTES).json()
    answer = frank.post(f"{NOTES}{path}", json=body)
    assert answer.status_code == 422
    assert "Short answers" not in answer.text
    assert frank.get(NOTES).json() == before
