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
    SETTING_CHANGED = "tenant.setting.changed"
    KEY_ROTATED = "key.rotated"
    MEMORY_READ = "memory.read"
    SUBJECT_JOINED = "subject.joined"


class Severity(StrEnum):
    """How loudly an event speaks."""

    INFO = "info"
    WARNING = "warning"


RECALL_POLICY = "iris-memory-recall-v1"
WRITE_POLICY = "iris-memory-write-v1"
CONSENT_POLICY = "iris-consent-ledger-v1"
FORGET_POLICY = "iris-memory-forget-v1"


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
