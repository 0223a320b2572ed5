"""`iris guard mcp -- COMMAND`: the real client, the real server, and the proxy as a process between them (PII-13)."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from guard_world import EMAIL, NAME, PHONE, Owner, owner_of
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from proxy_world import command_of, environment_of, seen, without_canaries

from mcp import Client, StdioServerParameters

Act = Callable[[Client], Awaitable[None]]


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path)


def talk(owner: Owner, mode: str, act: Act, *more: str) -> str:
    """Let a client talk through the proxy; return what the proxy wrote to its error output."""
    command = command_of(owner, mode, *more)
    target = StdioServerParameters(command=command[0], args=command[1:], env=environment_of(owner.folder))
    errors = owner.folder / "errors.txt"

    async def run() -> None:
        with errors.open("w") as file:
            async with Client(stdio_client(target, errlog=file)) as client:
                await act(client)

    asyncio.run(asyncio.wait_for(run(), 60))
    return errors.read_text()


def test_a_client_sees_pseudonyms_and_the_server_gets_back_what_is_granted(owner: Owner) -> None:
    async def act(client: Client) -> None:
        assert client.instructions == "The mail of [owner:email#1]"
        mail = await client.call_tool("read_mail", {"number": 1})
        assert mail.structured_content == {
            "from": "[owner:email#1]",
            "body": "From [owner:email#1], call [owner:phone#1]",
            "to": ["[owner:name#1]"],
            "number": 1,
        }
        sent = await client.call_tool("send_mail", {"to": "[owner:email#1]", "body": "[owner:phone#1]"})
        assert sent.content[0].text == "sent to [owner:email#1]"
        denied = await client.call_tool("send_mail", {"to": EMAIL, "body": "x"})
        assert denied.is_error
        assert denied.content[0].text == "stopped by the owner's guard: owner-pii-denied (email)"
        everything = await client.call_tool("everything", {})
        assert base64.b64decode(everything.content[1].data) == (
            b"\x89PNG\xff\xfeFrom [owner:email#1], call [owner:phone#1]\x00"
        )
        without_canaries(json.dumps([part.model_dump(mode="json") for part in everything.content]))
        uri = (await client.list_resources()).resources[0].uri
        assert uri == "mail://[owner:email#1]/inbox"
        inbox = await client.read_resource(uri)
        assert inbox.contents[0].text == "inbox: From [owner:email#1], call [owner:phone#1]"
        prompt = await client.get_prompt("invite", {"guest": "Bob"})
        without_canaries(prompt.model_dump_json())
        with pytest.raises(MCPError, match="owner-pii-denied"):
            await client.get_prompt("invite", {"guest": PHONE})
        reports: list[Any] = []

        async def report(*given: Any) -> None:
            reports.append(given)

        await client.call_tool("works", {}, progress_callback=report)
        assert reports == [(1.0, 2.0, "reading From [owner:email#1], call [owner:phone#1]")]
        failed = await client.call_tool("fails", {})
        assert failed.is_error

    errors = talk(owner, "enforce", act, "--restore", "email")
    got = [json.loads(line) for line in seen(owner.folder).splitlines()]
    assert got == [["read_mail", 1], ["send_mail", [EMAIL, "[owner:phone#1]"]], ["inbox", True], ["invite", "Bob"]]
    # the server's own traceback, with a mail in it, came through the proxy
    assert "Traceback" in errors
    assert EMAIL not in errors
    without_canaries(owner.file.read_text())


def test_what_is_unmasked_for_this_client_comes_as_it_is(owner: Owner) -> None:
    async def act(client: Client) -> None:
        mail = await client.call_tool("read_mail", {"number": 1})
        assert mail.structured_content["from"] == "[owner:email#1]"
        assert mail.structured_content["to"] == [NAME]

    talk(owner, "enforce", act, "--unmask", "name", "--client", "planner")


@pytest.mark.parametrize("mode", ["off", "shadow"])
def test_off_and_shadow_change_nothing(owner: Owner, mode: str) -> None:
    async def act(client: Client) -> None:
        mail = await client.call_tool("read_mail", {"number": 1})
        assert mail.structured_content["from"] == EMAIL
        assert (await client.call_tool("send_mail", {"to": EMAIL, "body": "x"})).content[0].text == f"sent to {EMAIL}"

    talk(owner, mode, act)
    rows = owner.firings() if mode == "shadow" else []
    assert any(tally.kind.value == "email" for firing in rows for tally in firing.row.tallies) == (mode == "shadow")
    if mode == "shadow":
        without_canaries(owner.file.read_text())


def test_many_calls_at_once_and_a_large_answer(owner: Owner) -> None:
    async def act(client: Client) -> None:
        answers = await asyncio.gather(
            *(client.call_tool("send_mail", {"to": f"friend-{number}", "body": "x"}) for number in range(40)),
            client.call_tool("long_text", {"size": 2_000_000}),
            *(client.call_tool("send_mail", {"to": EMAIL, "body": str(number)}) for number in range(10)),
        )
        assert [answer.content[0].text for answer in answers[:40]] == [f"sent to friend-{n}" for n in range(40)]
        assert answers[40].content[0].text.endswith("word From [owner:email#1], call [owner:phone#1]")
        assert all(answer.is_error for answer in answers[41:])

    talk(owner, "enforce", act)


def test_a_call_that_is_given_up_is_cancelled_and_the_next_one_is_answered(owner: Owner) -> None:
    async def act(client: Client) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.call_tool("sleeps", {}), 1)
        assert (await client.call_tool("send_mail", {"to": "a", "body": "b"})).content[0].text == "sent to a"

    talk(owner, "enforce", act)


def test_a_server_that_crashes_ends_the_proxy_with_its_code_and_masked_words(owner: Owner) -> None:
    lines = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "crash", "arguments": {}}},
    ]
    with subprocess.Popen(
        command_of(owner, "enforce"),
        env=environment_of(owner.folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in lines:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
            process.stdin.flush()
            if line.get("method") == "initialize":  # a server may crash before it has written what it answered before
                assert b"[owner:email#1]" in process.stdout.readline()
        assert process.wait(30) == 3
        errors = process.stderr.read().decode()
    assert "crashed over From [owner:email#1], call [owner:phone#1]" in errors
    without_canaries(errors)


def test_bytes_pass_in_off_whatever_they_are(owner: Owner) -> None:
    noise = bytes(range(256)) * 50
    command = command_of(
        owner, "off", server=(sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    )
    done = subprocess.run(
        command, input=noise, stdout=subprocess.PIPE, env=environment_of(owner.folder), check=True, timeout=60
    )
    assert done.stdout == noise


def test_lines_pass_in_shadow_whatever_they_are(owner: Owner) -> None:
    noise = b'{"a" : 1}\r\n\n  \nno json\n\xff\xfe\n{"id":1,"result":"' + EMAIL.encode() + b'"}\nno end'
    command = command_of(
        owner, "shadow", server=(sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    )
    done = subprocess.run(
        command, input=noise, stdout=subprocess.PIPE, env=environment_of(owner.folder), check=True, timeout=60
    )
    assert done.stdout == noise


def test_a_client_that_hangs_up_takes_a_stubborn_server_with_it(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    server = (sys.executable, "-c", "import time\nwhile True: time.sleep(1)")
    done = subprocess.run(
        command_of(owner, "enforce", server=server),
        input=b"",
        stdout=subprocess.PIPE,
        env=environment_of(owner.folder),
        check=False,
        timeout=60,
    )
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--url", "http://127.0.0.1:1/mcp", "--", "true"),
        ("--listen", "0", "--", "true"),
        ("--restore", "secret", "--", "true"),
        ("--unmask", "link", "--", "true"),
        ("--sends-to", "nowhere", "--", "true"),
        ("--", "/no/such/program"),
    ],
)
def test_words_that_make_no_sense_are_told_in_one_line(owner: Owner, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", "from iris_memory.cli import main; main()", "guard", "mcp", *words]
    done = subprocess.run(command, env=environment_of(owner.folder), capture_output=True, check=False, timeout=60)
    assert done.returncode not in (0, 70)
    assert done.stderr.startswith(b"iris: ")
    assert done.stderr.count(b"\n") == 1
