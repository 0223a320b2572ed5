"""Differences: what changed from one revision of a memory to the next, word by word, in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from iris_memory.contracts.entry import Lifecycle, MemoryEntry
from iris_memory.web.wording import CATEGORIES, SCOPES

Piece = tuple[str, str]
"""`same`, `taken` or `added`, and the words."""


class Change(NamedTuple):
    """One revision: its words against those before it, and what else changed, in sentences."""

    entry: MemoryEntry
    words: tuple[Piece, ...]
    notes: tuple[str, ...]


def changes(revisions: Sequence[MemoryEntry]) -> list[Change]:
    """Return every revision with its difference from the one before, newest first."""
    pairs = zip([None, *revisions], revisions, strict=False)
    return [
        Change(entry, pieces(before.body if before else entry.body, entry.body), _notes(before, entry))
        for before, entry in pairs
    ][::-1]


def pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Return the words of two texts as runs that stayed, were taken out, and were put in."""
    old, new = before.split(), after.split()
    found = list[Piece]()
    for kind, one, two, three, four in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(("same", " ".join(new[three:four])))
            continue
        found += [("taken", " ".join(old[one:two]))] if two > one else []
        found += [("added", " ".join(new[three:four]))] if four > three else []
    return tuple(found)


def _notes(before: MemoryEntry | None, entry: MemoryEntry) -> tuple[str, ...]:
    if before is None:
        return ()
    notes = []
    if before.category is not entry.category:
        notes.append(f"Category: {CATEGORIES[before.category]}, now {CATEGORIES[entry.category]}.")
    if before.subject != entry.subject:
        notes.append(f"About: {before.subject or 'nothing named'}, now {entry.subject or 'nothing named'}.")
    if before.adapter_scope is not entry.adapter_scope:
        notes.append(f"Lives in: {SCOPES[before.adapter_scope]}, now {SCOPES[entry.adapter_scope]}.")
    if before.expires_at != entry.expires_at:
        notes.append(f"Ends: {_day(before)}, now {_day(entry)}.")
    if entry.suppression and not before.suppression:
        notes.append("It was set aside.")
    if before.suppression and not entry.suppression:
        notes.append("It was taken back into use.")
    if before.lifecycle is Lifecycle.DRAFT and entry.lifecycle is Lifecycle.ACTIVE:
        notes.append("You decided that it stays.")
    return tuple(notes)


def _day(entry: MemoryEntry) -> str:
    return f"{entry.expires_at:%Y-%m-%d}" if entry.expires_at else "never"
