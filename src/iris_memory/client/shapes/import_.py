"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from enum import StrEnum

from iris_memory.client.shape import Shape
from iris_memory.contracts.decision import HoldReason


class Author(StrEnum):
    """Who wrote the words, as far as the export tells."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    UNKNOWN = "unknown"


class Format(StrEnum):
    """The exports that can be read."""

    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    MEM0 = "mem0"
    MCP_MEMORY = "mcp-memory"
    LETTA = "letta"
    JSONL = "jsonl"
    IRIS_EXPORT = "iris-export"


class Held(Shape):
    """A row that waits for the person: where it stands in the source, why, and what would let it in. No words."""

    ref: str
    reason: HoldReason
    rule: str
    needs: tuple[str, ...] | None = None
    held_at: str
    commitment: str


class HeldRows(Shape):
    """Imported rows that wait for the person, oldest first: places and reasons, no words."""

    held: tuple[Held, ...]


class ImportAnswer(Shape):
    """What became of every row of a source. `held_refs` names the first 1,000; all stand under `/v1/held`."""

    read: int
    taken: int
    already: int
    merged: int
    held: dict[str, int]
    held_refs: tuple[str, ...]
    left_out: dict[str, int]
    unreadable: dict[str, int]
    without_time: int
    dry_run: bool


class Into(StrEnum):
    """Where imported memory lives: in the profile, or each in the conversation it came from."""

    PROFILE = "profile"
    CONVERSATION = "conversation"
