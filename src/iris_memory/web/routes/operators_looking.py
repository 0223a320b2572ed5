"""Looking: the granted snapshot, watermarked and for a while, and the replay of one. Every page of it is told."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from iris_memory.contracts.inspection import Inspection, InspectionRefused, InspectionState
from iris_memory.web.inspection_words import INSPECTOR_ROLES, PATHS, WHY
from iris_memory.web.inspectors import STEPS, inspections, looking
from iris_memory.web.rendering import render
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter(prefix="/operators/inspection")

PAGE: Final = 50
InspectionId = Annotated[str, Path(min_length=1, max_length=128)]
Offset = Annotated[int, Query(ge=0, le=10_000)]


@router.get("/{inspection_id}/look")
def look(request: Request, visitor: Visits, inspection_id: InspectionId, offset: Offset = 0) -> Response:
    """Show a part of what was granted. It is told before it is shown, and the page ends when the grant ends."""
    inspection = _started(visitor, inspection_id)
    page = looking(visitor, inspection).read(inspection_id, offset=offset, limit=PAGE)
    if isinstance(page, InspectionRefused):
        return _refused(request, visitor, inspection, page)
    response = _view(request, visitor, inspection, page=page, offset=offset, is_replay=False)
    if inspection.grant is not None:
        # without script too, the browser leaves the page when the grant is over
        left = max(1, int((inspection.grant.expires_at - visitor.now).total_seconds()) + 1)
        response.headers["Refresh"] = f"{left}; url=/operators/inspection/{inspection_id}"
    return response


@router.get("/{inspection_id}/replay")
def replay(request: Request, visitor: Visits, inspection_id: InspectionId, offset: Offset = 0) -> Response:
    """Show what a grant showed, for a review of it; what was forgotten since stands there as erased, with its proof."""
    inspection = _started(visitor, inspection_id)
    page = inspections(visitor).replay_granted_snapshot(inspection_id, offset=offset, limit=PAGE)
    if isinstance(page, InspectionRefused):
        return _refused(request, visitor, inspection, page)
    return _view(request, visitor, inspection, page=page, offset=offset, is_replay=True)


def _started(visitor: Visitor, inspection_id: str) -> Inspection:
    inspection = inspections(visitor).show(inspection_id)
    visitor.require_fresh()
    return inspection


def _view(
    request: Request, visitor: Visitor, inspection: Inspection, *, page: object, offset: int, is_replay: bool
) -> Response:
    grant = inspection.grant
    is_open = inspection.state is InspectionState.GRANTED and grant is not None
    response = render(
        request,
        "operators/inspection_look.html",
        visitor,
        one=inspection,
        page=page,
        offset=offset,
        is_replay=is_replay,
        left=int((grant.expires_at - visitor.now).total_seconds()) if is_open and grant is not None else 0,
        mark=f"{visitor.session.user} · {visitor.now:%Y-%m-%d %H:%M:%S} UTC",
        steps=STEPS,
        role_of=INSPECTOR_ROLES,
        paths=PATHS,
        why=WHY,
        page_size=PAGE,
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _refused(request: Request, visitor: Visitor, inspection: Inspection, refused: InspectionRefused) -> Response:
    return render(request, "operators/inspection_refused.html", visitor, status=403, one=inspection, refused=refused)
