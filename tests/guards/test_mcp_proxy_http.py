"""A server over streamable HTTP: behind an endpoint of the proxy, and behind lines, for old and new clients."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from guard_world import EMAIL, Owner, owner_of
from mcp.client.stdio import stdio_client
from proxy_world import SERVER, environment_of, seen, served, without_canaries
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from iris_memory.contracts.masking import Mode, PiiKind
from iris_memory.guards.proxies.mcp_conversation import McpConversation
from iris_memory.guards.proxies.mcp_http import mcp_proxy
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.enable_socket
COMMAND = [sys.executable, "-c", "from iris_memory.cli import main; main()", "guard", "mcp"]


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path)


@contextmanager
def upstream(owner: Owner) -> Iterator[str]:
    """Run the server over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVER), str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=environment_of(owner.folder), **quiet) as process:  # type: ignore[call-overload]
        try:
            for _ in range(600):
                with socket.socket() as there:
                    if there.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def proxy_of(owner: Owner, url: str, mode: Mode = Mode.ENFORCE) -> Starlette:
    guard = owner.guard(mode)
    granted = frozenset({PiiKind.EMAIL})
    return mcp_proxy(lambda name: McpConversation(guard, server="mail", conversation=name, restore=granted), url=url)


async def walk(client: Client) -> None:
    """Do what a client does, and see pseudonyms."""
    mail = await client.call_tool("read_mail", {"number": 1})
    assert mail.structured_content["body"] == "From [owner:email#1], call [owner:phone#1]"
    sent = await client.call_tool("send_mail", {"to": "[owner:email#1]", "body": "[owner:phone#1]"})
    assert sent.content[0].text == "sent to [owner:email#1]"
    assert (await client.call_tool("send_mail", {"to": EMAIL, "body": "x"})).is_error
    reports: list[Any] = []

    async def report(*given: Any) -> None:
        reports.append(given)

    await client.call_tool("works", {}, progress_callback=report)
    assert reports == [(1.0, 2.0, "reading From [owner:email#1], call [owner:phone#1]")]
    inbox = await client.read_resource((await client.list_resources()).resources[0].uri)
    without_canaries(inbox.model_dump_json())
    answers = await asyncio.gather(
        *(client.call_tool("send_mail", {"to": f"friend-{number}", "body": "x"}) for number in range(8))
    )
    assert [answer.content[0].text for answer in answers] == [f"sent to friend-{number}" for number in range(8)]


def got(owner: Owner) -> list[Any]:
    return [json.loads(line) for line in seen(owner.folder).splitlines()][:2]


EXPECTED = [["read_mail", 1], ["send_mail", [EMAIL, "[owner:phone#1]"]]]


def test_an_endpoint_before_an_endpoint(owner: Owner) -> None:
    async def run(url: str) -> None:
        async with Client(url) as client:
            await walk(client)

    with upstream(owner) as url, served(proxy_of(owner, url)) as proxy:
        asyncio.run(asyncio.wait_for(run(f"{proxy}/mcp"), 60))
    assert got(owner) == EXPECTED
    without_canaries(owner.file.read_text())


def test_lines_before_an_endpoint(owner: Owner) -> None:
    async def run(url: str) -> None:
        words = ["--url", url, "--name", "mail", "--mode", "enforce", "--restore", "email"]
        command = [*COMMAND, *words, "--identity", str(owner.folder), "--log", str(owner.file)]
        target = StdioServerParameters(command=command[0], args=command[1:], env=environment_of(owner.folder))
        with (owner.folder / "errors.txt").open("w") as errors:
            async with Client(stdio_client(target, errlog=errors)) as client:
                await walk(client)

    with upstream(owner) as url:
        asyncio.run(asyncio.wait_for(run(url), 60))
    assert got(owner) == EXPECTED
    assert (owner.folder / "errors.txt").read_text() == ""


def test_an_old_client_with_a_session_over_lines(owner: Owner) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    lines = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": "two", "method": "tools/call", "params": {"name": "read_mail", "arguments": {"number": 2}}},
    ]
    with upstream(owner) as url:
        words = ["--url", url, "--mode", "enforce", "--identity", str(owner.folder)]
        done = subprocess.run(
            [*COMMAND, *words],
            input="".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines),
            env=environment_of(owner.folder),
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert answers["two"]["result"]["structuredContent"]["from"] == "[owner:email#1]"
    without_canaries(done.stdout + done.stderr)


