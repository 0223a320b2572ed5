"""Paging: one page of rows that are all at hand, and its place among the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeVar

from fastapi import Query

PAGE: Final = 50
"""Rows of a table on one page: with them a page stays under 60 KB."""

PageNumber = Annotated[int, Query(ge=1, le=100_000)]
T = TypeVar("T")


def paged(rows: Sequence[T], page: int) -> dict[str, Any]:
    """Return the rows of a page, the last one where it is past the end, with what the pager of a template takes."""
    pages = max(1, -(-len(rows) // PAGE))
    page = min(page, pages)
    return {"rows": rows[(page - 1) * PAGE : page * PAGE], "matching": len(rows), "page": page, "pages": pages}
