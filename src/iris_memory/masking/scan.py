"""The scan: every stretch of a text that is owner identity. One scan serves every guard; none has rules of its own.

Steps: read the text in every encoding; fold; find patterns; check each occurrence; add keys of known issuers; map back
to the original; drop weak hits that stand alone; resolve overlaps. Each step is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from operator import itemgetter
from typing import Final, NamedTuple, overload

import numpy as np
from ahocorasick_rs import AhoCorasick, MatchKind

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking import crowds
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.crowds import Crowd
from iris_memory.masking.encodings import Reading, readings
from iris_memory.masking.folding import Folded, fold, without_surrogates
from iris_memory.masking.lexicon import Lexicon, Occurrence
from iris_memory.masking.matchers.secret import ISSUER_PREFIXES, issued
from iris_memory.masking.pattern import Hit

WINDOW: Final = 200
"""How many code points a weak literal may stand away from a strong one."""

EXTENT_MOST: Final = 512
"""How long a stretch may grow by merging; what overlaps its end after that starts a stretch of its own."""

_FEW: Final = 48
_CROWD: Final = 256
"""How many occurrences are a crowd, which is decided in columns; one more for each 1,024 code points of the text."""

_ISSUERS: Final = AhoCorasick(list(ISSUER_PREFIXES), matchkind=MatchKind.LeftmostLongest)
_TOKEN = re.compile(r"\[owner~?:(?:" + "|".join(kind.value for kind in PiiKind) + r")#[0-9]{1,6}\]")
_INSIDE_KEY: Final = np.array([byte < 0x80 and (chr(byte).isalnum() or chr(byte) == "_") for byte in range(256)])
_NEVER_SPARED: Final = (PiiKind.LINK, PiiKind.SECRET)


class Merged(NamedTuple):
    """A stretch of the original and the hits that were merged into it, the longest first."""

    start: int
    end: int
    hits: tuple[Hit, ...]


Stretch = Hit | Merged
"""A stretch of the original that is owner identity. A hit that stands alone is its own stretch."""


class Stretches(Sequence[Stretch]):
    """The stretches of a crowd. Hits that stand alone stay columns, and are made when somebody looks at them.

    `others` are the rest, each with the number of hits that stand before it.
    """

    __slots__ = ("_alone", "_at", "_others")

    def __init__(self, alone: Crowd, others: Sequence[tuple[int, Stretch]]) -> None:
        self._alone = alone
        self._others = others
        self._at = [place + number for number, (place, _) in enumerate(others)]

    def __len__(self) -> int:
        return self._alone.start.size + len(self._others)

    def __iter__(self) -> Iterator[Stretch]:
        hits = self._alone.each()
        done = 0
        for place, stretch in self._others:
            yield from islice(hits, place - done)
            yield stretch
            done = place
        yield from hits

    @overload
    def __getitem__(self, index: int) -> Stretch: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Stretch]: ...
    def __getitem__(self, index: int | slice) -> Stretch | Sequence[Stretch]:
        place = range(len(self))[index]
        if isinstance(place, range):
            return [self[one] for one in place]
        before = bisect_left(self._at, place)
        if before < len(self._at) and self._at[before] == place:
            return self._others[before][1]
        return self._alone.hit(place - before)


def scan(text: str, corpus: Corpus) -> Sequence[Stretch]:
    """Return the stretches of a text that are owner identity, from left to right, none overlapping another."""
    hits = _ordered(text, corpus.lexicon)
    if isinstance(hits, Crowd):
        return _resolved(hits.together(window=WINDOW))
    if any(hit.weak for hit in hits):
        hits = together(hits)
    return list(resolved(hits)) if hits else []


def candidates(text: str, corpus: Corpus) -> list[Hit]:
    """Return all hits in order, weak ones included wherever they stand."""
    hits = _ordered(text, corpus.lexicon)
    return list(hits.each()) if isinstance(hits, Crowd) else hits


def _ordered(text: str, lexicon: Lexicon) -> list[Hit] | Crowd:
    text = without_surrogates(text)
    found: list[Hit] = []
    parts: list[Crowd] = []
    for reading in readings(text):
        hits, crowd = _hits(reading, lexicon)
        if crowd is not None:
            # what was found before stands before
            parts += (Crowd.of(found), _outermost(reading, crowd))
            found = []
        if reading.outer is None:
            found += hits
        else:
            for hit in hits:
                if not (reading.chancy and hit.brief):
                    start, end = reading.original(hit.start, hit.end)
                    found.append(hit._replace(start=start, end=end))
    if parts:
        return _kept_crowd(text, Crowd.joined([*parts, Crowd.of(found)]), lexicon)
    return _kept(text, found, lexicon) if found else found


def _hits(reading: Reading, lexicon: Lexicon) -> tuple[list[Hit], Crowd | None]:
    """Return the hits of one reading; those of a crowd of occurrences come apart, and stand before the others."""
    folded = Folded(reading.text)
    occurrences = lexicon.occurrences(folded.units)
    crowd, hits = None, []
    if len(occurrences) > _CROWD + len(reading.text) // 1024:
        crowd = crowds.checked(folded, occurrences, lexicon)
    elif len(occurrences) > _FEW and folded.is_all_visible:
        hits = _hits_of_many(folded, crowds.possible(folded, occurrences, lexicon), lexicon)
    else:
        hits = [hit for group, start, end in occurrences for hit in _checked(folded, group, start, end, lexicon)]
    hits += _unsure_hits(folded, lexicon)
    hits += _issued(reading)
    return hits, crowd


def _outermost(reading: Reading, crowd: Crowd) -> Crowd:
    """Return a crowd with the places that it stands for in the original."""
    if reading.outer is None:
        return crowd
    if reading.chancy:
        crowd = crowd.where(~crowd.flags(crowds.BRIEF))
    places = map(reading.original, crowd.start.tolist(), crowd.end.tolist())
    start, end = np.array(list(places), np.int64).reshape(-1, 2).T
    return crowd._replace(start=start, end=end)


def _checked(folded: Folded, group: int, start: int, end: int, lexicon: Lexicon) -> Iterator[Hit]:
    for pattern in lexicon.groups[group]:
        hit = pattern.check(folded, start, end)
        if hit is not None:
            yield hit


_hit: Final = tuple.__new__
"""Makes a hit from its parts without the frame that a class takes."""


def _hits_of_many(folded: Folded, occurrences: Iterable[Occurrence], lexicon: Lexicon) -> list[Hit]:
    """Check many occurrences that are no crowd yet. Equal surroundings give equal hits: each is checked once."""
    known: dict[tuple[int, int, str], tuple[Hit, ...]] = {}
    hits: list[Hit] = []
    text, at, reaches = folded.text, folded.at, lexicon.reaches
    for group, start, end in occurrences:
        begin, reach = at[start], reaches[group]
        low = begin - reach if begin > reach else 0
        key = (group, begin - low, text[low : at[end - 1] + reach])
        seen = known.get(key)
        if seen is None:
            found = tuple(_checked(folded, group, start, end, lexicon))
            hits += found
            known[key] = tuple(hit._replace(start=hit.start - begin, end=hit.end - begin) for hit in found)
        else:
            for first, last, kind, literal, weak, lone, brief in seen:
                hits.append(_hit(Hit, (begin + first, begin + last, kind, literal, weak, lone, brief)))
    return hits


def _unsure_hits(folded: Folded, lexicon: Lexicon) -> Iterator[Hit]:
    for group, start, end in lexicon.coarse_occurrences(folded.units, unsure=folded.unsure):
        for pattern in lexicon.groups[group]:
            if not folded.units.startswith(pattern.units, start) and folded.same(start, pattern.units):
                hit = pattern.check(folded, start, end)
                if hit is not None:
                    yield hit


def _issued(reading: Reading) -> Iterator[Hit]:
    plain, kept = reading.in_ascii
    occurrences = _ISSUERS.find_matches_as_indexes(plain)
    if len(occurrences) > _FEW:
        # most of a crowd stands inside runs of key characters, where nothing starts
        before = np.frombuffer(("\n" + plain).encode("ascii"), np.uint8)[[start for _, start, _ in occurrences]]
        occurrences = [occurrences[index] for index in np.flatnonzero(~_INSIDE_KEY[before]).tolist()]
    for prefix, start, _ in occurrences:
        span = issued(plain, prefix=prefix, start=start)
        if span is not None:
            low, high = span if kept is None else (int(kept[span[0]]), int(kept[span[1] - 1]) + 1)
            yield Hit(low, high, PiiKind.SECRET, -1)


def _kept(text: str, found: Iterable[Hit], lexicon: Lexicon) -> list[Hit]:
    """Put hits in order, without what the owner never wants matched and without what stands inside a pseudonym."""
    ordered = _in_order(found)
    hits = [hit for hit, before in zip(ordered, [None, *ordered], strict=False) if hit != before]
    if lexicon.never_match:
        never = _Spared(lexicon.never_match)
        hits = [hit for hit in hits if hit.kind in _NEVER_SPARED or not never[text[hit.start : hit.end]]]
    if tokens := _tokens(text):
        starts = [low for low, _ in tokens]
        hits = [hit for hit in hits if not _is_inside(hit, tokens, starts)]
    return hits


def _kept_crowd(text: str, found: Crowd, lexicon: Lexicon) -> Crowd:
    """Do for a crowd what `_kept` does for hits."""
    crowd = found.in_order()
    if lexicon.never_match:
        never = _Spared(lexicon.never_match)
        spared = [never[text[low:high]] for low, high in zip(crowd.start.tolist(), crowd.end.tolist(), strict=True)]
        always = np.array([mark[0] in _NEVER_SPARED for mark in crowd.marks], np.bool_)[crowd.mark]
        crowd = crowd.where(always | ~np.array(spared, np.bool_))
    return crowd.outside(_tokens(text))


def _tokens(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in _TOKEN.finditer(text)] if "[owner" in text else []


def _in_order(found: Iterable[Hit]) -> list[Hit]:
    """Return hits by start, the longest first, then by kind and literal."""
    ordered = list(found)
    if len(ordered) <= _FEW:
        ordered.sort(key=lambda hit: (hit[0], -hit[1], hit[2], hit[3]))
        return ordered
    # stable sorts by plain numbers, the least one first: no tuple is made for a comparison
    ordered.sort(key=itemgetter(2, 3))
    ordered.sort(key=itemgetter(1), reverse=True)
    ordered.sort(key=itemgetter(0))
    return ordered


class _Spared(dict[str, bool]):
    """Whether a written literal is one that the owner never wants matched, folded once per spelling."""

    def __init__(self, never_match: frozenset[str]) -> None:
        super().__init__()
        self._never_match = never_match

    def __missing__(self, written: str) -> bool:
        self[written] = spared = fold(written) in self._never_match
        return spared


def _is_inside(hit: Hit, tokens: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    index = bisect_right(starts, hit.start) - 1
    return index >= 0 and hit.end <= tokens[index][1]


def together(hits: Sequence[Hit]) -> list[Hit]:
    """Drop weak hits that no strong one stands near. One pass: `hits` are ordered by start."""
    strong = [hit for hit in hits if is_strong(hit)]
    starts = [hit.start for hit in strong]
    # the furthest end of any strong hit up to each place
    ends = list(accumulate((hit.end for hit in strong), max))
    kept = []
    for hit in hits:
        if hit.weak:
            index = bisect_left(starts, hit.end + WINDOW)
            if index == 0 or ends[index - 1] <= hit.start - WINDOW:
                continue
        kept.append(hit)
    return kept


def is_strong(hit: Hit) -> bool:
    """Whether a weak hit may lean on this one."""
    return not (hit.weak or hit.lone_name)


def resolved(hits: Iterable[Hit]) -> Iterator[Stretch]:
    """Resolve overlaps from left to right.

    The first and longest hit opens a stretch. A shorter hit inside another is that other; one that overlaps its end and
    is another literal, or longer, lengthens it; the same literal again (`Ada Lovelace Ada`) is left out.
    """
    resolver = Resolver()
    alone: Hit | None = None
    for hit in hits:
        if alone is not None:
            # most hits meet one other at most, and need no state for it
            if hit[0] >= alone[1]:
                yield alone
                alone = hit
                continue
            if _adds_nothing(hit, alone):
                continue
            resolver.take(alone)
            alone = None
        done = resolver.take(hit)
        if done is not None:
            yield done
        alone = resolver.taken_back()
    last = resolver.close() if alone is None else alone
    if last is not None:
        yield last


def _resolved(crowd: Crowd) -> Stretches:
    """Resolve a crowd as `resolved` does. Where a stretch is more than one hit, the resolver decides."""
    columns = zip(crowd.start.tolist(), crowd.end.tolist(), crowd.literals().tolist(), strict=True)
    resolver = Resolver()
    alone: list[int] = []
    others: list[tuple[int, Stretch]] = []
    first = until = literal = open_at = 0
    meets_one = False
    for index, (start, end, of_literal) in enumerate(columns):
        if start >= until:
            if meets_one:
                alone.append(open_at)
            elif (done := resolver.close()) is not None:
                others.append((len(alone), done))
            meets_one, open_at, first, until, literal = True, index, start, end, of_literal
            continue
        if meets_one:
            if end <= until:
                if start != first or end != until:
                    continue
            elif literal == of_literal and end - start <= until - first:
                continue
            resolver.take(crowd.hit(open_at))
            meets_one = False
        done = resolver.take(crowd.hit(index))
        if done is not None:
            others.append((len(alone), done))
        until = resolver.open_until
    if meets_one:
        alone.append(open_at)
    elif (done := resolver.close()) is not None:
        others.append((len(alone), done))
    return Stretches(crowd.where(np.array(alone, np.int64)), others)


def _adds_nothing(hit: Hit, alone: Hit) -> bool:
    """Whether a hit that overlaps the only one of a stretch is inside it, or is the same literal and no longer."""
    if hit[1] <= alone[1]:
        return hit[:2] != alone[:2]
    return hit[2] is alone[2] and hit[3] == alone[3] and hit[1] - hit[0] <= alone[1] - alone[0]


def _holds(outer: Hit, inner: Hit) -> bool:
    """Whether a hit contains another that is shorter."""
    return outer.start <= inner.start and inner.end <= outer.end and outer[:2] != inner[:2]


class Resolver:
    """The state of resolving: the stretch that is open. A stream keeps one across its chunks."""

    __slots__ = ("_end", "_hits", "_start")

    def __init__(self) -> None:
        self._start = self._end = 0
        self._hits: list[Hit] = []

    @property
    def open_from(self) -> int | None:
        """Where the open stretch starts, or None."""
        return self._start if self._hits else None

    @property
    def open_until(self) -> int:
        """Where the last stretch ends so far."""
        return self._end

    def take(self, hit: Hit) -> Stretch | None:
        """Take the next hit, in the order of `find`; return the stretch that it shows to be complete, if any."""
        if self._hits and hit.start < self._end:
            if hit.end <= self._end:
                if not any(_holds(other, hit) for other in self._hits):
                    self._hits.append(hit)
                return None
            again = any(hit.kind is other.kind and hit.literal == other.literal for other in self._hits)
            if again and hit.end - hit.start <= self._end - self._start:
                return None
            if hit.end - self._start <= EXTENT_MOST:
                self._hits.append(hit)
                self._end = hit.end
                return None
            hit = hit._replace(start=self._end)
        done = self.close()
        self._start, self._end, self._hits = hit.start, hit.end, [hit]
        return done

    def close(self) -> Stretch | None:
        """Return the open stretch, if any, as complete."""
        if not self._hits:
            return None
        hits, self._hits = self._hits, []
        if len(hits) == 1:
            return hits[0]
        hits.sort(key=lambda hit: hit.start - hit.end)
        return Merged(self._start, self._end, tuple(hits))

    def taken_back(self) -> Hit | None:
        """Return the only hit of the open stretch, which is then open no more; None where it has several."""
        if len(self._hits) != 1:
            return None
        (hit,), self._hits = self._hits, []
        return hit

    def shift(self, by: int) -> None:
        """Move all offsets to the left: a stream has dropped so much of what it had read."""
        self._start, self._end = self._start - by, self._end - by
        self._hits = [hit._replace(start=hit.start - by, end=hit.end - by) for hit in self._hits]
