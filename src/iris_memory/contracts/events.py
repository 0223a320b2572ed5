"""Events: what happened in memory, for exporters, shippers of audits and pages. Ids, codes and counts, never text."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant


class EventName(StrEnum):
    """The names of events."""

    RECALL_COMPLETED = "recall.completed"
    MEMORY_WRITTEN = "memory.written"
    MEMORY_REFUSED = "memory.refused"
    QUESTION_RAISED = "question.raised"
    PAUSE_CHANGED = "pause.changed"
    INSPECTION_NOTICED = "inspection.noticed"
    """A person was told that an operator looked at sensitive memory of theirs."""
    INSPECTION_ALARMED = "inspection.alarmed"
    """Approvers are told of something at once; for webhooks alone, since it names nobody."""


class MemoryEvent(Contract):
    """One event. `person` is a pseudonym, `code` the reason of a refusal or the state a pause changed to."""

    event_id: Identifier
    name: EventName
    tenant_id: Identifier
    person: Identifier
    consumer: Consumer | None = None
    assistant_id: Identifier | None = None
    at: Instant
    object_ids: Annotated[tuple[Identifier, ...], Field(strict=False)] = ()
    counts: dict[str, Count] = Field(default_factory=dict)
    code: str | None = None
