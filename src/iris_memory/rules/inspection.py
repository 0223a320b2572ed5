"""Inspection: how one moves from its request to its end, and when time alone moves it."""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.inspection import (
    CarveOut,
    CloseReason,
    Inspection,
    InspectionDenial,
    InspectionState,
    InspectionStep,
    OperatorRole,
)
from iris_memory.errors import InspectionTransitionError
from iris_memory.tables.inspectors import CARVE_OUT_MOST, CLOCK_SKEW, NOTICE_WINDOW, TRANSITIONS, WAITING

SYSTEM = "system"
"""The actor of what time does."""


def transition(
    inspection: Inspection,
    to: InspectionState,
    *,
    actor: str,
    at: datetime,
    role: OperatorRole | None = None,
    reason: InspectionDenial | CloseReason | None = None,
) -> Inspection:
    """Return an inspection moved to another state, with the step in its trail. The trail never goes back in time.

    Raises:
        InspectionTransitionError: the state does not lead there, or the path entered is not the one asked for.
    """
    require_transition(inspection.state, to)
    if to in WAITING and to != inspection.path.value:
        raise InspectionTransitionError("an inspection enters the path it was requested for, and no other")
    at = max(at, inspection.trail[-1].at)
    step = InspectionStep(at=at, state=to, actor=actor, role=role, reason=reason)
    return inspection.model_copy(update={"state": to, "trail": (*inspection.trail, step)})


def require_transition(state: InspectionState, to: InspectionState) -> None:
    """Go on only where a state leads to another.

    Raises:
        InspectionTransitionError: it does not.
    """
    if to not in TRANSITIONS[state]:
        raise InspectionTransitionError(f"an inspection does not go from {state.value} to {to.value}")


def lapsed(inspection: Inspection, *, now: datetime) -> Inspection:
    """Return an inspection as time leaves it: a grant that is over is closed, a request nobody answered denied.

    Where the clock stands before the grant, nobody can say how much of its time is left, and it is over as well.
    """
    if inspection.state is InspectionState.GRANTED and inspection.grant is not None:
        if inspection.grant.granted_at - CLOCK_SKEW <= now < inspection.grant.expires_at:
            return inspection
        return transition(inspection, InspectionState.CLOSED, actor=SYSTEM, at=now, reason=CloseReason.EXPIRED)
    if inspection.state in WAITING and now >= inspection.answer_by:
        reason = InspectionDenial.GRANT_EXPIRED
        return transition(inspection, InspectionState.DENIED, actor=SYSTEM, at=now, reason=reason)
    return inspection


def next_due(inspection: Inspection) -> datetime | None:
    """Return when time will change something of an inspection by itself; None where it will not."""
    due = []
    if inspection.state in WAITING:
        due.append(inspection.answer_by)
    if inspection.state is InspectionState.GRANTED and inspection.grant is not None:
        due.append(inspection.grant.expires_at)
    review = inspection.review
    if review is not None and review.reviewed_at is None and not review.told_overdue:
        due.append(review.due_at)
    return min(due, default=None)


def is_review_open(inspection: Inspection) -> bool:
    """Say whether a look that nobody approved still waits for its review."""
    return inspection.review is not None and inspection.review.reviewed_at is None


def is_review_overdue(inspection: Inspection, *, now: datetime) -> bool:
    """Say whether a mandatory review was not made in time."""
    review = inspection.review
    return review is not None and review.reviewed_at is None and now >= review.due_at


def held_until(inspection: Inspection, *, now: datetime) -> datetime | None:
    """Return until when the person is not told yet; None where nothing lawful delays it. Every carve-out ends."""
    carve_out = inspection.carve_out
    return carve_out.until if carve_out is not None and now < carve_out.until else None


def notice_due(inspection: Inspection, first_read_at: datetime) -> datetime:
    """Return when a person must have been told: 72 hours after the first read, or when a carve-out ends, if later."""
    due = first_read_at + NOTICE_WINDOW
    carve_out = inspection.carve_out
    return max(due, carve_out.until) if carve_out is not None else due


def fits_carve_out(known: CarveOut | None, wanted: CarveOut, *, now: datetime) -> bool:
    """Say whether a carve-out may be placed: it ends, and soon enough after the first one of the inspection began."""
    began = known.placed_at if known is not None else now
    return now < wanted.until <= began + CARVE_OUT_MOST
