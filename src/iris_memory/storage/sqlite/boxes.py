"""Where sealed bytes lie: in boxes whose cells SQLite never moves, so that emptying one leaves no copy behind.

SQLite's `secure_delete` zeroes what is deleted, but not the stale copies that stay in the unused middle of a page when
cells move to a sibling page while a B-tree is balanced (measured: one in some hundred deleted rows). Boxes keep out of
that: they are only ever appended (which opens a new page and moves nothing), emptied in place, and filled again with
bytes that fit where the old ones were. A box is never deleted; its room is used again.

A cell above `INLINE` bytes spills to overflow pages, which are zeroed when let go; what is then left of the cell in its
page is at least `SPILLED` bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import apsw

INLINE: Final = 3800
"""Below SQLite's bound of 4,061 bytes for a cell in a page of 4,096 (file format, section 1.6), header included."""

SPILLED: Final = 400
"""Below SQLite's bound of 489 bytes that a spilled cell keeps in its page."""

SCHEMA: Final = """
CREATE TABLE box (
  box_no INTEGER PRIMARY KEY,
  room INTEGER NOT NULL,
  bytes BLOB
) STRICT;
CREATE INDEX box_free ON box (room) WHERE bytes IS NULL;
"""

EMPTY: Final = "UPDATE box SET bytes = NULL WHERE box_no IN "
"""To be followed by a subquery or a list of box numbers."""

_ANY_FREE: Final = "SELECT EXISTS (SELECT 1 FROM box INDEXED BY box_free WHERE bytes IS NULL)"
_FREE: Final = "SELECT box_no FROM box INDEXED BY box_free WHERE bytes IS NULL AND room >= ? ORDER BY room LIMIT 1"
_FILL: Final = "UPDATE box SET bytes = ? WHERE box_no = ?"
_REFILL: Final = "UPDATE box SET bytes = ? WHERE box_no = ? AND room >= ?"
_APPEND: Final = "INSERT INTO box (box_no, room, bytes) VALUES (?, ?, ?)"
_LAST: Final = "SELECT ifnull(max(box_no), 0) FROM box"


def put(connection: apsw.Connection, sealed: bytes) -> int:
    """Put bytes into a free box that has the room, else into a new one; return its number."""
    if len(sealed) <= INLINE:
        box_no: int | None = connection.execute(_FREE, (len(sealed),)).get
        if box_no is not None:
            connection.execute(_FILL, (sealed, box_no))
            return box_no
    new: int = connection.execute(_LAST).get + 1
    connection.execute(_APPEND, (new, _room(sealed), sealed))
    return new


def put_many(connection: apsw.Connection, sealed: Sequence[bytes]) -> Sequence[int]:
    """Put each of many into a box of its own; return the numbers in order."""
    if connection.execute(_ANY_FREE).get:
        return [put(connection, one) for one in sealed]
    first: int = connection.execute(_LAST).get + 1
    numbers = range(first, first + len(sealed))
    connection.executemany(_APPEND, [(n, _room(one), one) for n, one in zip(numbers, sealed, strict=True)])
    return numbers


def replace(connection: apsw.Connection, box_no: int, sealed: bytes) -> int:
    """Put other bytes in the place of a box's; return the number of the box that holds them now."""
    if len(sealed) <= INLINE:
        connection.execute(_REFILL, (sealed, box_no, len(sealed)))
        if connection.changes():
            return box_no
    empty(connection, box_no)
    return put(connection, sealed)


def empty(connection: apsw.Connection, box_no: int) -> None:
    """Empty a box; its bytes are zeroed in the file with the commit."""
    connection.execute(EMPTY + "(?)", (box_no,))


def _room(sealed: bytes) -> int:
    return len(sealed) if len(sealed) <= INLINE else SPILLED
