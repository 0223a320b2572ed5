"""The tools at `/mcp` of the service: the real client over HTTP, the person by the bearer token, nobody without one."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from flows.stores import BASE, KEY, TERMS
from iris_memory.access.tokens import DevelopmentTokens, Holder
from iris_memory.cli.surfaces import development
from iris_memory.front.iris import Iris
from iris_memory.http.serving import listening, server
from mcp import Client

pytestmark = pytest.mark.enable_socket


@contextmanager
def served(folder: Path) -> Iterator[tuple[Iris, DevelopmentTokens, str]]:
    """Serve a store with every surface until the end of the block."""
    tokens = DevelopmentTokens()
    with Iris.open(folder / "memory", key=KEY, tended=False) as iris, listening("127.0.0.1", 0) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        running = server(iris, tokens, development([])(iris, tokens, address))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        try:
            yield iris, tokens, address
        finally:
            running.should_exit = True
            thread.join()


@asynccontextmanager
async def client(address: str, token: str) -> Any:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, verify=False) as http,
        Client(_Over(f"{address}/mcp", http)) as known,
    ):
        yield known


class _Over:
    """The transport of the real client, with a token."""

    def __init__(self, url: str, http: Any) -> None:
        self._streams = streamable_http_client(url, http_client=http)

    async def __aenter__(self) -> Any:
        return await self._streams.__aenter__()

    async def __aexit__(self, *left: Any) -> Any:
        return await self._streams.__aexit__(*left)


def test_each_token_speaks_for_its_own_person(tmp_path: Path) -> None:
    with served(tmp_path) as (iris, tokens, address):
        for user in ("ada", "eve"):
            iris.for_user(tenant="acme", user=user).consent.grant(*BASE, terms=TERMS)
        ada, eve = (tokens.mint(Holder("acme", user, always_fresh=True)) for user in ("ada", "eve"))

        async def script() -> None:
            async with client(address, ada) as mine:
                assert len((await mine.list_tools()).tools) == 10
                kept = await mine.call_tool("remember", {"body": "Prefers the window seat"})
                logical = kept.structured_content["data"]["entry"]["logical_id"]
                found = await mine.call_tool("recall", {"text": "window"})
                assert len(found.structured_content["data"]["hits"]) == 1
            async with client(address, eve) as theirs:
                assert (await theirs.call_tool("list", {})).structured_content["data"]["total"] == 0
                foreign = await theirs.call_tool("forget", {"logical_id": logical})
                assert foreign.structured_content["error"]["code"] == "unknown-memory"
            async with client(address, ada) as mine:
                assert (await mine.call_tool("forget", {"logical_id": logical})).structured_content["ok"]

        asyncio.run(script())


def test_a_stale_sign_in_looks_and_does_not_destroy(tmp_path: Path) -> None:
    with served(tmp_path) as (iris, tokens, address):
        iris.for_user(tenant="acme", user="ada").consent.grant(*BASE, terms=TERMS)
        long_ago = iris.instruments.clock.now() - timedelta(hours=1)
        token = tokens.mint(Holder("acme", "ada", signed_in_at=long_ago))

        async def script() -> None:
            async with client(address, token) as mine:
                kept = await mine.call_tool("remember", {"body": "Prefers the window seat"})
                logical = kept.structured_content["data"]["entry"]["logical_id"]
                told = await mine.call_tool("forget", {"logical_id": logical})
                assert told.structured_content["error"]["code"] == "step-up-needed"

        asyncio.run(script())


def test_nobody_is_served_without_a_token_or_by_another_name(tmp_path: Path) -> None:
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    kinds = {"Accept": "application/json, text/event-stream"}
    with served(tmp_path) as (_, tokens, address):
        assert httpx.post(f"{address}/mcp", json=ask, headers=kinds, verify=False).status_code == 401
        token = tokens.mint(Holder("acme", "ada"))
        rebound = {**kinds, "Authorization": f"Bearer {token}", "Host": "evil.example"}
        assert httpx.post(f"{address}/mcp", json=ask, headers=rebound, verify=False).status_code in {403, 421}
        elsewhere = {**kinds, "Authorization": f"Bearer {token}", "Origin": "https://evil.example"}
        assert httpx.post(f"{address}/mcp", json=ask, headers=elsewhere, verify=False).status_code in {403, 421}
