"""Gate 3, crisis: in a crisis frame only safety-critical memory passes, and that only in a safety-critical context."""

from __future__ import annotations

from iris_memory.contracts.decision import DropReason
from iris_memory.gates.facts import Asked, Gate, Matter, Trait
from iris_memory.tables.categories import SAFETY_CRITICAL


def check(matter: Matter, asked: Asked) -> DropReason | None:
    """Let everything pass outside a crisis frame; inside one, safety alone."""
    if not asked.request.crisis_frame:
        return None
    if asked.request.safety_critical_context and matter.category in SAFETY_CRITICAL:
        return None
    return DropReason.CRISIS_FRAME


CRISIS = Gate("crisis", Trait.MATTER, "a crisis frame leaves safety-critical memory alone", check)
