"""Crowds: many occurrences decided together, as columns of numbers.

Equal surroundings give equal hits, so that each surrounding is checked once, and a text that repeats itself costs
little. Surroundings are sorted by a number made of their characters, and that number is trusted for nothing: each one
is compared, character by character, with the one that is checked in its place. One that differs is checked itself, so
that a text made to collide costs time and hides nothing.

Hits stay columns until the end. A tuple for each would keep the garbage collector busier than the search does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded
from iris_memory.masking.lexicon import Lexicon, Occurrence
from iris_memory.masking.pattern import Hit

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

SURROUNDING_MOST: Final = 1_024
"""How long surroundings may be to be compared with others, in code points; longer ones are checked themselves."""

_WORD: Final = 8
_FREQUENT: Final = 8
_POWER: Final = np.uint64(0x9E37_79B9_7F4A_7C15)
_SALTS: Final = (np.uint64(0xC2B2_AE3D_27D4_EB4F), np.uint64(0x1656_67B1_9E37_79F9), np.uint64(0xD6E8_FEB8_6659_FD93))

Mark = tuple[PiiKind, int, bool, bool, bool]
"""What a hit is, wherever it stands: kind, literal, weak, lone name, brief."""

WEAK, LONE, BRIEF = 2, 3, 4
"""The places of the flags in a mark."""


class Crowd(NamedTuple):
    """Hits as columns. `mark` leads into `marks`."""

    start: Numbers
    end: Numbers
    mark: Numbers
    marks: tuple[Mark, ...]

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> Self:
        """Return hits as a crowd."""
        marks: dict[Mark, int] = {}
        mark = np.fromiter((marks.setdefault(hit[2:], len(marks)) for hit in hits), np.int64, len(hits))
        start = np.fromiter((hit[0] for hit in hits), np.int64, len(hits))
        return cls(start, np.fromiter((hit[1] for hit in hits), np.int64, len(hits)), mark, tuple(marks))

    @classmethod
    def joined(cls, crowds: Sequence[Crowd]) -> Self:
        """Return crowds as one, in the order given."""
        marks: dict[Mark, int] = {}
        columns = []
        for crowd in crowds:
            index = np.array([marks.setdefault(mark, len(marks)) for mark in crowd.marks], np.int64)
            columns.append((crowd.start, crowd.end, index[crowd.mark]))
        start, end, mark = (np.concatenate(column) for column in zip(*columns, strict=True))
        return cls(start, end, mark, tuple(marks))

    def where(self, chosen: Flags | Numbers) -> Self:
        """Return the chosen hits."""
        return self._replace(start=self.start[chosen], end=self.end[chosen], mark=self.mark[chosen])

    def flags(self, index: int) -> Flags:
        """Return one flag of each hit, by its place in a mark."""
        return np.array([mark[index] for mark in self.marks], np.bool_)[self.mark]

    def literals(self) -> Numbers:
        """Return a number for each hit that is equal where kind and literal are, and sorts as they do."""
        known = {pair: rank for rank, pair in enumerate(sorted({mark[:2] for mark in self.marks}))}
        return np.array([known[mark[:2]] for mark in self.marks], np.int64)[self.mark]

    def in_order(self) -> Self:
        """Return hits by start, the longest first, then by kind and literal, without those that stand there twice."""
        ordered = self.where(np.lexsort((self.literals(), -self.end, self.start)))
        if ordered.start.size < 2:
            return ordered
        new = np.ones(ordered.start.size, np.bool_)
        new[1:] = (
            (ordered.start[1:] != ordered.start[:-1])
            | (ordered.end[1:] != ordered.end[:-1])
            | (ordered.mark[1:] != ordered.mark[:-1])
        )
        return ordered if new.all() else ordered.where(new)

    def outside(self, stretches: Sequence[tuple[int, int]]) -> Self:
        """Drop hits inside one of these stretches, which are in order and apart."""
        if not stretches:
            return self
        low, high = np.array(stretches, np.int64).T
        index = np.searchsorted(low, self.start, side="right") - 1
        return self.where((index < 0) | (self.end > high[index]))

    def together(self, *, window: int) -> Self:
        """Drop weak hits that no strong one stands near; hits are in order."""
        weak = self.flags(WEAK)
        if not weak.any():
            return self
        strong = np.flatnonzero(~(weak | self.flags(LONE)))
        # the furthest end of any strong hit up to each place; before the first there is none
        ends = np.concatenate(([-window], np.maximum.accumulate(self.end[strong])))
        index = np.searchsorted(self.start[strong], self.end + window)
        return self.where(~weak | ((index > 0) & (ends[index] > self.start - window)))

    def each(self) -> Iterator[Hit]:
        """Yield the hits themselves."""
        kinds = np.array([mark[0] for mark in self.marks], object)
        literals = np.array([mark[1] for mark in self.marks], np.int64)
        parts = (self.start, self.end, kinds[self.mark], literals[self.mark], *map(self.flags, (WEAK, LONE, BRIEF)))
        columns: Iterable[list[object]] = (part.tolist() for part in parts)
        return map(_HIT, zip(*columns, strict=True))

    def hit(self, index: int) -> Hit:
        """Return one hit."""
        return Hit(int(self.start[index]), int(self.end[index]), *self.marks[int(self.mark[index])])


_HIT: Final[Callable[[object], Hit]] = partial(tuple.__new__, Hit)
"""Makes a hit from its parts without the frame that a class takes."""


def checked(folded: Folded, occurrences: list[Occurrence], lexicon: Lexicon) -> Crowd:
    """Return the hits among many occurrences, in their order."""
    table = _table(occurrences)
    table = table[_may_be(folded, table, lexicon)]
    group, start, end = table.T.copy()
    at = np.asarray(folded.at)
    begin = at[start]
    leader = _leaders(folded, group, begin, at[end - 1], np.array(lexicon.reaches, np.int64)[group])
    leads = np.flatnonzero(leader == np.arange(leader.size))
    marks: dict[Mark, int] = {}
    rows: list[tuple[int, int, int]] = []
    counts: list[int] = []
    for of_group, low, high, place in zip(
        *(column[leads].tolist() for column in (group, start, end, begin)), strict=True
    ):
        before = len(rows)
        for pattern in lexicon.groups[of_group]:
            hit = pattern.check(folded, low, high)
            if hit is not None:
                rows.append((hit[0] - place, hit[1] - place, marks.setdefault(hit[2:], len(marks))))
        counts.append(len(rows) - before)
    return _spread(begin, leader, leads, counts, rows, tuple(marks))


def _spread(
    begin: Numbers,
    leader: Numbers,
    leads: Numbers,
    counts: list[int],
    rows: list[tuple[int, int, int]],
    marks: tuple[Mark, ...],
) -> Crowd:
    """Give every occurrence the hits of its leader, moved to its place."""
    count = np.array(counts, np.int64)
    first = np.cumsum(count) - count
    index = np.searchsorted(leads, leader)
    count = count[index]
    before = np.cumsum(count) - count
    row = np.arange(int(count.sum())) + np.repeat(first[index] - before, count)
    place = np.repeat(begin, count)
    low, high, mark = np.array(rows, np.int64).reshape(-1, 3)[row].T
    return Crowd(place + low, place + high, mark, marks)


def possible(folded: Folded, occurrences: list[Occurrence], lexicon: Lexicon) -> list[Occurrence]:
    """Drop, many at a time, occurrences that start or end inside a token where no hit may."""
    may = _may_be(folded, _table(occurrences), lexicon)
    return [occurrences[index] for index in np.flatnonzero(may).tolist()]


def _table(occurrences: list[Occurrence]) -> Numbers:
    return np.fromiter(chain.from_iterable(occurrences), np.int64, 3 * len(occurrences)).reshape(-1, 3)


def _may_be(folded: Folded, table: Numbers, lexicon: Lexicon) -> Flags:
    """Say which occurrences do not start or end inside a token where no hit may."""
    group, start, end = table.T
    may: Flags = (~lexicon.whole_start[group] | folded.may_start(start)) & (
        ~lexicon.whole_end[group] | folded.may_end(end)
    )
    return may


def _leaders(folded: Folded, group: Numbers, begin: Numbers, last: Numbers, reach: Numbers) -> Numbers:
    """Return, for each occurrence, one whose group and surroundings are the same: itself, if there is no other."""
    low, high = folded.around(begin, last, reach)
    codes = _codes(folded.text)
    size, lead = high - low, begin - low
    number = _number(codes, low, high)
    for salt, part in zip(_SALTS, (group, size, lead), strict=True):
        number += part.astype(np.uint64) * salt
    itself = np.arange(number.size)
    leader = _firsts(number)
    same = (group == group[leader]) & (size == size[leader]) & (lead == lead[leader])
    same &= (size >= _WORD) & (size <= SURROUNDING_MOST) & (leader != itself)
    rows = np.flatnonzero(same)
    rows = rows[_are_equal(codes, low[rows], low[leader[rows]], size[rows])]
    out = itself.copy()
    out[rows] = leader[rows]
    return out


def _firsts(number: NDArray[np.uint64]) -> Numbers:
    """Return, for each number, the place of one that is equal."""
    leader = np.arange(number.size)
    rest = leader
    for _ in range(_FREQUENT):
        # a text that repeats itself has few: to pick them out costs less than to sort
        if not rest.size:
            return leader
        left = number[rest]
        same = left == left[left.size // 2]
        leader[rest[same]] = rest[left.size // 2]
        rest = rest[~same]
    order = rest[np.argsort(number[rest])]
    ranked = number[order]
    new = np.ones(order.size, np.bool_)
    new[1:] = ranked[1:] != ranked[:-1]
    leader[order] = order[new][np.cumsum(new) - 1]
    return leader


def _number(codes: NDArray[np.unsignedinteger], low: Numbers, high: Numbers) -> NDArray[np.uint64]:
    """Return a number for each stretch that is equal where the stretches are, and seldom elsewhere: a polynomial."""
    powers = np.cumprod(np.full(codes.size + 1, _POWER, np.uint64), dtype=np.uint64)
    sums = np.zeros(codes.size + 1, np.uint64)
    np.cumsum(codes * powers[:-1], out=sums[1:])
    number: NDArray[np.uint64] = (sums[high] - sums[low]) * powers[codes.size - low]
    return number


def _are_equal(codes: NDArray[np.unsignedinteger], one: Numbers, other: Numbers, size: Numbers) -> Flags:
    """Compare stretches of one text, some code points at a time. Each has eight at least."""
    if not one.size:
        return np.ones(0, np.bool_)
    step = _WORD // codes.itemsize
    words = np.ndarray((codes.size - step + 1,), np.uint64, buffer=codes, strides=(codes.itemsize,)).copy()
    equal = np.ones(one.size, np.bool_)
    # whole words that all have, then those that some have; the last word of a stretch may overlap the one before it
    least = int(size.min(initial=SURROUNDING_MOST)) // step * step
    for offset in range(0, least, step):
        moved = words[offset:]
        equal &= moved[one] == moved[other]
    live = np.flatnonzero(equal)
    for offset in range(least, int(size.max(initial=0)), step):
        live = live[size[live] > offset]
        place = np.minimum(size[live] - step, offset)
        differ = words[one[live] + place] != words[other[live] + place]
        equal[live[differ]] = False
        live = live[~differ]
    return equal


def _codes(text: str) -> NDArray[np.unsignedinteger]:
    """Return a number for each code point, as small as numbers can be that are equal where the code points are."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    present = np.zeros(0x11_0000, np.bool_)
    present[points] = True
    several = np.cumsum(present) - 1
    return several.astype(np.min_scalar_type(int(several[-1])))[points]
