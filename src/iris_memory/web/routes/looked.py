"""Who looked: every look of an operator at the person's memory, in plain sentences."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from iris_memory.contracts.inspection import InspectionReason, OperatorRole
from iris_memory.tables.totality import total
from iris_memory.web.rendering import render
from iris_memory.web.visitor import Visits

router = APIRouter()

SHOWN: Final = 100

_ROLES: Final = total(
    "roles of who looked",
    OperatorRole,
    [
        (OperatorRole.SUPPORT, "Somebody of support"),
        (OperatorRole.ADMIN, "An administrator"),
        (OperatorRole.LEGAL, "Somebody of the legal team"),
        (OperatorRole.TRUST_AND_SAFETY, "Somebody of trust and safety"),
    ],
)
_WHY: Final = total(
    "reasons of who looked",
    InspectionReason,
    [
        (InspectionReason.DATA_SUBJECT_REQUEST, "to answer a request of yours"),
        (InspectionReason.SAFETY_INCIDENT, "because somebody's safety was at risk"),
        (InspectionReason.SECURITY_INCIDENT, "because of a security incident"),
        (InspectionReason.ABUSE_REPORT, "because abuse was reported"),
        (InspectionReason.SUPPORT_CASE, "for a support case"),
        (InspectionReason.QUALITY_REVIEW, "to review how well memory works"),
    ],
)


@router.get("/looked")
def index(request: Request, visitor: Visits) -> Response:
    """Show who looked, why, when and at what, and of which looks the person was given notice."""
    memory = visitor.memory
    looks, notices = memory.looked(), memory.notices()
    return render(
        request,
        "looked.html",
        visitor,
        looks=looks[:SHOWN],
        total=len(looks),
        notices=notices[:SHOWN],
        roles=_ROLES,
        why=_WHY,
    )
