"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from datetime import datetime

from iris_memory.client.shape import Shape
from iris_memory.client.shapes.several_tags import (
    OwnCrisis,
    OwnNotebook,
    OwnOperatorCopilot,
    OwnPose,
    OwnProfile,
    OwnScene,
    OwnSession,
    OwnTenant,
)
from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, MemoryEntry, Origin, ProvenanceLink, UsageRecord
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.write import ActorMention, AskCategory, AskUser, Refused, Written


class BatchAnswer(Shape):
    """What became of each statement, in order; refusals are values here."""

    outcomes: tuple[Written | AskUser | AskCategory | Refused, ...]


class RememberBody(Shape):
    """Something to remember. Scope is the person's profile where it is left out."""

    body: str
    category: Category | None = None
    subject: str | None = None
    scope: (
        OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis | None
    ) = None
    adapter_scope: AdapterScope | None = None
    origin: Origin | None = None
    label: Label | None = None
    provenance: tuple[ProvenanceLink, ...] | None = None
    actor: ActorMention | None = None
    session_id: str | None = None
    confidence: int | None = None
    expires_at: datetime | None = None
    again: bool | None = None
    as_said: str | None = None


class BatchBody(Shape):
    """Up to 1,000 statements, written in one transaction."""

    statements: tuple[RememberBody, ...]


class EventAbout(Shape):
    """One event of the audit chain about a memory: its number in the chain, when, and what happened."""

    sequence: int
    at: str
    action: AuditAction


class Events(Shape):
    """The audit events about any revision of a memory, newest first."""

    events: tuple[EventAbout, ...]


class Foreseen(Shape):
    """What a correction would come to: the next revision, a question, or a refusal; nothing was written."""

    outcome: Written | AskUser | Refused


class History(Shape):
    """Every revision of one memory, oldest first."""

    revisions: tuple[MemoryEntry, ...]


class Holdings(Shape):
    """How much every place that can hold personal data has of the person, by the name of the place."""

    holdings: dict[str, int]


class MadeFrom(Shape):
    """Memories that were made from one."""

    memories: tuple[MemoryEntry, ...]


class MemoryDetail(Shape):
    """One memory, and when and why it was used."""

    memory: MemoryEntry
    usage: UsageRecord


class MemoryPage(Shape):
    """A page of memories, newest change first: `total` counts all there are, `matching` those the filters let by."""

    memories: tuple[MemoryEntry, ...]
    total: int
    matching: int
    next_cursor: str | None
    withheld: int | None = None


class ReviseBody(Shape):
    """What a correction changes; what is left out stays."""

    body: str | None = None
    category: Category | None = None
    subject: str | None = None
    expires_at: datetime | None = None
    session_id: str | None = None


class ScopeBody(Shape):
    """Where a memory goes. With `read_only_copy` a tenant's memory is shown in the profile and stays the tenant's."""

    scope: OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis
    adapter_scope: AdapterScope | None = None
    read_only_copy: bool | None = None


class SearchBody(Shape):
    """What to list. Words are looked for in the body of a request, never in an address."""

    words: str
    category: Category | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin | None = None
    limit: int | None = None
    cursor: str | None = None
