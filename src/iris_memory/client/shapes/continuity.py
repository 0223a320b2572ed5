"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
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
    ContinuationToken,
    ContinuitySurface,
    Device,
    DeviceNotice,
    Posture,
    SurfaceContext,
)


class CheckpointBody(Shape):
    """Where a device stopped. The person is the token's; the time is the server's."""

    device_id: str
    scope: (
        OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis | None
    ) = None
    surface_context: SurfaceContext
    anchor_ref: AnchorRef
    posture: Posture
    sensitive_categories: frozenset[Category] | None = None
    cross_device_consent_id: str | None = None
    idempotency_key: str


class ContinuationCards(Shape):
    """The places written last, newest first."""

    tokens: tuple[ContinuationToken, ...]


class DeviceNotices(Shape):
    """What the device has not been told yet, oldest first."""

    notices: tuple[DeviceNotice, ...]


class DeviceRemoved(Shape):
    """What went with it."""

    places: int
    notices: int


class Devices(Shape):
    """The person's devices, the one seen last first."""

    devices: tuple[Device, ...]


class DropPlaceBody(Shape):
    """Which place goes."""

    token_id: str


class Dropped(Shape):
    """Whether it was there."""

    dropped: bool


class NameDeviceBody(Shape):
    """What the person calls it."""

    device_id: str
    name: str


class RemoveDeviceBody(Shape):
    """Which device goes."""

    device_id: str


class ResumeBody(Shape):
    """Which thing is to be gone on with."""

    surface: ContinuitySurface
    ref: str


class SeenBody(Shape):
    """Which notice was shown."""

    notice_id: str
