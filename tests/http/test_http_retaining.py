"""Reviews and sources over HTTP: the person's own, and nobody else's."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from http_world import KEY, World

from flows.stores import DAY, SteppingClock
from iris_memory import Iris
from iris_memory.access.tokens import DevelopmentTokens
from iris_memory.http.serving import listening, server

pytestmark = pytest.mark.enable_socket


@contextmanager
def served_at(folder: Path, clock: SteppingClock) -> Iterator[World]:
    """Serve a new store whose clock is stepped by hand."""
    tokens = DevelopmentTokens()
    with Iris.open(folder / "m", key=KEY, clock=clock, tended=False) as iris, listening("127.0.0.1", 0) as listener:
        running = server(iris, tokens)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        world = World(iris, tokens, f"http://127.0.0.1:{listener.getsockname()[1]}")
        try:
            yield world
        finally:
            world.close()
            running.should_exit = True
            thread.join()


def test_a_review_is_listed_decided_and_gone(tmp_path: Path) -> None:
    clock = SteppingClock()
    with served_at(tmp_path, clock) as world:
        ada, eve = world.consenting("ada"), world.consenting("eve")
        body = {"body": "Call number 4.", "scope": {"kind": "crisis", "session_id": "s"}}
        name = ada.post("/v1/memories", json=body).json()["entry"]["logical_id"]
        path = f"/v1/reviews/{name}/decision"
        assert ada.get("/v1/reviews").json() == {"reviews": []}
        early = ada.post(path, json={"decision": "extend"})
        assert (early.status_code, early.json()["code"]) == (409, "not-waiting")
        clock.step(3 * DAY)
        (review,) = ada.get("/v1/reviews").json()["reviews"]
        assert (review["entry"]["logical_id"], review["ends_at"]) == (name, "2026-04-03T12:00:00.000000Z")
        assert eve.get("/v1/reviews").json() == {"reviews": []}
        assert eve.post(path, json={"decision": "end"}).status_code == 404
        kept = ada.post(path, json={"decision": "extend", "expected": review["entry"]["id"]})
        assert kept.json()["kept"]["entry"]["expires_at"] == "2026-03-07T12:00:00.000000Z"
        clock.step(3 * DAY)
        ended = ada.post(path, json={"decision": "end", "scan": False})
        assert ended.json()["receipt"]["memories"] == 1
        assert ada.get(f"/v1/memories/{name}").status_code == 404
        assert ada.post(path, json={"decision": "ponder"}).status_code == 422


def test_a_summary_names_its_sources(tmp_path: Path) -> None:
    clock = SteppingClock()
    with served_at(tmp_path, clock) as world:
        ada, eve = world.consenting("ada"), world.consenting("eve")
        body = {"body": "Flies on 12 May.", "scope": {"kind": "session", "session_id": "s"}}
        source = ada.post("/v1/memories", json=body).json()["entry"]["logical_id"]
        clock.step(DAY)
        world.iris.sweep()
        (summary,) = ada.get("/v1/memories").json()["memories"]
        found = ada.get(f"/v1/memories/{summary['logical_id']}/sources").json()
        assert found["made_by"] == "iris-extractive-1"
        assert [(one["logical_id"], one["state"]) for one in found["sources"]] == [(source, "gone"), (None, "outside")]
        assert eve.get(f"/v1/memories/{summary['logical_id']}/sources").status_code == 404
