"""Acts that destroy need a sign-in of the last five minutes: its time counts, no wish does (AUT-10)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from http_world import World, remembered, served

from flows.stores import START, SteppingClock, open_store
from iris_memory.access.step_up import FRESH_FOR, is_fresh
from iris_memory.access.tokens import DevelopmentTokens, Holder
from iris_memory.http.application import create_app
from iris_memory.http.caller import _fresh

SECOND = timedelta(seconds=1)
AGES = {
    "never said": (None, False),
    "now": (timedelta(0), True),
    "five minutes ago": (FRESH_FOR, True),
    "a second more": (FRESH_FOR + SECOND, False),
    "yesterday": (timedelta(days=1), False),
    "in a second": (-SECOND, False),
    "tomorrow": (timedelta(days=-1), False),
}
UNDONE = {
    ("DELETE", "/v1/pause"),  # goes back on the record
    ("DELETE", "/v1/bridge/sessions/{session_id}"),  # a runtime ends its session; what is stored stays
    ("DELETE", "/v1/exports/{request_id}"),  # lets a copy go that waits to be downloaded
}
"""Deletions that end a state and destroy no memory."""

DESTROYS = {
    ("POST", "/v1/forget"),
    ("DELETE", "/v1/memories/{logical_id}"),
    ("POST", "/v1/erase"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with served(tmp_path_factory.mktemp("served")) as world:
        yield world


@pytest.mark.parametrize("age", AGES)
def test_only_a_sign_in_of_the_last_five_minutes_is_fresh(age: str) -> None:
    ago, fresh = AGES[age]
    at = None if ago is None else START - ago
    assert is_fresh(Holder("acme", "ada", signed_in_at=at), now=START) is fresh


def _needs_fresh(dependant: Dependant) -> bool:
    return dependant.call is _fresh or any(_needs_fresh(part) for part in dependant.dependencies)


def test_every_act_that_destroys_asks_for_it(tmp_path: Path) -> None:
    with open_store(tmp_path / "memory", clock=SteppingClock()) as iris:
        app = create_app(iris, tokens=DevelopmentTokens())
    included = [router.original_router.routes for router in app.routes if hasattr(router, "original_router")]
    routes = [route for router in included for route in router if isinstance(route, APIRoute)]
    asking = {(method, route.path) for route in routes if _needs_fresh(route.dependant) for method in route.methods}
    assert asking >= DESTROYS
    deleting = {(method, route.path) for route in routes for method in route.methods if method == "DELETE"}
    assert deleting - asking == UNDONE, "a route that deletes without a fresh sign-in"


@pytest.mark.enable_socket
def test_a_stale_sign_in_may_look_and_not_destroy(world: World) -> None:
    client = world.consenting("ada")
    logical = remembered(client, "Takes tea at four")
    now = world.iris.instruments.clock.now()
    stale = world.tokens.mint(Holder("acme", "ada", signed_in_at=now - timedelta(hours=1)))
    headers = {"Authorization": f"Bearer {stale}"}
    assert client.get("/v1/memories", headers=headers).json()["total"] == 1
    for wish in (
        client.delete(f"/v1/memories/{logical}", headers=headers),
        client.delete(f"/v1/memories/{logical}?max_age=999999&auth_time=99999999999", headers=headers),
        client.post("/v1/forget", json={"everything": True}, headers={**headers, "auth-time": "99999999999"}),
        client.post("/v1/erase", json={"erase": "everything-about-me"}, headers=headers),
    ):
        assert wish.status_code == 401
        assert wish.json()["code"] == "step-up-needed"
        assert wish.headers["WWW-Authenticate"].startswith('Bearer error="insufficient_user_authentication"')
        assert "max_age=300" in wish.headers["WWW-Authenticate"]
    assert client.get("/v1/memories").json()["total"] == 1
    fresh = world.tokens.mint(Holder("acme", "ada", signed_in_at=world.iris.instruments.clock.now()))
    done = client.delete(f"/v1/memories/{logical}", headers={"Authorization": f"Bearer {fresh}"})
    assert done.status_code == 200
