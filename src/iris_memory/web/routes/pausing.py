"""Pausing: off the record, everywhere or in one session, and back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter()

_EVERYWHERE = "*"


@router.get("/pause")
def show(request: Request, visitor: Visits) -> Response:
    """Show what is off the record and what that means."""
    return _page(request, visitor)


@router.post("/pause")
def pause(
    request: Request,
    visitor: Visits,
    where: Annotated[str, Form()] = "",
    session: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Go off the record."""
    named = session.strip()
    if where not in {"everywhere", "session"}:
        return _page(request, visitor, [("where", "Choose where remembering is to be paused.")], status=422)
    if where == "session" and not 0 < len(named) <= 128:
        wrong = [("session", "Type the name of the session, 128 characters at most.")]
        return _page(request, visitor, wrong, session=named, where=where, status=422)
    visitor.memory.pause(named if where == "session" else None)
    return RedirectResponse("/pause?done=paused", SEE_OTHER)


@router.post("/pause/resume")
def resume(visitor: Visits, session: Annotated[str, Form()]) -> Response:
    """Go back on the record."""
    visitor.memory.resume(None if session == _EVERYWHERE else session)
    return RedirectResponse("/pause?done=resumed", SEE_OTHER)


def _page(
    request: Request,
    visitor: Visitor,
    mistakes: list[tuple[str, str]] | None = None,
    *,
    session: str = "",
    where: str = "everywhere",
    status: int = 200,
) -> Response:
    return render(request, "pause.html", visitor, status=status, mistakes=mistakes or [], session=session, where=where)
