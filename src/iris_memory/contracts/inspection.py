"""Operator inspection: who asks to look at a person's memory, why, at what exactly, and what came of it.

No contract here holds words of a memory but `InspectedEntry`, which is answered and never kept.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import MemoryEntry, TombstoneReason
from iris_memory.contracts.scope import AdapterScope, AnyScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant

INSPECTED_MOST = 10_000
"""The most memories one inspection may reach, whatever cap it names."""

NAMED_MOST = 1_000

Named = Annotated[tuple[Identifier, ...], Field(strict=False, max_length=NAMED_MOST)]


CaseReference = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._~:/#-]*$")]
"""The id of a case kept elsewhere. It stands in the audit chain for good, so it has no space for a name or a word."""


class OperatorRole(StrEnum):
    """The roles of people who work with other people's memory."""

    SUPPORT = "support"
    ADMIN = "admin"
    LEGAL = "legal"
    TRUST_AND_SAFETY = "t&s"


class InspectionState(StrEnum):
    """Where an inspection stands. `denied` and `closed` are terminal."""

    REQUESTED = "requested"
    DSAR_FULFILLMENT = "dsar-fulfillment"
    INCIDENT_ESCALATION = "incident-escalation"
    ROUTINE_REVIEW = "routine-review"
    GRANTED = "granted"
    DENIED = "denied"
    CLOSED = "closed"


class InspectionPath(StrEnum):
    """The three ways in. Each is the state of the same name."""

    DSAR_FULFILLMENT = "dsar-fulfillment"
    INCIDENT_ESCALATION = "incident-escalation"
    ROUTINE_REVIEW = "routine-review"


class InspectionReason(StrEnum):
    """Why somebody wants to look. Each fits one path."""

    DATA_SUBJECT_REQUEST = "data-subject-request"
    SAFETY_INCIDENT = "safety-incident"
    SECURITY_INCIDENT = "security-incident"
    ABUSE_REPORT = "abuse-report"
    SUPPORT_CASE = "support-case"
    QUALITY_REVIEW = "quality-review"


class InspectionDenial(StrEnum):
    """Why an inspection is not granted, in the order in which the gate asks."""

    CROSS_TENANT = "cross-tenant"
    """The operator, the person or the scope named is of another tenant."""
    SCOPE_OUT_OF_BOUNDS = "scope-out-of-bounds"
    """The canonical scope named is not the person's."""
    NO_LEGITIMATE_INTEREST = "no-legitimate-interest"
    """The reason does not fit the path, the person's request is not in progress, the signed incident reference is
    missing or does not verify, or a break-glass asks for more than safety-critical memory; or somebody said no."""
    CONSENT_NOT_CURRENT = "consent-not-current"
    """Sensitive memory needs the head of the person's consent chain, and it is missing or not the newest."""
    SENSITIVE_ROUTINE_REVIEW = "sensitive-routine-review"
    """Sensitive memory is never a matter of routine."""
    ROLE_NOT_PERMITTED = "role-not-permitted"
    """The role does not look by this path, at this sensitivity; or may not take this step."""
    SCOPE_TOO_WIDE = "scope-too-wide"
    """The target reaches more memories than its cap; name fewer, or ask with a higher cap."""
    GRANT_EXPIRED = "grant-expired"
    """The grant is over, or nobody answered the request in time."""
    SELF_APPROVAL = "self-approval"
    """The one who asks never grants, nor does somebody of their reporting line; the request still waits."""
    SECOND_APPROVER_MISSING = "second-approver-missing"
    """Another person's word is missing; the request still waits."""


class InspectionRefusal(StrEnum):
    """Why a step of an inspection was not taken, where no denial says it."""

    NOT_WAITING = "not-waiting"
    """The request was decided already; or the key was revoked."""
    NOT_GRANTED = "not-granted"
    """There is no grant to read under, or to end."""
    NOT_THE_REQUESTER = "not-the-requester"
    """A grant is for the one who asked, in the role they asked in."""
    KILL_SWITCH_ON = "kill-switch-on"
    """Inspection is stopped for the tenant."""
    READ_RATE_EXCEEDED = "read-rate-exceeded"
    """The operator read more than anybody reads in ten minutes; approvers are told."""
    NOT_IN_REVIEW = "not-in-review"
    """The inspection was no break-glass, or was reviewed."""
    CARVE_OUT_NOT_ALLOWED = "carve-out-not-allowed"
    """A carve-out lies ahead, and ends within 90 days of when the first one began."""
    SUBJECT_ERASED = "subject-erased"
    """The person was erased; what stays are pseudonyms and proofs."""


