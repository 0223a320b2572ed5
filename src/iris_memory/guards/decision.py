"""The decision of a guard: what the call goes on with, or why it does not go on. Its `repr` shows no value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from iris_memory.contracts.guarding import GuardCount, GuardOutcome, GuardReason, Halted
from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.pseudonyms import Exchange


@dataclass(frozen=True, slots=True)
class GuardDecision:
    """What becomes of one call.

    `value` is what the call goes on with: what was given where it is allowed, the masked one where it is transformed,
    None where it is denied or halted. In `off` and in `shadow` nothing else is ever set. `exchange` turns pseudonyms of
    this call back; `personal` says that owner identity was in the value, masked or not.
    """

    outcome: GuardOutcome
    value: Any = field(repr=False)
    reason: GuardReason | None = None
    counts: tuple[GuardCount, ...] = ()
    personal: bool = False
    halted: Halted | None = None
    exchange: Exchange | None = field(default=None, repr=False, compare=False)

    @property
    def goes_on(self) -> bool:
        """Whether the call goes on, with `value`."""
        return self.outcome in (GuardOutcome.ALLOW, GuardOutcome.TRANSFORM)

    @property
    def kinds(self) -> frozenset[PiiKind]:
        """The kinds of owner identity that were seen."""
        return frozenset(count.kind for count in self.counts)


def bare_allow(value: object) -> GuardDecision:
    """Let a call go on as it is, with nothing said about it."""
    return GuardDecision(GuardOutcome.ALLOW, value)
