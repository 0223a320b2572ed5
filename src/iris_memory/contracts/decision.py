"""Reason codes: one closed enum per kind of decision. Kebab-case, never reused, never renamed; additions only."""

from __future__ import annotations

from enum import StrEnum


class DropReason(StrEnum):
    """Why recall held an entry back. The order here is the order in which the gates run."""

    TENANT_MISMATCH = "tenant-mismatch"
    SCOPE_MISMATCH = "scope-mismatch"
    SCOPE_SUPPRESSED = "scope-suppressed"
    CRISIS_FRAME = "crisis-frame"
    USER_PAUSE = "user-pause"
    SENSITIVE_CATEGORY = "sensitive-category"
    TENANT_QUARANTINE = "tenant-quarantine"
    QUARANTINED = "quarantined"
    LIFECYCLE_DRAFT = "lifecycle-draft"
    LIFECYCLE_PAUSED = "lifecycle-paused"
    LIFECYCLE_SUPERSEDED = "lifecycle-superseded"
    LIFECYCLE_TOMBSTONED = "lifecycle-tombstoned"
    LIFECYCLE_EXPIRED = "lifecycle-expired"
    WITHOUT_CONSENT = "sensitive-category-without-consent"
    OUTSIDE_CONTEXT = "sensitive-category-outside-relevant-context"
    GATE_FAILED = "gate-failed"


class RefusalReason(StrEnum):
    """Why something was not written."""

    CONSENT_MISSING = "consent-missing"
    SCOPE_SUPPRESSED = "scope-suppressed"
    SCOPE_EPHEMERAL = "scope-ephemeral"
    CONSUMER_NOT_ALLOWED = "consumer-not-allowed"
    GOVERNANCE_REVIEW_MISSING = "governance-review-missing"
    OPTED_OUT = "opted-out"
    SENSITIVE_CATEGORY_WITHOUT_CONSENT = "sensitive-category-without-consent"
    MULTI_ACTOR_WITHOUT_CONSENT = "multi-actor-without-consent"
    OFF_THE_RECORD = "off-the-record"
    HIDDEN_CHARACTERS = "hidden-characters"
    EMPTY_AFTER_CLEANING = "empty-after-cleaning"
    ORIGIN_ABOVE_CEILING = "origin-above-ceiling"
    CATEGORY_ABOVE_CEILING = "category-above-ceiling"
    SCOPE_NOT_OF_SUBJECT = "scope-not-of-subject"
    ADAPTER_SCOPE_MISMATCH = "adapter-scope-mismatch"
    CONFLICT_KEPT_EXISTING = "conflict-kept-existing"
    FORGOTTEN_BEFORE = "forgotten-before"
    UNKNOWN_MEMORY = "unknown-memory"
    STALE_REVISION = "stale-revision"
    NOT_ACTIVE = "not-active"
    ALREADY_EXPIRED = "already-expired"
    MARKER_MISSING = "marker-missing"
    SOURCE_FORGOTTEN = "source-forgotten"
    SELF_APPROVAL = "self-approval"
    NOT_WAITING = "not-waiting"
    ORIGIN_NEEDS_CONFIRMATION = "origin-needs-confirmation"
    ANSWER_NOT_FREE = "answer-after-untrusted-content"
    WRITE_BUDGET_SPENT = "write-budget-spent"
    PROMOTION_REFUSED = "promotion-refused"
    LOOKS_SENSITIVE = "looks-sensitive"
    SCOPE_CHANGE_NOT_ALLOWED = "scope-change-not-allowed"
    TENANT_MEMORY_STAYS = "tenant-memory-stays"
    OPERATOR_MEMORY_STAYS = "operator-memory-stays"
    SCOPE_UNCHANGED = "scope-unchanged"
    READ_ONLY_COPY = "read-only-copy"
    PLACE_NOT_OF_SURFACE = "place-not-of-surface"
    ASSISTANT_NOT_ALLOWED = "assistant-not-allowed"
    SESSION_ENDED = "session-ended"
    TURN_OUT_OF_ORDER = "turn-out-of-order"


class HoldReason(StrEnum):
    """Why an imported row waits for the person instead of becoming memory."""

    SENSITIVE_LOOKING = "sensitive-looking"
    INSTRUCTION_LIKE = "instruction-like"
    CONSENT_MISSING = "consent-missing"
    FORGOTTEN_BEFORE = "forgotten-before"
    REFUSED_BY_RULE = "refused-by-rule"
    CONFLICT = "conflict"


class ConflictRule(StrEnum):
    """The ladder of a write that meets a different memory."""

    ADMIN_COPILOT_NEVER_TRUMPS = "admin-copilot-never-trumps-consumer-stated"
    EXPLICIT_USER_TRUMPS = "explicit-user-trumps-inferred"
    USER_CONFIRMED_TRUMPS = "user-confirmed-trumps-inferred"
    UNTRUSTED_NEVER_WINS = "untrusted-label-never-wins"
    MOST_RECENT_WINS = "most-recent-wins"


class ConflictOutcome(StrEnum):
    """What becomes of a write that meets a different memory."""

    KEEP_EXISTING = "keep_existing"
    REPLACE = "replace"
    ASK_USER = "ask_user"
