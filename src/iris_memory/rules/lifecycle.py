"""Lifecycle: how a revision follows another. A mutation writes revision n+1 and supersedes n; no revision is edited."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from iris_memory.contracts.entry import Lifecycle, MemoryEntry


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
