"""Continuity: a device says where the person stopped, and another goes on from there. References, never content."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Query
from fastapi.openapi.models import Example

from iris_memory.contracts.category import Category
from iris_memory.contracts.continuity import (
    AnchorRef,
    Checkpoint,
    CheckpointKept,
    ContinuationToken,
    ContinuitySurface,
    Device,
    DeviceName,
    DeviceNotice,
    Posture,
    Reference,
    SurfaceContext,
)
from iris_memory.contracts.scope import ProfileScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Unordered
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError
from iris_memory.flows.reading import unknown
from iris_memory.front.own_scope import OwnScope
from iris_memory.http.bodies import as_json, scope_for
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented
from iris_memory.tables.continuity import RECENT, RECENT_MOST

router = APIRouter(prefix="/v1", tags=["continuity"])


class CheckpointBody(Contract):
    """Where a device stopped. The person is the token's; the time is the server's."""

    device_id: Identifier
    scope: OwnScope | None = None
    surface_context: SurfaceContext
    anchor_ref: AnchorRef
    posture: Posture
    sensitive_categories: Annotated[frozenset[Category], *Unordered] = frozenset()
    cross_device_consent_id: Identifier | None = None
    idempotency_key: Identifier


class ContinuationCards(Contract):
    """The places written last, newest first."""

    tokens: tuple[ContinuationToken, ...]


class ResumeBody(Contract):
    """Which thing is to be gone on with."""

    surface: ContinuitySurface
    ref: Reference


class DropPlaceBody(Contract):
    """Which place goes."""

    token_id: Identifier


class Dropped(Contract):
    """Whether it was there."""

    dropped: bool


class Devices(Contract):
    """The person's devices, the one seen last first."""

    devices: tuple[Device, ...]


class NameDeviceBody(Contract):
    """What the person calls it."""

    device_id: Identifier
    name: DeviceName


class RemoveDeviceBody(Contract):
    """Which device goes."""

    device_id: Identifier


class DeviceRemoved(Contract):
    """What went with it."""

    places: Count
    notices: Count


class DeviceNotices(Contract):
    """What the device has not been told yet, oldest first."""

    notices: tuple[DeviceNotice, ...]


class SeenBody(Contract):
    """Which notice was shown."""

    notice_id: Identifier


def _one(summary: str, **value: object) -> dict[str, Example]:
    return {"one": {"summary": summary, "value": value}}


_CHECKPOINT: Final = _one(
    "Paused in the middle of a ritual",
    device_id="phone",
    surface_context={"surface": "ritual", "title_ref": "rituals/evening", "locale": "en-GB"},
    anchor_ref={"surface": "ritual", "ref": "rituals/evening", "position": 3, "unit": "step"},
    posture="paused",
    idempotency_key="phone-17",
)
_RESUME: Final = _one("One ritual", surface="ritual", ref="rituals/evening")
_DROP: Final[dict[str, Example]] = {
    "one": {"summary": "A place by its id", "value": {"token_id": "0195f2b0-0000-7000-8000-000000000000"}}
}
_NAME: Final = _one("A name", device_id="phone", name="My phone")
_REMOVE: Final = _one("A device", device_id="phone")
_SEEN: Final = _one("A notice", notice_id="0195f2b0-0000-7000-8000-000000000000")


@router.post("/continuation", summary="Keep where a device stopped", responses=documented(403, 409, 415, 507))
def keep_checkpoint(
    caller: Caller, wish: Annotated[CheckpointBody, as_json(CheckpointBody), Body(openapi_examples=_CHECKPOINT)]
) -> CheckpointKept:
    """`stands` is false where another device wrote later: `token` is then its place, and `notice` says so."""
    fields = {name: getattr(wish, name) for name in type(wish).model_fields}
    try:
        known = Checkpoint(**{**fields, "scope": scope_for(wish.scope, caller.holder) or _profile(caller.holder.user)})
    except ValueError:
        raise ContractError(
            "the anchor is of the surface that is shown, and a sensitive category names a cross-device consent"
        ) from None
    kept = caller.memory().continuation.checkpoint(known)
    if isinstance(kept, Refused):
        raise RefusedError(kept)
    return kept


@router.get("/continuation", summary="List where the person stopped", responses=documented())
def list_continuation(
    caller: Caller,
    device_id: Annotated[str | None, Query(min_length=1, max_length=128)] = None,
    limit: Annotated[int, Query(ge=1, le=RECENT_MOST)] = RECENT,
) -> ContinuationCards:
    """With `device_id`, that device counts as seen. What lost its consent or its time is not there."""
    return ContinuationCards(tokens=tuple(caller.memory().continuation.recent(device_id=device_id, limit=limit)))


@router.post("/continuation/resume", summary="Go on with one thing", responses=documented(404, 415))
def resume_continuation(
    caller: Caller, wish: Annotated[ResumeBody, as_json(ResumeBody), Body(openapi_examples=_RESUME)]
) -> ContinuationToken:
    """The exact place: position and unit as they were written."""
    token = caller.memory().continuation.resume(wish.surface, wish.ref)
    if token is None:
        raise unknown()
    return token


@router.post("/continuation/drop", summary="Forget one place", responses=documented(415, 507))
def drop_continuation(
    caller: Caller, wish: Annotated[DropPlaceBody, as_json(DropPlaceBody), Body(openapi_examples=_DROP)]
) -> Dropped:
    """A foreign id reads like one that never was."""
    return Dropped(dropped=caller.memory().continuation.drop(wish.token_id))


@router.get("/devices", summary="List the person's devices", responses=documented())
def list_devices(caller: Caller) -> Devices:
    """With the names the person gave them."""
    return Devices(devices=tuple(caller.memory().devices.list()))


@router.post("/devices/name", summary="Name a device", responses=documented(403, 415, 507))
def name_device(
    caller: Caller, wish: Annotated[NameDeviceBody, as_json(NameDeviceBody), Body(openapi_examples=_NAME)]
) -> Device:
    """A device that was never seen is entered."""
    named = caller.memory().devices.name(wish.device_id, wish.name)
    if isinstance(named, Refused):
        raise RefusedError(named)
    return named


@router.post("/devices/remove", summary="Forget a device", responses=documented(404, 415, 507))
def remove_device(
    caller: Caller, wish: Annotated[RemoveDeviceBody, as_json(RemoveDeviceBody), Body(openapi_examples=_REMOVE)]
) -> DeviceRemoved:
    """Its name, its notices, and the places that no other device has gone on from."""
    removed = caller.memory().devices.remove(wish.device_id)
    if removed is None:
        raise unknown()
    return DeviceRemoved(places=removed.places, notices=removed.notices)


@router.get("/devices/notices", summary="List what a device was not told", responses=documented())
def list_device_notices(
    caller: Caller, device_id: Annotated[str, Query(min_length=1, max_length=128)]
) -> DeviceNotices:
    """Each stays until it is seen, a week at most."""
    return DeviceNotices(notices=tuple(caller.memory().devices.notices(device_id)))


@router.post("/devices/notices/seen", summary="Note that a notice was shown", responses=documented(415, 507))
def note_notice_seen(
    caller: Caller, wish: Annotated[SeenBody, as_json(SeenBody), Body(openapi_examples=_SEEN)]
) -> Dropped:
    """It goes."""
    return Dropped(dropped=caller.memory().devices.seen(wish.notice_id))


def _profile(user: str) -> ProfileScope:
    return ProfileScope(user_id=user)
