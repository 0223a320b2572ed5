"""What an export says, one neutral row at a time; whether it is stored is decided elsewhere.

A `ref` names a row for good: the same file gives the same refs in the same order, no ref comes twice, and no ref holds
anything that was said. Ids of the export are used when they look like ids (see `values.safe_id`); otherwise the place
stands in (`@7`). A ref has at most 128 code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Format(StrEnum):
    """The exports that can be read."""

    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    MEM0 = "mem0"
    MCP_MEMORY = "mcp-memory"
    LETTA = "letta"
    JSONL = "jsonl"
    IRIS_EXPORT = "iris-export"


class Author(StrEnum):
    """Who wrote the words, as far as the export tells.

    `TOOL` is traffic between the assistant and its tools, either way. `SYSTEM` is what is put before the assistant on
    every turn, custom instructions included.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    UNKNOWN = "unknown"


class RowNote(StrEnum):
    """What a reader of the row should know. A note on the time wins over a note on the kind."""

    NAIVE_TIME = "naive-time"  # the time had no zone, so no instant is claimed
    BAD_TIME = "bad-time"  # the time could not be understood
    ATTACHMENT = "attachment"  # text of a file or of a long paste
    CUSTOM_INSTRUCTIONS = "custom-instructions"


class UnreadableReason(StrEnum):
    """Why a piece of the export gives no row. Every piece left out is counted under one of these."""

    ABANDONED_BRANCH = "abandoned-branch"  # an edited prompt or a regenerated answer that was left behind
    HIDDEN = "hidden"  # never shown to the person
    NOT_TEXT = "not-text"  # image, sound, tool call, reasoning
    NOT_MEMORY = "not-memory"  # a document kept beside the memory
    EMPTY = "empty"
    TRUNCATED = "truncated"  # the file ends too early; nothing follows
    TOO_LARGE = "too-large"
    TOO_DEEP = "too-deep"
    BAD_ENCODING = "bad-encoding"
    BAD_JSON = "bad-json"
    DUPLICATE_KEY = "duplicate-key"  # one object says two things under one name
    DUPLICATE_REF = "duplicate-ref"  # an id that was seen before in this source
    BAD_ROW = "bad-row"  # JSON, but not of the shape of the format


@dataclass(frozen=True, slots=True)
class ImportRow:
    """Words with their source. `said_at` is aware UTC, whole microseconds; `text` has 1 to 4,000 code points."""

    ref: str
    text: str
    author: Author
    said_at: datetime | None = None
    conversation: str | None = None
    title: str | None = None
    category: str | None = None
    subject: str | None = None
    note: RowNote | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A piece that gives no row, and why. It carries none of the words."""

    ref: str
    reason: UnreadableReason


Row = ImportRow | Unreadable


def said(
    ref: str,
    text: str | None,
    *,
    author: Author,
    said_at: datetime | None = None,
    conversation: str | None = None,
    title: str | None = None,
    category: str | None = None,
    subject: str | None = None,
    note: RowNote | None = None,
) -> Row:
    """The row of a text, or the reason that there is none: white space says nothing."""
    if text is None or not text.strip():
        return Unreadable(ref, UnreadableReason.EMPTY)
    return ImportRow(ref, text, author, said_at, conversation, title or None, category, subject, note)
