"""The guard table: per kind of owner PII and guard, what is done; and the loader of a deployment's overrides.

Laws, checked when a table is made and again when one is loaded:

* every row has a cell in every column;
* a secret is masked in capability results and never granted;
* only a secret may stop an answer to the owner;
* a first name alone never denies or halts;
* nothing relaxes `secret` or `link` for a destination: the allowlist and the log-only list know owner PII alone;
* the postal address comes from the owner's file, so no attribute of memory maps to it, and none maps to a secret.

A configuration that breaks one of them is not used in part: the table is closed, so every owner literal is masked and
nothing is granted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic import ValidationError

from iris_memory.contracts.masking import (
    OWNER_PII_KINDS,
    Action,
    Audience,
    Column,
    Guard,
    GuardRow,
    IdentityConfig,
    MaskingReason,
    PiiKind,
)
from iris_memory.errors import IdentityConfigError, TableError

SEVERITY: Final[Mapping[Action, int]] = MappingProxyType({action: rank for rank, action in enumerate(Action)})
"""Strictness of an action: the order in which the enum lists them."""


class Cell(NamedTuple):
    """What one guard does with one kind, and whether a manifest's grant may lift it."""

    action: Action
    grantable: bool = False


Rows = Mapping[GuardRow, Mapping[Column, Cell]]

_PASS, _LOG, _MASK, _DENY, _HALT = (Cell(action) for action in Action)
_UNLESS_GRANTED = Cell(Action.MASK, grantable=True)

# columns:                  egress      web_search  tier3   answer_owner  answer_other  capability
_DEFAULT: Final[Mapping[GuardRow, tuple[Cell, ...]]] = {
    GuardRow.NAME: (_LOG, _MASK, _PASS, _PASS, _MASK, _UNLESS_GRANTED),
    GuardRow.EMAIL: (_DENY, _DENY, _MASK, _PASS, _MASK, _UNLESS_GRANTED),
    GuardRow.PHONE: (_DENY, _DENY, _MASK, _PASS, _MASK, _UNLESS_GRANTED),
    GuardRow.ADDRESS: (_DENY, _DENY, _MASK, _PASS, _MASK, _UNLESS_GRANTED),
    GuardRow.HANDLE: (_LOG, _MASK, _PASS, _PASS, _MASK, _UNLESS_GRANTED),
    GuardRow.LINK: (_DENY, _DENY, _PASS, _PASS, _PASS, _PASS),
    GuardRow.SECRET: (_DENY, _DENY, _MASK, _HALT, _HALT, _MASK),
    GuardRow.FIRST_NAME_ALONE: (_LOG, _MASK, _PASS, _PASS, _PASS, _PASS),
}

DEFAULT_ONTOLOGY_KINDS: Final[Mapping[str, PiiKind]] = MappingProxyType(
    {
        "name": PiiKind.NAME,
        "alias": PiiKind.NAME,
        "email": PiiKind.EMAIL,
        "phone": PiiKind.PHONE,
        "github": PiiKind.HANDLE,
        "linkedin": PiiKind.HANDLE,
        "blog": PiiKind.LINK,
        "website": PiiKind.LINK,
    }
)
"""Which attributes of the owner in memory count, and as which kind."""


@dataclass(frozen=True, slots=True, eq=False)
class GuardTable:
    """A validated table with the lists that go with it. `fault` says why a closed one is closed."""

    rows: Rows
    ontology_kinds: Mapping[str, PiiKind] = field(default_factory=lambda: DEFAULT_ONTOLOGY_KINDS)
    destinations: Mapping[str, frozenset[PiiKind]] = field(default_factory=lambda: MappingProxyType({}))
    log_only_destinations: tuple[str, ...] = ()
    enforce: frozenset[PiiKind] = frozenset()
    fault: MaskingReason | None = None

    @property
    def closed(self) -> bool:
        """Whether the configuration was refused: everything is masked, nothing is granted."""
        return self.fault is not None

    def cell(self, row: GuardRow, *, column: Column) -> Cell:
        """Return one cell. A table is total, so there always is one."""
        return self.rows[row][column]

    def cells(self) -> Iterator[tuple[GuardRow, Column, Cell]]:
        """Walk all cells in the order of the enums."""
        for row in GuardRow:
            for column in Column:
                yield row, column, self.rows[row][column]

    def is_log_only(self, destination: str | None) -> bool:
        """Whether a deny of owner PII is only logged for this destination."""
        return destination is not None and any(_fits(destination, pattern) for pattern in self.log_only_destinations)

    def allowed_for(self, destination: str | None) -> frozenset[PiiKind]:
        """Return the kinds that the allowlist lets pass to this destination."""
        if destination is None:
            return frozenset()
        return frozenset().union(
            *(kinds for pattern, kinds in self.destinations.items() if _fits(destination, pattern))
        )


