"""Continuity: what may stand as a place, and who wins where two devices write one."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.contracts.continuity import AnchorRef, Posture
from iris_memory.tables.categories import SENSITIVE_CATEGORIES
from iris_memory.tables.continuity import CONFLICT_WINDOW, CONTINUITY, WORDS_TOO_MANY

_APART = re.compile(r"[-._~:/#]+")

ALSO_PLAYING = "this was also playing on your other device"
"""What the device is told whose place was passed over."""


class Mark(NamedTuple):
    """Who wrote a place, and when by the server's clock."""

    device_id: str
    at: datetime


class Decision(NamedTuple):
    """Whether the new place stands, from when on, and which device is told."""

    stands: bool
    at: datetime
    told: str | None


def decide(prior: Mark | None, new: Mark) -> Decision:
    """Decide between the place that stands and a new one: the later server time wins, the other device is told.

    Different devices conflict within five seconds, both bounds included. A clock that stepped back never makes a place
    older than the one it replaces.
    """
    if prior is None:
        return Decision(stands=True, at=new.at, told=None)
    is_conflict = prior.device_id != new.device_id and abs(new.at - prior.at) <= CONFLICT_WINDOW
    if is_conflict and new.at < prior.at:
        return Decision(stands=False, at=prior.at, told=new.device_id)
    return Decision(stands=True, at=max(new.at, prior.at), told=prior.device_id if is_conflict else None)


def misplaced(anchor: AnchorRef, posture: Posture) -> str | None:
    """Return why a place makes no sense on its surface; None where it does."""
    row = CONTINUITY[anchor.surface]
    if anchor.unit not in row.units:
        return f"{anchor.surface.value} counts in {' or '.join(sorted(row.units))}"
    if anchor.position > row.units[anchor.unit]:
        return f"a place in {anchor.unit.value} is at most {row.units[anchor.unit]}"
    if posture not in row.postures:
        return f"{anchor.surface.value} knows {', '.join(sorted(row.postures))}"
    return None


def reads_like_words(*references: str) -> bool:
    """Say whether a reference spells a sentence out with its separators: a place holds ids, never content.

    Five parts of letters alone are too many for an id. What is encoded so that it does not read like words passes: this
    keeps content out of references by mistake, and not by ill will.
    """
    return any(
        sum(len(part) > 1 and part.isalpha() for part in _APART.split(reference)) >= WORDS_TOO_MANY
        for reference in references
    )


def not_sensitive(categories: frozenset[Category]) -> list[str]:
    """Return the categories that are called sensitive and are not."""
    return sorted(category.value for category in categories - SENSITIVE_CATEGORIES)
