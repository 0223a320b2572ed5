"""Conduct: how a service behaves toward those who ask, whatever it serves."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.http.limits import Rates
from iris_memory.http.observing import Log, RequestLog, Tracer


class Conduct(NamedTuple):
    """Rates, patience, what is logged, and whether people reach the service by https."""

    rates: Rates = Rates()
    body_seconds: float = 30.0
    """How long the next piece of a body may take to come."""
    answer_seconds: float = 120.0
    """How long an answer may take to begin; 0 for as long as it takes."""
    requests: RequestLog = RequestLog.OFF
    log: Log | None = None
    tracer: Tracer | None = None
    is_https: bool = False


PLAIN: Final = Conduct()
"""No rate, no line in a log, no span: for tests, and for programs that do these themselves."""
