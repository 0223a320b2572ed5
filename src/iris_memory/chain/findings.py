"""What a verifier can find wrong with a log: a closed set of codes, each with its own meaning.

Codes are never reused or renamed; a new meaning gets a new code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Finding(StrEnum):
    """One way in which a log is not what was written."""

    BAD_HEADER = "bad-header"
    """The first line is not the header of an audit export."""
    BAD_CHECKPOINT = "bad-checkpoint"
    """A checkpoint or anchor is malformed, of another log, or out of order."""
    UNKNOWN_KEY = "unknown-key"
    """A checkpoint or anchor is signed by no key that is known."""
    BAD_SIGNATURE = "bad-signature"
    """A known key's signature does not fit the checkpoint or anchor."""
    RETIRED_KEY = "retired-key"
    """A checkpoint is signed by a key that was retired, or not yet in use, at its size."""
    UNREADABLE_LINE = "unreadable-line"
    """A line is no JSON object or lacks a reserved field. It is left out of the tree."""
    NOT_CANONICAL = "not-canonical"
    """A line is not in the one form that is ever written (RFC 8785)."""
    CROSS_TENANT_LINE = "cross-tenant-line"
    """A line belongs to another tenant's log. It is left out of the tree."""
    EDITED_LINE = "edited-line"
    """A line is not the one that its neighbours link to."""
    DELETED_LINE = "deleted-line"
    """A line is missing between two that are there."""
    INSERTED_LINE = "inserted-line"
    """A line stands between two that link to each other."""
    SWAPPED_LINES = "swapped-lines"
    """A line stands before the one it follows."""
    REPLAYED_LINE = "replayed-line"
    """A line is a copy of another one."""
    TIME_REVERSED = "time-reversed"
    """A line is older than the one it follows."""
    ROOT_MISMATCH = "root-mismatch"
    """The lines do not give the root of a checkpoint: the log was rewritten and linked anew."""
    ANCHOR_NOT_ANCESTOR = "anchor-not-ancestor"
    """The lines do not give the root of an anchor: this is another history than the one the anchor was taken from."""
    TRUNCATED_TAIL = "truncated-tail"
    """A checkpoint or anchor covers more lines than there are."""
    UNSIGNED_TAIL = "unsigned-tail"
    """No checkpoint or anchor covers the last lines: nothing says that they are what was written."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding, with the sequence it is about (a checkpoint's size for those) and the line of the file, from 1."""

    code: Finding
    sequence: int | None = None
    line: int | None = None
