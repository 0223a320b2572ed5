"""What a tool answers where no contract says it already."""

from __future__ import annotations

from iris_memory.contracts.consent import ScopePolicy
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.shape import Contract, Count
from iris_memory.contracts.write import Question
from iris_memory.flows.people import Pause


class MemoryPage(Contract):
    """A page of memories: `total` counts all there are, `matching` those the filters let by."""

    memories: tuple[MemoryEntry, ...]
    total: Count
    matching: Count
    next_cursor: str | None


class History(Contract):
    """Every revision of one memory, oldest first."""

    revisions: tuple[MemoryEntry, ...]


class ConsentStatus(Contract):
    """The consents in force, what they make of each scope, and what is off the record."""

    active: tuple[str, ...]
    scopes: tuple[ScopePolicy, ...]
    pauses: tuple[Pause, ...]


class Pauses(Contract):
    """What is off the record."""

    pauses: tuple[Pause, ...]


class Questions(Contract):
    """The questions that wait for the person, oldest first."""

    questions: tuple[Question, ...]


class Standing(Contract):
    """What stands after a question was answered."""

    entry: MemoryEntry
