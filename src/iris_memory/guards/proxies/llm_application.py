"""A model's API behind the guard: the OpenAI protocol on loopback, for any client and any upstream.

Laws:

* `off` and `shadow` hand requests and answers on byte by byte; so does a tier that stays on this machine;
* in `enforce` every JSON body, whatever its path, is masked by the tier-3 column; a body that is no JSON, a path or a
  query with something to mask in it is refused, since nobody could tell what to put there;
* answers come back with the pseudonyms of their own request turned back, for granted kinds;
* the upstream's own refusals come back as they are; what the proxy itself says names no address and no value.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import anyio.to_thread
import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from iris_memory.contracts.guarding import GuardOutcome, Tier
from iris_memory.contracts.masking import OWNER_PII_KINDS, Mode, PiiKind
from iris_memory.guards.decision import GuardDecision
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.guards.proxies.binary_parts import readable
from iris_memory.guards.proxies.event_streams import Events, TooLongError, data_of, with_data
from iris_memory.guards.proxies.exact_json import UnreadableError, read, written
from iris_memory.guards.proxies.forwarding import (
    OnLoopback,
    TooLargeError,
    Whose,
    as_sent,
    back_headers,
    body_of,
    client_of,
    failure,
    onward_headers,
    told_of,
    whole,
)
from iris_memory.guards.proxies.llm_answers import Answers, AnswerStream
from iris_memory.guards.telling import reason_of, stopped_kinds, told

_METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_KNOWN: Final = frozenset(
    f"/v1/{name}" for name in ("chat/completions", "completions", "responses", "embeddings", "models")
)
"""Paths that say nothing of anybody."""

_JSON_FORMATS: Final = frozenset({"json_object", "json_schema"})


def llm_proxy(
    guard: OwnerGuard,
    *,
    upstream: str,
    tier: Tier = Tier.TIER_3,
    restore: frozenset[PiiKind] = OWNER_PII_KINDS,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """Return the application that stands before `upstream`; clients reach it at `/v1`.

    Args:
        guard: of the owner whose identity stays in.
        upstream: where the API is, with or without its `/v1`.
        tier: that of the model; only the third is guarded.
        restore: the kinds turned back in answers.
        transport: what carries requests, where it is not the network.
    """
    front = _Front(guard, upstream.rstrip("/"), tier, restore, client_of(transport=transport))

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        yield
        await front.client.aclose()

    return Starlette(
        routes=[Route("/{path:path}", front.answer, methods=_METHODS)],
        middleware=[Middleware(OnLoopback)],
        lifespan=running,
    )


class _Asked(NamedTuple):
    """A request as it goes on, and what turns its answer back; None where that comes back as it is."""

    body: bytes
    answers: Answers | None


class _Front:
    def __init__(
        self, guard: OwnerGuard, base: str, tier: Tier, restore: frozenset[PiiKind], client: httpx.AsyncClient
    ) -> None:
        self.client = client
        self._guard = guard
        self._base = base
        self._tier = tier
        self._restore = restore
        self._whose = Whose(key=secrets.token_bytes(32))

    async def answer(self, request: Request) -> Response:
        try:
            body = await body_of(request)
            asked = await anyio.to_thread.run_sync(self._asked, request, body)
            return asked if isinstance(asked, Response) else await self._answered(request, asked)
        except TooLargeError:
            return failure(413, code="too-large", message="a body is larger than is read")
        except httpx.HTTPError as problem:
            return told_of(problem)

    # -- the request -----------------------------------------------------------------------------------------------

    def _asked(self, request: Request, body: bytes) -> _Asked | Response:
        if self._guard.mode is Mode.OFF:
            return _Asked(body, None)
        within = self._whose.of(request.headers.get("authorization"))
        if self._guard.mode is Mode.ENFORCE and (request.url.query or request.url.path not in _KNOWN):
            address = [request.url.path, request.url.query]
            placed = self._guard.pre_llm_call(address, tier=self._tier, conversation=within)
            if placed.outcome is not GuardOutcome.ALLOW:
                return _refused(placed)
        if not body:
            return _Asked(body, None)
        prompt, as_json = _prompt(request, body)
        decision = self._guard.pre_llm_call(prompt, tier=self._tier, conversation=within)
        if self._guard.mode is Mode.SHADOW:
            return _Asked(body, None)
        if not decision.goes_on or (decision.outcome is GuardOutcome.TRANSFORM and not as_json):
            return _refused(decision)
        if decision.outcome is GuardOutcome.ALLOW or decision.exchange is None:
            return _Asked(body, None)
        answers = Answers(decision.exchange, kinds=self._restore, as_json=_wants_json(prompt))
        return _Asked(written(decision.value), answers if answers.has_any else None)

    def _address(self, request: Request) -> str:
        """Return where a request goes on to: as it was written, with nothing decoded."""
        path = request.scope.get("raw_path", request.url.path.encode()).decode("latin-1")
        if self._base.endswith("/v1"):
            path = path.removeprefix("/v1")
        return f"{self._base}{path}" + (f"?{request.url.query}" if request.url.query else "")

    # -- the answer ------------------------------------------------------------------------------------------------

    async def _answered(self, request: Request, asked: _Asked) -> Response:
        sent = self.client.build_request(
            request.method,
            self._address(request),
            headers=onward_headers(request, readable=asked.answers is not None),
            content=asked.body or None,
        )
        answer = await self.client.send(sent, stream=True)
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if asked.answers is None or kind not in {"application/json", "text/event-stream"}:
            return StreamingResponse(
                as_sent(answer), status_code=answer.status_code, headers=back_headers(answer, rewritten=False)
            )
        headers = back_headers(answer, rewritten=True)
        if kind == "text/event-stream":
            return StreamingResponse(
                _events(answer, AnswerStream(asked.answers)), status_code=answer.status_code, headers=headers
            )
        try:
            body = await whole(answer)
        except TooLargeError:
            return failure(502, code="upstream-too-large", message="the upstream's answer is larger than is read")
        finally:
            await answer.aclose()
        body = await anyio.to_thread.run_sync(_turned_back, body, asked.answers)
        return Response(body, status_code=answer.status_code, headers=headers)


def _prompt(request: Request, body: bytes) -> tuple[Any, bool]:
    """Return what a body says, and whether it is JSON. What cannot be read at all stays bytes, which no guard reads."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"application/json", ""} or kind.endswith("+json"):
        try:
            return read(body), True
        except UnreadableError:
            return body, False
    return readable(body), False


