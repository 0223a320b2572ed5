"""Reporting: what guards saw, as the numbers from which an owner picks the next kind to enforce.

Every count has what it is a share of beside it: the calls a guard read. Calls that could not be observed are in no
other count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from typing import Final

from iris_memory.contracts.guarding import (
    Firing,
    GuardPoint,
    ShadowCell,
    ShadowChoice,
    ShadowDisagreement,
    ShadowMiss,
    ShadowReach,
    ShadowReport,
    Unobserved,
)
from iris_memory.contracts.masking import Action, Column, Mode, PiiKind, ShadowTally
from iris_memory.errors import CorpusMissingError, TableClosedError
from iris_memory.tables.guards import SEVERITY

_WHY: Final = {CorpusMissingError.__name__: Unobserved.NO_CORPUS, TableClosedError.__name__: Unobserved.NO_TABLE}
_ACTS: Final = (Action.MASK, Action.DENY, Action.HALT)

_Cell = tuple[GuardPoint, Column, PiiKind, Action, bool, bool]


@dataclass(slots=True)
class _Sum:
    occurrences: int = 0
    calls: int = 0
    digests: set[str] | None = field(default_factory=set)


class _Totals:
    """What is counted while firings go by."""

    def __init__(self) -> None:
        self.rows = 0
        self.observed = 0
        self.cells: dict[_Cell, _Sum] = {}
        self.reach: Counter[tuple[GuardPoint, Column]] = Counter()
        self.missed: Counter[tuple[GuardPoint, str]] = Counter()
        self.disagree: Counter[tuple[PiiKind, Column, Column]] = Counter()
        self.acted: Counter[tuple[PiiKind, Action]] = Counter()
        self.went_on: Counter[PiiKind] = Counter()

    def take(self, firing: Firing) -> None:
        """Count one firing."""
        self.rows += 1
        row = firing.row
        if row.failed is not None:
            self.missed[firing.point, row.failed] += 1
            return
        if not row.columns:
            return
        self.observed += 1
        for column in row.columns:
            self.reach[firing.point, column] += 1
        strictest: dict[PiiKind, dict[Column, Action]] = {}
        for tally in row.tallies:
            self._take_tally(firing, tally)
            columns = strictest.setdefault(tally.kind, {})
            columns[tally.guard] = _stricter(columns.get(tally.guard, Action.PASS), tally.action)
        for kind, columns in strictest.items():
            self._take_kind(firing, kind, columns)

    def _take_tally(self, firing: Firing, tally: ShadowTally) -> None:
        name = (
            firing.point,
            tally.guard,
            tally.kind,
            tally.action,
            tally.first_name_alone,
            tally.log_only_destination,
        )
        total = self.cells.setdefault(name, _Sum())
        total.occurrences += tally.count
        total.calls += 1
        if firing.row.digests is None or tally.marks is None:
            total.digests = None
        elif total.digests is not None:
            total.digests.update(firing.row.digests[mark] for mark in tally.marks)

    def _take_kind(self, firing: Firing, kind: PiiKind, columns: dict[Column, Action]) -> None:
        action = Action.PASS
        for said in columns.values():
            action = _stricter(action, said)
        self.acted[kind, action] += 1
        if action in _ACTS and Column.CAPABILITY not in columns:
            self.went_on[kind] += firing.mode is not Mode.ENFORCE or kind not in firing.enforced
        for one, other in combinations(sorted(columns), 2):
            if columns[one] is not columns[other]:
                milder, stricter = sorted((one, other), key=lambda column: SEVERITY[columns[column]])
                self.disagree[kind, milder, stricter] += 1


def report_of(
    firings: Iterable[Firing], *, since: datetime, until: datetime, enforced: frozenset[PiiKind] = frozenset()
) -> ShadowReport:
    """Sum up the firings from `since` on and before `until`. `enforced` are the kinds that are enforced already."""
    totals = _Totals()
    for firing in firings:
        if since <= firing.at < until:
            totals.take(firing)
    return ShadowReport(
        since=since,
        until=until,
        rows=totals.rows,
        cells=tuple(_cells(totals)),
        reach=tuple(
            ShadowReach(point=point, guard=guard, calls=calls)
            for (point, guard), calls in sorted(totals.reach.items(), key=lambda item: _ranks(*item[0]))
        ),
        missed=tuple(
            ShadowMiss(point=point, why=_WHY.get(failure, Unobserved.ERROR), failure=failure, calls=calls)
            for (point, failure), calls in sorted(totals.missed.items())
        ),
        disagreements=tuple(
            ShadowDisagreement(kind=kind, milder=milder, stricter=stricter, calls=calls)
            for (kind, milder, stricter), calls in sorted(totals.disagree.items(), key=lambda item: _ranks(*item[0]))
        ),
        choices=tuple(sorted((_choice(totals, kind, enforced) for kind in PiiKind), key=_least_change_first)),
    )


def _cells(totals: _Totals) -> Iterable[ShadowCell]:
    for name, total in sorted(totals.cells.items(), key=lambda item: (_ranks(*item[0][:4]), item[0][4:])):
        point, guard, kind, action, lone, log_only = name
        yield ShadowCell(
            point=point,
            guard=guard,
            kind=kind,
            action=action,
            first_name_alone=lone,
            log_only_destination=log_only,
            occurrences=total.occurrences,
            calls=total.calls,
            distinct=None if total.digests is None else len(total.digests),
        )


def _choice(totals: _Totals, kind: PiiKind, enforced: frozenset[PiiKind]) -> ShadowChoice:
    masked, denied, halted = (totals.acted[kind, action] for action in _ACTS)
    changed = masked + denied + halted
    return ShadowChoice(
        kind=kind,
        enforced=kind in enforced,
        calls=totals.observed,
        masked=masked,
        denied=denied,
        halted=halted,
        logged=totals.acted[kind, Action.LOG],
        went_on=totals.went_on[kind],
        share=changed * 1_000_000 // totals.observed if totals.observed else 0,
    )


def _least_change_first(choice: ShadowChoice) -> tuple[int, ...]:
    changed = choice.masked + choice.denied + choice.halted
    return choice.enforced, changed, choice.denied + choice.halted, *_ranks(choice.kind)


def _stricter(one: Action, other: Action) -> Action:
    return one if SEVERITY[one] >= SEVERITY[other] else other


def _ranks(*members: StrEnum) -> tuple[int, ...]:
    """Return the places of members in their enums: tables are read in that order."""
    return tuple(list(type(member)).index(member) for member in members)
