"""Data rights: what a person may ask for, the record of a request, and what is said about it on the way to its end.

A request moves between eight states. What else happens to it (an extension, a hold, a denial, a partial answer) is a
fact in its trail, which is only ever appended to, starts with `submitted` and never goes back in time.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import OptOut
from iris_memory.contracts.entry import Body, Subject
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Storable

GRACE_MOST_MS = 366 * 86_400_000
REASON_MOST = 1_000
NAMED_MOST = 1_000

Reason = Annotated[str, Field(min_length=1, max_length=REASON_MOST), Storable]
Scopes = Annotated[tuple[AdapterScope, ...], Field(strict=False, max_length=NAMED_MOST)]
Categories = Annotated[tuple[Category, ...], Field(strict=False, max_length=NAMED_MOST)]
Ids = Annotated[tuple[Identifier, ...], Field(strict=False, max_length=NAMED_MOST)]
Fingerprint = Annotated[str, Field(pattern=r"^[0-9a-f]{32,128}$")]


class RightsKind(StrEnum):
    """What a person may ask for."""

    ACCESS = "access"
    EXPORT = "export"
    DELETE = "delete"
    RECTIFY = "rectify"
    RESTRICT = "restrict"
    OBJECT = "object"
    WITHDRAW_CONSENT = "withdraw-consent"


class RightsState(StrEnum):
    """Where a request stands."""

    SUBMITTED = "submitted"
    VERIFIED = "verified"
    IN_PROGRESS = "in-progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    APPEALED = "appealed"


class RightsFact(StrEnum):
    """What else may happen to a request. No fact is a state."""

    IDENTITY_PROVED = "identity-proved"
    ON_HOLD = "on-hold"
    HOLD_ENDED = "hold-ended"
    EXTENDED = "extended"
    PARTIALLY_FULFILLED = "partially-fulfilled"
    DENIED = "denied"
    DUPLICATE = "duplicate"
    SET_ASIDE = "set-aside"
    REACTIVATED = "reactivated"
    APPEAL_UPHELD = "appeal-upheld"
    APPEAL_OVERTURNED = "appeal-overturned"
    RESTRICTION_LIFTED = "restriction-lifted"


class Regime(StrEnum):
    """Whose law sets the deadline."""

    DEFAULT = "default"
    GDPR = "gdpr"
    UK_GDPR = "uk-gdpr"
    CCPA = "ccpa"
    LGPD = "lgpd"


class VerificationMethod(StrEnum):
    """How a person proves who they are."""

    SESSION_TOKEN = "session-token"  # noqa: S105
    EMAIL_LINK = "email-link"
    PHONE_OTP = "phone-otp"
    OPERATOR_SIGNOFF = "operator-signoff"
    COURT_ORDER = "court-order"


class IdentityLevel(StrEnum):
    """How surely it is known who asks, weakest first."""

    SESSION = "session"
    STEP_UP = "step-up"
    TWO_FACTORS = "two-factors"
    DECLARATION = "declaration"


class DenialGround(StrEnum):
    """Why a request, or a part of it, is not granted."""

    IDENTITY_NOT_PROVEN = "identity-not-proven"
    MANIFESTLY_UNFOUNDED = "manifestly-unfounded"
    EXCESSIVE = "excessive"
    RIGHTS_OF_OTHERS = "rights-of-others"
    LEGAL_OBLIGATION = "legal-obligation"
    LEGAL_CLAIMS = "legal-claims"
    FREEDOM_OF_EXPRESSION = "freedom-of-expression"
    NO_DATA_HELD = "no-data-held"
    RIGHT_NOT_APPLICABLE = "right-not-applicable"


class RightsRefusal(StrEnum):
    """Why a step of a request was not taken."""

    NOT_ALLOWED_FROM_STATE = "not-allowed-from-state"
    ALREADY_APPEALED = "already-appealed"
    ALREADY_EXTENDED = "already-extended"
    NO_EXTENSION = "no-extension"
    DEADLINE_PASSED = "deadline-passed"
    REQUEST_ON_HOLD = "request-on-hold"
    NOT_ON_HOLD = "not-on-hold"
    FINGERPRINT_MISSING = "fingerprint-missing"
    OWN_DECISION = "own-decision"
    VERIFICATION_OVER = "verification-over"
    PROOF_NOT_ACCEPTED = "proof-not-accepted"
    TOO_MANY_ATTEMPTS = "too-many-attempts"
    GRACE_OVER = "grace-over"
    NOTHING_SET_ASIDE = "nothing-set-aside"
    FULFILMENT_REFUSED = "fulfilment-refused"
    NO_FULFILMENT = "no-fulfilment"
    REQUESTER_ERASED = "requester-erased"


class DeleteMode(StrEnum):
    """How a deletion comes about: with a grace in which it can be taken back, or at once."""

    SOFT = "soft"
    HARD = "hard"


class ExportFormat(StrEnum):
    """The format of an export's payloads."""

    JSON = "json"
    NDJSON = "ndjson"


