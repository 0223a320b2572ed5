"""Leaves: owner identity in structured values. Keys, strings and numbers are read, and what adjacent leaves join to.

A value is flattened to its leaves in document order. They are read three times: all in order, values alone and keys
alone, each joined by a separator that counts as a line break, so that a literal split over leaves is one span of
several pieces. Of overlapping spans the longest counts; what it does not cover keeps its own.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from iris_memory.contracts.masking import Audience, Guard, PiiKind, Span
from iris_memory.errors import MaskingError
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.decide import decide
from iris_memory.masking.pseudonyms import Exchange, look_alikes
from iris_memory.masking.render import MASKED_ACTIONS, Edit, edit_of, edited, with_escapes
from iris_memory.tables.guards import GuardTable

JOINT: Final = "\x1f"
"""Stands between adjacent leaves; matchers take it for a line break."""

DEPTH_MOST: Final = 200
"""How deep a value may be nested."""


_FREE: Final = b"\0"
_TAKEN: Final = b"\1"


class Leaf(NamedTuple):
    """One key, string or number of a value, as text."""

    text: str
    is_key: bool


class Piece(NamedTuple):
    """A part of a span inside one leaf, in code points of that leaf's text."""

    leaf: int
    start: int
    end: int


class SpanOverLeaves(NamedTuple):
    """A span and where it lies. The offsets in `span` itself are of no use here."""

    span: Span
    pieces: tuple[Piece, ...]


class MaskedValue(NamedTuple):
    """A rendered value. `personal` says that owner identity was in it, masked or not."""

    value: Any
    personal: bool


def leaves_of(value: object) -> list[Leaf]:
    """Flatten a JSON value. Booleans and null say nothing. Raises MaskingError for what cannot be read."""
    found: list[Leaf] = []
    _collect(value, found, 0)
    return found


def _collect(value: object, found: list[Leaf], depth: int) -> None:
    if depth > DEPTH_MOST:
        raise MaskingError("a value is nested deeper than is read")
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                raise MaskingError("a value has a key that is not text")
            found.append(Leaf(key, True))
            _collect(part, found, depth + 1)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _collect(part, found, depth + 1)
    elif not (value is None or isinstance(value, bool)):
        found.append(Leaf(_text(value), False))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        try:
            return str(value)
        except ValueError:
            raise MaskingError("a value has a number that is too long to be read") from None
    raise MaskingError("a value has a part that is not JSON")


def decide_value(
    value: object,
    *,
    corpus: Corpus,
    table: GuardTable,
    guard: Guard,
    audience: Audience | None = None,
    destination: str | None = None,
    grants: frozenset[PiiKind] = frozenset(),
) -> list[SpanOverLeaves]:
    """Return the owner identity in a value, in document order, with the action of one guard."""
    leaves = leaves_of(value)
    keys = [index for index, leaf in enumerate(leaves) if leaf.is_key]
    orders: list[Sequence[int]] = [range(len(leaves))]
    if keys:
        orders += [[index for index, leaf in enumerate(leaves) if not leaf.is_key], keys]
    found: list[SpanOverLeaves] = []
    for order in orders:
        joined = JOINT.join(leaves[index].text for index in order)
        spans = decide(
            joined, corpus=corpus, table=table, guard=guard, audience=audience, destination=destination, grants=grants
        )
        found += _placed(spans, order, leaves)
    return _apart(found, leaves) if keys else found


def _placed(spans: Iterable[Span], order: Sequence[int], leaves: Sequence[Leaf]) -> Iterator[SpanOverLeaves]:
    starts = list(accumulate((len(leaves[index].text) + 1 for index in order), initial=0))
    for span in spans:
        first = bisect_right(starts, span.start) - 1
        pieces = []
        while first < len(order) and starts[first] < span.end:
            base = starts[first]
            size = len(leaves[order[first]].text)
            low, high = max(0, span.start - base), min(size, span.end - base)
            if low < high:
                pieces.append(Piece(order[first], low, high))
            first += 1
        yield SpanOverLeaves(span, tuple(pieces))


