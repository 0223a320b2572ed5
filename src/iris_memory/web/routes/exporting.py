"""Taking it along: how far an export is, collecting it, and how to check it without this service."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from iris_memory.contracts.bundle import StoredExport
from iris_memory.contracts.rights import RightsKind, RightsRefused, RightsRequest, RightsState
from iris_memory.errors import UnknownMemoryError
from iris_memory.web.rendering import render
from iris_memory.web.routes.rights import RequestId
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter()

PASSPHRASE_LEAST: Final = 12


@router.get("/rights/{request_id}/export")
def show(request: Request, visitor: Visits, request_id: RequestId) -> Response:
    """Show where an export stands."""
    return _page(request, visitor, _asked(visitor, request_id))


@router.post("/rights/{request_id}/export")
def make(visitor: Visits, request_id: RequestId) -> Response:
    """Make the export of a verified request."""
    visitor.require_fresh(f"/rights/{request_id}/export")
    _asked(visitor, request_id)
    done = visitor.memory.exports.make(request_id)
    said = "?done=refused" if isinstance(done, RightsRefused) else ""
    return RedirectResponse(f"/rights/{request_id}/export{said}", SEE_OTHER)


@router.post("/rights/{request_id}/export/file")
def collect(
    request: Request,
    visitor: Visits,
    request_id: RequestId,
    passphrase: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Give the file, encrypted to a passphrase where one is typed. The passphrase is kept nowhere."""
    visitor.require_fresh(f"/rights/{request_id}/export")
    asked = _asked(visitor, request_id)
    if getattr(asked.payload, "encrypted", False) and not passphrase:
        return _page(request, visitor, asked, [("passphrase", "Type a passphrase; you asked for it encrypted.")], 422)
    if passphrase and len(passphrase) < PASSPHRASE_LEAST:
        words = f"Make it longer: {PASSPHRASE_LEAST} characters at least."
        return _page(request, visitor, asked, [("passphrase", words)], 422)
    pieces = visitor.memory.exports.collect(request_id, passphrase=passphrase or None)
    if isinstance(pieces, RightsRefused):
        return RedirectResponse(f"/rights/{request_id}/export?done=refused", SEE_OTHER)
    name = f"iris-export-{visitor.now:%Y-%m-%d}.{'iris' if passphrase else 'zip'}"
    kind = "application/octet-stream" if passphrase else "application/zip"
    return StreamingResponse(pieces, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.post("/rights/{request_id}/export/discard")
def discard(visitor: Visits, request_id: RequestId) -> Response:
    """Drop the file before its time."""
    _asked(visitor, request_id)
    visitor.memory.exports.discard(request_id)
    return RedirectResponse(f"/rights/{request_id}/export", SEE_OTHER)


def _asked(visitor: Visitor, request_id: str) -> RightsRequest:
    asked = visitor.memory.rights.show(request_id)
    if asked.kind is not RightsKind.EXPORT:
        raise UnknownMemoryError("that request makes no export")
    return asked


def _page(
    request: Request,
    visitor: Visitor,
    asked: RightsRequest,
    mistakes: list[tuple[str, str]] | None = None,
    status: int = 200,
) -> Response:
    stored = visitor.memory.exports.status(asked.request_id)
    return render(
        request,
        "rights/export.html",
        visitor,
        status=status,
        asked=asked,
        stored=stored if isinstance(stored, StoredExport) else None,
        can_make=asked.state in {RightsState.VERIFIED, RightsState.IN_PROGRESS},
        least=PASSPHRASE_LEAST,
        mistakes=mistakes or [],
    )
