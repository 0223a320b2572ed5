"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from iris_memory.client.shape import Shape
from iris_memory.contracts.category import Category
from iris_memory.contracts.rights import (
    AccessPayload,
    DeletePayload,
    DenialGround,
    DeskRow,
    ExportPayload,
    LegalHold,
    ObjectPayload,
    RectifyPayload,
    Regime,
    RestrictPayload,
    RightsRequest,
    VerificationMethod,
    WithdrawPayload,
)
from iris_memory.contracts.scope import AdapterScope


class AppealStep(Shape):
    """Ask for another decision."""

    step: Literal["appeal"]
    reason: str


class CancelStep(Shape):
    """Take the request back."""

    step: Literal["cancel"]


class ChallengeBody(Shape):
    """By which way the secret will reach the person."""

    method: Literal["email-link", "phone-otp"]


class CompleteStep(Shape):
    """Complete a request that was carried out elsewhere."""

    step: Literal["complete"]
    result_fingerprint: str | None = None


class DecideStep(Shape):
    """Decide an appeal."""

    step: Literal["decide-appeal"]
    overturned: bool
    reason: str


class DenyStep(Shape):
    """Deny a request, or with `partial` the things named."""

    step: Literal["deny"]
    ground: DenialGround
    legal_reference: str
    items: dict[str, DenialGround] | None = None
    partial: bool | None = None


class Desk(Shape):
    """The tenant's requests, those due first: no content and no name. `total` counts all that were asked for."""

    requests: tuple[DeskRow, ...]
    total: int
    next_cursor: str | None


class DeskHolds(Shape):
    """Legal holds of the tenant, oldest first: `total` counts all there are."""

    holds: tuple[LegalHold, ...]
    total: int
    next_cursor: str | None


class Discarded(Shape):
    """Whether there was an export to drop."""

    dropped: bool


class ExtendStep(Shape):
    """Move the deadline, once; the person is told the reason."""

    step: Literal["extend"]
    reason: str


class FailStep(Shape):
    """Note that a request could not be carried out."""

    step: Literal["fail"]
    reason: str


class HoldStep(Shape):
    """Confirm a hold as a second person, note that it was reviewed, or end it."""

    step: Literal["confirm", "review", "release"]
    review_at: datetime | None = None


class Holds(Shape):
    """Legal holds, oldest first."""

    holds: tuple[LegalHold, ...]


class LiftStep(Shape):
    """Let back what a restriction set aside."""

    step: Literal["lift-restriction"]


class MakeBody(Shape):
    """The request whose export is to be made; it has to be verified."""

    request_id: str


class PlaceHoldBody(Shape):
    """What is held: with nothing named, everything of the person."""

    of_user: str
    reference: str
    reason: str
    expires_at: datetime
    review_at: datetime | None = None
    scopes: tuple[AdapterScope, ...] | None = None
    categories: tuple[Category, ...] | None = None
    logical_ids: tuple[str, ...] | None = None
    is_sealed: bool | None = None


class PlainStep(Shape):
    """Take a request up, go on with one on hold, or carry one out."""

    step: Literal["start", "resume", "fulfil"]


class ReactivateStep(Shape):
    """Take a soft deletion back within its grace."""

    step: Literal["reactivate"]


class Requests(Shape):
    """The person's requests, oldest first."""

    requests: tuple[RightsRequest, ...]


class SealBody(Shape):
    """To whom the file is encrypted: a passphrase of 12 characters or more, or an X25519 public key in base64."""

    passphrase: str | None = None
    recipient: str | None = None


class SignOffStep(Shape):
    """Record that an operator looked at who asks, or that a court ordered it."""

    step: Literal["sign-off"]
    method: VerificationMethod
    declared: bool | None = None


class SubmitBody(Shape):
    """What is asked for, and whose law sets the deadline."""

    payload: (
        AccessPayload
        | ExportPayload
        | DeletePayload
        | RectifyPayload
        | RestrictPayload
        | ObjectPayload
        | WithdrawPayload
    )
    regime: Regime | None = None


class VerifyStep(Shape):
    """Prove who asks: by the session of the token, or with the secret of a challenge."""

    step: Literal["verify"]
    method: VerificationMethod | None = None
    secret: str | None = None
    declared: bool | None = None


class WaitStep(Shape):
    """Wait for something."""

    step: Literal["hold"]
    reason: str
    until: datetime | None = None
