"""Exact JSON: one JSON text, read so that nobody behind it can read something else.

A text with a name twice in one object says different things to different readers, so it is not read at all. Nor is one
that is no UTF-8, or nested deeper than Python goes.
"""

from __future__ import annotations

import json
from typing import Any


class UnreadableError(Exception):
    """A text is no JSON that everybody reads alike. Its message never holds a part of the text."""


def read(raw: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        UnreadableError: it is none, or one that two readers may take for two values.
    """
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise UnreadableError("a message is no JSON that everybody reads alike") from None


def written(value: Any) -> bytes:
    """Return a value as one line of JSON in ASCII."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
