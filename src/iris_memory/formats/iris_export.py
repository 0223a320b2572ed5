"""Iris's own export: the newest revision of each memory that is in use. Earlier ones are what it replaced.

The export's labels say who wrote the words; what comes in by it is imported all the same, so that no label rises by a
trip through a file. Consents do not come in: whoever wants them here gives them here.
"""

from __future__ import annotations

from collections.abc import Iterator

from iris_memory.formats.instants import from_iso
from iris_memory.formats.row import Author, Row, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import as_list, as_record, as_text, safe_id

_AUTHORS = {
    "user-typed": Author.USER,
    "user-pasted": Author.USER,
    "assistant": Author.ASSISTANT,
    "tool": Author.TOOL,
    "web": Author.TOOL,
    "file": Author.TOOL,
    "operator": Author.SYSTEM,
}


def _is_one(item: Item) -> bool:
    return {"logical_id", "revision", "body", "label", "lifecycle"} <= item.value.keys()


def _own_id(entry: dict[str, object]) -> str | None:
    return safe_id(entry.get("id"), long=True)


def _rows(item: Item) -> Iterator[Row]:
    entry = item.value
    if not _is_one(item):
        yield Unreadable(item.ref, UnreadableReason.BAD_ROW)
    elif entry.get("superseded_by") is not None:
        yield Unreadable(item.ref, UnreadableReason.ABANDONED_BRANCH)
    elif entry["lifecycle"] != "active" or entry.get("quarantine") is not None:
        yield Unreadable(item.ref, UnreadableReason.HIDDEN)
    else:
        first = as_record(next(iter(as_list(entry.get("provenance_chain"))), None))
        said_at, note = from_iso(as_text(first.get("captured_at")))
        yield said(
            item.ref,
            as_text(entry["body"]),
            author=_AUTHORS.get(as_text(entry["label"]) or "", Author.UNKNOWN),
            said_at=said_at,
            conversation=as_text(as_record(entry.get("scope")).get("session_id")),
            category=as_text(entry.get("category")),
            subject=as_text(entry.get("subject")),
            note=note,
        )


IRIS_EXPORT = Shape(
    expects="an export of Iris, with at least one memory",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
)
