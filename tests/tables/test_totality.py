"""A table has exactly one row for every member of its enum, and cannot be changed; anything else stops the import."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest

from iris_memory.contracts.category import Category, Consumer, Surface
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.scope import DEFAULT_ADAPTER, SCOPE_CLASSES, AdapterScope, ScopeKind
from iris_memory.errors import TableError
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, RETENTION
from iris_memory.tables.categories import CATEGORIES
from iris_memory.tables.consumers import CONSUMER_CONTEXTS
from iris_memory.tables.labels import LABELS
from iris_memory.tables.origins import ORIGINS
from iris_memory.tables.scopes import REACH
from iris_memory.tables.surfaces import SURFACES
from iris_memory.tables.totality import total

TABLES: list[tuple[Mapping[Any, Any], type[StrEnum]]] = [
    (CATEGORIES, Category),
    (REACH, ScopeKind),
    (ADAPTER_SCOPES, AdapterScope),
    (RETENTION, AdapterScope),
    (CONSUMER_CONTEXTS, Consumer),
    (ORIGINS, Origin),
    (SURFACES, Surface),
    (LABELS, Label),
]


class Colour(StrEnum):
    """A small enum to build tables over."""

    RED = "red"
    BLUE = "blue"


def test_whole_table_is_given_back() -> None:
    assert dict(total("colours", Colour, [(Colour.BLUE, 2), (Colour.RED, 1)])) == {Colour.RED: 1, Colour.BLUE: 2}


@pytest.mark.parametrize("rows", [[], [(Colour.RED, 1)], [(Colour.BLUE, 1)]])
def test_missing_row_is_refused(rows: list[tuple[Colour, int]]) -> None:
    with pytest.raises(TableError, match="has no row for"):
        total("colours", Colour, rows)


def test_second_row_is_refused() -> None:
    with pytest.raises(TableError, match="two rows for `red`"):
        total("colours", Colour, [(Colour.RED, 1), (Colour.BLUE, 1), (Colour.RED, 1)])


@pytest.mark.parametrize(("table", "over"), TABLES, ids=[over.__name__ for _, over in TABLES])
def test_table_is_total_and_read_only(table: Any, over: type[StrEnum]) -> None:
    assert set(table) == set(over)
    with pytest.raises(TypeError):
        table[next(iter(over))] = None


def test_scope_kinds_and_adapter_scopes_fit_together() -> None:
    assert set(DEFAULT_ADAPTER) == set(SCOPE_CLASSES) == set(ScopeKind)
    for kind, adapter in DEFAULT_ADAPTER.items():
        assert ADAPTER_SCOPES[adapter].kind is kind