def test_the_command_serves_an_endpoint(owner: Owner) -> None:
    async def run(url: str) -> None:
        async with Client(url) as client:
            assert (await client.call_tool("read_mail", {"number": 1})).structured_content["from"] == "[owner:email#1]"

    with upstream(owner) as url:
        words = ["--url", url, "--listen", "0", "--mode", "enforce", "--identity", str(owner.folder)]
        with subprocess.Popen(
            [*COMMAND, *words], env=environment_of(owner.folder), stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found
            asyncio.run(asyncio.wait_for(run(found[0]), 60))
            process.terminate()
            assert process.communicate(timeout=30)[1] == ""


class Bare:
    """A server that answers with what it is told to, and keeps what it got."""

    def __init__(self, body: bytes, kind: str, status: int = 200) -> None:
        """Take the answer."""
        self.body, self.kind, self.status = body, kind, status
        self.got: list[tuple[bytes, dict[str, str]]] = []

    def app(self) -> Starlette:
        """Return the application."""

        async def answer(request: Request) -> Response:
            self.got.append((await request.body(), dict(request.headers)))
            pieces = (self.body[at : at + 7] for at in range(0, len(self.body), 7))
            return StreamingResponse(pieces, status_code=self.status, media_type=self.kind)

        return Starlette(routes=[Route("/mcp", answer, methods=["GET", "POST", "DELETE"])])


def exchange(
    owner: Owner, bare: Bare, mode: Mode, body: bytes = b'{"id":1,"method":"a"}', **headers: str
) -> httpx.Response:
    with served(bare.app()) as url, served(proxy_of(owner, f"{url}/mcp", mode)) as proxy:
        return httpx.post(f"{proxy}/mcp", content=body, headers={"content-type": "application/json", **headers})


STREAM = (
    b": o_varga@quillworks.example\r\nid: 7\r\nevent: message\r\n"
    b'data: {"id":1,\r\ndata: "result":"o_varga@quillworks.example"}\r\n\r\n'
    b"data: no json o_varga@quillworks.example\n\nid: 8\n\n"
)


def test_a_stream_is_read_event_by_event(owner: Owner) -> None:
    answer = exchange(owner, Bare(STREAM, "text/event-stream"), Mode.ENFORCE)
    without_canaries(answer.text)
    assert 'id: 7\nevent: message\ndata: {"id":1,"result":"[owner:email#1]"}\n\n' in answer.text


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
@pytest.mark.parametrize(
    ("body", "kind"), [(STREAM, "text/event-stream"), (b'{ "id":1}', "application/json"), (b"\xff", "x/y")]
)
def test_off_and_shadow_hand_bytes_on(owner: Owner, mode: Mode, body: bytes, kind: str) -> None:
    bare = Bare(body, kind)
    sent = b'{ "id" : 1, "method":"tools/call","params":{"name":"x","arguments":"o_varga@quillworks.example"}}'
    answer = exchange(owner, bare, mode, sent, authorization="Bearer t")
    assert answer.content == body
    assert bare.got[0][0] == sent
    assert bare.got[0][1]["authorization"] == "Bearer t"


def test_error_pages_are_masked_and_messages_that_are_none_go_nowhere(owner: Owner) -> None:
    page = exchange(owner, Bare(f"no {EMAIL}".encode(), "text/plain", 500), Mode.ENFORCE)
    assert (page.status_code, page.text) == (500, "no [owner:email#1]")
    assert (
        exchange(owner, Bare(b'{"a":1,"a":"o_varga@quillworks.example"}', "application/json"), Mode.ENFORCE).status_code
        == 502
    )
    bare = Bare(b"{}", "application/json")
    assert exchange(owner, bare, Mode.ENFORCE, b'{"a":1,"a":2}').json()["error"]["code"] == -32700
    assert (
        exchange(owner, bare, Mode.ENFORCE, b'{"method":"n","params":"o_varga@quillworks.example"}').status_code == 202
    )
    assert bare.got == []


def test_a_server_that_is_not_there_is_told_without_its_address(owner: Owner) -> None:
    with served(proxy_of(owner, "http://127.0.0.1:9/mcp")) as proxy:
        answer = httpx.post(f"{proxy}/mcp", json={"id": 1, "method": "a"})
        assert answer.status_code == 502
        assert "127.0.0.1" not in answer.text
        assert httpx.post(f"{proxy}/mcp", json={}, headers={"host": "evil.example"}).status_code == 421
