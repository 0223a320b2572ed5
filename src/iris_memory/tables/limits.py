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

IDEMPOTENCY_LIFETIME: Final = timedelta(days=7)
"""How long the answer of an idempotency key is kept."""

VAULT_BACKUP_DAYS: Final = 14
"""How long backups of the vault may live, unless the deployment says otherwise; stated on each receipt."""

BATCH_MOST: Final = 1_000
"""Statements in one batch."""
