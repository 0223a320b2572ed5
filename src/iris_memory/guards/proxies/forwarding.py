"""Forwarding: requests that go on to a server outside, and answers that come back, with their headers.

Headers that speak of one connection stay on it (RFC 9110, 7.6.1). `Authorization` goes on as it came and is written
nowhere. Nothing here logs.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Iterable
from typing import Final
from urllib.parse import urlsplit

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

BODY_MOST: Final = 32 * 1024 * 1024
"""How many bytes a request may have."""

ANSWER_MOST: Final = 64 * 1024 * 1024
"""How many bytes an answer that is read as a whole may have."""

CONNECT_SECONDS: Final = 10.0
READ_SECONDS: Final = 600.0

_OF_THE_CONNECTION: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_NOT_ONWARD: Final = _OF_THE_CONNECTION | {"host", "content-length", "origin", "expect"}
_OF_THE_BODY: Final = frozenset({"content-length", "content-encoding"})
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


class TooLargeError(Exception):
    """A body is larger than is read."""


def is_local(url: str) -> bool:
    """Whether an address is of this machine alone."""
    return (urlsplit(url).hostname or "") in LOOPBACK


def client_of(*, transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """Return the client of a proxy. It follows no redirect: the client behind it decides that."""
    return httpx.AsyncClient(
        timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS),
        limits=httpx.Limits(max_connections=None),
        follow_redirects=False,
        trust_env=False,
        transport=transport,
    )


def onward_headers(request: Request, *, readable: bool) -> list[tuple[str, str]]:
    """Return the headers that go on. `readable` asks for an answer that is not compressed."""
    named = {name.strip().lower() for name in request.headers.get("connection", "").split(",")}
    kept = [
        (name, value)
        for name, value in request.headers.items()
        if name not in _NOT_ONWARD | named and not (readable and name == "accept-encoding")
    ]
    # a client that says nothing of encodings gets none from httpx either
    if readable or "accept-encoding" not in request.headers:
        kept.append(("accept-encoding", "identity"))
    return kept


def back_headers(answer: httpx.Response, *, rewritten: bool) -> dict[str, str]:
    """Return the headers that come back. `rewritten` says that the body is not what was sent."""
    dropped = _OF_THE_CONNECTION | (_OF_THE_BODY if rewritten else frozenset())
    return {name: value for name, value in answer.headers.items() if name.lower() not in dropped}


async def body_of(request: Request) -> bytes:
    """Read a request.

    Raises:
        TooLargeError: it is larger than is read.
    """
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_MOST:
            raise TooLargeError("a request is larger than is read")
    return bytes(body)


async def whole(answer: httpx.Response) -> bytes:
    """Read an answer.

    Raises:
        TooLargeError: it is larger than is read.
    """
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > ANSWER_MOST:
            raise TooLargeError("an answer is larger than is read")
    return bytes(body)


async def as_sent(answer: httpx.Response) -> AsyncIterator[bytes]:
    """Hand an answer on byte by byte."""
    try:
        async for piece in answer.aiter_raw():
            yield piece
    finally:
        await answer.aclose()


def failure(status: int, *, code: str, message: str, kinds: Iterable[str] = ()) -> Response:
    """Return what a client is told when the proxy answers itself, in the form that OpenAI clients read."""
    error: dict[str, object] = {"message": message, "type": "iris_guard", "param": None, "code": code}
    if listed := list(kinds):
        error["kinds"] = listed
    return JSONResponse({"error": error}, status_code=status)


def told_of(problem: httpx.HTTPError) -> Response:
    """Return what a client is told of an upstream that does not answer: never an address, never a header."""
    if isinstance(problem, httpx.TimeoutException):
        return failure(504, code="upstream-timeout", message="the upstream did not answer in time")
    return failure(502, code="upstream-unreachable", message="the upstream could not be reached")


class OnLoopback:
    """Lets in only requests that name this machine as their host, and no page of another origin (DNS rebinding)."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers them."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421 for other hosts and 403 for other origins."""
        if scope["type"] == "http":
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            if not is_local(f"http://{headers.get('host', '')}"):
                answer = failure(421, code="host-not-local", message="this proxy answers on loopback only")
                return await answer(scope, receive, send)
            if "origin" in headers and not is_local(headers["origin"]):
                answer = failure(403, code="origin-not-local", message="this proxy answers no page of another origin")
                return await answer(scope, receive, send)
        return await self._app(scope, receive, send)


class Whose:
    """Tells conversations apart by a keyed digest of what clients prove themselves with; nothing else is kept."""

    def __init__(self, *, key: bytes) -> None:
        """Take a key of this process."""
        self._key = key

    def of(self, *marks: str | None) -> str:
        """Return the conversation of the first mark that is there."""
        mark = next((mark for mark in marks if mark), "")
        return hmac.digest(self._key, mark.encode("utf-8", "replace"), "sha256").hex()[:32] if mark else ""