class DeliveryChannel(StrEnum):
    """How an export reaches the person."""

    IN_APP_DOWNLOAD = "in-app-download"
    EMAIL_LINK = "email-link"
    API = "api"


class AccessPayload(Contract):
    """Show me what you have on me. It never changes a memory. With no scope, of every scope."""

    kind: Literal[RightsKind.ACCESS] = RightsKind.ACCESS
    scopes: Scopes = ()


class ExportPayload(Contract):
    """Give me what you have on me, in a form that can be taken elsewhere. With no scope, of every scope."""

    kind: Literal[RightsKind.EXPORT] = RightsKind.EXPORT
    scopes: Scopes = ()
    format: ExportFormat = ExportFormat.JSON
    include_consents: bool = True
    include_opt_outs: bool = True
    include_notebooks: bool = True
    include_session_memory: bool = True
    include_scene_memory: bool = False
    include_pose_memory: bool = False
    delivery_channel: DeliveryChannel = DeliveryChannel.IN_APP_DOWNLOAD
    encrypted: bool = False


class DeletePayload(Contract):
    """Take away what is in a scope or of a category. A hard deletion has no grace."""

    kind: Literal[RightsKind.DELETE] = RightsKind.DELETE
    mode: DeleteMode = DeleteMode.HARD
    scopes: Scopes = ()
    categories: Categories = ()
    retention_grace_ms: Annotated[int, Field(ge=0, le=GRACE_MOST_MS)] = 0
    purge_consent_ledger: bool = False

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.scopes and not self.categories:
            raise ValueError("a deletion names at least one scope or category")
        if self.mode is DeleteMode.HARD and self.retention_grace_ms:
            raise ValueError("a hard deletion has a retention_grace_ms of 0")
        if self.mode is DeleteMode.SOFT and not self.retention_grace_ms:
            raise ValueError("a soft deletion has a retention_grace_ms above 0")
        return self


class RectifyPayload(Contract):
    """Put one memory right. The words are dropped from the record when the request is over."""

    kind: Literal[RightsKind.RECTIFY] = RightsKind.RECTIFY
    logical_id: Identifier
    body: Body | None = None
    category: Category | None = None
    subject: Subject | None = None


class RestrictPayload(Contract):
    """Keep what is there, and use it no more (GDPR Art. 18): it stays stored and is not recalled."""

    kind: Literal[RightsKind.RESTRICT] = RightsKind.RESTRICT
    scopes: Scopes = ()
    categories: Categories = ()
    logical_ids: Ids = ()

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not (self.scopes or self.categories or self.logical_ids):
            raise ValueError("a restriction names at least one scope, category or memory")
        return self


class ObjectPayload(Contract):
    """Stop processing for the purposes named (GDPR Art. 21): each becomes an opt-out."""

    kind: Literal[RightsKind.OBJECT] = RightsKind.OBJECT
    purposes: Annotated[tuple[OptOut, ...], Field(strict=False, min_length=1, max_length=NAMED_MOST)]


class WithdrawPayload(Contract):
    """Take consents back."""

    kind: Literal[RightsKind.WITHDRAW_CONSENT] = RightsKind.WITHDRAW_CONSENT
    consents: Annotated[tuple[Identifier, ...], Field(strict=False, min_length=1, max_length=NAMED_MOST)]


RightsPayload = Annotated[
    AccessPayload | ExportPayload | DeletePayload | RectifyPayload | RestrictPayload | ObjectPayload | WithdrawPayload,
    Field(discriminator="kind"),
]


class TrailEvent(Contract):
    """One event of a request's trail. `actor` is `subject`, `system`, or the id of an operator."""

    at: Instant
    event: RightsState | RightsFact
    actor: Identifier
    note: Reason | None = None


class RightsNotice(Contract):
    """Something the person is told."""

    at: Instant
    about: RightsState | RightsFact
    text: Annotated[str, Field(min_length=1, max_length=4 * REASON_MOST), Storable]


class IdentityProof(Contract):
    """One proof of who asks. No secret and no document is kept."""

    method: VerificationMethod
    at: Instant
    by: Identifier
    fresh: bool = False
    declared: bool = False


class OnHold(Contract):
    """A request that waits for something, such as an answer of the person; past `until` it is over."""

    reason: Reason
    since: Instant
    until: Instant | None = None


class DeniedItem(Contract):
    """One thing that is not granted, and why."""

    item: Identifier
    ground: DenialGround


class Denial(Contract):
    """A denial or a partial one: the ground, the law behind it, each item, and what the person can do about it."""

    ground: DenialGround
    legal_reference: Annotated[str, Field(min_length=1, max_length=200), Storable]
    items: Annotated[tuple[DeniedItem, ...], Field(strict=False, max_length=NAMED_MOST)] = ()
    remedy: Annotated[str, Field(min_length=1, max_length=2 * REASON_MOST), Storable]
    by: Identifier
    at: Instant


