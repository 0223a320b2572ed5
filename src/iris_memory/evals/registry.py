"""The suites by name, and the run of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from iris_memory.errors import SettingError
from iris_memory.evals import (
    conflict,
    consent,
    continuation,
    crisis,
    cross_tenant,
    decay,
    determinism,
    drift,
    forget,
    inspection,
    leakage,
    masking,
    multi_actor,
    operator_notes,
    poisoning,
    promotion,
    rights,
    sensitive_gating,
)
from iris_memory.evals.tally import Tally

Suite = Callable[[Tally], str]
"""Looks at every case of a suite and returns, in a few words, what was looked at."""

SUITES: Final[Mapping[str, Suite]] = MappingProxyType(
    {
        "determinism": determinism.run,
        "leakage": leakage.run,
        "cross-tenant": cross_tenant.run,
        "sensitive-gating": sensitive_gating.run,
        "crisis": crisis.run,
        "conflict": conflict.run,
        "decay": decay.run,
        "forget": forget.run,
        "masking": masking.run,
        "consent": consent.run,
        "continuation": continuation.run,
        "promotion": promotion.run,
        "poisoning": poisoning.run,
        "multi-actor": multi_actor.run,
        "rights": rights.run,
        "drift": drift.run,
        "operator-notes": operator_notes.run,
        "inspection": inspection.run,
    }
)


def run(
    names: Sequence[str] = (),
    *,
    starting: Callable[[str], None] = lambda name: None,
    history: Path | None = None,
) -> dict[str, Any]:
    """Run the suites named, or every one; return `{"ok", "suites": [{"name", "cases", "failed", "detail"}]}`.

    `starting` is told the name of each before it runs. `history` is a file in which drift keeps its rates, run by run,
    and with whose first run it compares.

    Raises:
        SettingError: there is no such suite; the message lists those there are.
    """
    if unknown := [name for name in names if name not in SUITES]:
        raise SettingError(f"{len(unknown)} unknown of {len(names)}; a suite is one of {', '.join(SUITES)}")
    suites = []
    for name in dict.fromkeys(names or SUITES):
        starting(name)
        suite = partial(drift.run, history=history) if name == "drift" else SUITES[name]
        suites.append(_run_one(name, suite))
    return {"ok": all(not suite["failed"] for suite in suites), "suites": suites}


def _run_one(name: str, suite: Suite) -> dict[str, Any]:
    tally = Tally()
    try:
        detail = suite(tally)
    except Exception as problem:  # a suite that breaks off has failed, and the others are still to be run
        tally.check(f"broke off with {type(problem).__name__}", holds=False)
        detail = "not all was looked at"
    if tally.failed:
        detail = f"{'; '.join(tally.first)} ({detail})"
    return {"name": name, "cases": tally.cases, "failed": tally.failed, "detail": detail}
