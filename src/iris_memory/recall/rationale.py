"""Why a memory surfaced, as codes: the parts of its score that carried it, strongest first, and its origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import ScoreParts

WORDS: Final[Mapping[str, str]] = {
    "recent": "used or changed not long ago",
    "matches-request": "shares words with what was asked",
    "often-used": "has been used before",
    "user-stated": "said by the person",
    "user-confirmed": "confirmed by the person",
    "model-inferred": "inferred",
    "operator-copilot": "noted by an operator's copilot",
    "summarized-from-session": "summarised from a session",
    "imported": "imported",
}
"""Each rationale code in plain words."""


def rationale(parts: ScoreParts, entry: MemoryEntry, weights: Mapping[str, int]) -> tuple[str, ...]:
    """Return the codes of the parts that count, strongest first, then the origin."""
    carried = sorted(
        (-points, place, code)
        for points, place, code in (
            (parts.recency * weights["recency"], 0, "recent"),
            (parts.semantic * weights["semantic"], 1, "matches-request"),
            (parts.reference_count * weights["reference_count"], 2, "often-used"),
        )
        if points
    )
    return (*[code for _, _, code in carried], entry.origin.value)
