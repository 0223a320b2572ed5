"""Jobs of the sweep's tests: a sweep that ends its process at a step, and one that is killed from outside."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from flows.stores import START, SteppingClock, open_store
from iris_memory.flows import sweep as sweeping
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.sweep import sweep
from reliability.lives import WATCHED_STORE, WATCHED_VAULT, Counting, Log, Steps

LATER = START + timedelta(days=1)


def sweep_in_step(folder: str, end_at: int) -> None:
    """Sweep, and end the process at the n-th beginning or end of a step of an engine."""
    sweeping.PAGE = 5  # type: ignore[misc]
    iris = open_store(Path(folder), clock=SteppingClock(LATER))
    steps = Steps(end_at)
    plain = iris.instruments
    instruments: Instruments = replace(
        plain,
        store=Counting(plain.store, steps, WATCHED_STORE),  # type: ignore[arg-type]
        vault=Counting(plain.vault, steps, WATCHED_VAULT),  # type: ignore[arg-type]
    )
    sweep(instruments)


def sweep_until_killed(folder: str, log: str) -> None:
    """Sweep page by page, telling each, until it is killed or done."""
    out = Log(log)
    sweeping.PAGE = 5  # type: ignore[misc]
    real = sweeping.destroy
    iris = open_store(Path(folder), clock=SteppingClock(LATER))

    def told(*given: object) -> object:
        out.say("page")
        return real(*given)  # type: ignore[arg-type]

    sweeping.destroy = told  # type: ignore[assignment]
    sweep(iris.instruments)
