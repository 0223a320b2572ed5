"""Consent: types, statuses, legal bases, and the append-only event."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Storable

CONSENT_EVENT_RECORD_VERSION: Literal[1] = 1
HexDigest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ConsentType(StrEnum):
    """What can be agreed to; each sensitive category has a consent of its own beside these (`category:<name>`)."""

    DATA_PROCESSING = "data_processing"
    DATA_STORAGE = "data_storage"
    SENSITIVE_DATA = "sensitive_data"
    PERSONALIZATION = "personalization"
    CROSS_DOMAIN_SHARING = "cross_domain_sharing"
    CROSS_DEVICE = "cross_device"
    TENANT_PROCESSING = "tenant_processing"
    OPERATOR_REVIEW = "operator_review"
    MULTI_ACTOR_SENSITIVE = "multi_actor_sensitive"
    MODEL_IMPROVEMENT = "model_improvement"


ConsentName = Annotated[str, Field(pattern=r"^([a-z_]+|category:[a-z_]+)$", max_length=64)]
"""A consent type, or `category:<sensitive category>`; `rules.consent` knows the closed set."""


class ConsentStatus(StrEnum):
    """What became of the question."""

    GRANTED = "granted"
    DENIED = "denied"
    REVOKED = "revoked"
    EXPIRED = "expired"


class LegalBasis(StrEnum):
    """The six of GDPR Art. 6(1)."""

    CONSENT = "consent"
    CONTRACT = "contract"
    LEGAL_OBLIGATION = "legal_obligation"
    VITAL_INTERESTS = "vital_interests"
    PUBLIC_TASK = "public_task"
    LEGITIMATE_INTERESTS = "legitimate_interests"


class CaptureMethod(StrEnum):
    """How the answer was taken."""

    INLINE_PROMPT = "inline_prompt"
    SETTINGS_TOGGLE = "settings_toggle"
    DSAR_IMPORT = "dsar_import"
    VOICE = "voice"
    GUARDIAN = "guardian"
    API = "api"


class OptOut(StrEnum):
    """What a person can opt out of; an active opt-out suppresses the scopes that name it."""

    MEMORY = "memory"
    PERSONALIZATION = "personalization"
    EMBODIED = "embodied"
    BIOMETRIC = "biometric"
    HISTORY = "history"
    CROSS_DOMAIN = "cross_domain"
    NOTEBOOKS = "notebooks"
    OPERATOR_COPILOT = "operator_copilot"
    TENANT = "tenant"


class ConsentEvent(Contract):
    """One answer of a person, chained to the one before. Appending is the only mutation of the ledger.

    `fingerprint` covers `previous` and blinded commitments of the person and of the free text, so that a purge, which
    destroys values and blindings, leaves the chain valid.
    """

    record_version: Literal[1] = CONSENT_EVENT_RECORD_VERSION
    event_id: Identifier
    tenant_id: Identifier
    user_id: Identifier
    type: ConsentName
    status: ConsentStatus
    legal_basis: LegalBasis
    capture_method: CaptureMethod
    terms_hash: HexDigest
    terms_language: Annotated[str, Field(min_length=2, max_length=35)]
    witness: Annotated[str, Field(min_length=1, max_length=200), Storable]
    jurisdiction: Annotated[str, Field(min_length=1, max_length=35)]
    note: Annotated[str, Field(max_length=1000), Storable] | None = None
    occurred_at: Instant
    expires_at: Instant | None = None
    sequence: Annotated[int, Field(ge=1)]
    previous: HexDigest
    person_commitment: HexDigest
    note_commitment: HexDigest
    blinding: HexDigest
    fingerprint: HexDigest


class GovernanceApproval(Contract):
    """Leave to use a scope that needs governance review, given by somebody, for a while."""

    tenant_id: Identifier
    adapter_scope: AdapterScope
    approver: Identifier
    reason: Annotated[str, Field(min_length=1, max_length=500), Storable]
    granted_at: Instant
    expires_at: Instant


class ScopeMode(StrEnum):
    """How a scope may be used just now."""

    DURABLE = "durable"
    EPHEMERAL = "ephemeral"
    SUPPRESSED = "suppressed"


class ScopePolicy(Contract):
    """What a person's consents and opt-outs make of one scope, for one consumer."""

    adapter_scope: AdapterScope
    enabled: bool
    mode: ScopeMode
    notes: tuple[str, ...]


class ConsentNotice(Contract):
    """The notice a tenant shows at present for one consent in one language: the hash of its exact text, no text."""

    tenant_id: Identifier
    type: ConsentName
    terms_hash: HexDigest
    terms_language: Annotated[str, Field(min_length=2, max_length=35)]
    version: Annotated[int, Field(ge=1)]
    published_at: Instant


class DueReason(StrEnum):
    """Why a consent is to be asked for again. Only `expired` ends it; the others are in force until answered."""

    EXPIRED = "expired"
    RE_ASK = "re-ask"
    TERMS_CHANGED = "terms-changed"
    LANGUAGE_CHANGED = "language-changed"


class ConsentDue(Contract):
    """A consent that is to be asked for again, why, since when, and the notices to ask it with."""

    name: ConsentName
    reason: DueReason
    since: Instant
    in_force: bool
    event_id: Identifier
    given_at: Instant
    notices: Annotated[tuple[ConsentNotice, ...], Field(strict=False)] = ()


class ScopeChange(Contract):
    """What becomes of one scope for one consumer."""

    adapter_scope: AdapterScope
    before: ScopeMode
    after: ScopeMode


class RevocationPreview(Contract):
    """What stops when consents are withdrawn; nothing was changed.

    `names` are the consents that end. `deleted` counts what goes for good, by where it lives; `hidden` counts memories
    that stay on the disk and are recalled no more; `ephemeral` counts those that live in this process alone and go.
    """

    names: Annotated[tuple[ConsentName, ...], Field(strict=False)]
    deleted: dict[str, Count]
    hidden: Count
    ephemeral: Count
    scopes: Annotated[tuple[ScopeChange, ...], Field(strict=False)]
    notes: Annotated[tuple[str, ...], Field(strict=False)]


class Withdrawal(Contract):
    """What a withdrawal recorded and, where memory went with it, the receipt."""

    events: Annotated[tuple[ConsentEvent, ...], Field(strict=False)]
    receipt: ForgetReceipt | None = None


class ApprovalState(StrEnum):
    """Where a request for a governance approval stands. All but `asked` and `granted` are final."""

    ASKED = "asked"
    GRANTED = "granted"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class ApprovalRequest(Contract):
    """A request to open a scope that needs governance review. The one who asks never grants."""

    request_id: Identifier
    tenant_id: Identifier
    adapter_scope: AdapterScope
    asked_by: Identifier
    reason: Annotated[str, Field(min_length=1, max_length=500), Storable]
    asked_at: Instant
    answer_by: Instant
    wanted_until: Instant
    state: ApprovalState = ApprovalState.ASKED
    granted_by: Identifier | None = None
    granted_at: Instant | None = None
    withdrawn_by: Identifier | None = None
    withdrawn_at: Instant | None = None


SENSITIVE_CONSENT_PREFIX = "category:"


def category_consent(category: Category) -> str:
    """Return the name of a sensitive category's own consent."""
    return SENSITIVE_CONSENT_PREFIX + category.value
