"""Within: which memories scopes, categories and ids name."""

from __future__ import annotations

from collections.abc import Collection

from iris_memory.contracts.category import Category
from iris_memory.contracts.scope import AdapterScope
from iris_memory.flows.people import Person
from iris_memory.ports.unit_of_work import Reading
from iris_memory.recall.columns import MATTERS, Columns
from iris_memory.recall.packing import unpack, wording


def was_ever(person: Person, reading: Reading, columns: Columns, row: int, category: Category) -> bool:
    """Say whether a memory is or was of a category: its earlier revisions keep what was said under it."""
    if MATTERS[columns.traits.matter[row]].category is category:
        return True
    if wording(columns.packs[row])[1] == 1:
        return False
    rows = reading.revisions(person.tenant, person.person, columns.keys[row])
    return any(unpack(packed.pack).category is category for packed in person.open_entries(rows))


def rows_within(
    person: Person,
    reading: Reading,
    columns: Columns,
    *,
    scopes: Collection[AdapterScope] = (),
    categories: Collection[Category] = (),
    logical_ids: Collection[str] = (),
) -> list[int]:
    """Return the rows that a scope, a category or an id names, in order."""
    wanted_scopes, wanted_ids = frozenset(scopes), frozenset(logical_ids)
    named = []
    for row in columns.rows():
        if (
            columns.keys[row] in wanted_ids
            or any(was_ever(person, reading, columns, row, category) for category in categories)
            or (wanted_scopes and columns.entry(row).adapter_scope in wanted_scopes)
        ):
            named.append(row)
    return named
