"""Recalls that arrive at the same time are answered together, and each by its own memory."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import httpx
import pytest
from http_world import World, remembered

from iris_memory.access.tokens import Holder
from iris_memory.flows.people import Person

pytestmark = pytest.mark.enable_socket

PEOPLE = tuple(f"person-{number}" for number in range(6))
ROUNDS = 15


def test_everybody_gets_their_own_answer_and_a_mistake_is_its_makers_alone(world: World) -> None:
    for name in PEOPLE:
        remembered(world.consenting(name), f"Likes the tea of {name}")
    tokens = {name: world.tokens.mint(Holder("acme", name)) for name in PEOPLE}
    limits = httpx.Limits(max_connections=32, max_keepalive_connections=32)

    async def ask(client: httpx.AsyncClient, name: str) -> list[str]:
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        answer = await client.post("/v1/recall", json={"text": "tea"}, headers=headers)
        assert answer.status_code == 200
        return [hit["entry"]["body"] for hit in answer.json()["hits"]]

    async def ask_wrongly(client: httpx.AsyncClient, name: str) -> int:
        body = {"text": "tea", "scope": {"kind": "profile"}, "adapter_scope": "session"}  # of two kinds
        answer = await client.post("/v1/recall", json=body, headers={"Authorization": f"Bearer {tokens[name]}"})
        return answer.status_code

    async def leave(client: httpx.AsyncClient, name: str) -> None:
        with contextlib.suppress(TimeoutError, httpx.HTTPError):
            await asyncio.wait_for(ask(client, name), 0.002)

    async def crowd() -> None:
        async with httpx.AsyncClient(base_url=world.address, limits=limits, timeout=60, trust_env=False) as client:
            for _ in range(ROUNDS):
                told, statuses, _ = await asyncio.gather(
                    asyncio.gather(*(ask(client, name) for name in PEOPLE for _ in range(4))),
                    asyncio.gather(*(ask_wrongly(client, name) for name in PEOPLE[:2])),
                    asyncio.gather(*(leave(client, name) for name in PEOPLE[:2])),
                )
                assert told == [[f"Likes the tea of {name}"] for name in PEOPLE for _ in range(4)]
                assert set(statuses) == {422}

    asyncio.run(crowd())
    assert world.iris.verify_audit(tenant="acme").ok


def test_who_is_read_for_the_first_time_keeps_nobody_waiting(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = world.consenting("ada"), world.consenting("bob")
    remembered(ada, "Likes tea"), remembered(bob, "Likes rum")
    for me in (ada, bob):
        assert me.post("/v1/recall", json={}).status_code == 200
    people = world.iris.instruments.people
    people.drop("acme", "bob")
    go_on, is_reading = threading.Event(), threading.Event()
    read = Person.read

    def slowly(self: Person, reading: Any) -> Any:
        if self.user_id == "bob":
            is_reading.set()
            go_on.wait(30)
        return read(self, reading)

    monkeypatch.setattr(Person, "read", slowly)
    told: list[int] = []
    late = threading.Thread(target=lambda: told.append(bob.post("/v1/recall", json={}).json()["hits"][0]["score"]))
    late.start()
    assert is_reading.wait(30)
    assert ada.post("/v1/recall", json={}).json()["hits"][0]["entry"]["body"] == "Likes tea"
    assert not told
    go_on.set()
    late.join()
    assert len(told) == 1
