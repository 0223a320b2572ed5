"""The decision: which stretches of a text a guard acts on, and how.

`decide(text, guard, audience)` is the scan under one column of the guard table. Of hits that were merged into one
stretch the strictest verdict counts, and its kind names the span; between equals the longer hit does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from iris_memory.contracts.masking import OWNER_PII_KINDS, Action, Audience, Column, Guard, GuardRow, PiiKind, Span
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.pattern import Hit
from iris_memory.masking.scan import Stretch, scan
from iris_memory.tables.guards import SEVERITY, GuardTable, column_of

_PII_ROWS = frozenset(GuardRow(kind.value) for kind in OWNER_PII_KINDS) | {GuardRow.FIRST_NAME_ALONE}


class Verdict(NamedTuple):
    """What is done with one row here, and whether a destination's log-only list made it so."""

    action: Action
    log_only: bool = False


Verdicts = Mapping[str, Verdict]
"""A verdict for each row, by the row's value."""


def decide(
    text: str,
    *,
    corpus: Corpus,
    table: GuardTable,
    guard: Guard,
    audience: Audience | None = None,
    destination: str | None = None,
    grants: frozenset[PiiKind] = frozenset(),
) -> list[Span]:
    """Return the owner identity in a text, left to right, with the action of one guard.

    `destination` is the tool or server that an outgoing call goes to; `grants` are the kinds that the caller's manifest
    lifts for the capability at hand (`grants.Grants`). Spans that pass or
    are only logged are reported too.
    """
    stretches = scan(text, corpus)
    if not stretches:
        return []
    verdicts = verdicts_of(table, guard=guard, audience=audience, destination=destination, grants=grants)
    return [span_of(stretch, verdicts) for stretch in stretches]


@lru_cache(maxsize=512)
def verdicts_of(
    table: GuardTable,
    *,
    guard: Guard,
    audience: Audience | None = None,
    destination: str | None = None,
    grants: frozenset[PiiKind] = frozenset(),
) -> Verdicts:
    """Return one verdict per row: the column's cell, lifted by a grant or by the lists of the destination.

    The lists speak of outgoing calls alone, and never of a secret or a link. A closed table knows no exceptions.
    """
    column = column_of(guard, audience=audience)
    verdicts: dict[str, Verdict] = {}
    outgoing = column is Column.EGRESS and not table.closed
    allowed = table.allowed_for(destination) if outgoing else frozenset[PiiKind]()
    log_only = outgoing and table.is_log_only(destination)
    for row in GuardRow:
        cell = table.cell(row, column=column)
        kind = kind_of(row)
        if (cell.grantable and kind in grants and not table.closed) or (row in _PII_ROWS and kind in allowed):
            verdicts[row.value] = Verdict(Action.PASS)
        elif log_only and row in _PII_ROWS and cell.action is Action.DENY:
            verdicts[row.value] = Verdict(Action.LOG, log_only=True)
        else:
            verdicts[row.value] = Verdict(cell.action)
    return MappingProxyType(verdicts)


def kind_of(row: GuardRow) -> PiiKind:
    """Return the kind that a row speaks of."""
    return PiiKind.NAME if row is GuardRow.FIRST_NAME_ALONE else PiiKind(row.value)


_LONE_NAME: Final = GuardRow.FIRST_NAME_ALONE.value
_KINDS_OF: Final = {kind.value: frozenset({kind}) for kind in PiiKind}


def span_of(stretch: Stretch, verdicts: Verdicts) -> Span:
    """Put a stretch under its verdicts."""
    if isinstance(stretch, Hit):
        start, end, chosen = stretch.start, stretch.end, stretch
        verdict = verdicts[_row(chosen)]
        kinds = _KINDS_OF[chosen.kind._value_]
    else:
        start, end, hits = stretch
        chosen, verdict = _strictest(hits, verdicts)
        covers = (chosen.start, chosen.end) == (start, end)
        kinds = _KINDS_OF[chosen.kind.value] if covers else frozenset(hit.kind for hit in hits)
    return Span(start, end, chosen.kind, verdict.action, chosen.lone_name, verdict.log_only, kinds, chosen.literal)


def _row(hit: Hit) -> str:
    return _LONE_NAME if hit.lone_name else hit.kind._value_


def _strictest(hits: Iterable[Hit], verdicts: Verdicts) -> tuple[Hit, Verdict]:
    judged = [(hit, verdicts[_row(hit)]) for hit in hits]
    return max(judged, key=lambda pair: SEVERITY[pair[1].action])
