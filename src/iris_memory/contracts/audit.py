"""Audit events: what happened, to which ids, under which policy. Codes and counts, never content."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from iris_memory.contracts.shape import Contract, Count, Identifier, Instant


class AuditAction(StrEnum):
    """The names of events."""

    RECALL_RESOLVED = "memory.recall.resolved"
    MEMORY_WRITTEN = "memory.written"
    MEMORY_BATCH_WRITTEN = "memory.batch.written"
    MEMORY_REFUSED = "memory.refused"
    MEMORY_REVISED = "memory.revised"
    CONFLICT_DECIDED = "memory.conflict.decided"
    QUESTION_ASKED = "memory.question.asked"
    QUESTION_ANSWERED = "memory.question.answered"
    FORGET_INTENDED = "memory.forget.intended"
    FORGET_COMPLETED = "memory.forget.completed"
    CONSENT_RECORDED = "consent.recorded"
    OPT_OUT_CHANGED = "consent.opt-out.changed"
    PAUSE_CHANGED = "memory.pause.changed"
    IMPORT_STARTED = "import.started"
    IMPORT_COMPLETED = "import.completed"
    IMPORT_HELD = "import.held"
    APPROVAL_GRANTED = "governance.approval.granted"
    APPROVAL_ASKED = "governance.approval.asked"
    APPROVAL_WITHDRAWN = "governance.approval.withdrawn"
    NOTICE_PUBLISHED = "consent.notice.published"
    CONSENT_CASCADED = "consent.cascade.applied"
    EPHEMERAL_KEPT = "memory.ephemeral.kept"
    EPHEMERAL_FORGOTTEN = "memory.ephemeral.forgotten"
    SETTING_CHANGED = "tenant.setting.changed"
    KEY_ROTATED = "key.rotated"
    MEMORY_READ = "memory.read"
    DERIVED_SETTLED = "memory.derived.settled"
    RETENTION_SWEPT = "memory.retention.swept"
    REVIEW_DECIDED = "memory.review.decided"
    INFERENCE_OBSERVED = "inference.observed"
    PROMOTION_DECIDED = "memory.promotion.decided"
    MEMORY_ROLLED_BACK = "memory.rolled-back"
    SCOPE_CHANGED = "memory.scope.changed"
    WRITE_BURST = "memory.write.burst"
    SUBJECT_JOINED = "subject.joined"
    STORE_RESTORED = "store.restored"
    GUARD_FIRED = "guard.fired"
    RIGHTS_CHANGED = "rights.request.changed"
    LEGAL_HOLD_CHANGED = "legal-hold.changed"
    NOTE_CONFIRMED = "operator.note.confirmed"
    NOTE_CORRECTED = "operator.note.corrected"
    NOTES_FORGOTTEN = "operator.notes.forgotten"
    NOTES_RECALLED = "operator.notes.recalled"
    MEMORY_SET_ASIDE = "memory.set-aside"
    CONTINUATION_KEPT = "continuation.kept"
    CONTINUATION_DROPPED = "continuation.dropped"
    DEVICE_CHANGED = "device.changed"
    ASSISTANT_CHANGED = "assistant.changed"
    TURN_KEPT = "turn.kept"
    TURNS_REDACTED = "turns.redacted"
    SESSION_ENDED = "session.ended"
    WEBHOOK_CHANGED = "webhook.changed"
    EXPORT_MADE = "rights.export.made"
    EXPORT_COLLECTED = "rights.export.collected"
    LEDGER_PURGED = "consent.ledger.purged"
    SERVICE_TOKEN_MINTED = "access.service-token.minted"
    SERVICE_TOKEN_REVOKED = "access.service-token.revoked"
    PERSON_TOKEN_ISSUED = "access.person-token.issued"
    INSPECTION_MOVED = "iris.admin_inspection.transition"
    """An inspection went from one state to another; a grant names the exact revisions."""
    INSPECTION_READ = "iris.admin_inspection.read"
    """An operator was shown memory under a grant, or replayed what was shown; it names the exact revisions."""
    INSPECTION_REFUSED = "iris.admin_inspection.refused"
    """A step of an inspection, or a look, was refused."""
    INSPECTION_NOTED = "iris.admin_inspection.notice"
    """A notice to a person about a look was queued, held back by a carve-out, or delivered."""
    INSPECTION_ALARMED = "iris.admin_inspection.alarm"
    """Something operators are told of at once: break-glass, a canary, a fast reader, an overdue review."""
    INSPECTION_REVIEWED = "iris.admin_inspection.reviewed"
    """Somebody else judged a look that nobody had approved."""
    INSPECTION_GOVERNED = "iris.admin_inspection.governed"
    """The rules of inspection changed: incident keys, reporting lines, canaries, the kill switch."""


class Severity(StrEnum):
    """How loudly an event speaks."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


RECALL_POLICY = "iris-memory-recall-v1"
WRITE_POLICY = "iris-memory-write-v1"
CONSENT_POLICY = "iris-consent-ledger-v1"
FORGET_POLICY = "iris-memory-forget-v1"
RIGHTS_POLICY = "iris-data-rights-v1"
NOTES_POLICY = "iris-operator-notes-v1"
INSPECTION_POLICY = "iris.admin_inspection.state_machine.v1"
GUARD_POLICY = "iris-owner-pii-v1"
CONTINUITY_POLICY = "iris-continuity-v1"
ASSISTANT_POLICY = "iris-assistant-identity-v1"
BRIDGE_POLICY = "iris-memory-bridge-v1"
ACCESS_POLICY = "iris-access-v1"


class AuditEvent(Contract):
    """An event as a sink sees it. The same facts stand in the chain."""

    action: AuditAction
    policy_id: str
    severity: Severity
    tenant_id: Identifier
    person: Identifier
    at: Instant
    scope_key: str | None = None
    object_ids: tuple[str, ...] = ()
    counts: dict[str, Count] = Field(default_factory=dict)
    details: dict[str, str] = Field(default_factory=dict)
