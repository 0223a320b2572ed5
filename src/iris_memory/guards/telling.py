"""Telling: what a caller is told of a call that a guard stopped: the reason and the kinds, never a literal."""

from __future__ import annotations

from iris_memory.contracts.guarding import GuardReason
from iris_memory.contracts.masking import Action
from iris_memory.guards.decision import GuardDecision

_STOPS = frozenset({Action.DENY, Action.HALT})


def stopped_kinds(decision: GuardDecision) -> list[str]:
    """Return the kinds that stopped a call, sorted."""
    return sorted({count.kind.value for count in decision.counts if count.action in _STOPS})


def reason_of(decision: GuardDecision) -> str:
    """Return the reason code of a stopped call; what has none could not be observed."""
    return (decision.reason or GuardReason.NOT_OBSERVED).value


def told(decision: GuardDecision) -> str:
    """Return one line for a person or a model."""
    kinds = stopped_kinds(decision)
    of = f" ({', '.join(kinds)})" if kinds else ""
    return f"stopped by the owner's guard: {reason_of(decision)}{of}"
