"""Observing: what guards saw in one call, as counts for the caller and as the row of the shadow log.

A row holds columns, counts, at most 20 places per tally, and keyed digests where a key was given: no literal, no text
around it. Several columns that read one call are merged into what is done with it: the strictest verdict acts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from iris_memory.contracts.guarding import GuardCount
from iris_memory.contracts.masking import SPANS_MOST, Action, Column, Mode, PiiKind, ShadowRow, ShadowTally, Span
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.folding import fold
from iris_memory.masking.leaves import Leaf, Piece, SpanOverLeaves
from iris_memory.masking.mode import in_force
from iris_memory.masking.pseudonyms import keyed_digest
from iris_memory.tables.guards import SEVERITY, GuardTable


class Seen(NamedTuple):
    """What one column says of one value."""

    column: Column
    spans: Sequence[SpanOverLeaves]


_Cell = tuple[Column, PiiKind, Action, bool, bool]


def counts_of(seen: Iterable[Seen]) -> tuple[GuardCount, ...]:
    """Count stretches by guard, kind and action, in the order in which they were first met."""
    counted = Counter(_cell(column, item.span) for column, spans in seen for item in spans)
    return tuple(
        GuardCount(
            guard=guard, kind=kind, action=action, first_name_alone=lone, log_only_destination=log_only, count=count
        )
        for (guard, kind, action, lone, log_only), count in counted.items()
    )


def row_of(seen: Sequence[Seen], leaves: Sequence[Leaf], *, corpus: Corpus, key: bytes | None = None) -> ShadowRow:
    """Return the row of one call. `key` is the audit key where one is there already; without it are no digests."""
    places: dict[_Cell, list[tuple[int, int, int]]] = {}
    counts: Counter[_Cell] = Counter()
    marks: dict[_Cell, set[int]] = {}
    digests: dict[str, int] = {}
    for column, spans in seen:
        for item in spans:
            cell = _cell(column, item.span)
            counts[cell] += 1
            shown = places.setdefault(cell, [])
            if len(shown) < SPANS_MOST:
                shown.append((item.pieces[0].leaf, item.pieces[0].start, item.pieces[0].end))
            if key is not None:
                digest = _digest(key, item.span, item.pieces, leaves, corpus)
                marks.setdefault(cell, set()).add(digests.setdefault(digest, len(digests)))
    tallies = tuple(
        ShadowTally(
            guard=cell[0],
            kind=cell[1],
            action=cell[2],
            first_name_alone=cell[3],
            log_only_destination=cell[4],
            count=count,
            spans=tuple(places[cell]),
            marks=tuple(sorted(marks[cell])) if key is not None else None,
        )
        for cell, count in counts.items()
    )
    return ShadowRow(
        columns=tuple(column for column, _ in seen),
        tallies=tallies,
        digests=tuple(digests) if key is not None else None,
    )


def acting(seen: Sequence[Seen], *, mode: Mode, table: GuardTable) -> list[SpanOverLeaves]:
    """Return the spans of a call with what is done with each now: the strictest of what its columns have in force."""
    chosen: dict[tuple[Piece, ...], SpanOverLeaves] = {}
    for _, spans in seen:
        for item in spans:
            now = SpanOverLeaves(item.span._replace(action=in_force(item.span, mode=mode, table=table)), item.pieces)
            known = chosen.get(item.pieces)
            if known is None or SEVERITY[known.span.action] < SEVERITY[now.span.action]:
                chosen[item.pieces] = now
    return list(chosen.values())


def strictest(spans: Iterable[SpanOverLeaves]) -> Action:
    """Return the strictest action of spans; PASS where there is none."""
    return max((item.span.action for item in spans), key=SEVERITY.__getitem__, default=_MILDEST)


_MILDEST: Final = Action.PASS


def _cell(column: Column, span: Span) -> _Cell:
    return column, span.kind, span.action, span.first_name_alone, span.log_only_destination


def _digest(key: bytes, span: Span, pieces: Sequence[Piece], leaves: Sequence[Leaf], corpus: Corpus) -> str:
    if span.literal >= 0 and span.kinds == {span.kind}:
        form = corpus.canonicals[span.literal]
    else:
        written = "".join(leaves[piece.leaf].text[piece.start : piece.end] for piece in pieces)
        form = fold(written) or written
    return keyed_digest(key, "owner-pii-shadow", span.kind.value, form).hex()