class Appeal(Contract):
    """The person does not agree. Somebody else than the one who decided decides again, once."""

    at: Instant
    reason: Reason
    decided_at: Instant | None = None
    decided_by: Identifier | None = None
    overturned: bool = False


class RightsResult(Contract):
    """What came of a request: `fingerprint` binds the file that was given or the set of ids that went."""

    fingerprint: Fingerprint | None = None
    receipt_id: Identifier | None = None
    before: Identifier | None = None
    after: Identifier | None = None
    counts: dict[str, Count] = Field(default_factory=dict)


class RightsRequest(Contract):
    """The record of one request."""

    request_id: Identifier
    tenant_id: Identifier
    payload: RightsPayload
    regime: Regime
    state: RightsState
    submitted_at: Instant
    verify_by: Instant
    acknowledge_by: Instant | None = None
    first_deadline: Instant
    deadline: Instant
    level_needed: IdentityLevel
    proofs: Annotated[tuple[IdentityProof, ...], Field(strict=False)] = ()
    trail: Annotated[tuple[TrailEvent, ...], Field(strict=False, min_length=1)]
    notices: Annotated[tuple[RightsNotice, ...], Field(strict=False)] = ()
    duplicate_of: Identifier | None = None
    pending: OnHold | None = None
    grace_ends_at: Instant | None = None
    set_aside: Annotated[tuple[Identifier, ...], Field(strict=False)] = ()
    denial: Denial | None = None
    decided_by: Identifier | None = None
    appeal: Appeal | None = None
    result: RightsResult | None = None

    @property
    def kind(self) -> RightsKind:
        """What is asked for."""
        return self.payload.kind

    @property
    def was_extended(self) -> bool:
        """Whether the deadline was moved."""
        return self.deadline != self.first_deadline

    @model_validator(mode="after")
    def _has_a_sound_trail(self) -> Self:
        if self.trail[0].event is not RightsState.SUBMITTED:
            raise ValueError("a trail starts with submitted")
        if any(one.at > two.at for one, two in zip(self.trail, self.trail[1:], strict=False)):
            raise ValueError("a trail never goes back in time")
        states = [event.event for event in self.trail if isinstance(event.event, RightsState)]
        if states[-1] is not self.state:
            raise ValueError("the state is the last one of the trail")
        if states.count(RightsState.APPEALED) > 1:
            raise ValueError("a request is appealed once")
        return self


class RightsRefused(Contract):
    """A step was not taken; nothing was changed. `needs` names what would be needed."""

    outcome: Literal["refused"] = "refused"
    reason: RightsRefusal
    rule: str
    needs: tuple[str, ...] = ()


class IdentityChallenge(Contract):
    """A challenge for the person: the secret goes to them by the channel of the method, and is not kept."""

    request_id: Identifier
    challenge_id: Identifier
    method: VerificationMethod
    secret: str
    expires_at: Instant


class DeskRow(Contract):
    """What an operator sees of a request: no content and no name."""

    request_id: Identifier
    person: Identifier
    kind: RightsKind
    regime: Regime
    state: RightsState
    level_needed: IdentityLevel
    submitted_at: Instant
    deadline: Instant
    extended: bool = False
    on_hold: bool = False
    overdue: bool = False
    closed_at: Instant | None = None
    result_fingerprint: Fingerprint | None = None
    receipt_id: Identifier | None = None
    person_erased_at: Instant | None = None


class HoldState(StrEnum):
    """Where a legal hold stands. It holds once a second person confirmed it, until it is released or expires."""

    PLACED = "placed"
    IN_FORCE = "in-force"
    RELEASED = "released"
    EXPIRED = "expired"


class HoldRefusal(StrEnum):
    """Why a step of a legal hold was not taken."""

    SELF_CONFIRMATION = "hold-self-confirmation"
    NOT_WAITING = "hold-not-waiting"
    NOT_IN_FORCE = "hold-not-in-force"
    ALREADY_OVER = "hold-already-over"


class HoldTarget(Contract):
    """What is held: everything of the person where nothing is named, else what any of the names covers."""

    scopes: Scopes = ()
    categories: Categories = ()
    logical_ids: Ids = ()

    @property
    def is_whole(self) -> bool:
        """Whether everything of the person is held."""
        return not (self.scopes or self.categories or self.logical_ids)


class LegalHold(Contract):
    """Something must be kept for now. It blocks destruction alone; the person sees it unless it is sealed."""

    hold_id: Identifier
    person: Identifier
    target: HoldTarget
    reference: Annotated[str, Field(min_length=1, max_length=200), Storable]
    reason: Reason
    is_sealed: bool = False
    state: HoldState
    placed_by: Identifier
    placed_at: Instant
    confirmed_by: Identifier | None = None
    confirmed_at: Instant | None = None
    review_at: Instant
    expires_at: Instant
    ended_by: Identifier | None = None
    ended_at: Instant | None = None


class HoldRefused(Contract):
    """A step of a hold was not taken; nothing was changed."""

    outcome: Literal["refused"] = "refused"
    reason: HoldRefusal
    rule: str
    needs: tuple[str, ...] = ()
