"""The lexicon: all patterns of a corpus under one automaton.

Aho and Corasick's automaton over folded units finds every occurrence of every pattern, overlapping ones included: the
longest match is chosen after the checks, so that an occurrence that fails its check hides no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from ahocorasick_rs import AhoCorasick, Implementation, MatchKind
from numpy.typing import NDArray

from iris_memory.contracts.masking import OwnerLiteral, PiiKind
from iris_memory.masking.alphabet import alphabet
from iris_memory.masking.folding import coarsened
from iris_memory.masking.matchers import address, email, handle, link, name, phone, secret
from iris_memory.masking.pattern import Pattern

DENSE_MOST: Final = 120_000
"""Up to so many units in all patterns the automaton is a dense table (about 300 bytes a unit); above it is compact."""

Occurrence = tuple[int, int, int]
"""Which group of patterns, and the units `[start, end)`."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Patterns grouped by their units.

    `reach` bounds how many visible code points one hit depends on, `reaches` does so for each group.
    """

    groups: tuple[tuple[Pattern, ...], ...]
    never_match: frozenset[str]
    reach: int
    reaches: tuple[int, ...]
    whole_start: NDArray[np.bool_]
    whole_end: NDArray[np.bool_]
    unsure: bool

    @classmethod
    def compile(
        cls, literals: Sequence[OwnerLiteral], *, regions: Sequence[str] = (), never_match: frozenset[str] = frozenset()
    ) -> Lexicon:
        """Make the patterns of all literals."""
        by_units: dict[str, list[Pattern]] = {}
        for pattern in _patterns(literals, regions):
            if pattern.units:
                by_units.setdefault(pattern.units, []).append(pattern)
        groups = tuple(tuple(patterns) for patterns in by_units.values())
        readings = alphabet().readings
        return cls(
            groups=groups,
            never_match=never_match,
            reach=max((pattern.reach for group in groups for pattern in group), default=0) + 32,
            reaches=tuple(max(pattern.reach for pattern in group) for group in groups),
            whole_start=np.array([all(pattern.whole_start for pattern in group) for group in groups], np.bool_),
            whole_end=np.array([all(pattern.whole_end for pattern in group) for group in groups], np.bool_),
            unsure=any(unit in readings for units in by_units for unit in units),
        )

    @cached_property
    def _automaton(self) -> AhoCorasick:
        return _automaton([group[0].units for group in self.groups])

    @cached_property
    def _coarse(self) -> tuple[AhoCorasick, tuple[tuple[int, ...], ...]]:
        return self._coarse_of(range(len(self.groups)))

    @cached_property
    def _coarse_unsure(self) -> tuple[AhoCorasick, tuple[tuple[int, ...], ...]]:
        readings = alphabet().readings
        return self._coarse_of(
            index for index, group in enumerate(self.groups) if not readings.keys().isdisjoint(group[0].units)
        )

    def _coarse_of(self, indexes: Iterable[int]) -> tuple[AhoCorasick, tuple[tuple[int, ...], ...]]:
        merged: dict[str, list[int]] = {}
        for index in indexes:
            merged.setdefault(coarsened(self.groups[index][0].units), []).append(index)
        return _automaton(list(merged)), tuple(tuple(found) for found in merged.values())

    def occurrences(self, units: str) -> list[Occurrence]:
        """Find every occurrence of every group of patterns in folded units."""
        if not self.groups:
            return []
        found: list[Occurrence] = self._automaton.find_matches_as_indexes(units, overlapping=True)
        return found

    def coarse_occurrences(self, units: str, *, unsure: bool) -> Iterator[Occurrence]:
        """Find occurrences in which some unit is only a look-alike. The caller compares unit by unit.

        In a text that is not `unsure` itself, only patterns that are can occur so.
        """
        if not (unsure or self.unsure) or not self.groups:
            return
        automaton, merged = self._coarse if unsure else self._coarse_unsure
        for index, start, end in automaton.find_matches_as_indexes(coarsened(units), overlapping=True):
            for group in merged[index]:
                yield group, start, end


def _automaton(patterns: list[str]) -> AhoCorasick:
    dense = sum(map(len, patterns)) <= DENSE_MOST
    return AhoCorasick(
        patterns,
        matchkind=MatchKind.Standard,
        store_patterns=False,
        implementation=Implementation.DFA if dense else Implementation.ContiguousNFA,
    )


def _patterns(literals: Sequence[OwnerLiteral], regions: Sequence[str]) -> Iterable[Pattern]:
    addresses = [(index, literal.text) for index, literal in enumerate(literals) if literal.kind is PiiKind.EMAIL]
    yield from email.patterns(addresses)
    for index, literal in enumerate(literals):
        match literal.kind:
            case PiiKind.NAME:
                yield from name.patterns(literal.text, literal=index)
            case PiiKind.PHONE:
                yield from phone.patterns(literal.text, literal=index, regions=regions)
            case PiiKind.ADDRESS:
                yield from address.patterns(literal.text, literal=index)
            case PiiKind.HANDLE:
                yield from handle.patterns(literal.text, literal=index)
            case PiiKind.LINK:
                yield from link.patterns(literal.text, literal=index)
            case PiiKind.SECRET:
                yield from secret.patterns(literal.text, literal=index)
            case PiiKind.EMAIL:
                pass
