"""What is never remembered, plainly; and all that is held, counted place by place as the register has it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.access.sessions import COOKIE
from iris_memory.access.sign_in import own_path
from iris_memory.flows.register import REGISTER, Eraser, Holding
from iris_memory.web.rendering import THEME_COOKIE, THEMES, render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter()

_LOOK_LASTS: Final = 365 * 86_400

_ENDS: Final = {
    Eraser.BURY: "With the memory it belongs to",
    Eraser.ERASE_PERSON: "When everything about you is erased",
    Eraser.DROP_RECORDS: "With what it is about, or when you are erased",
    Eraser.DESTROY_SLOTS: "With the memory it locks: it is destroyed first",
    Eraser.DESTROY_SUBJECT: "When you are erased",
    Eraser.DROP_CACHE: "At once, in this process",
    Eraser.SCRUB: "Overwritten after each forgetting",
    Eraser.NEVER: "It stays: it leads nowhere once you are erased",
}
_PAGES: Final = {
    "entries": "/memory",
    "sessions": "/memory",
    "usage": "/memory",
    "questions": "/questions",
    "doubts": "/questions",
    "records: consent": "/consent#history",
    "records: setting": "/consent",
    "records: pause": "/pause",
    "records: question": "/questions",
    "records: inference-question": "/questions",
    "records: rights": "/rights",
    "records: legal-hold": "/rights",
    "records: mention": "/forget",
    "tombstones": "/forget",
}


@router.get("/never")
def never(request: Request) -> Response:
    """Say what is never remembered. It needs nobody to be signed in."""
    return render(request, "never.html", _visitor(request))


@router.get("/held")
def held(request: Request, visitor: Visits) -> Response:
    """Count what every place that can hold something of the person has: what you see is all there is."""
    counts = visitor.memory.overview.holdings()
    rows = [(one, _title(one), counts.get(one.name, 0), _PAGES.get(one.name, "")) for one in REGISTER]
    return render(
        request,
        "held.html",
        visitor,
        filled=[row for row in rows if row[2]],
        empty=[row for row in rows if not row[2]],
        ends=_ENDS,
    )


@router.post("/look")
def look(choice: Annotated[str, Form()] = "", back: Annotated[str, Form()] = "/") -> Response:
    """Choose light or dark for this browser, or follow the system."""
    response = RedirectResponse(own_path(back), SEE_OTHER)
    if choice in THEMES:
        response.set_cookie(THEME_COOKIE, choice, max_age=_LOOK_LASTS, httponly=True, samesite="lax")
    else:
        response.delete_cookie(THEME_COOKIE)
    return response


def _title(holding: Holding) -> str:
    return holding.what[0].upper() + holding.what[1:]


def _visitor(request: Request) -> Visitor | None:
    cookie = request.cookies.get(COOKIE)
    session = request.app.state.sessions.read(cookie) if cookie else None
    return Visitor(request.app.state.iris, session, request.url.path) if session is not None else None
