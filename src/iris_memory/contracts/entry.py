"""The memory entry: one immutable revision of one fact, and what is left of it when it is forgotten."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Category, Consumer, Surface
from iris_memory.contracts.scope import SCOPE_TEXT_MOST, AdapterScope, AnyScope, adapter_scope_after_kind
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Millionths, Storable

BODY_MOST = 4000
SUBJECT_MOST = 200

Body = Annotated[str, Field(min_length=1, max_length=BODY_MOST), Storable]
Subject = Annotated[str, Field(min_length=1, max_length=SUBJECT_MOST), Storable]


class Origin(StrEnum):
    """How a memory came to be."""

    USER_STATED = "user-stated"
    USER_CONFIRMED = "user-confirmed"
    MODEL_INFERRED = "model-inferred"
    OPERATOR_COPILOT = "operator-copilot"
    SUMMARIZED_FROM_SESSION = "summarized-from-session"
    IMPORTED = "imported"


class Lifecycle(StrEnum):
    """Where a revision stands. `tombstoned` is the only terminal one."""

    DRAFT = "draft"
    ACTIVE = "active"
    PAUSED = "paused"
    SUPERSEDED = "superseded"
    TOMBSTONED = "tombstoned"


class Label(StrEnum):
    """Who wrote the bytes. A label never rises by machine (POI-1)."""

    USER_TYPED = "user-typed"
    USER_PASTED = "user-pasted"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    FILE = "file"
    IMPORT = "import"
    OPERATOR = "operator"


class ProvenanceKind(StrEnum):
    """What a memory was made from."""

    SESSION_TURN = "session-turn"
    SESSION_SUMMARY = "session-summary"
    PROFILE_PROMOTION = "profile-promotion"
    MANUAL_IMPORT = "manual-import"
    INFERENCE_BATCH = "inference-batch"
    NOTEBOOK_ATTACHMENT = "notebook-attachment"
    SCENE_EVENT = "scene-event"
    POSE_SAMPLE = "pose-sample"


class ProvenanceLink(Contract):
    """One step back towards the words a memory came from."""

    kind: ProvenanceKind
    ref: Annotated[str, Field(min_length=1, max_length=512), Storable]
    captured_at: Instant
    label: Label


class ConsentSource(StrEnum):
    """How the consent noted on an entry was given."""

    INLINE_PROMPT = "inline-prompt"
    SETTINGS_TOGGLE = "settings-toggle"
    DSAR_IMPORT = "dsar-import"


class ConsentEntry(Contract):
    """The consent under which an entry was stored. The durable history is the consent ledger."""

    category: Category
    granted_at: Instant
    revoked_at: Instant | None = None
    source: ConsentSource


class SuppressionReason(StrEnum):
    """Why an entry is held back."""

    CRISIS_FRAME = "crisis-frame"
    USER_PAUSE = "user-pause"
    SENSITIVE_CATEGORY = "sensitive-category"
    TENANT_QUARANTINE = "tenant-quarantine"


class Suppression(Contract):
    """An entry is held back from recall, until `ends_at` or until lifted."""

    reason: SuppressionReason
    started_at: Instant
    ends_at: Instant | None = None
    notes: Annotated[str, Field(max_length=500), Storable] | None = None


class MultiActor(Contract):
    """Somebody else appears in the memory: an opaque handle of the user's namespace, never a profile."""

    actor_handle: Identifier
    relationship_note: Annotated[str, Field(max_length=500), Storable] | None = None
    sensitive_interaction: bool = False


class QuarantineReason(StrEnum):
    """Why an entry is shown to the person and never recalled (POI-4)."""

    INSTRUCTION_LIKE = "instruction-like"
    LOW_TRUST_SOURCE = "low-trust-source"
    SENSITIVE_CONTENT = "sensitive-content"
    REPORTED_WRONG = "reported-wrong"


class Quarantine(Contract):
    """An entry is kept out of every recall."""

    reason: QuarantineReason
    since: Instant


class MemoryEntry(Contract):
    """One revision of one memory. A mutation writes revision n+1 and supersedes n; no row is edited."""

    id: Identifier
    logical_id: Identifier
    tenant_id: Identifier
    user_id: Identifier
    scope: AnyScope
    adapter_scope: AdapterScope = Field(default_factory=adapter_scope_after_kind)
    category: Category
    subject: Subject | None = None
    body: Body
    origin: Origin
    lifecycle: Lifecycle = Lifecycle.ACTIVE
    revision: Annotated[int, Field(ge=1)] = 1
    supersedes: Identifier | None = None
    superseded_by: Identifier | None = None
    provenance_chain: Annotated[tuple[ProvenanceLink, ...], Field(min_length=1, strict=False)]
    label: Label
    quarantine: Quarantine | None = None
    consents: Annotated[tuple[ConsentEntry, ...], Field(strict=False)] = ()
    suppression: Suppression | None = None
    multi_actor: MultiActor | None = None
    reference_count: Count = 0
    last_referenced_at: Instant | None = None
    confidence: Millionths | None = None
    created_at: Instant
    updated_at: Instant
    expires_at: Instant | None = None


class TombstoneReason(StrEnum):
    """Why a memory is gone."""

    FORGOTTEN_BY_PERSON = "forgotten-by-person"
    CATEGORY_CLEARED = "category-cleared"
    EVERYTHING_FORGOTTEN = "everything-forgotten"
    CONSENT_WITHDRAWN = "consent-withdrawn"
    RETENTION_ENDED = "retention-ended"
    DATA_RIGHTS_REQUEST = "data-rights-request"
    DRAFT_LET_GO = "draft-let-go"
    SOURCE_FORGOTTEN = "source-forgotten"
    ROLLED_BACK = "rolled-back"
    MENTION_FORGOTTEN = "mention-forgotten"
    MERGED_BY_MOVE = "merged-by-move"


class Tombstone(Contract):
    """What stays of a forgotten memory: no body, subject, note, category or scope, anywhere."""

    logical_id: Identifier
    tenant_id: Identifier
    person: Identifier
    created_at: Instant
    forgotten_at: Instant
    reason: TombstoneReason
    receipt_id: Identifier


class RecentRecall(Contract):
    """One time a memory surfaced: when and why, never what was said."""

    at: Instant
    surface: Surface
    consumer: Consumer
    assistant_id: Identifier | None = None
    request_scope: Annotated[str, Field(min_length=1, max_length=SCOPE_TEXT_MOST), Storable]
    rationale: Annotated[tuple[str, ...], Field(strict=False)] = ()


class UsageRecord(Contract):
    """How often and when a memory was used. Use is not a revision."""

    logical_id: Identifier
    reference_count: Count = 0
    last_referenced_at: Instant | None = None
    recent: Annotated[tuple[RecentRecall, ...], Field(strict=False)] = ()
