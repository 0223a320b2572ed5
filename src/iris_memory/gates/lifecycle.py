"""Gate 4b, standing: only an active, unexpired revision that is not in quarantine."""

from __future__ import annotations

from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.entry import Lifecycle
from iris_memory.gates.facts import Asked, Gate, Standing, Trait


def check(standing: Standing, asked: Asked) -> DropReason | None:
    """Count quarantine before the lifecycle, and an expiry in the past as `lifecycle-expired`."""
    del asked
    if standing.quarantined:
        return DropReason.QUARANTINED
    if standing.lifecycle is not Lifecycle.ACTIVE:
        return DropReason(f"lifecycle-{standing.lifecycle.value}")
    if standing.expired:
        return DropReason.LIFECYCLE_EXPIRED
    return None


LIFECYCLE = Gate("lifecycle", Trait.STANDING, "the revision is active, unexpired and not quarantined", check)
