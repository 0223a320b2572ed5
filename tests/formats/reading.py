"""Reading an export that a test made."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

from iris_memory.formats import LIMITS, Format, ImportRow, Limits, Row, Unreadable, UnreadableReason, read


def dump(value: object) -> bytes:
    return json.dumps(value).encode()


def lines(values: Iterable[object]) -> bytes:
    return b"".join(dump(value) + b"\n" for value in values)


def read_all(data: bytes, source: Format, *, skip: int = 0, limits: Limits = LIMITS) -> list[Row]:
    return [*read(io.BytesIO(data), format=source, skip=skip, limits=limits)]


def texts(rows: Iterable[Row]) -> list[str]:
    return [row.text for row in rows if isinstance(row, ImportRow)]


def reasons(rows: Iterable[Row]) -> list[tuple[str, UnreadableReason]]:
    return [(row.ref, row.reason) for row in rows if isinstance(row, Unreadable)]


def chatgpt_message(role: str, text: str, **other: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, "recipient": "all"} | other


def chatgpt_chain(*messages: dict[str, Any] | None, conversation: str = "c1", **other: Any) -> dict[str, Any]:
    """A conversation without branches; its nodes are n0, n1, …"""
    nodes = {
        f"n{index}": {"message": message, "parent": f"n{index - 1}" if index else None, "children": []}
        for index, message in enumerate(messages)
    }
    return {"id": conversation, "title": "T", "mapping": nodes, "current_node": f"n{len(messages) - 1}"} | other
