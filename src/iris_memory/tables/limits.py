"""Numbers that belong to no other table."""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType
from typing import Final

MILLION: Final = 1_000_000

SCORE_WEIGHTS: Final = MappingProxyType({"recency": 400, "semantic": 350, "reference_count": 150, "origin": 100})
"""Integer weights of the four parts of a score, in thousandths. A score lies between 0 and 1,000,000,000."""

RECENCY_TIME_CONSTANT: Final = timedelta(days=30)
"""The time constant of `exp(-age / constant)`: at 30 days the value is 1/e; the half-life is 20.8 days."""

REFERENCES_FOR_FULL_SCORE: Final = 10
"""A memory used this often or more scores full marks for use."""

PROMOTION_THRESHOLD: Final = 3
"""Distinct sessions of user-typed text that make an inference durable, and occurrences for a promotion."""

QUESTION_LIFETIME: Final = timedelta(days=30)
"""An unanswered conflict question keeps what was there and lets the draft go after this long."""

RECENT_RECALLS_KEPT: Final = 20
"""How many recent recalls are kept per memory."""

RECALL_LOGS_KEPT: Final = 100
"""How many batches of served recalls a person's log keeps."""

SHADOW_LIFETIME: Final = timedelta(days=400)
"""How long a row of the shadow log is kept."""

IDEMPOTENCY_LIFETIME: Final = timedelta(days=7)
"""How long the answer of an idempotency key is kept."""

VAULT_BACKUP_DAYS: Final = 14
"""How long backups of the vault may live, unless the deployment says otherwise; stated on each receipt."""

BATCH_MOST: Final = 1_000
"""Statements in one batch."""

OBSERVATION_LIFETIME: Final = timedelta(days=90)
"""How long an inference that was observed too seldom is counted on; each new session starts the time anew."""

EXPORT_LIFETIME: Final = timedelta(days=7)
"""How long an export waits to be collected."""

EXPORT_COLLECTED_LIFETIME: Final = timedelta(days=1)
"""How long an export that was collected stays for another try."""

OBSERVATIONS_MOST: Final = 1_000
"""Inferences under observation per person; beyond it the oldest that no user-typed text supports goes first."""

OBSERVATION_REFS_MOST: Final = 16
"""Sessions noted per observed inference."""

HOLD_LIFETIME: Final = timedelta(days=7)
"""How long the words of an inference may wait on disk, with the person's consent to hold them."""

SESSION_QUESTIONS_MOST: Final = 100
"""Inferences per person whose words wait in the memory of the process."""

QUARANTINE_LIFETIME: Final = timedelta(days=30)
"""How long a quarantined memory is shown to the person before its time is over."""

WRITE_BUDGET_WINDOW: Final = timedelta(days=1)
"""The window of a write budget; it begins with the first write of a source or session."""

WRITE_BUDGETS: Final = MappingProxyType(
    {
        "user-pasted": (2_000, 10_000),
        "operator": (2_000, 10_000),
        "assistant": (2_000, 10_000),
        "file": (500, 2_000),
        "import": (500, 2_000),
        "tool": (500, 2_000),
        "web": (500, 2_000),
    }
)
"""Statements per window by trust label: of one session, and of one source over every session. What the person types
themselves has no budget, and an import has bounds of its own."""

BURST_WINDOW: Final = timedelta(minutes=1)
"""How long a burst of writes is looked at."""

BURST_WRITES: Final = 100
"""Statements of one session or source within a burst's window that raise the alarm, once a window."""

EPHEMERAL_IDLE: Final = timedelta(hours=2)
"""A session whose memory lives in this process alone is over when it was not used for this long."""

EPHEMERAL_LIFETIME: Final = timedelta(hours=24)
"""And at the latest this long after it began."""

EPHEMERAL_MEMORIES_MOST: Final = 500
"""Memories of one such session; the oldest goes first."""

EPHEMERAL_BYTES_MOST: Final = 2 << 20
"""Bytes of one such session's memories, packed; the oldest goes first."""

EPHEMERAL_SESSIONS_MOST: Final = 10_000
"""Such sessions in one process; the one that was not used for longest goes first."""

APPROVAL_ANSWER_WITHIN: Final = timedelta(days=14)
"""How long a request for a governance approval waits for somebody else's word."""

APPROVAL_LIFETIME_MOST: Final = timedelta(days=365)
"""The longest a governance approval may be asked for."""

SERVICE_TOKEN_LIFETIME_MOST: Final = timedelta(days=366)
"""How long a service token of an assistant may live."""

SERVICE_TOKENS_MOST: Final = 100
"""Good service tokens a tenant may have at a time."""

PERSON_TOKEN_LIFETIME: Final = timedelta(minutes=15)
"""How long a token of one person lives that a service token was exchanged for."""
