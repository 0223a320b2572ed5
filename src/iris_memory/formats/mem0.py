"""A mem0 dump: each memory is a sentence a model made of what was said, so nobody is its author.

`get_all` answers `{"results": […], "relations": […]}`; older versions answer the bare list.
"""

from __future__ import annotations

from collections.abc import Iterator

from iris_memory.formats.instants import from_iso
from iris_memory.formats.row import Author, Row, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import as_list, as_record, as_text, safe_id

_RELATIONS = "relations"


def _is_one(item: Item) -> bool:
    return ("source" if item.member == _RELATIONS else "memory") in item.value


def _own_id(memory: dict[str, object]) -> str | None:
    return safe_id(memory.get("id"), long=True)


def _rows(item: Item) -> Iterator[Row]:
    if item.member == _RELATIONS:
        yield _relation(item)
        return
    memory = item.value
    text = as_text(memory.get("memory"))
    if text is None:
        yield Unreadable(item.ref, UnreadableReason.BAD_ROW)
        return
    said_at, note = from_iso(memory.get("created_at"))
    yield said(
        item.ref,
        text,
        author=Author.UNKNOWN,
        said_at=said_at,
        conversation=safe_id(memory.get("run_id"), long=True),
        category=_category(memory),
        note=note,
    )


def _category(memory: dict[str, object]) -> str | None:
    metadata = as_record(memory.get("metadata"))
    named = [metadata.get("category"), *as_list(memory.get("categories")), *as_list(metadata.get("categories"))]
    return next((name for name in named if isinstance(name, str) and name), None)


def _relation(item: Item) -> Row:
    edge = item.value
    source, verb = as_text(edge.get("source")), as_text(edge.get("relationship"))
    target = as_text(edge.get("target")) or as_text(edge.get("destination"))
    if not (source and verb and target):
        return Unreadable(item.ref, UnreadableReason.BAD_ROW)
    return said(item.ref, f"{source} {verb} {target}", author=Author.UNKNOWN)


MEM0 = Shape(
    expects="the answer of mem0's get_all: `results`, or a list of memories, each with `memory`",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
    members=frozenset({"results", _RELATIONS}),
)
