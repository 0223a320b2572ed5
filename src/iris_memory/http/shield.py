"""The shield around every route: security headers, body limits, the token, and no word of an exception let out.

The token is looked at before a byte of the body is read, and then what its roles open, for everything under `/v1`,
`/governance` and `/mcp`: a new route is closed by itself.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from fastapi import HTTPException
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iris_memory.access.service_tokens import PersonTokens
from iris_memory.access.tokens import Holder, Tokens, bearer_token
from iris_memory.http.authority import EXCHANGE, opens, row_of
from iris_memory.http.conduct import Conduct
from iris_memory.http.limits import Limiter
from iris_memory.http.metrics import Metrics
from iris_memory.http.patience import Patience
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

HTTPS_HEADERS: Final[Mapping[str, str]] = MappingProxyType({"strict-transport-security": "max-age=63072000"})
"""Sent too where people reach the service by https (RFC 6797): for two years nothing else is tried."""

_log = logging.getLogger(__name__)


class Shield:
    """ASGI middleware, outermost."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        tokens: Tokens,
        persons: PersonTokens,
        body_most: Mapping[str, int],
        metrics: Metrics,
        conduct: Conduct,
    ) -> None:
        """Take what the service is closed with.

        Args:
            app: what is inside.
            tokens: knows which tokens are good.
            persons: knows service tokens, which open the exchange alone.
            body_most: the largest body, in bytes, of each address that takes more than 1 MiB.
            metrics: counts what is over a rate.
            conduct: rates, patience, and whether people reach the service by https.
        """
        self._app = app
        self._tokens = tokens
        self._persons = persons
        self._body_most = body_most
        self._metrics = metrics
        self._limiter = Limiter(conduct.rates, time.monotonic)
        self._body_seconds = conduct.body_seconds
        self._answer_seconds = conduct.answer_seconds
        self._headers = SECURITY_HEADERS if not conduct.is_https else {**SECURITY_HEADERS, **HTTPS_HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        patience = Patience(scope, receive, send_shielded, late=lambda: _tell_late(scope))
        try:
            await patience.run(partial(self._serve, scope, receive), seconds=self._answer_seconds)
        except ClientDisconnect:
            return
        except Exception as error:
            tell(scope, error)
            if not patience.has_begun:
                await respond(problem_of_error(error))(scope, receive, send_shielded)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        seconds = self._limiter.address((scope.get("client") or ("",))[0])
        if seconds:
            await self._respond_limited("address", seconds)(scope, receive, send)
            return
        if scope["path"].startswith(CLOSED):
            refusal = await self._refusal(scope)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        most = self._body_most.get(scope["path"], BODY_MOST)
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            await respond(problem_of(ProblemCode.TOO_LARGE))(scope, receive, send)
            return
        await self._app(scope, _limited(receive, most, self._body_seconds), send)

    async def _refusal(self, scope: Scope) -> Response | None:
        """Return what a request to a closed address is refused with; None lets it in, with its holder in the state."""
        token = bearer_token(scope["headers"])
        state = scope.setdefault("state", {})
        if scope["path"] == EXCHANGE:
            service = None if token is None else await run_in_threadpool(self._persons.service, token)
            if service is None:
                return respond(problem_of(ProblemCode.UNAUTHENTICATED))
            state["service"] = service
            seconds = self._limiter.holder(service.tenant_id, service.token_id)
            return self._respond_limited("holder", seconds) if seconds else None
        holder = None if token is None else await self._holder(token)
        if holder is None:
            return respond(problem_of(ProblemCode.UNAUTHENTICATED))
        row = row_of(scope["path"])
        if row is not None and not opens(row, scope["method"], holder):
            return respond(problem_of(ProblemCode.NOT_PERMITTED))
        state["holder"] = holder
        seconds = self._limiter.holder(holder.tenant, holder.user)
        return self._respond_limited("holder", seconds) if seconds else None

    def _respond_limited(self, by: str, seconds: int) -> Response:
        self._metrics.limited(by)
        return respond(problem_of(ProblemCode.TOO_MANY_REQUESTS), headers={"Retry-After": str(seconds)})

    async def _holder(self, token: str) -> Holder | None:
        known = self._tokens.known(token)
        return known if known is not None else await run_in_threadpool(self._tokens.holder, token)


def _limited(receive: Receive, most: int, seconds: float) -> Receive:
    taken, is_whole = 0, False

    async def receive_limited() -> Message:
        nonlocal taken, is_whole
        if is_whole:  # what comes after the body is only that the caller went away
            return await receive()
        try:
            async with asyncio.timeout(seconds):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408) from None
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if taken > most:
                raise HTTPException(413)
        return message

    return receive_limited


def _tell_late(scope: Scope) -> None:
    route = getattr(scope.get("route"), "path", "")
    _log.warning("%s %s took too long (%s)", scope["method"], route, scope.get("state", {}).get("request_id", ""))


def tell(scope: Scope, error: Exception) -> None:
    # the message of an exception may hold anything; where it was raised does not
    route = getattr(scope.get("route"), "path", "")
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    request_id = scope.get("state", {}).get("request_id", "")
    _log.error("%s %s failed with %s in %s (%s)", scope["method"], route, type(error).__name__, places, request_id)