def _apart(found: Iterable[SpanOverLeaves], leaves: Sequence[Leaf]) -> list[SpanOverLeaves]:
    """Keep, of overlapping spans, the longest whole and of the others what is left over."""
    items = sorted(set(found), key=_longest_first)
    split: dict[tuple[PiiKind, int, int], list[SpanOverLeaves]] = {}
    for item in items:
        if len(item.pieces) > 1:
            split.setdefault((item.span.kind, item.span.literal, item.pieces[0].leaf), []).append(item)
    taken: dict[int, bytearray] = {}
    kept = []
    for item in items:
        if len(item.pieces) > 1 and _is_found_closer(item, split):
            continue
        free: list[Piece] = []
        for piece in item.pieces:
            marks = taken.setdefault(piece.leaf, bytearray(len(leaves[piece.leaf].text)))
            free += _free(piece, marks)
            marks[piece.start : piece.end] = _TAKEN * (piece.end - piece.start)
        if free:
            kept.append(SpanOverLeaves(item.span, tuple(free)))
    return sorted(kept, key=lambda item: item.pieces)


def _is_found_closer(item: SpanOverLeaves, split: Mapping[tuple[PiiKind, int, int], Sequence[SpanOverLeaves]]) -> bool:
    """Whether the same literal, split over leaves too, is found in fewer: then the leaves between are no part."""
    others = (
        other
        for leaf in dict.fromkeys(piece.leaf for piece in item.pieces)
        for other in split.get((item.span.kind, item.span.literal, leaf), ())
    )
    return any(
        len(other.pieces) < len(item.pieces) and all(_holds(item, piece) for piece in other.pieces) for other in others
    )


def _holds(item: SpanOverLeaves, inner: Piece) -> bool:
    return any(
        piece.leaf == inner.leaf and piece.start <= inner.start and inner.end <= piece.end for piece in item.pieces
    )


def _longest_first(item: SpanOverLeaves) -> tuple[int, tuple[Piece, ...]]:
    return -sum(piece.end - piece.start for piece in item.pieces), item.pieces


def _free(piece: Piece, marks: bytearray) -> Iterator[Piece]:
    """Yield what of a piece is not taken yet."""
    place = marks.find(_FREE, piece.start, piece.end)
    while place >= 0:
        stop = marks.find(_TAKEN, place, piece.end)
        stop = piece.end if stop < 0 else stop
        yield Piece(piece.leaf, place, stop)
        place = marks.find(_FREE, stop, piece.end)


def masked_value(value: object, spans: Sequence[SpanOverLeaves], *, corpus: Corpus, exchange: Exchange) -> MaskedValue:
    """Write a value with pseudonyms: in the first piece of each span, the other pieces empty.

    A number that holds owner identity becomes text. Keys that come to read the same are told apart by a number.
    """
    if exchange.is_own(_dumped(value)):
        return MaskedValue(value, bool(spans))
    leaves = leaves_of(value)
    edits: dict[int, list[Edit]] = {}
    for item in spans:
        if item.span.action not in MASKED_ACTIONS:
            continue
        written = "".join(leaves[piece.leaf].text[piece.start : piece.end] for piece in item.pieces)
        flat = item.span._replace(start=0, end=len(written))
        token = edit_of(written, flat, corpus=corpus, exchange=exchange).text
        for place, piece in enumerate(item.pieces):
            edits.setdefault(piece.leaf, []).append(Edit(piece.start, piece.end, "" if place else token))
    texts = {}
    for index, leaf in enumerate(leaves):
        changes = with_escapes(leaf.text, sorted(edits.get(index, ())), look_alikes(leaf.text), exchange=exchange)
        if changes:
            texts[index] = edited(leaf.text, changes)
    out = _rebuilt(value, iter(range(len(leaves))), texts)
    exchange.gave_out(_dumped(out))
    return MaskedValue(out, bool(spans))


def _dumped(value: object) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        raise MaskingError("a value has a part that is not JSON") from None


def _rebuilt(value: object, numbers: Iterator[int], texts: Mapping[int, str]) -> object:
    if isinstance(value, Mapping):
        out: dict[str, object] = {}
        for key, part in value.items():
            written = name = texts.get(next(numbers), key)
            place = 1
            while name in out:
                place += 1
                name = f"{written} ({place})"
            out[name] = _rebuilt(part, numbers, texts)
        return out
    if isinstance(value, (list, tuple)):
        return [_rebuilt(part, numbers, texts) for part in value]
    if value is None or isinstance(value, bool):
        return value
    return texts.get(next(numbers), value)
