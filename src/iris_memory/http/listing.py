"""Listing: a part of rows that are all at hand, after a cursor that stays good whatever is added meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, TypeVar

from fastapi import Query

from iris_memory.contracts.shape import to_micros
from iris_memory.errors import ContractError

T = TypeVar("T")
Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")]


def part(
    rows: Sequence[T], place: Callable[[T], tuple[datetime, str]], *, limit: int, cursor: str | None
) -> tuple[tuple[T, ...], str | None]:
    """Return the rows after a cursor, in the order of their places, and the cursor of the next page.

    Args:
        rows: all there are.
        place: the instant and the id that order a row; a row whose instant moves on is met again, and none is missed.
        limit: how many.
        cursor: the `next_cursor` of the page before; None begins.

    Raises:
        ContractError: the cursor is none that a listing gave.
    """
    after = _read(cursor) if cursor is not None else (-1, "")
    placed = sorted(((_place(place(row)), row) for row in rows), key=lambda pair: pair[0])
    rest = [(where, row) for where, row in placed if where > after]
    page = rest[:limit]
    more = _written(page[-1][0]) if page and len(rest) > limit else None
    return tuple(row for _, row in page), more


def _place(place: tuple[datetime, str]) -> tuple[int, str]:
    return to_micros(place[0]), place[1]


def _written(place: tuple[int, str]) -> str:
    return f"{place[0]}.{place[1]}"


def _read(cursor: str) -> tuple[int, str]:
    micros, _, name = cursor.partition(".")
    if not (micros.isascii() and micros.isdigit() and name):
        raise ContractError("cursor is the `next_cursor` of a listing")
    return int(micros), name