def column_of(guard: Guard, *, audience: Audience | None) -> Column:
    """Name the column a guard reads. An answer whose reader is not known is read by somebody else."""
    if guard is not Guard.ANSWER:
        return Column(guard.value)
    return Column.ANSWER_OWNER if audience is Audience.OWNER else Column.ANSWER_OTHER


def load(data: object) -> GuardTable:
    """Make the table of a deployment from the parsed content of its `identity.yaml`, or the closed table.

    `data` is what a YAML or JSON reader returned; None and an empty mapping leave everything as shipped.
    """
    try:
        return _read(data)
    except IdentityConfigError:
        return closed_table(MaskingReason.CONFIG_INVALID)


def closed_table(fault: MaskingReason) -> GuardTable:
    """Return the table that is used when no table can be: every owner literal is masked, nothing is granted."""
    masked = MappingProxyType(dict.fromkeys(Column, _MASK))
    return GuardTable(rows=MappingProxyType(dict.fromkeys(GuardRow, masked)), fault=fault)


def validated(table: GuardTable) -> GuardTable:
    """Return the table unchanged, or raise IdentityConfigError naming the law it breaks (never a value)."""
    broken = next(_broken_laws(table), None)
    if broken is not None:
        raise IdentityConfigError(f"the guard table is not valid: {broken}")
    return table


def with_cell(table: GuardTable, row: GuardRow, *, column: Column, cell: Cell) -> GuardTable:
    """Return the table with one cell changed. Not validated: that is the caller's choice."""
    rows = {name: dict(cells) for name, cells in table.rows.items()}
    rows[row][column] = cell
    return GuardTable(
        rows=MappingProxyType({name: MappingProxyType(cells) for name, cells in rows.items()}),
        ontology_kinds=table.ontology_kinds,
        destinations=table.destinations,
        log_only_destinations=table.log_only_destinations,
        enforce=table.enforce,
        fault=table.fault,
    )


def _read(data: object) -> GuardTable:
    try:
        # through JSON, so that strict shapes take the spelling of enum members and nothing else
        config = IdentityConfig.model_validate_json(json.dumps({} if data is None else data))
    except (ValidationError, TypeError, ValueError, RecursionError):
        raise IdentityConfigError("the owner-identity configuration has an unknown key or value") from None
    rows = {row: dict(DEFAULT_TABLE.rows[row]) for row in GuardRow}
    for row, cells in config.guards.items():
        for column, action in cells.items():
            shipped = rows[row][column]
            rows[row][column] = Cell(action, grantable=shipped.grantable and action is Action.MASK)
    return validated(
        GuardTable(
            rows=MappingProxyType({row: MappingProxyType(cells) for row, cells in rows.items()}),
            ontology_kinds=_ontology_kinds(config),
            destinations=MappingProxyType(dict(config.destinations)),
            log_only_destinations=config.log_only_destinations,
            enforce=config.enforce,
        )
    )


def _ontology_kinds(config: IdentityConfig) -> Mapping[str, PiiKind]:
    if config.ontology_kinds is None:
        return DEFAULT_ONTOLOGY_KINDS
    return MappingProxyType(dict(config.ontology_kinds))


def _broken_laws(table: GuardTable) -> Iterator[str]:
    rows = table.rows
    if any(row not in rows or column not in rows[row] for row in GuardRow for column in Column):
        yield "a row or a column is missing"
        return
    if rows[GuardRow.SECRET][Column.CAPABILITY] != _MASK:
        yield "a secret is masked in capability results and never granted"
    for row, column, cell in table.cells():
        if cell.grantable and (column is not Column.CAPABILITY or row not in _GRANTABLE_ROWS):
            yield "only owner PII in capability results can be granted"
        stops = SEVERITY[cell.action] >= SEVERITY[Action.DENY]
        if stops and column is Column.ANSWER_OWNER and row is not GuardRow.SECRET:
            yield "only a secret may stop an answer to the owner"
        if stops and row is GuardRow.FIRST_NAME_ALONE:
            yield "a first name alone never denies or halts"
    if any(not kinds <= OWNER_PII_KINDS for kinds in table.destinations.values()):
        yield "the allowlist of a destination holds owner PII only"
    if any(kind in (PiiKind.SECRET, PiiKind.ADDRESS) for kind in table.ontology_kinds.values()):
        yield "no attribute of memory is a secret or an address"


_GRANTABLE_ROWS: Final = frozenset(GuardRow(kind.value) for kind in OWNER_PII_KINDS)


def _fits(destination: str, pattern: str) -> bool:
    return destination.startswith(pattern[:-1]) if pattern.endswith("*") else destination == pattern


def _shipped() -> GuardTable:
    rows = {row: MappingProxyType(dict(zip(Column, cells, strict=True))) for row, cells in _DEFAULT.items()}
    table = GuardTable(rows=MappingProxyType(rows))
    broken = next(_broken_laws(table), None)
    if broken is not None:
        raise TableError(f"table guards: {broken}")
    return table


DEFAULT_TABLE: Final[GuardTable] = _shipped()
"""The table as shipped (`contracts.md` decides each cell)."""
