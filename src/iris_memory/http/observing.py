"""Observing: a request id for each request, its count and time, its line in the log and its span. Nothing it said.

A line or a span names the method, the template of the address, the status and the time taken: no address as it was
asked for, no id of a memory or a person, no word of a body.
"""

from __future__ import annotations

import itertools
import re
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final, Protocol, TextIO

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iris_memory.errors import SettingError
from iris_memory.http.metrics import Metrics

REQUEST_ID: Final = "x-request-id"
_ID: Final = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_BESIDE: Final = "/mcp"


class RequestLog(StrEnum):
    """Which requests get a line."""

    OFF = "off"
    ERRORS = "errors"
    ALL = "all"


Log = Callable[..., Any]
"""Writes one line: an event and its fields."""


class Span(Protocol):
    """What a span takes."""

    def set_attribute(self, key: str, value: Any) -> None:
        """Set an attribute."""
        ...

    def update_name(self, name: str) -> None:
        """Give it another name."""
        ...


class Tracer(Protocol):
    """Starts spans; the tracers of OpenTelemetry do."""

    def start_as_current_span(self, name: str) -> AbstractContextManager[Any]:
        """Start a span for the time of a block."""
        ...


def request_logger(to: TextIO | None = None) -> Log:
    """Return what writes each line as one JSON object, to stderr unless told otherwise."""
    logger = structlog.wrap_logger(
        structlog.PrintLogger(to or sys.stderr),
        processors=[structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.JSONRenderer()],
        wrapper_class=structlog.BoundLogger,
        cache_logger_on_first_use=True,
    )
    write: Log = logger.info
    return write


def open_tracer() -> Tracer:
    """Return a tracer of the provider that the deployment set up for this process.

    Raises:
        SettingError: OpenTelemetry is not installed.
    """
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        raise SettingError("spans need iris-memory[telemetry], which is not installed") from None
    return trace.get_tracer("iris_memory")


class Observed:
    """ASGI middleware around everything."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        requests: RequestLog = RequestLog.OFF,
        log: Log | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        """Take the counters, which requests get a line and who writes it, and the tracer where there are spans."""
        self._app = app
        self._metrics = metrics
        self._requests = requests
        self._log = log
        self._tracer = tracer
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope) or f"{self._prefix}{next(self._numbers):016x}"
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0
        began = time.perf_counter()

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        self._metrics.began()
        with nullcontext() if self._tracer is None else self._tracer.start_as_current_span("request") as span:
            try:
                await self._app(scope, receive, send_named)
            finally:
                self._tell(scope, span, request_id, status, time.perf_counter() - began)

    def _tell(self, scope: Scope, span: Span | None, request_id: str, status: int, seconds: float) -> None:
        method, route = scope["method"], route_of(scope)
        self._metrics.ended(method=method, route=route, status=status, seconds=seconds)
        if span is not None:
            span.update_name(f"{method} {route}")
            span.set_attribute("http.request.method", method)
            span.set_attribute("http.route", route)
            span.set_attribute("http.response.status_code", status)
            span.set_attribute("iris.request_id", request_id)
        is_told = self._requests is RequestLog.ALL or (
            self._requests is RequestLog.ERRORS and status >= HTTPStatus.INTERNAL_SERVER_ERROR
        )
        if is_told and self._log is not None:
            self._log(
                "request",
                request_id=request_id,
                method=method,
                route=route,
                status=status,
                milliseconds=round(seconds * 1e3, 3),
            )


def route_of(scope: Scope) -> str:
    """Return the template of the address that answered; one word for what has none, so that no id is repeated."""
    route = scope.get("route")
    if route is not None and hasattr(route, "path"):
        return str(route.path)
    return _BESIDE if scope.get("path") == _BESIDE else "other"


def _given_id(scope: Scope) -> str | None:
    given = [value for name, value in scope["headers"] if name == b"x-request-id"]
    return given[0].decode("ascii") if len(given) == 1 and _ID.fullmatch(given[0]) else None
