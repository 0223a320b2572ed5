"""The service itself: what it is, whether it lives, and the reference of everything above."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from iris_memory.http.answers import Health
from iris_memory.http.pages import front_page, page_headers, reference_page

router = APIRouter(tags=["service"])
bare = APIRouter()
"""The first page of a service without pages."""


@bare.get("/", include_in_schema=False)
async def front() -> HTMLResponse:
    """Say what this is."""
    return HTMLResponse(front_page(), headers=page_headers())


@router.get("/docs", include_in_schema=False)
async def reference(request: Request) -> HTMLResponse:
    """Show the reference, made from the OpenAPI document. It asks nothing of any other place."""
    return HTMLResponse(reference_page(request.app.openapi()), headers=page_headers())


@router.get("/health", summary="Say that the process answers")
async def health() -> Health:
    """It looks at nothing else."""
    return Health(status="ok")


@router.get("/ready", summary="Say that the store answers")
def ready(request: Request) -> Health:
    """A store that cannot be read answers with a problem."""
    with request.app.state.iris.instruments.store.read() as reading:
        reading.state("", "")
    return Health(status="ready")
