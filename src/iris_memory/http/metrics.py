"""Metrics: counts and latencies by route and status, in the text format of Prometheus. No id, no word, no address."""

from __future__ import annotations

import ipaddress
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import Scope

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import Holder
from iris_memory.http.authority import roles_of

PATH: Final = "/metrics"
MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_FORWARDED: Final = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"})
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._registry = CollectorRegistry(auto_describe=False)
        self._requests = Counter(
            "iris_http_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "iris_http_request_seconds",
            "Seconds from a request's first byte read to its last byte sent.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._held = Gauge("iris_http_requests_in_progress", "Requests being answered.", registry=self._registry)
        self._limited = Counter("iris_http_limited", "Requests over a rate.", ("by",), registry=self._registry)

    def began(self) -> None:
        """Count a request that begins."""
        self._held.inc()

    def ended(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered; `route` is the template of its address."""
        self._held.dec()
        told = method if method in _METHODS else "other"
        self._requests.labels(told, route, str(status)).inc()
        self._seconds.labels(told, route).observe(seconds)

    def limited(self, by: str) -> None:
        """Count a request that was over the rate of its holder or its address."""
        self._limited.labels(by).inc()

    def text(self) -> bytes:
        """Return everything counted, as Prometheus reads it."""
        return generate_latest(self._registry)


def may_read(scope: Scope, holder: Holder | None) -> bool:
    """Say whether a request may read the metrics: one of this machine that nobody passed on, or an auditor's."""
    if holder is not None and Role.AUDITOR in roles_of(holder):
        return True
    client = scope.get("client")
    if client is None or any(name in _FORWARDED for name, _ in scope["headers"]):
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
