"""Gate 4a, suppression: what is held back, and everything while the session is off the record."""

from __future__ import annotations

from iris_memory.contracts.decision import DropReason
from iris_memory.gates.facts import Asked, Gate, Hold, Trait


def check(hold: Hold, asked: Asked) -> DropReason | None:
    """Drop an entry with an active suppression under its reason; in a paused session drop all under `user-pause`."""
    if asked.paused:
        return DropReason.USER_PAUSE
    if hold.reason is None:
        return None
    return DropReason(hold.reason.value)


SUPPRESSION = Gate("suppression", Trait.HOLD, "no active suppression, and the session is on the record", check)
