"""An answer that does not begin in time: its caller is let go, nobody else waits, and nothing is said twice."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_world import World, remembered, served

from iris_memory.errors import SettingError
from iris_memory.front.person import PersonMemory
from iris_memory.http.conduct import Conduct
from iris_memory.http.serving import conduct_of
from iris_memory.wiring.settings import read_settings

pytestmark = pytest.mark.enable_socket


SECONDS = 4.0  # a busy machine answers what is asked beside in this time


@pytest.fixture
def hurried(tmp_path: Path) -> Iterator[World]:
    with served(tmp_path) as world:  # without hurry: the first to ask waits for everything to be loaded
        world.consenting("ada")
        world.consenting("bob")
    with served(tmp_path, conduct=Conduct(answer_seconds=SECONDS)) as world:
        yield world


def test_who_waits_too_long_is_let_go_and_what_was_asked_may_still_happen(
    hurried: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    me, bob = hurried.as_("ada"), hurried.as_("bob")
    go_on, done = threading.Event(), threading.Event()
    remember = PersonMemory.remember

    def slow(self: PersonMemory, *args: Any, **fields: Any) -> Any:
        go_on.wait(30)
        try:
            return remember(self, *args, **fields)
        finally:
            done.set()

    monkeypatch.setattr(PersonMemory, "remember", slow)
    caplog.set_level(logging.WARNING, "iris_memory")
    answer = me.post("/v1/memories", json={"body": "Likes walnuts"})
    assert (answer.status_code, answer.json()["code"]) == (503, "took-too-long")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert bob.get("/v1/memories").json()["total"] == 0, "nobody else waits"
    assert me.get("/v1/memories").json()["total"] == 0, "the same connection goes on"
    go_on.set()
    assert done.wait(30)
    monkeypatch.undo()
    assert remembered(me, "Likes tea")
    assert {entry["body"] for entry in me.get("/v1/memories").json()["memories"]} == {"Likes walnuts", "Likes tea"}
    (line,) = [record.getMessage() for record in caplog.records if "too long" in record.getMessage()]
    assert "/v1/memories" in line
    assert "walnuts" not in line


def test_what_has_begun_may_go_on(hurried: World) -> None:
    me = hurried.as_("ada")
    with me.stream("GET", "/v1/events", timeout=30) as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines()
        assert next(lines).startswith("retry")
        threading.Event().wait(SECONDS + 0.5)  # longer than an answer may take to begin
        remembered(me, "Likes tea")
        assert any("memory.written" in line for line in lines)


def test_the_setting_says_how_long() -> None:
    assert conduct_of(read_settings({}), "http://x").answer_seconds == 120
    assert conduct_of(read_settings({"IRIS_ANSWER_SECONDS": "0"}), "http://x").answer_seconds == 0
    with pytest.raises(SettingError, match="seconds"):
        read_settings({"IRIS_ANSWER_SECONDS": "soon"})