class CloseReason(StrEnum):
    """What ended a grant."""

    FINISHED = "finished"
    EXPIRED = "expired"
    KILLED = "killed"
    CONSENT_CHANGED = "consent-changed"
    SUBJECT_ERASED = "subject-erased"


class CarveOutGround(StrEnum):
    """Why a person is told later that somebody looked."""

    ACTIVE_INVESTIGATION = "active-investigation"
    LEGAL_ORDER = "legal-order"
    RISK_TO_OTHERS = "risk-to-others"


class ReviewVerdict(StrEnum):
    """What somebody else says, afterwards, of a look that nobody approved."""

    JUSTIFIED = "justified"
    UNJUSTIFIED = "unjustified"


class AlarmKind(StrEnum):
    """What operators are told of at once."""

    BREAK_GLASS = "break-glass"
    CANARY_TOUCHED = "canary-touched"
    READ_RATE_EXCEEDED = "read-rate-exceeded"
    REVIEW_OVERDUE = "review-overdue"


class InspectionTarget(Contract):
    """Exactly what is to be looked at: memories by id, or a query with a cap.

    A query names at least one of categories, adapter scopes, a canonical scope and a time (of the last change).
    Sensitive memory is reached by naming its category, its id, or `include_sensitive`; else it is withheld.
    """

    logical_ids: Named = ()
    categories: Annotated[tuple[Category, ...], Field(strict=False, max_length=NAMED_MOST)] = ()
    adapter_scopes: Annotated[tuple[AdapterScope, ...], Field(strict=False, max_length=NAMED_MOST)] = ()
    scope: AnyScope | None = None
    since: Instant | None = None
    until: Instant | None = None
    include_sensitive: bool = False
    most: Annotated[int, Field(ge=1, le=INSPECTED_MOST)] = 100

    @model_validator(mode="after")
    def _is_explicit(self) -> Self:
        query = (*self.categories, *self.adapter_scopes, self.scope, self.since, self.until)
        asks = any(part is not None for part in query)
        if asks == bool(self.logical_ids):
            raise ValueError("a target names memories by id, or a query, and not both")
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise ValueError("the time of a query ends after it begins")
        return self


class IncidentReference(Contract):
    """What an incident desk signed: that there is an incident, about whom, until when.

    `target` is the user's id, or the pseudonym the desk knows them by. `signature` is the Ed25519 signature (RFC 8032)
    over the canonical JSON (RFC 8785) of the other fields but `key_id`, in lower-case hex.
    """

    incident_id: Identifier
    tenant_id: Identifier
    target: Identifier
    issued_at: Instant
    expires_at: Instant
    key_id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    signature: Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]


class IncidentKey(Contract):
    """A key whose signature vouches for incidents of a tenant. `key_id` is the first 8 bytes of its SHA-256."""

    key_id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    public_key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    label: Identifier
    registered_by: Identifier
    registered_at: Instant
    revoked_by: Identifier | None = None
    revoked_at: Instant | None = None


class InspectionStep(Contract):
    """One transition. `reason` is the code of a denial, or what closed a grant."""

    at: Instant
    state: InspectionState
    actor: Identifier
    role: OperatorRole | None = None
    reason: InspectionDenial | CloseReason | None = None


class InspectionApproval(Contract):
    """Somebody else said yes."""

    actor: Identifier
    role: OperatorRole
    at: Instant


class InspectionGrant(Contract):
    """Leave to look, for a while, at a set of memories that was frozen when it was given."""

    granted_at: Instant
    expires_at: Instant
    entries: Count
    withheld: dict[str, Count]
    consent_snapshot_id: str | None = None


class FrozenEntry(Contract):
    """One revision of the frozen set. The commitment is keyed by the person: their erasure makes it say nothing."""

    logical_id: Identifier
    revision: Annotated[int, Field(ge=1)]
    entry_id: Identifier
    commitment: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class CarveOut(Contract):
    """The person is told later, for a lawful ground, and no later than `until`."""

    ground: CarveOutGround
    reference: CaseReference
    placed_by: Identifier
    placed_at: Instant
    until: Instant


