"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.continuity import (
    CheckpointBody,
    ContinuationCards,
    DeviceNotices,
    DeviceRemoved,
    Devices,
    Dropped,
    DropPlaceBody,
    NameDeviceBody,
    RemoveDeviceBody,
    ResumeBody,
    SeenBody,
)
from iris_memory.client.shapes.several_tags import (
    OwnCrisis,
    OwnNotebook,
    OwnOperatorCopilot,
    OwnPose,
    OwnProfile,
    OwnScene,
    OwnSession,
    OwnTenant,
)
from iris_memory.contracts.category import Category
from iris_memory.contracts.continuity import (
    AnchorRef,
    CheckpointKept,
    ContinuationToken,
    ContinuitySurface,
    Device,
    Posture,
    SurfaceContext,
)

_KEEP_CHECKPOINT: Final[Operation[CheckpointKept]] = Operation("POST", "/v1/continuation", CheckpointKept)
_LIST_CONTINUATION: Final[Operation[ContinuationCards]] = Operation("GET", "/v1/continuation", ContinuationCards)
_RESUME_CONTINUATION: Final[Operation[ContinuationToken]] = Operation(
    "POST", "/v1/continuation/resume", ContinuationToken
)
_DROP_CONTINUATION: Final[Operation[Dropped]] = Operation("POST", "/v1/continuation/drop", Dropped)
_LIST_DEVICES: Final[Operation[Devices]] = Operation("GET", "/v1/devices", Devices)
_NAME_DEVICE: Final[Operation[Device]] = Operation("POST", "/v1/devices/name", Device)
_REMOVE_DEVICE: Final[Operation[DeviceRemoved]] = Operation("POST", "/v1/devices/remove", DeviceRemoved)
_LIST_DEVICE_NOTICES: Final[Operation[DeviceNotices]] = Operation("GET", "/v1/devices/notices", DeviceNotices)
_NOTE_NOTICE_SEEN: Final[Operation[Dropped]] = Operation("POST", "/v1/devices/notices/seen", Dropped)


class ContinuityCalls(Calls):
    """Calls of `continuity`."""

    def keep_checkpoint(
        self,
        *,
        device_id: str,
        surface_context: SurfaceContext,
        anchor_ref: AnchorRef,
        posture: Posture,
        idempotency_key: str,
        scope: OwnProfile
        | OwnSession
        | OwnNotebook
        | OwnOperatorCopilot
        | OwnTenant
        | OwnScene
        | OwnPose
        | OwnCrisis
        | Unset
        | None = UNSET,
        sensitive_categories: frozenset[Category] | Unset = UNSET,
        cross_device_consent_id: str | Unset | None = UNSET,
    ) -> CheckpointKept:
        """Keep where a device stopped."""
        return self._call(
            _KEEP_CHECKPOINT,
            body=CheckpointBody.of(
                device_id=device_id,
                scope=scope,
                surface_context=surface_context,
                anchor_ref=anchor_ref,
                posture=posture,
                sensitive_categories=sensitive_categories,
                cross_device_consent_id=cross_device_consent_id,
                idempotency_key=idempotency_key,
            ),
        )

    def list_continuation(
        self, *, device_id: str | Unset | None = UNSET, limit: int | Unset = UNSET
    ) -> ContinuationCards:
        """List where the person stopped."""
        return self._call(_LIST_CONTINUATION, query={"device_id": device_id, "limit": limit})

    def resume_continuation(self, *, surface: ContinuitySurface, ref: str) -> ContinuationToken:
        """Go on with one thing."""
        return self._call(_RESUME_CONTINUATION, body=ResumeBody.of(surface=surface, ref=ref))

    def drop_continuation(self, *, token_id: str) -> Dropped:
        """Forget one place."""
        return self._call(_DROP_CONTINUATION, body=DropPlaceBody.of(token_id=token_id))

    def list_devices(self) -> Devices:
        """List the person's devices."""
        return self._call(_LIST_DEVICES)

    def name_device(self, *, device_id: str, name: str) -> Device:
        """Name a device."""
        return self._call(_NAME_DEVICE, body=NameDeviceBody.of(device_id=device_id, name=name))

    def remove_device(self, *, device_id: str) -> DeviceRemoved:
        """Forget a device."""
        return self._call(_REMOVE_DEVICE, body=RemoveDeviceBody.of(device_id=device_id))

    def list_device_notices(self, *, device_id: str) -> DeviceNotices:
        """List what a device was not told."""
        return self._call(_LIST_DEVICE_NOTICES, query={"device_id": device_id})

    def note_notice_seen(self, *, notice_id: str) -> Dropped:
        """Note that a notice was shown."""
        return self._call(_NOTE_NOTICE_SEEN, body=SeenBody.of(notice_id=notice_id))


class AsyncContinuityCalls(AsyncCalls):
    """Calls of `continuity`, awaited."""

    async def keep_checkpoint(
        self,
        *,
        device_id: str,
        surface_context: SurfaceContext,
        anchor_ref: AnchorRef,
        posture: Posture,
        idempotency_key: str,
        scope: OwnProfile
        | OwnSession
        | OwnNotebook
        | OwnOperatorCopilot
        | OwnTenant
        | OwnScene
        | OwnPose
        | OwnCrisis
        | Unset
        | None = UNSET,
        sensitive_categories: frozenset[Category] | Unset = UNSET,
        cross_device_consent_id: str | Unset | None = UNSET,
    ) -> CheckpointKept:
        """Keep where a device stopped."""
        return await self._call(
            _KEEP_CHECKPOINT,
            body=CheckpointBody.of(
                device_id=device_id,
                scope=scope,
                surface_context=surface_context,
                anchor_ref=anchor_ref,
                posture=posture,
                sensitive_categories=sensitive_categories,
                cross_device_consent_id=cross_device_consent_id,
                idempotency_key=idempotency_key,
            ),
        )

    async def list_continuation(
        self, *, device_id: str | Unset | None = UNSET, limit: int | Unset = UNSET
    ) -> ContinuationCards:
        """List where the person stopped."""
        return await self._call(_LIST_CONTINUATION, query={"device_id": device_id, "limit": limit})

    async def resume_continuation(self, *, surface: ContinuitySurface, ref: str) -> ContinuationToken:
        """Go on with one thing."""
        return await self._call(_RESUME_CONTINUATION, body=ResumeBody.of(surface=surface, ref=ref))

    async def drop_continuation(self, *, token_id: str) -> Dropped:
        """Forget one place."""
        return await self._call(_DROP_CONTINUATION, body=DropPlaceBody.of(token_id=token_id))

    async def list_devices(self) -> Devices:
        """List the person's devices."""
        return await self._call(_LIST_DEVICES)

    async def name_device(self, *, device_id: str, name: str) -> Device:
        """Name a device."""
        return await self._call(_NAME_DEVICE, body=NameDeviceBody.of(device_id=device_id, name=name))

    async def remove_device(self, *, device_id: str) -> DeviceRemoved:
        """Forget a device."""
        return await self._call(_REMOVE_DEVICE, body=RemoveDeviceBody.of(device_id=device_id))

    async def list_device_notices(self, *, device_id: str) -> DeviceNotices:
        """List what a device was not told."""
        return await self._call(_LIST_DEVICE_NOTICES, query={"device_id": device_id})

    async def note_notice_seen(self, *, notice_id: str) -> Dropped:
        """Note that a notice was shown."""
        return await self._call(_NOTE_NOTICE_SEEN, body=SeenBody.of(notice_id=notice_id))
