"""The shield around every route: security headers, body limits, the token, and no word of an exception let out.

The token is looked at before a byte of the body is read, for everything under `/v1` and `/governance`: a new route is closed by itself.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fastapi import HTTPException
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iris_memory.access.tokens import Holder, Tokens, bearer_token
from iris_memory.http.problems import ProblemCode, problem_of, problem_of_error, respond

MIB: Final = 1 << 20
BODY_MOST: Final = 1 * MIB
BATCH_BODY_MOST: Final = 32 * MIB
IMPORT_BODY_MOST: Final = 2048 * MIB

CLOSED: Final = ("/v1/", "/governance/", "/mcp")
SECURITY_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "cache-control": "no-store",
    }
)
"""Sent with every response; a page may send a policy of its own in place of the first."""

_log = logging.getLogger(__name__)


class Shield:
    """ASGI middleware, outermost."""

    def __init__(self, app: ASGIApp, *, tokens: Tokens, body_most: Mapping[str, int]) -> None:
        """Take the tokens that are good and the largest body, in bytes, of each address that takes more than 1 MiB."""
        self._app = app
        self._tokens = tokens
        self._body_most = body_most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_shielded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._serve(scope, receive, send_shielded)
        except ClientDisconnect:
            return
        except Exception as error:
            tell(scope, error)
            if not started:
                await respond(problem_of_error(error))(scope, receive, send_shielded)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(CLOSED):
            holder = await self._holder(scope)
            if holder is None:
                await respond(problem_of(ProblemCode.UNAUTHENTICATED))(scope, receive, send)
                return
            scope.setdefault("state", {})["holder"] = holder
        most = self._body_most.get(scope["path"], BODY_MOST)
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            await respond(problem_of(ProblemCode.TOO_LARGE))(scope, receive, send)
            return
        await self._app(scope, _limited(receive, most), send)

    async def _holder(self, scope: Scope) -> Holder | None:
        token = bearer_token(scope["headers"])
        if token is None:
            return None
        known = self._tokens.known(token)
        return known if known is not None else await run_in_threadpool(self._tokens.holder, token)


def _limited(receive: Receive, most: int) -> Receive:
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > most:
                raise HTTPException(413)
        return message

    return receive_limited


def tell(scope: Scope, error: Exception) -> None:
    # the message of an exception may hold anything; where it was raised does not
    route = getattr(scope.get("route"), "path", "")
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    _log.error("%s %s failed with %s in %s", scope["method"], route, type(error).__name__, places)
