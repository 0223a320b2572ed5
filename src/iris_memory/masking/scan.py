"""The scan: every stretch of a text that is owner identity. One scan serves every guard; none has rules of its own.

Steps: read the text in every encoding; fold; find patterns; check each occurrence; add keys of known issuers; map back
to the original; drop weak hits that stand alone; resolve overlaps. Each step is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
from ahocorasick_rs import AhoCorasick, MatchKind

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.corpus import Corpus
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
_KNOWN_MOST: Final = 4096
_ISSUERS: Final = AhoCorasick(list(ISSUER_PREFIXES), matchkind=MatchKind.LeftmostLongest)
_TOKEN = re.compile(r"\[owner~?:(?:" + "|".join(kind.value for kind in PiiKind) + r")#[0-9]{1,6}\]")
_INSIDE_KEY: Final = np.array([byte < 0x80 and (chr(byte).isalnum() or chr(byte) == "_") for byte in range(256)])
_NEVER_SPARED: Final = (PiiKind.LINK, PiiKind.SECRET)


class Stretch(NamedTuple):
    """A stretch of the original and the hits that were merged into it, the longest first."""

    start: int
    end: int
    hits: tuple[Hit, ...]


def scan(text: str, corpus: Corpus) -> list[Stretch]:
    """Return the stretches of a text that are owner identity, from left to right, none overlapping another."""
    hits = find(text, corpus)
    return list(resolved(hits)) if hits else []


def find(text: str, corpus: Corpus) -> list[Hit]:
    """Return all hits in a text, ordered by start and, where they start together, the longest first."""
    hits = candidates(text, corpus)
    return together(hits) if any(hit.weak for hit in hits) else hits


def candidates(text: str, corpus: Corpus) -> list[Hit]:
    """Return all hits in order, weak ones included wherever they stand."""
    lexicon = corpus.lexicon
    text = without_surrogates(text)
    found: list[Hit] = []
    for reading in readings(text):
        hits = _hits(reading, lexicon)
        if reading.outer is None:
            found += hits
        else:
            for hit in hits:
                if not (reading.chancy and hit.brief):
                    start, end = reading.original(hit.start, hit.end)
                    found.append(hit._replace(start=start, end=end))
    return _kept(text, found, lexicon) if found else found


def _hits(reading: Reading, lexicon: Lexicon) -> list[Hit]:
    folded = Folded(reading.text)
    occurrences = lexicon.occurrences(folded.units)
    if len(occurrences) > _FEW:
        hits = _hits_of_many(folded, _possible(folded, occurrences, lexicon), lexicon)
    else:
        hits = [hit for group, start, end in occurrences for hit in _checked(folded, group, start, end, lexicon)]
    hits += _unsure_hits(folded, lexicon)
    hits += _issued(reading)
    return hits


def _checked(folded: Folded, group: int, start: int, end: int, lexicon: Lexicon) -> Iterator[Hit]:
    for pattern in lexicon.groups[group]:
        hit = pattern.check(folded, start, end)
        if hit is not None:
            yield hit


def _hits_of_many(folded: Folded, occurrences: Sequence[Occurrence], lexicon: Lexicon) -> list[Hit]:
    """Check many occurrences. Equal surroundings give equal hits, so that a text that repeats itself costs little."""
    if not folded.is_all_visible:
        return [hit for group, start, end in occurrences for hit in _checked(folded, group, start, end, lexicon)]
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
            if len(known) < _KNOWN_MOST:
                known[key] = tuple(hit._replace(start=hit.start - begin, end=hit.end - begin) for hit in found)
        else:
            for first, last, kind, literal, weak, lone, brief in seen:
                hits.append(_hit(Hit, (begin + first, begin + last, kind, literal, weak, lone, brief)))
    return hits


def _possible(folded: Folded, occurrences: Sequence[Occurrence], lexicon: Lexicon) -> list[Occurrence]:
    """Drop, many at a time, occurrences that start or end inside a token where no hit may."""
    table = np.array(occurrences, np.int64)
    group, start, end = table[:, 0], table[:, 1], table[:, 2]
    may = (~lexicon.whole_start[group] | folded.may_start(start)) & (~lexicon.whole_end[group] | folded.may_end(end))
    return [occurrences[index] for index in np.flatnonzero(may).tolist()]


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
    if "[owner" in text:
        tokens = [found.span() for found in _TOKEN.finditer(text)]
        starts = [low for low, _ in tokens]
        hits = [hit for hit in hits if not _is_inside(hit, tokens, starts)]
    return hits


_hit: Final = tuple.__new__
"""Makes a hit from its parts without the frame that a class takes: a crowd of them is a hundred thousand."""


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
                yield Stretch(alone[0], alone[1], (alone,))
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
    last = resolver.close() if alone is None else Stretch(alone[0], alone[1], (alone,))
    if last is not None:
        yield last


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
        if len(hits) > 1:
            hits.sort(key=lambda hit: hit.start - hit.end)
        return Stretch(self._start, self._end, tuple(hits))

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
