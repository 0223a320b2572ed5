"""Operator notes: how many, how long a note is recalled without being used, and what weighs in its score."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

NOTES_MOST: Final = 500
"""Notes of one operator."""

EARLIER_MOST: Final = 20
"""Replaced values that stay readable; older ones go."""

FADES_AFTER: Final = timedelta(days=180)
"""A note neither confirmed nor used for this long is shown and not recalled. It is never deleted by time."""

RECENCY_WEIGHT, RELEVANCE_WEIGHT = 400, 600
"""Per mille of a note's score: how lately it was confirmed or used, and how well it fits the text."""

NOTES_RECALLED_MOST: Final = 25
"""As many as the admin surface shows."""
