"""Other people, category questions and changes of scope over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from http_world import World, remembered, served

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One served store for the module."""
    with served(tmp_path_factory.mktemp("others") / "store") as made:
        yield made


def test_somebody_is_mentioned_counted_and_forgotten(world: World) -> None:
    me = world.consenting("ada")
    remembered(me, "Plays the cello", actor={"name": "Anna Müller", "relationship_note": "my partner"})
    (one,) = me.get("/v1/others").json()["mentions"]
    assert (one["relationship_notes"], one["memories"]) == (["my partner"], 1)
    wish = {"mention": "anna muller"}
    assert me.post("/v1/others/forget/preview", json=wish).json()["memories"] == 1
    assert world.consenting("bob").post("/v1/others/forget", json={"mention": one["handle"]}).status_code == 404
    receipt = me.post("/v1/others/forget", json=wish).json()
    assert (receipt["reason"], receipt["memories"]) == ("mention-forgotten", 1)
    assert me.get("/v1/others").json() == {"mentions": []}
    assert me.post("/v1/others/forget", json=wish).json()["code"] == "unknown-memory"


def test_sensitive_words_wait_for_an_answer(world: World) -> None:
    me = world.consenting("cleo")
    answer = me.post("/v1/memories", json={"body": "I was diagnosed with diabetes"})
    assert answer.status_code == 202
    asked = answer.json()
    assert (asked["outcome"], asked["looks_like"]) == ("ask-category", ["medical"])
    assert "etag" not in answer.headers
    (shown,) = me.get("/v1/category-questions").json()["questions"]
    assert shown["digest"] == asked["digest"]
    wish = {"question_id": asked["question_id"], "decision": "file-there", "digest": asked["digest"]}
    refused = me.post("/v1/category-questions/answer", json=wish)
    assert (refused.status_code, refused.json()["code"]) == (403, "sensitive-category-without-consent")
    kept = me.post("/v1/category-questions/answer", json={**wish, "decision": "keep-as-said"}).json()
    assert kept["outcome"]["entry"]["category"] == "fact"
    again = {"body": "I was diagnosed with diabetes", "as_said": asked["digest"]}
    assert me.post("/v1/memories", json=again).status_code == 201
    assert me.post("/v1/category-questions/answer", json=wish).status_code == 404


def test_a_memory_moves_and_a_move_that_is_not_allowed_has_a_reason(world: World) -> None:
    me = world.consenting("dora")
    memory = remembered(me, "Likes tea")
    seen = me.get(f"/v1/memories/{memory}").headers["etag"]
    wish = {"scope": {"kind": "notebook", "notebook_id": "trips"}}
    moved = me.post(f"/v1/memories/{memory}/scope", json=wish, headers={"If-Match": seen})
    assert moved.status_code == 200
    assert moved.json()["entry"]["scope"]["kind"] == "notebook"
    assert moved.headers["etag"] != seen
    stale = me.post(f"/v1/memories/{memory}/scope", json=wish, headers={"If-Match": seen})
    assert (stale.status_code, stale.json()["code"]) == (412, "stale-revision")
    back = me.post(f"/v1/memories/{memory}/scope", json={"scope": {"kind": "profile"}})
    assert (back.status_code, back.json()["code"]) == (403, "scope-change-not-allowed")
    foreign = world.consenting("eve").post(f"/v1/memories/{memory}/scope", json=wish)
    assert foreign.status_code == 404


def test_what_meets_the_person_s_own_words_waits(world: World, tmp_path: Path) -> None:
    del tmp_path
    me = world.consenting("fay")
    remembered(me, "Window", subject="seat")
    here = remembered(me, "Aisle", subject="seat", scope={"kind": "session", "session_id": "s"}, session_id="s")
    asked = me.post(f"/v1/memories/{here}/scope", json={"scope": {"kind": "profile"}})
    assert (asked.status_code, asked.json()["outcome"]) == (202, "ask-user")