class BreakGlassReview(Contract):
    """The review a look without approval must have, and what came of it."""

    due_at: Instant
    reviewed_by: Identifier | None = None
    reviewed_at: Instant | None = None
    verdict: ReviewVerdict | None = None
    told_overdue: bool = False


class Inspection(Contract):
    """One inspection from its request to its end. `person` is a pseudonym; no field holds words.

    `target` and `incident` may name the person, so they are kept with the person's rows: None once they were erased.
    """

    inspection_id: Identifier
    tenant_id: Identifier
    person: Identifier
    path: InspectionPath
    reason: InspectionReason
    reference: CaseReference
    target: InspectionTarget | None
    is_sensitive: bool
    break_glass: bool = False
    incident: IncidentReference | None = None
    consent_snapshot_id: str | None = None
    requester: Identifier
    requester_role: OperatorRole
    requested_at: Instant
    answer_by: Instant
    grant_minutes: Annotated[int, Field(ge=1)]
    state: InspectionState
    approvals: Annotated[tuple[InspectionApproval, ...], Field(strict=False)] = ()
    trail: Annotated[tuple[InspectionStep, ...], Field(strict=False)]
    grant: InspectionGrant | None = None
    reads: Count = 0
    first_read_at: Instant | None = None
    carve_out: CarveOut | None = None
    review: BreakGlassReview | None = None


class InspectionRefused(Contract):
    """A step was not taken: why, the rule, and what it would need."""

    outcome: Literal["refused"] = "refused"
    reason: InspectionDenial | InspectionRefusal
    rule: str
    needs: Annotated[tuple[str, ...], Field(strict=False)] = ()


class ErasureProof(Contract):
    """What proves that a revision which was once seen is gone. `receipt_id` names the receipt of its forgetting."""

    receipt_id: Identifier | None = None
    forgotten_at: Instant | None = None
    reason: TombstoneReason | None = None


class InspectedEntry(Contract):
    """One memory as the operator sees it, or, where it was forgotten since, the proof of that."""

    frozen: FrozenEntry
    entry: MemoryEntry | None = None
    erased: ErasureProof | None = None


class InspectionPage(Contract):
    """A part of a frozen set, in its order."""

    inspection_id: Identifier
    entries: Annotated[tuple[InspectedEntry, ...], Field(strict=False)]
    total: Count
    next_offset: Count | None = None


class UserNotice(Contract):
    """What a person must be told: that somebody looked at sensitive memory of theirs. `notice_id` never changes."""

    notice_id: Identifier
    tenant_id: Identifier
    user_id: Identifier
    role: OperatorRole
    path: InspectionPath
    reason: InspectionReason
    first_read_at: Instant
    due_at: Instant
    held_until: Instant | None = None
    overdue: bool = False
    attempts: Count = 0
    delivered_at: Instant | None = None


class OperatorAlarm(Contract):
    """What approvers of a tenant are told at once. No person is named."""

    alarm_id: Identifier
    tenant_id: Identifier
    kind: AlarmKind
    at: Instant
    inspection_id: Identifier
    actor: Identifier
    role: OperatorRole
    to_roles: Annotated[tuple[OperatorRole, ...], Field(strict=False)]
    delivered_at: Instant | None = None


class AccessLogEntry(Contract):
    """One time an operator looked at memory of the person: who (by role), why, when, at what."""

    at: Instant
    role: OperatorRole
    path: InspectionPath
    reason: InspectionReason
    break_glass: bool
    replayed: bool
    inspection_id: Identifier
    logical_ids: Annotated[tuple[Identifier, ...], Field(strict=False)]
    entry_ids: Annotated[tuple[Identifier, ...], Field(strict=False)]


class KillSwitch(Contract):
    """Whether inspection is stopped for a whole tenant, and by whom."""

    on: bool = False
    actor: Identifier | None = None
    at: Instant | None = None


class InspectionReport(Contract):
    """What inspection was used for in a tenant: counts alone, to be published."""

    days: Count
    requested: Count
    granted: Count
    denied: dict[str, Count]
    waiting: Count
    active: Count
    reads: Count
    entries_read: Count
    break_glass: Count
    break_glass_justified: Count
    break_glass_unjustified: Count
    reviews_open: Count
    reviews_overdue: Count
    notices_pending: Count
    notices_overdue: Count
    alarms: dict[str, Count]
