"""What requests about inspections carry, with an example of each."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from fastapi.openapi.models import Example
from pydantic import Field, model_validator

from iris_memory.contracts.inspection import (
    AccessLogEntry,
    CarveOutGround,
    CaseReference,
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
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant
from iris_memory.tables.inspectors import GRANT_MINUTES, GRANT_MINUTES_MOST, PAGE_MOST


class RequestInspectionBody(Contract):
    """Whose memory, why, and exactly what."""

    of_user: Identifier
    path: InspectionPath
    reason: InspectionReason
    reference: CaseReference
    target: InspectionTarget
    consent_snapshot_id: Identifier | None = None
    incident: IncidentReference | None = None
    break_glass: bool = False
    minutes: Annotated[int, Field(ge=1, le=GRANT_MINUTES_MOST)] = GRANT_MINUTES


class InspectionStepBody(Contract):
    """One step; a review says what the reviewer found."""

    step: Literal["approve", "deny", "close", "review"]
    verdict: ReviewVerdict | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if (self.step == "review") is not (self.verdict is not None):
            raise ValueError("a review has a verdict, and nothing else has")
        return self


class LookBody(Contract):
    """Which part of the frozen set."""

    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=PAGE_MOST)] = PAGE_MOST


class CarveOutBody(Contract):
    """Why and until when the person is not told."""

    ground: CarveOutGround
    reference: CaseReference
    until: Instant


class KillSwitchBody(Contract):
    """Whether inspection is stopped."""

    on: bool


class ReportingLinesBody(Contract):
    """Operators and the line each reports along."""

    lines: Annotated[dict[Identifier, Identifier], Field(max_length=10_000)]


class ReportingLineBody(Contract):
    """One operator and the line they report along; null where none is known any more."""

    operator: Identifier
    line: Identifier | None


class CanariesBody(Contract):
    """Ids whose reading raises an alarm."""

    ids: Annotated[tuple[Identifier, ...], Field(strict=False, max_length=10_000)]


class CanaryBody(Contract):
    """One id, and whether its reading raises an alarm."""

    id: Identifier
    planted: bool


class IncidentKeyBody(Contract):
    """An Ed25519 key, and whose it is."""

    public_key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    label: Identifier


class RevokeKeyBody(Contract):
    """The key to stop trusting."""

    key_id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class InspectionList(Contract):
    """Inspections of the tenant, oldest first: `total` counts all there are."""

    inspections: tuple[Inspection, ...]
    total: Count
    next_cursor: str | None


class Pending(Contract):
    """What is still to be told, to people and to approvers; and looks that wait for their review."""

    notices: tuple[UserNotice, ...]
    alarms: tuple[OperatorAlarm, ...]
    reviews: tuple[Inspection, ...]


class Given(Contract):
    """What people were told and when, the last told first; and the alarms raised, newest first, delivered or not."""

    notices: tuple[UserNotice, ...]
    alarms: tuple[OperatorAlarm, ...]


class IncidentKeyList(Contract):
    """The keys of the tenant, revoked ones included."""

    keys: tuple[IncidentKey, ...]


class ConsentSnapshot(Contract):
    """The head of a person's consent chain; null where there is none."""

    consent_snapshot_id: str | None


class AccessLog(Contract):
    """Every look at the person's memory, and the notices of looks at sensitive memory, newest first."""

    entries: tuple[AccessLogEntry, ...]
    notices: tuple[UserNotice, ...]


def _example(summary: str, **value: Any) -> dict[str, Example]:
    return {"one": {"summary": summary, "value": value}}


REQUEST: Final = _example(
    "A support case about preferences",
    of_user="ada",
    path="routine-review",
    reason="support-case",
    reference="CASE-1204",
    target={"categories": ["preference"], "most": 50},
)
STEP: Final = _example("Say yes", step="approve")
LOOK: Final = _example("The first twenty", offset=0, limit=20)
CARVE_OUT: Final = _example(
    "An investigation", ground="active-investigation", reference="POL-77", until="2999-01-01T00:00:00Z"
)
KILL_SWITCH: Final = _example("Go on", on=False)
LINES: Final = _example("Two teams", lines={"ann": "north", "lea": "south"})
LINE: Final = _example("One operator", operator="ann", line="north")
CANARY: Final = _example("One memory", id="019cae3f-5c40-7000-8000-5f2c1d9a7b31", planted=True)
CANARIES: Final = _example("One memory", ids=["019cae3f-5c40-7000-8000-5f2c1d9a7b31"])
KEY: Final = _example(
    "The incident desk",
    public_key="d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    label="incident desk",
)
REVOKE: Final = _example("A lost key", key_id="21fe31dfa154a261")
