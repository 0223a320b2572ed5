"""Retaining: what is due at the end of its envelope, what became of it, and what a summary was made from."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.entry import Label, MemoryEntry, ProvenanceKind, TombstoneReason
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant


class Fate(StrEnum):
    """What becomes of a memory whose time is over."""

    END = "end"
    SUMMARIZE = "summarize"
    AGGREGATE = "aggregate"
    REVIEW = "review"


class ReviewDecision(StrEnum):
    """What may be decided about a memory that waits for review."""

    EXTEND = "extend"
    END = "end"


class Review(Contract):
    """A memory whose envelope ended in `review`: recalled no more, and tombstoned at `ends_at` without a decision.

    `extends_to` is where `extend` would take it; null where it cannot be kept any longer.
    """

    entry: MemoryEntry
    waiting_since: Instant
    ends_at: Instant
    extends_to: Instant | None


class SourceState(StrEnum):
    """Where a source of a memory stands now."""

    THERE = "there"
    REVISED = "revised"
    GONE = "gone"
    OUTSIDE = "outside"
    """A turn, file or sample of the host: Iris keeps the reference, not the words."""


class ExpandedSource(Contract):
    """One source of a memory. `entry` is there while the source is; of one that is gone, when and why."""

    kind: ProvenanceKind
    ref: str
    captured_at: Instant
    label: Label
    state: SourceState
    logical_id: Identifier | None = None
    revision: Annotated[int, Field(ge=1)] | None = None
    entry: MemoryEntry | None = None
    gone_at: Instant | None = None
    gone_because: TombstoneReason | None = None


class Expansion(Contract):
    """A memory and everything it was made from. `made_by` names the summarizer and its version."""

    entry: MemoryEntry
    made_by: str | None = None
    sources: Annotated[tuple[ExpandedSource, ...], Field(strict=False)]


class SweepReport(Contract):
    """What a sweep found and did; with `dry_run`, what it would do. Counts alone, and no name.

    `due` counts memories whose time is over; each stands under one of the fates. `summarized` and `aggregated` count
    sources, `summaries` what was made of them. `unreadable` counts people whose keys cannot be opened: they are passed.
    `postponed` counts memories of sessions that are off the record, and `held` those a legal hold keeps. `again` counts
    memories that changed while they were read; the next sweep finds them.
    """

    at: Instant
    dry_run: bool
    people: Count
    due: Count
    summarized: Count
    aggregated: Count
    summaries: Count
    ended: Count
    in_review: Count
    postponed: Count
    held: Count
    again: Count
    unreadable: Count
    expired_records: Count
    finished_forgets: Count
    files_scrubbed: bool
    by_scope: dict[AdapterScope, Count]
