"""Postal addresses: street with house number, or house number with postcode, within a window.

An address comes from the owner's file alone and is parsed once into parts. The whole of it matches as written; besides,
its street in every spelling matches when the house number stands near, and its postcode matches when the house number
stands near. A street, a city or a postcode alone never acts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded, fold
from iris_memory.masking.pattern import Hit, token_end, token_start
from iris_memory.masking.street_words import is_street_word, spellings

NUMBER_TOKENS_STREET: Final = 2
"""How many tokens away from its street a house number may stand."""
NUMBER_TOKENS_POSTCODE: Final = 5
"""How many tokens away from its postcode a house number may stand."""
GAP_MOST: Final = 6
"""How many separators may stand between two tokens of an address."""
SPELLINGS_MOST: Final = 24
"""How many spellings of one street are looked for."""
STREET_LEAST: Final = 5
"""How many units a street needs."""
WHOLE_LEAST: Final = 8
"""How many units a whole address needs where no part of it could be made out."""

_STREET_GAP: Final = frozenset(" \t\r\n\x1f.,'’-‐‑–")
_POSTCODE_GAPS: Final = frozenset(("", " ", "-", "\x1f"))
_TOKEN_MOST: Final = 20
_TAIL_TOKENS: Final = 14

_NUMBER = re.compile(r"\d{1,5}(?:\s?[a-z]\b)?(?:\s?[-/–]\s?\d{1,4}[a-z]?)?\b", re.I)
_POSTCODES: Final = tuple(
    re.compile(shape, re.I)
    for shape in (
        r"\b[a-z]{1,2}\d[a-z\d]?\s?\d[a-z]{2}\b",  # United Kingdom
        r"\b[a-z]\d[a-z]\s?\d[a-z]\d\b",  # Canada
        r"\b\d{4}\s?[a-z]{2}\b",  # Netherlands
        r"\b\d{5}-\d{3}\b|\b\d{3}-\d{4}\b|\b\d{4}-\d{3}\b|\b\d{2}-\d{3}\b",  # Brazil, Japan, Portugal, Poland
        r"\b\d{3}\s\d{2}\b",  # Sweden, Greece, Czechia
        r"\b\d{5,6}\b",
        r"\b\d{4}\b",
    )
)


@dataclass(frozen=True, slots=True)
class AddressParts:
    """What one address says, in units. `joint` is where the postcode has a space; `tokens` are all words."""

    number: str
    streets: tuple[str, ...]
    postcode: str
    joint: int
    tokens: frozenset[str]


@dataclass(frozen=True, slots=True)
class WholeAddressPattern:
    """The address as the owner wrote it."""

    units: str
    literal: int
    most: int
    whole_start: bool = True
    whole_end: bool = True

    @property
    def reach(self) -> int:
        return self.most + 4

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not (text.starts_token(start) and text.ends_token(end) and text.fits(start, end, most=self.most)):
            return None
        return Hit(text.begin(start), text.end(end), PiiKind.ADDRESS, self.literal)


@dataclass(frozen=True, slots=True)
class AddressPartPattern:
    """A street or a postcode, which counts with the house number within `within` tokens.

    `unsure` is a postcode of few digits, which could be any number: another word of the address must stand near too.
    """

    units: str
    literal: int
    parts: AddressParts
    within: int
    most: int
    joint: int | None = None
    unsure: bool = False
    whole_start: bool = True
    whole_end: bool = True

    @property
    def reach(self) -> int:
        return self.most + (_TOKEN_MOST + GAP_MOST) * (self.within + 2)

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not (text.starts_token(start) and text.ends_token(end) and self._is_one(text, start, end)):
            return None
        before = list(islice(_tokens_before(text, start), self.within))
        after = list(islice(_tokens_after(text, end), self.within))
        low, high = start, end
        span = _number_in(text, before, self.parts.number) or _number_in(text, after, self.parts.number)
        if span is None:
            return None
        near = {text.units[a:b] for a, b in before + after} - {self.parts.number}
        if self.unsure and not near & {token for token in self.parts.tokens if not token.isdigit()}:
            return None
        low, high = min(low, span[0]), max(high, span[1])
        if not text.fits(low, high, most=self.most):
            return None
        low, high = self._widened(text, low, high)
        return Hit(text.begin(low), text.end(high), PiiKind.ADDRESS, self.literal)

    def _is_one(self, text: Folded, start: int, end: int) -> bool:
        """Whether the units are written as one street, or as one postcode: broken at its joint and nowhere else."""
        if self.joint is None:
            return text.unbroken(start, end) or all(
                len(gap) <= 3 and set(gap) <= _STREET_GAP for gap in map(text.gap, range(start + 1, end))
            )
        joint = start + self.joint
        if not start < joint < end:
            return text.unbroken(start, end)
        return text.gap(joint) in _POSTCODE_GAPS and text.unbroken(start, joint) and text.unbroken(joint, end)

    def _widened(self, text: Folded, low: int, high: int) -> tuple[int, int]:
        """Take along the words of the address that stand directly before and after."""
        for a, b in islice(_tokens_after(text, high), _TAIL_TOKENS):
            if text.units[a:b] not in self.parts.tokens or not text.fits(low, b, most=self.most):
                break
            high = b
        for a, b in islice(_tokens_before(text, low), _TAIL_TOKENS):
            if text.units[a:b] not in self.parts.tokens or not text.fits(a, high, most=self.most):
                break
            low = a
        return low, high


def _number_in(text: Folded, tokens: list[tuple[int, int]], number: str) -> tuple[int, int] | None:
    for index, (low, high) in enumerate(tokens):
        if text.units[low:high] == number:
            return low, high
        for other_low, other_high in tokens[index + 1 : index + 2]:
            first, last = min(low, other_low), max(high, other_high)
            if text.units[first:last] == number:  # `221 B`, `12-14`
                return first, last
    return None


def _tokens_before(text: Folded, unit: int) -> Iterator[tuple[int, int]]:
    while unit > 0 and len(text.gap(unit)) <= GAP_MOST:
        low = token_start(text, unit - 1, most=_TOKEN_MOST)
        if not text.starts_token(low):
            return
        yield low, unit
        unit = low


def _tokens_after(text: Folded, unit: int) -> Iterator[tuple[int, int]]:
    while unit < len(text.units) and len(text.gap(unit)) <= GAP_MOST:
        high = token_end(text, unit + 1, most=_TOKEN_MOST)
        if not text.ends_token(high):
            return
        yield unit, high
        unit = high


def parse(value: str) -> AddressParts | None:
    """Read an address into parts, or None where neither street and number nor number and postcode can be made out."""
    postcode, joint, rest = _postcode(value)
    number, streets = _street(rest)
    tokens = frozenset(fold(word) for word in re.split(r"[\W_]+", value) if fold(word))
    if not number or not (streets or postcode):
        return None
    wide = frozenset(way for token in tokens for way in spellings(token)) | {postcode or number}
    return AddressParts(number, streets, postcode, joint, wide)


def _postcode(value: str) -> tuple[str, int, str]:
    """Take the postcode out of an address: the last thing with the shape of one, in the most telling shape."""
    for shape in _POSTCODES:
        found = list(shape.finditer(value))
        # a house number before the street has the shape of a short postcode; the first part is not one
        if found and (len(found) > 1 or found[-1].start() > 0):
            last = found[-1]
            joint = len(fold(re.split(r"[\s-]", last[0])[0]))
            return fold(last[0]), joint, value[: last.start()] + "," + value[last.end() :]
    return "", 0, value


def _street(value: str) -> tuple[str, tuple[str, ...]]:
    """Find the part that holds the house number, and the spellings of the street beside it."""
    for part in re.split(r"[,;\n]+", value):
        found = _NUMBER.match(part.strip()) or next(
            (match for match in _NUMBER.finditer(part) if part[match.start() - 1 : match.start()].isspace()), None
        )
        if found is None:
            continue
        rest = part.strip() if found.string is not part else part
        words = [fold(word) for word in re.split(r"[^\w'’]+", rest[: found.start()] + " " + rest[found.end() :])]
        words = [word for word in words if word]
        if words and not all(is_street_word(word) for word in words):
            ways = ("".join(way) for way in product(*(spellings(word) for word in words)))
            streets = dict.fromkeys(way for way in islice(ways, SPELLINGS_MOST) if len(way) >= STREET_LEAST)
            return fold(found[0]), tuple(streets)
    numbers = [part.strip() for part in re.split(r"[,;\n]+", value) if _NUMBER.fullmatch(part.strip())]
    return (fold(numbers[0]), ()) if numbers else ("", ())


def canonical(value: str) -> str | None:
    """Return the units of an address, or None for one that is too short to act."""
    units = fold(value)
    return units if parse(value) is not None or len(units) >= WHOLE_LEAST else None


def patterns(value: str, *, literal: int) -> Iterator[WholeAddressPattern | AddressPartPattern]:
    """Yield the patterns of one address."""
    whole = fold(value)
    most = 2 * len(value) + 32
    if len(whole) >= WHOLE_LEAST:
        yield WholeAddressPattern(whole, literal, most)
    parts = parse(value)
    if parts is None:
        return
    for street in parts.streets:
        yield AddressPartPattern(street, literal, parts, NUMBER_TOKENS_STREET, most)
    if len(parts.postcode) >= 4:
        few = parts.postcode.isdigit() and len(parts.postcode) == 4
        yield AddressPartPattern(parts.postcode, literal, parts, NUMBER_TOKENS_POSTCODE, most, parts.joint, few)
