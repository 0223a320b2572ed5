"""The file of an MCP memory server: one row for each observation and each relation of its graph.

An observation is put behind the name of its entity, so that it stands alone. The names are personal, so a ref is a line
number, and for an observation its number on that line.
"""

from __future__ import annotations

from collections.abc import Iterator

from iris_memory.formats.row import Author, Row, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import as_text


def _is_one(item: Item) -> bool:
    return item.value.get("type") in ("entity", "relation")


def _own_id(_line: dict[str, object]) -> str | None:
    return None


def _rows(item: Item) -> Iterator[Row]:
    if item.value.get("type") == "entity":
        yield from _observations(item)
    elif item.value.get("type") == "relation":
        yield _relation(item)
    else:
        yield Unreadable(item.ref, UnreadableReason.BAD_ROW)


def _observations(item: Item) -> Iterator[Row]:
    name, observations = as_text(item.value.get("name")), item.value.get("observations")
    if name is None or not isinstance(observations, list):
        yield Unreadable(item.ref, UnreadableReason.BAD_ROW)
    elif not observations:
        yield Unreadable(item.ref, UnreadableReason.EMPTY)
    else:
        for index, observation in enumerate(observations):
            ref = f"{item.ref}:{index}"
            if not isinstance(observation, str):
                yield Unreadable(ref, UnreadableReason.BAD_ROW)
            elif not observation.strip():
                yield Unreadable(ref, UnreadableReason.EMPTY)
            else:
                yield said(ref, f"{name}: {observation}", author=Author.UNKNOWN)


def _relation(item: Item) -> Row:
    source, verb, target = (as_text(item.value.get(name)) for name in ("from", "relationType", "to"))
    if not (source and verb and target):
        return Unreadable(item.ref, UnreadableReason.BAD_ROW)
    return said(item.ref, f"{source} {verb} {target}", author=Author.UNKNOWN)


MCP_MEMORY = Shape(
    expects="the JSON lines of an MCP memory server, each an `entity` or a `relation`",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
    on_lines=True,
)
