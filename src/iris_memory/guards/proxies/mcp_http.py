"""MCP over streamable HTTP: an endpoint on loopback that stands before a server's endpoint.

Headers and sessions are the server's and the client's; the proxy keeps none but, per session (or per token, where there
is none), the conversation in which pseudonyms are numbered.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio.to_thread
import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from iris_memory.contracts.masking import Mode
from iris_memory.guards.proxies.event_streams import Events, TooLongError, data_of, with_data
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
from iris_memory.guards.proxies.mcp_conversation import McpConversation

SESSION: Final = "mcp-session-id"
CONVERSATIONS_MOST: Final = 1_024
"""How many are kept; the one used longest ago is forgotten first, and its pseudonyms are no longer turned back."""

Open = Callable[[str], McpConversation]
"""Opens the conversation of a name."""


def mcp_proxy(open_conversation: Open, *, url: str, transport: httpx.AsyncBaseTransport | None = None) -> Starlette:
    """Return the application that stands before the endpoint at `url`; clients reach it at `/mcp`."""
    front = _Front(open_conversation, url=url, client=client_of(transport=transport))

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        yield
        await front.client.aclose()

    return Starlette(
        routes=[Route("/mcp", front.answer, methods=["GET", "POST", "DELETE"])],
        middleware=[Middleware(OnLoopback)],
        lifespan=running,
    )


class _Front:
    def __init__(self, open_conversation: Open, *, url: str, client: httpx.AsyncClient) -> None:
        self.client = client
        self._open = open_conversation
        self._url = url
        self._whose = Whose(key=secrets.token_bytes(32))
        self._known: OrderedDict[str, McpConversation] = OrderedDict()

    async def answer(self, request: Request) -> Response:
        try:
            return await self._answered(request)
        except TooLargeError:
            return failure(413, code="too-large", message="a message is larger than is read")
        except httpx.HTTPError as problem:
            return told_of(problem)

    async def _answered(self, request: Request) -> Response:
        body = await body_of(request)
        asked = self._conversation(request)
        headers = onward_headers(request, readable=asked.mode is not Mode.OFF)
        if request.method == "POST":
            passage = await anyio.to_thread.run_sync(lambda: asked.to_server(body, headers=dict(headers)))
            if passage.onward is None:
                if passage.back is None:
                    return Response(status_code=202)
                return Response(passage.back, media_type="application/json")
            body = passage.onward
            headers = [(name, value) for name, value in headers if name not in passage.headers]
            headers += passage.headers.items()
        sent = self.client.build_request(request.method, self._url, headers=headers, content=body or None)
        answer = await self.client.send(sent, stream=True)
        return await self._handed_back(answer, self._conversation(request, answer))

    async def _handed_back(self, answer: httpx.Response, conversation: McpConversation) -> Response:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if conversation.mode is Mode.OFF:
            return StreamingResponse(
                as_sent(answer), status_code=answer.status_code, headers=back_headers(answer, rewritten=False)
            )
        headers = back_headers(answer, rewritten=True)
        if kind == "text/event-stream":
            return StreamingResponse(_events(answer, conversation), status_code=answer.status_code, headers=headers)
        try:
            body = await whole(answer)
        finally:
            await answer.aclose()
        if kind == "application/json" and body:
            passage = await anyio.to_thread.run_sync(lambda: conversation.to_client(body))
            if passage.onward is None:
                return failure(502, code="not-observed", message="the upstream's answer could not be read")
            body = passage.onward
        elif body and conversation.mode is Mode.ENFORCE:
            text = body.decode("utf-8", "replace")
            body = conversation.text_to_client(text).encode("utf-8", "replace")
        return Response(body, status_code=answer.status_code, headers=headers)

    def _conversation(self, request: Request, answer: httpx.Response | None = None) -> McpConversation:
        begun = None if answer is None else answer.headers.get(SESSION)
        name = self._whose.of(request.headers.get(SESSION) or begun, request.headers.get("authorization"))
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._open(name)
            while len(self._known) > CONVERSATIONS_MOST:
                self._known.popitem(last=False)
        self._known.move_to_end(name)
        return known


async def _events(answer: httpx.Response, conversation: McpConversation) -> AsyncIterator[bytes]:
    events = Events()
    try:
        async for piece in answer.aiter_bytes():
            for event in events.feed(piece):
                yield await anyio.to_thread.run_sync(_handed_on, event, conversation)
        if rest := events.finish():
            yield await anyio.to_thread.run_sync(_handed_on, rest, conversation)
    except (TooLongError, httpx.HTTPError):
        # what was begun ends here; the client sees a stream that was cut off
        return
    finally:
        await answer.aclose()


def _handed_on(event: bytes, conversation: McpConversation) -> bytes:
    data = data_of(event)
    if data is None or not data:
        return event if conversation.mode is Mode.SHADOW else with_data(event, data) if data is not None else b":\n\n"
    onward = conversation.to_client(data).onward
    if conversation.mode is Mode.SHADOW or onward is data:
        return event
    return b":\n\n" if onward is None else with_data(event, onward)
