"""The queue of inspections: which are shown, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

from iris_memory.contracts.inspection import Inspection, InspectionState
from iris_memory.web.inspection_words import INSPECTOR_ROLES, STATES, WHY
from iris_memory.web.inspectors import is_waiting

SHOWS: Final = MappingProxyType(
    {"waiting": "Waits for approval", "open": "Open", "review": "To be reviewed", "all": "All"}
)


def is_shown(one: Inspection, show: str) -> bool:
    """Say whether an inspection belongs under one of `SHOWS`."""
    if show == "waiting":
        return is_waiting(one)
    if show == "open":
        return one.state is InspectionState.GRANTED
    if show == "review":
        return one.review is not None and one.review.reviewed_at is None
    return True


def _urgency(one: Inspection) -> tuple[int, Any]:
    if one.review is not None and one.review.reviewed_at is None:
        return 0, one.review.due_at
    if is_waiting(one):
        return 1, one.answer_by
    if one.state is InspectionState.GRANTED and one.grant is not None:
        return 2, one.grant.expires_at
    return 3, -one.requested_at.timestamp()


ORDERS: Final[MappingProxyType[str, Callable[[Inspection], Any]]] = MappingProxyType(
    {
        "left": _urgency,
        "asked": lambda one: -one.requested_at.timestamp(),
        "reason": lambda one: (WHY[one.reason], _urgency(one)),
        "state": lambda one: (STATES[one.state], _urgency(one)),
        "requester": lambda one: (INSPECTOR_ROLES[one.requester_role], one.requester, _urgency(one)),
        "person": lambda one: (one.person, _urgency(one)),
    }
)
"""What each column sorts by; who waits longest for somebody comes first within it."""
