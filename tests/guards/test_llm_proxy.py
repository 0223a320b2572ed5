"""`iris guard llm`: the real client library, the proxy, and an upstream that really serves HTTP (PII-12, PII-13)."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from guard_world import EMAIL, NAME, PHONE, SECRET, Owner, owner_of
from openai import OpenAI
from proxy_world import environment_of, served, without_canaries
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from iris_memory.contracts.guarding import Tier
from iris_memory.contracts.masking import Mode, PiiKind
from iris_memory.guards.proxies import forwarding
from iris_memory.guards.proxies.llm_application import llm_proxy

pytestmark = pytest.mark.enable_socket
KEY = "sk-test-0123456789abcdefghijklmnop"


class Upstream:
    """A model that answers with what it was asked, and keeps the requests."""

    def __init__(self) -> None:
        """Begin with none."""
        self.bodies: list[bytes] = []
        self.requests: list[Request] = []
        self.gone = asyncio.Event()

    @property
    def last(self) -> Any:
        """Return the body of the last request."""
        return json.loads(self.bodies[-1])

    def app(self) -> Starlette:
        """Return the application."""
        paths = {
            "/v1/chat/completions": self.chat,
            "/v1/responses": self.responses,
            "/v1/completions": self.completions,
            "/v1/embeddings": self.embeddings,
        }
        routes = [Route(path, act, methods=["POST"]) for path, act in paths.items()]
        return Starlette(routes=[*routes, Route("/{path:path}", self.other, methods=["GET", "POST"])])

    async def keep(self, request: Request) -> Any:
        body = await request.body()
        self.bodies.append(body)
        self.requests.append(request)
        return json.loads(body) if body else None

    async def chat(self, request: Request) -> Response:
        body = await self.keep(request)
        said = body["messages"][-1]["content"]
        said = said if isinstance(said, str) else said[0]["text"]
        frame = {"id": "c-1", "created": 1, "model": body["model"]}
        if said == "limit":
            error = {"error": {"message": "slow down", "type": "rate", "code": "rate_limit"}}
            return JSONResponse(error, status_code=429, headers={"retry-after": "0", "x-request-id": "r-1"})
        if said == "forever":
            return StreamingResponse(self.forever(request), media_type="text/event-stream")
        call = {"name": "send", "arguments": json.dumps({"to": said})}
        if body.get("stream"):
            pieces = re.findall("..?.?", said, re.DOTALL)
            deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": one} for one in pieces)]
            deltas.append(
                {
                    "tool_calls": [
                        {"index": 0, "id": "t", "type": "function", "function": {"name": "send", "arguments": ""}}
                    ]
                }
            )
            deltas += [
                {"tool_calls": [{"index": 0, "function": {"arguments": one}}]}
                for one in re.findall("..?.?", call["arguments"])
            ]
            chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
            chunks.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
            return events(
                [{**frame, "object": "chat.completion.chunk", "choices": [one]} for one in chunks],
                end="data: [DONE]\n\n",
            )
        message = {
            "role": "assistant",
            "content": said,
            "tool_calls": [{"id": "t", "type": "function", "function": call}],
        }
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return JSONResponse({**frame, "object": "chat.completion", "choices": [choice]})

    async def forever(self, request: Request) -> Any:
        try:
            while True:
                yield b'data: {"choices": []}\n\n'
                await asyncio.sleep(0.01)
        finally:
            self.gone.set()

    async def completions(self, request: Request) -> Response:
        body = await self.keep(request)
        choice = {"index": 0, "text": body["prompt"], "finish_reason": "stop", "logprobs": None}
        return JSONResponse({"id": "c", "created": 1, "model": "m", "object": "text_completion", "choices": [choice]})

    async def embeddings(self, request: Request) -> Response:
        await self.keep(request)
        data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
        return JSONResponse(
            {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )

    async def responses(self, request: Request) -> Response:
        body = await self.keep(request)
        said = body["input"]
        part = {"type": "output_text", "text": said, "annotations": []}
        item = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        whole = {
            "id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": [item],
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        }  # fmt: skip
        if not body.get("stream"):
            return JSONResponse(whole)
        place = {"item_id": "m", "output_index": 0, "content_index": 0}
        said_events: list[dict[str, Any]] = [{"type": "response.created", "response": {**whole, "output": []}}]
        said_events += [
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
            {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        ]
        for one in re.findall("..?.?", said):
            said_events.append({"type": "response.output_text.delta", **place, "delta": one, "logprobs": []})
        said_events.append({"type": "response.output_text.done", **place, "text": said, "logprobs": []})
        said_events.append({"type": "response.completed", "response": whole})
        return events([{**event, "sequence_number": number} for number, event in enumerate(said_events)])

    async def other(self, request: Request) -> Response:
        await self.keep(request) if request.headers.get("content-type", "").startswith("application/json") else None
        return Response(b'{ "object" :"list","data":[]}', media_type="application/json", headers={"x-kept": "yes"})


def events(values: list[Any], *, end: str = "") -> Response:
    """Return a stream of events."""

    def lines() -> Iterator[str]:
        for value in values:
            yield (f"event: {value['type']}\n" if "type" in value else "") + f"data: {json.dumps(value)}\n\n"
        yield end

    return StreamingResponse(lines(), media_type="text/event-stream")


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path)


@contextmanager
def world(owner: Owner, mode: Mode = Mode.ENFORCE, **more: Any) -> Iterator[tuple[OpenAI, Upstream]]:
    """Serve an upstream and a proxy before it; give a client of the proxy."""
    upstream = Upstream()
    with (
        served(upstream.app()) as address,
        served(llm_proxy(owner.guard(mode), upstream=f"{address}/v1", **more)) as proxy,
        OpenAI(base_url=f"{proxy}/v1", api_key=KEY, max_retries=0) as client,
    ):
        yield client, upstream


def ask(client: OpenAI, text: Any, **more: Any) -> Any:
    messages: Any = [
        {"role": "system", "content": f"You write for {EMAIL}"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": json.dumps({"phone": PHONE})}}
        ]},
        {"role": "tool", "tool_call_id": "a", "content": f"the code is {SECRET}"},
        {"role": "user", "content": text},
    ]  # fmt: skip
    return client.chat.completions.create(model="m", messages=messages, **more)


def test_every_part_of_a_prompt_is_masked_and_the_answer_turned_back(owner: Owner) -> None:
    with world(owner) as (client, upstream):
        answer = ask(client, [{"type": "text", "text": f"Invite {EMAIL}, {NAME}, and not [owner:email#1]"}])
    sent = json.dumps(upstream.last)
    without_canaries(sent.replace(NAME, ""))
    assert NAME in sent
    assert upstream.last["messages"][0]["content"] == "You write for [owner:email#1]"
    assert json.loads(upstream.last["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {
        "phone": "[owner:phone#1]"
    }
    assert upstream.last["messages"][2]["content"] == "the code is [owner:secret#1]"
    message = answer.choices[0].message
    assert message.content == f"Invite {EMAIL}, {NAME}, and not [owner:email#1]"
    assert json.loads(message.tool_calls[0].function.arguments) == {"to": message.content}
    assert upstream.requests[-1].headers["authorization"] == f"Bearer {KEY}"


def test_a_stream_is_turned_back_with_its_tool_calls(owner: Owner) -> None:
    text = f'Write to {EMAIL} or "{PHONE}", not [owner:phone#1]'
    with world(owner) as (client, upstream):
        stream = list(ask(client, text, stream=True))
        without_canaries(json.dumps(upstream.last))
        with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": text}]) as gathered:
            whole = gathered.get_final_completion()
    assert "".join(one.choices[0].delta.content or "" for one in stream) == text
    calls = [call for one in stream for call in one.choices[0].delta.tool_calls or ()]
    assert json.loads("".join(call.function.arguments for call in calls)) == {"to": text}
    assert whole.choices[0].message.content == text
    assert json.loads(whole.choices[0].message.tool_calls[0].function.arguments) == {"to": text}


def test_the_other_endpoints(owner: Owner) -> None:
    with world(owner) as (client, upstream):
        assert client.completions.create(model="m", prompt=f"to {EMAIL}").choices[0].text == f"to {EMAIL}"
        assert upstream.last["prompt"] == "to [owner:email#1]"
        assert client.embeddings.create(model="m", input=[PHONE], encoding_format="float").data[0].embedding == [
            0.5,
            0.25,
        ]
        assert upstream.last["input"] == ["[owner:phone#1]"]
        assert client.responses.create(model="m", input=f"to {EMAIL}").output_text == f"to {EMAIL}"
        assert upstream.last["input"] == "to [owner:email#1]"
        parts = list(client.responses.create(model="m", input=f"to {EMAIL}, {PHONE}", stream=True))
        assert client.models.list().data == []
    assert "".join(part.delta for part in parts if part.type == "response.output_text.delta") == f"to {EMAIL}, {PHONE}"
    assert parts[-1].response.output_text == f"to {EMAIL}, {PHONE}"
    assert [part.sequence_number for part in parts] == list(range(len(parts)))


def test_only_granted_kinds_are_turned_back(owner: Owner) -> None:
    with world(owner, restore=frozenset({PiiKind.EMAIL})) as (client, _):
        assert ask(client, f"{EMAIL} {PHONE} {SECRET}").choices[0].message.content == (
            f"{EMAIL} [owner:phone#1] [owner:secret#1]"
        )


def test_tokens_of_another_request_or_of_another_key_are_text(owner: Owner) -> None:
    with world(owner) as (client, upstream):
        ask(client, EMAIL)
        typed = "[owner:email#1] [owner:phone#1]"
        assert (
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": typed}])
            .choices[0]
            .message.content
            == typed
        )
        other = client.with_options(api_key="sk-another-key-0123456789")
        other.chat.completions.create(model="m", messages=[{"role": "user", "content": "ottoline.varga@gmail.com"}])
        assert upstream.last["messages"][0]["content"] == "[owner:email#1]"
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "ottoline.varga@gmail.com"}])
        assert upstream.last["messages"][0]["content"] == "[owner:email#2]"


@pytest.mark.parametrize("more", [{"mode": Mode.OFF}, {"mode": Mode.SHADOW}, {"tier": Tier.TIER_1}])
def test_off_shadow_and_a_local_tier_change_no_byte(owner: Owner, more: dict[str, Any]) -> None:
    raw = b'{ "model":"m", "messages" : [{"role":"user","content":"' + EMAIL.encode() + b'"}], "x": 1e0 }'
    with world(owner, **more) as (client, upstream):
        headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
        answer = httpx.post(f"{client.base_url}chat/completions", content=raw, headers=headers)
        plain = httpx.post(f"{client.base_url}files/a%2Fb?q={EMAIL}", content=b"\xff", headers={"content-type": "x/y"})
    assert upstream.bodies == [raw]
    assert answer.json()["choices"][0]["message"]["content"] == EMAIL
    assert plain.content == b'{ "object" :"list","data":[]}'
    assert plain.headers["x-kept"] == "yes"
    if more == {"mode": Mode.SHADOW}:
        assert {tally.kind for firing in owner.firings() for tally in firing.row.tallies} == {PiiKind.EMAIL}
        without_canaries(owner.file.read_text())


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("files", f"--x\r\n\r\n{EMAIL}\r\n--x--".encode(), "multipart/form-data; boundary=x"),
        ("files", EMAIL.encode() + b"\xff", "application/octet-stream"),
        ("chat/completions", b'{"a":1,"a":2}', "application/json"),
        ("chat/completions", b"{", "application/json"),
        (f"files/{EMAIL}", b"", "application/json"),
        (f"files?who={EMAIL.replace('@', '%40')}", b"", "application/json"),
    ],
)
def test_what_cannot_be_rewritten_is_refused(owner: Owner, path: str, content: bytes, kind: str) -> None:
    with world(owner) as (client, upstream):
        answer = httpx.post(f"{client.base_url}{path}", content=content, headers={"content-type": kind})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] in {"owner-pii-masked", "not-observed"}
    assert upstream.bodies == []
    without_canaries(answer.text)


def test_what_has_nothing_of_the_owner_passes_whatever_it_is(owner: Owner) -> None:
    with world(owner) as (client, _):
        answer = httpx.post(f"{client.base_url}files", content=b"\x00\xff", headers={"content-type": "audio/wav"})
    assert answer.content == b'{ "object" :"list","data":[]}'


def test_refusals_of_the_upstream_come_back_as_they_are(owner: Owner) -> None:
    with world(owner) as (client, _), pytest.raises(openai.RateLimitError, match="slow down") as raised:
        ask(client, "limit")
    assert raised.value.response.headers["x-request-id"] == "r-1"


def test_a_table_that_denies_refuses_with_a_reason_and_kinds(tmp_path: Path) -> None:
    owner = owner_of(tmp_path, config="guards: {email: {tier3: deny}}\n")
    with world(owner) as (client, upstream), pytest.raises(openai.PermissionDeniedError) as raised:
        ask(client, EMAIL)
    assert raised.value.body["code"] == "owner-pii-denied"
    assert raised.value.body["kinds"] == ["email"]
    assert upstream.bodies == []
    without_canaries(str(raised.value))


def test_an_upstream_that_is_not_there_is_told_without_its_address(
    owner: Owner, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        served(llm_proxy(owner.guard(), upstream="http://127.0.0.1:9/v1")) as proxy,
        OpenAI(base_url=f"{proxy}/v1", api_key=KEY, max_retries=0) as client,
        pytest.raises(openai.InternalServerError) as raised,
    ):
        ask(client, EMAIL)
    assert raised.value.body["code"] == "upstream-unreachable"
    assert "127.0.0.1" not in str(raised.value.body)
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("iris"))
    without_canaries(ours)
    assert KEY not in ours


def test_bodies_have_a_limit(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "BODY_MOST", 1000)
    monkeypatch.setattr(forwarding, "ANSWER_MOST", 100)
    with world(owner) as (client, upstream):
        with pytest.raises(openai.APIStatusError) as raised:
            ask(client, "x" * 2000)
        assert raised.value.status_code == 413
        assert upstream.bodies == []
        with pytest.raises(openai.InternalServerError) as raised:
            ask(client, EMAIL)
    assert raised.value.body["code"] == "upstream-too-large"


def test_a_client_that_leaves_ends_the_upstreams_stream(owner: Owner) -> None:
    with world(owner) as (client, upstream):
        for _ in client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": EMAIL}, {"role": "user", "content": "forever"}],
            stream=True,
        ):
            break
        client.close()
        deadline = 500
        while not upstream.gone.is_set() and deadline:
            deadline -= 1
            asyncio.run(asyncio.sleep(0.01))
    assert upstream.gone.is_set()


def test_it_answers_on_loopback_and_to_no_page(owner: Owner) -> None:
    with world(owner) as (client, upstream):
        url = f"{client.base_url}models"
        assert httpx.get(url, headers={"host": "evil.example"}).status_code == 421
        assert httpx.get(url, headers={"origin": "https://evil.example"}).status_code == 403
        assert httpx.get(url, headers={"origin": "null"}).status_code == 403
        assert upstream.requests == []
        assert httpx.get(url, headers={"origin": "http://localhost:3000"}).status_code == 200


def test_the_command_serves_and_is_quiet(owner: Owner) -> None:
    upstream = Upstream()
    with served(upstream.app()) as address:
        command = [sys.executable, "-c", "from iris_memory.cli import main; main()", "guard", "llm", "--listen", "0"]
        command += ["--upstream", address, "--tier", "3", "--mode", "enforce", "--identity", str(owner.folder)]
        with subprocess.Popen(
            command, env=environment_of(owner.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            url = re.search(r"http://\S+", process.stderr.readline())
            assert url
            with OpenAI(base_url=url[0], api_key=KEY, max_retries=0) as client:
                assert ask(client, EMAIL).choices[0].message.content == EMAIL
            process.terminate()
            output, errors = process.communicate(timeout=30)
    without_canaries(json.dumps(upstream.last))
    assert (output, errors) == ("", "")
