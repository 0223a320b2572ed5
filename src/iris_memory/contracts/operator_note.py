"""Operator notes: what the admin assistant remembers for one operator, each note confirmed by that operator."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.entry import Quarantine
from iris_memory.contracts.shape import Contract, Count, Instant, Millionths, Storable

NOTE_VALUE_MOST = 2_000
NOTE_NAME_MOST = 64

NoteValue = Annotated[str, Field(min_length=1, max_length=NOTE_VALUE_MOST), Storable]
NoteName = Annotated[str, Field(min_length=1, max_length=NOTE_NAME_MOST), Storable]
OperatorSub = Annotated[str, Field(min_length=5, max_length=700)]
"""The operator, canonical: tenant, issuer and sub, joined by `:`, each percent-encoded where it holds `:` or `%`."""


class NoteSource(StrEnum):
    """How a note's value was confirmed."""

    ASSISTANT_CONFIRMATION = "assistant-confirmation"
    MEMORY_CONTROLS = "memory-controls"


class NoteMarker(StrEnum):
    """What a request must say in so many words before a note changes."""

    CONFIRM_ENTRY = "confirm-entry"
    SAVE_CORRECTION = "save-correction"
    FORGET_ENTRY = "forget-entry"
    FORGET_ALL = "forget-all"


class NoteScope(StrEnum):
    """Where notes live: kept for the operator, or nowhere, because nothing can be kept just now."""

    OPERATOR_PROFILE = "operator-profile"
    SESSION_ONLY = "session-only"


class NoteRollout(StrEnum):
    """How far notes are in use: not at all, looked up and counted but not given out, or given out."""

    OFF = "off"
    SHADOW = "shadow"
    ON = "on"


class EarlierValue(Contract):
    """A value that was replaced. It goes when the note is forgotten."""

    value: NoteValue
    source: NoteSource
    confirmed_at: Instant
    replaced_at: Instant


class OperatorNote(Contract):
    """One note. Category and slot name it; `last_used_at` is when it last went into a prompt."""

    operator_sub: OperatorSub
    category: NoteName
    slot: NoteName
    value: NoteValue
    source: NoteSource
    confirmed_at: Instant
    updated_at: Instant
    last_used_at: Instant | None = None
    quarantine: Quarantine | None = None
    earlier: Annotated[tuple[EarlierValue, ...], Field(strict=False)] = ()


class NoteListing(Contract):
    """Everything kept for one operator. Listing marks no use.

    With `session-only` nothing can be kept just now: there is nothing to show and nothing to change.
    """

    scope: NoteScope
    notes: tuple[OperatorNote, ...]
    erasure_location: Literal["Admin assistant → Memory"] = "Admin assistant → Memory"
    retention: Literal["until forgotten, or until the operator's account is erased"] = (
        "until forgotten, or until the operator's account is erased"
    )


class NoteHit(Contract):
    """A note for a prompt, with its score in millionths and the parts of it."""

    note: OperatorNote
    score: Millionths
    recency: Millionths
    relevance: Millionths


class NoteRecall(Contract):
    """Notes for a prompt, best first. `evaluated = hits + withheld`, always; in shadow the hits are withheld too."""

    rollout: NoteRollout
    hits: tuple[NoteHit, ...]
    withheld: dict[str, Count]
    evaluated: Count


class NotesForgotten(Contract):
    """What a forget reached: how many notes, how many keys were destroyed, and whether no byte stays in a file."""

    notes: Count
    keys_destroyed: Count
    files_scrubbed: bool


class RolloutReport(Contract):
    """What the notes did over some days: lookups, what they found, and what they gave out."""

    days: Count
    rollout: NoteRollout
    operators: Count
    lookups: Count
    evaluated: Count
    found: Count
    given: Count
    withheld: dict[str, Count]
    confirmed: Count
    corrected: Count
    forgotten: Count
    quarantined: Count
