"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from iris_memory.client.shape import Shape
from iris_memory.contracts.inspection import (
    AccessLogEntry,
    CarveOutGround,
    IncidentKey,
    IncidentReference,
    Inspection,
    InspectionPath,
    InspectionReason,
    InspectionTarget,
    OperatorAlarm,
    ReviewVerdict,
    UserNotice,
)


class AccessLog(Shape):
    """Every look at the person's memory, and the notices of looks at sensitive memory, newest first."""

    entries: tuple[AccessLogEntry, ...]
    notices: tuple[UserNotice, ...]


class CanariesBody(Shape):
    """Ids whose reading raises an alarm."""

    ids: tuple[str, ...]


class CanaryBody(Shape):
    """One id, and whether its reading raises an alarm."""

    id: str
    planted: bool


class CarveOutBody(Shape):
    """Why and until when the person is not told."""

    ground: CarveOutGround
    reference: str
    until: datetime


class ConsentSnapshot(Shape):
    """The head of a person's consent chain; null where there is none."""

    consent_snapshot_id: str | None


class Given(Shape):
    """What people were told and when, the last told first; and the alarms raised, newest first, delivered or not."""

    notices: tuple[UserNotice, ...]
    alarms: tuple[OperatorAlarm, ...]


class IncidentKeyBody(Shape):
    """An Ed25519 key, and whose it is."""

    public_key: str
    label: str


class IncidentKeyList(Shape):
    """The keys of the tenant, revoked ones included."""

    keys: tuple[IncidentKey, ...]


class InspectionList(Shape):
    """Inspections of the tenant, oldest first: `total` counts all there are."""

    inspections: tuple[Inspection, ...]
    total: int
    next_cursor: str | None


class InspectionStepBody(Shape):
    """One step; a review says what the reviewer found."""

    step: Literal["approve", "deny", "close", "review"]
    verdict: ReviewVerdict | None = None


class KillSwitchBody(Shape):
    """Whether inspection is stopped."""

    on: bool


class LookBody(Shape):
    """Which part of the frozen set."""

    offset: int | None = None
    limit: int | None = None


class Pending(Shape):
    """What is still to be told, to people and to approvers; and looks that wait for their review."""

    notices: tuple[UserNotice, ...]
    alarms: tuple[OperatorAlarm, ...]
    reviews: tuple[Inspection, ...]


class ReportingLineBody(Shape):
    """One operator and the line they report along; null where none is known any more."""

    operator: str
    line: str | None


class ReportingLinesBody(Shape):
    """Operators and the line each reports along."""

    lines: dict[str, str]


class RequestInspectionBody(Shape):
    """Whose memory, why, and exactly what."""

    of_user: str
    path: InspectionPath
    reason: InspectionReason
    reference: str
    target: InspectionTarget
    consent_snapshot_id: str | None = None
    incident: IncidentReference | None = None
    break_glass: bool | None = None
    minutes: int | None = None


class RevokeKeyBody(Shape):
    """The key to stop trusting."""

    key_id: str
