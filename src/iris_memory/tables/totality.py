"""The check that a table has exactly one row for every member of its enum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from iris_memory.errors import TableError

Key = TypeVar("Key", bound=StrEnum)
Row = TypeVar("Row")


def total(name: str, over: type[Key], rows: Iterable[tuple[Key, Row]]) -> Mapping[Key, Row]:
    """Return the rows as a read-only table; raise TableError when a member is missing or stands twice."""
    table: dict[Key, Row] = {}
    for key, row in rows:
        if key in table:
            raise TableError(f"table {name} has two rows for `{key}`")
        table[key] = row
    missing = [member.value for member in over if member not in table]
    if missing:
        raise TableError(f"table {name} has no row for {', '.join(missing)}")
    return MappingProxyType(table)
