"""Lifecycle: how a revision follows another. A mutation writes revision n+1 and supersedes n; no revision is edited."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from iris_memory.contracts.entry import Lifecycle, MemoryEntry

UNTIL_FORGOTTEN: Final = "set aside until it can be forgotten"
"""The note of a memory that goes as soon as a legal hold lets it."""


def is_leaving(entry: MemoryEntry) -> bool:
    """Say whether a memory only waits for a legal hold to end: nothing new is laid into it, or it would go along."""
    return entry.suppression is not None and entry.suppression.notes == UNTIL_FORGOTTEN


def successor(entry: MemoryEntry, *, entry_id: str, now: datetime, **changes: Any) -> MemoryEntry:
    """Return the revision that follows an entry. `now` never runs behind the revision before."""
    at = max(now, entry.updated_at)
    fields = {
        **{name: getattr(entry, name) for name in type(entry).model_fields},
        "lifecycle": Lifecycle.ACTIVE,
        **changes,
        "id": entry_id,
        "revision": entry.revision + 1,
        "supersedes": entry.id,
        "superseded_by": None,
        "reference_count": 0,
        "last_referenced_at": None,
        "updated_at": at,
    }
    return MemoryEntry.model_validate(fields)


def as_superseded(entry: MemoryEntry, *, by: str) -> MemoryEntry:
    """Return an entry as its history shows it: superseded by another revision."""
    return entry.model_copy(update={"lifecycle": Lifecycle.SUPERSEDED, "superseded_by": by})


def extension(entry: MemoryEntry, *, entry_id: str, now: datetime, until: datetime) -> MemoryEntry:
    """Return the revision by which a memory in review is kept on: the same words, and a later end."""
    return successor(entry, entry_id=entry_id, now=now, lifecycle=entry.lifecycle, expires_at=until)
