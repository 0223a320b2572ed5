"""Continuity: where a person stopped on one device, so that another can go on from there. References, never content."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from iris_memory.contracts.category import Category
from iris_memory.contracts.scope import AnyScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Storable, Unordered

Reference = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._~:/#-]*$")]
"""An opaque id of something kept elsewhere: it has no space, and a checkpoint refuses one that reads like words."""

Locale = Annotated[str, Field(max_length=35, pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]
"""A language tag (BCP 47)."""

DeviceName = Annotated[str, Field(min_length=1, max_length=60), Storable]


class ContinuitySurface(StrEnum):
    """Where the person was at something that can be continued."""

    READING = "reading"
    STUDY = "study"
    VOICE = "voice"
    RITUAL = "ritual"
    JOURNALING = "journaling"
    TRANSCRIPT = "transcript"
    LIVING_SCENE = "living-scene"


class PositionUnit(StrEnum):
    """What a position counts."""

    MS = "ms"
    PARAGRAPH = "paragraph"
    STEP = "step"
    PAGE = "page"
    TURN = "turn"


class Posture(StrEnum):
    """What the person was doing."""

    PLAYING = "playing"
    PAUSED = "paused"
    READING = "reading"
    LISTENING = "listening"
    WRITING = "writing"
    IDLE = "idle"


class SurfaceContext(Contract):
    """What a card shows: the surface, the id of the title, the language. The title itself is looked up elsewhere."""

    surface: ContinuitySurface
    title_ref: Reference
    locale: Locale


class AnchorRef(Contract):
    """The exact place: which thing, and how far into it."""

    surface: ContinuitySurface
    ref: Reference
    position: Count
    unit: PositionUnit


class Checkpoint(Contract):
    """What a device says at a natural stop: a segment's end, a paragraph, a step, a pause.

    Two laws across fields: the anchor is of the surface that is shown, and what touches a sensitive category names the
    cross-device consent it is kept under.
    """

    device_id: Reference
    scope: AnyScope
    surface_context: SurfaceContext
    anchor_ref: AnchorRef
    posture: Posture
    sensitive_categories: Annotated[frozenset[Category], *Unordered] = frozenset()
    cross_device_consent_id: Reference | None = None
    idempotency_key: Reference

    @model_validator(mode="after")
    def _across_fields(self) -> Self:
        _require_invariants(
            self.surface_context, self.anchor_ref, self.sensitive_categories, self.cross_device_consent_id
        )
        return self


class ContinuationToken(Contract):
    """Where to go on. `version` counts the writes of one thing, `sequence` orders the places of the person."""

    token_id: Identifier
    version: Annotated[int, Field(ge=1)]
    tenant_id: Identifier
    user_id: Identifier
    device_id: Identifier
    scope: AnyScope
    surface_context: SurfaceContext
    anchor_ref: AnchorRef
    posture: Posture
    sensitive_categories: Annotated[frozenset[Category], *Unordered] = frozenset()
    cross_device_consent_id: Identifier | None = None
    idempotency_key: Identifier
    sequence: Annotated[int, Field(ge=1)]
    created_at: Instant
    updated_at: Instant
    expires_at: Instant

    @model_validator(mode="after")
    def _across_fields(self) -> Self:
        _require_invariants(
            self.surface_context, self.anchor_ref, self.sensitive_categories, self.cross_device_consent_id
        )
        if self.updated_at < self.created_at or self.expires_at <= self.created_at:
            raise ValueError("a token is updated after it is made, and ends after both")
        return self


class DeviceNotice(Contract):
    """Told to the device whose place was passed over: something was also playing on another one."""

    notice_id: Identifier
    device_id: Identifier
    other_device_id: Identifier
    token_id: Identifier
    surface: ContinuitySurface
    ref: Reference
    told: str
    at: Instant
    expires_at: Instant


class CheckpointKept(Contract):
    """What became of a checkpoint. `token` is what stands now; where another device's stands, so does a `notice`."""

    stands: bool
    token: ContinuationToken
    notice: DeviceNotice | None = None


class Device(Contract):
    """A device of the person: the name they gave it, and when it was last seen."""

    device_id: Identifier
    name: DeviceName | None
    first_seen: Instant
    last_seen: Instant


def _require_invariants(
    shown: SurfaceContext, anchor: AnchorRef, sensitive: frozenset[Category], consent_id: str | None
) -> None:
    if anchor.surface is not shown.surface:
        raise ValueError("the anchor is of the surface that is shown")
    if sensitive and consent_id is None:
        raise ValueError("a sensitive category needs the id of a cross-device consent")
