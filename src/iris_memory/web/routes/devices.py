"""Devices: where each stopped, as cards to go on from; naming and removing them; what one was told."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.continuity import ContinuitySurface, PositionUnit, Posture
from iris_memory.contracts.write import Refused
from iris_memory.tables.continuity import RECENT_MOST
from iris_memory.tables.totality import total
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter()

Name = Annotated[str, Path(min_length=1, max_length=128)]
_NAME_MOST: Final = 60

_S = ContinuitySurface
_SURFACES: Final = total(
    "continuity surface words",
    ContinuitySurface,
    [
        (_S.READING, "Reading"),
        (_S.STUDY, "Study"),
        (_S.VOICE, "Voice"),
        (_S.RITUAL, "Ritual"),
        (_S.JOURNALING, "Journaling"),
        (_S.TRANSCRIPT, "Transcript"),
        (_S.LIVING_SCENE, "Living scene"),
    ],
)
_UNITS: Final = {
    PositionUnit.PARAGRAPH: "paragraph",
    PositionUnit.STEP: "step",
    PositionUnit.PAGE: "page",
    PositionUnit.TURN: "turn",
}
_POSTURES: Final = {one: one.value.capitalize() for one in Posture}


@router.get("/devices")
def index(request: Request, visitor: Visits) -> Response:
    """Show the devices and the places to go on from."""
    return _page(request, visitor)


@router.post("/devices/places/{token_id}/drop")
def drop_place(visitor: Visits, token_id: Name) -> Response:
    """Forget one place."""
    visitor.memory.continuation.drop(token_id)
    return RedirectResponse("/devices?done=place-dropped", SEE_OTHER)


@router.post("/devices/notices/{notice_id}/seen")
def seen(visitor: Visits, notice_id: Name) -> Response:
    """Note that a notice was read."""
    visitor.memory.devices.seen(notice_id)
    return RedirectResponse("/devices?done=seen", SEE_OTHER)


@router.get("/devices/{device_id}")
def device(request: Request, visitor: Visits, device_id: Name) -> Response:
    """Show one device, to be named or removed."""
    return _device_page(request, visitor, device_id)


@router.post("/devices/{device_id}/name")
def name(
    request: Request, visitor: Visits, device_id: Name, name: Annotated[str, Form(max_length=400)] = ""
) -> Response:
    """Give a device a name."""
    said = name.strip()
    if not 0 < len(said) <= _NAME_MOST:
        wrong = [("name", f"Type a name of {_NAME_MOST} characters at most, such as “Kitchen tablet”.")]
        return _device_page(request, visitor, device_id, wrong, typed=said, status=422)
    done = visitor.memory.devices.name(device_id, said)
    said_after = "refused" if isinstance(done, Refused) else "named"
    return RedirectResponse(f"/devices?done={said_after}", SEE_OTHER)


@router.post("/devices/{device_id}/remove")
def remove(visitor: Visits, device_id: Name) -> Response:
    """Forget a device, with the places only it has."""
    visitor.memory.devices.remove(device_id)
    return RedirectResponse("/devices?done=device-removed", SEE_OTHER)


def _page(request: Request, visitor: Visitor) -> Response:
    memory = visitor.memory
    devices = memory.devices.list()
    return render(
        request,
        "devices/index.html",
        visitor,
        devices=devices,
        names={one.device_id: one.name or "A device without a name" for one in devices},
        places=memory.continuation.recent(limit=RECENT_MOST),
        notices=[notice for one in devices for notice in memory.devices.notices(one.device_id)],
        surfaces=_SURFACES,
        units=_UNITS,
        postures=_POSTURES,
    )


def _device_page(
    request: Request,
    visitor: Visitor,
    device_id: str,
    mistakes: list[tuple[str, str]] | None = None,
    *,
    typed: str | None = None,
    status: int = 200,
) -> Response:
    memory = visitor.memory
    one = next((one for one in memory.devices.list() if one.device_id == device_id), None)
    if one is None:
        return RedirectResponse("/devices", SEE_OTHER)
    places = [place for place in memory.continuation.recent(limit=RECENT_MOST) if place.device_id == device_id]
    facts = {"typed": typed if typed is not None else one.name or "", "mistakes": mistakes or []}
    return render(request, "devices/one.html", visitor, status=status, device=one, places=len(places), **facts)