def _wants_json(prompt: Any) -> bool:
    """Whether a request asks for answers in JSON."""
    if not isinstance(prompt, Mapping):
        return False
    text = prompt.get("text")
    for asked in (prompt.get("response_format"), text.get("format") if isinstance(text, Mapping) else None):
        if isinstance(asked, Mapping) and asked.get("type") in _JSON_FORMATS:
            return True
    return False


def _refused(decision: GuardDecision) -> Response:
    kinds = stopped_kinds(decision) or sorted({count.kind.value for count in decision.counts})
    return failure(403, code=reason_of(decision), message=told(decision), kinds=kinds)


def _turned_back(body: bytes, answers: Answers) -> bytes:
    try:
        value = read(body)
    except UnreadableError:
        return body
    back = answers.whole(value)
    return body if back == value else written(back)


async def _events(answer: httpx.Response, stream: AnswerStream) -> AsyncIterator[bytes]:
    events = Events()
    try:
        async for piece in answer.aiter_bytes():
            for event in events.feed(piece):
                for part in _turned_event(event, stream):
                    yield part
        for one in stream.finish():
            yield _event(one)
        if rest := events.finish():
            yield rest
    except (TooLongError, httpx.HTTPError):
        # the client sees a stream that was cut off, as it was
        return
    finally:
        await answer.aclose()


def _turned_event(event: bytes, stream: AnswerStream) -> list[bytes]:
    data = data_of(event)
    if not data:
        return [event]
    if data.strip() == b"[DONE]":
        return [*(_event(one) for one in stream.finish()), event]
    try:
        value = read(data)
    except UnreadableError:
        return [event]
    *before, last = stream.feed(value)
    return [*(_event(one) for one in before), event if last == value else with_data(event, written(last))]


def _event(value: Any) -> bytes:
    named = b""
    if isinstance(value.get("type"), str) and "choices" not in value:
        named = b"event: " + value["type"].encode("utf-8") + b"\n"
    return named + b"data: " + written(value) + b"\n\n"
