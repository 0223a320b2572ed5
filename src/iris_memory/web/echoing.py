"""The assistant of development: it answers by rule, shows which notes a prompt would get, and asks before one is kept.

It is no model. It is there so that the memory of the admin assistant can be tried without a host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iris_memory.contracts.operator_note import (
    NOTE_NAME_MOST,
    NOTE_VALUE_MOST,
    NoteHit,
    NoteRecall,
    NoteRollout,
)

TURNS_MOST: Final = 10
MESSAGE_MOST: Final = 2_000

_KEEP: Final = re.compile(r"\s*remember\s+([^/:]+?)\s*/\s*([^/:]+?)\s*:\s*(.+?)\s*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Offer:
    """A note the assistant asks to keep, exactly as it would be kept."""

    category: str
    slot: str
    value: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said, and what was answered; `notes` tells which notes the prompt would get."""

    said: str
    answer: str
    hits: Sequence[NoteHit] = ()
    offer: Offer | None = None


def offer_in(said: str) -> Offer | None:
    """Return the note that a message asks to keep (`remember CATEGORY / SLOT: VALUE`); None where it asks for none."""
    match = _KEEP.fullmatch(said)
    if match is None:
        return None
    category, slot, value = match.groups()
    if len(category) > NOTE_NAME_MOST or len(slot) > NOTE_NAME_MOST or len(value) > NOTE_VALUE_MOST:
        return None
    return Offer(category, slot, value)


def answer_to(recalled: NoteRecall) -> str:
    """Return what the assistant says about a message that asks to keep nothing."""
    if recalled.rollout is NoteRollout.OFF:
        return "A prompt for this would get no notes: operator notes are switched off here."
    if recalled.rollout is NoteRollout.SHADOW:
        return "A prompt for this would get no notes: they are looked up and counted here, and not given out."
    if not recalled.evaluated:
        return "A prompt for this would get no notes: none is kept."
    kept_out = sum(recalled.withheld.values())
    words = f"A prompt for this would get {_notes(len(recalled.hits))} of {recalled.evaluated}."
    return f"{words} {kept_out} stayed out ({_why(recalled)})." if kept_out else words


def _notes(count: int) -> str:
    return f"{count} {'note' if count == 1 else 'notes'}"


def _why(recalled: NoteRecall) -> str:
    return ", ".join(f"{count} {name.replace('-', ' ')}" for name, count in sorted(recalled.withheld.items()))
