"""Iris's own JSON lines: one text a line, and what is known of it. A name that is not known is a bad row, not a guess.

`text` (or `body`) is required; `ref` (or `id`), `author`, `said_at`, `conversation`, `category` and `subject` may be
given. `said_at` is RFC 3339 with a zone.
"""

from __future__ import annotations

from collections.abc import Iterator

from iris_memory.formats.instants import from_iso
from iris_memory.formats.row import Author, Row, RowNote, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import safe_id

_TEXT = frozenset({"text", "body"})
_REF = frozenset({"ref", "id"})
_OPTIONAL = frozenset({"author", "said_at", "conversation", "category", "subject"})
_AUTHORS = frozenset(Author)


def _is_one(item: Item) -> bool:
    return not item.value.keys().isdisjoint(_TEXT)


def _own_id(line: dict[str, object]) -> str | None:
    return safe_id(line.get("ref", line.get("id")), long=True)


def _rows(item: Item) -> Iterator[Row]:
    yield _row(item) or Unreadable(item.ref, UnreadableReason.BAD_ROW)


def _row(item: Item) -> Row | None:
    line = item.value
    if len(line.keys() & _TEXT) != 1 or len(line.keys() & _REF) > 1 or line.keys() - _TEXT - _REF - _OPTIONAL:
        return None
    given = {name: value for name, value in line.items() if value is not None and name not in _REF}
    words = {name: value for name, value in given.items() if isinstance(value, str)}
    author = words.get("author", Author.UNKNOWN)
    said_at, note = from_iso(words.get("said_at"))
    if words.keys() != given.keys() or author not in _AUTHORS or note is RowNote.BAD_TIME:
        return None
    return said(
        item.ref,
        words.get("text", words.get("body")),
        author=Author(author),
        said_at=said_at,
        conversation=words.get("conversation"),
        category=words.get("category"),
        subject=words.get("subject"),
        note=note,
    )


JSONL = Shape(
    expects="JSON lines, each an object with `text`",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
    on_lines=True,
)
