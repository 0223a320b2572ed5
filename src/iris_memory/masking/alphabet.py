"""The folding alphabet: what every code point counts as when identity is compared.

A code point becomes zero or more *units* (letters and digits in one common spelling), or it separates, or it is
transparent. In this order, per code point and never across two, so that offsets stay exact:

* NFKD, full case folding, NFKD again (UAX #15, Unicode 3.13 D146): full-width, ligatures, sharp s, dotted I;
* default-ignorable and format characters are transparent, and so are the combining marks of the Latin, Greek, Cyrillic,
  Hebrew and Arabic scripts (accents, points, vowel signs); marks that carry the vowel in other scripts are units;
* decimal digits of any script become ASCII digits; letters that have no decomposition but an everyday Latin spelling
  (ø, ł, æ, small capitals, squared letters) become that;
* look-alikes of ASCII letters in Latin, Greek, Cyrillic, Armenian, Cherokee and Coptic become that letter (UTS #39).
  Upper and lower case of a letter are one class, so that folding case never separates what looks alike. A class that
  looks like two different letters (Greek nu: N and v) keeps its own unit; `READINGS` lists what it may stand for.

The tables are made once, on first use, from `unicodedata` and the confusables data; nothing here is state.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np
from confusable_homoglyphs.confusables import confusables_data
from numpy.typing import NDArray

SEPARATOR: Final = 0
UNIT: Final = 1
TRANSPARENT: Final = 2
UNSPACED: Final = 4
"""Flag: a letter of a script that is written without spaces, so that it borders on anything."""
MARK: Final = 8
"""Flag: a mark that is a unit; no token ends before it."""

UNSURE: Final = 16
"""Flag: a letter that looks like several others."""

_SPACE: Final = 0x110000

# Default_Ignorable_Code_Point of Unicode, as ranges (DerivedCoreProperties)
_IGNORABLE: Final = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip

# marks that a reader may leave out: accents, Hebrew points, Arabic vowel signs, marks for symbols
_OPTIONAL_MARKS: Final = (
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5),
    (0x05C7, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC), (0x06DF, 0x06E4),
    (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F),
)  # fmt: skip

_UNSPACED_RANGES: Final = (
    (0x0E00, 0x0EFF), (0x0F00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3040, 0x30FF),
    (0x3105, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF),
    (0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
)  # fmt: skip

# code points that need a look; all others are units in their own right (CJK, Tangut), made of jamo, or nothing
_LOOKED_AT: Final = (
    (0x80, 0x33FF), (0x4DC0, 0x4DFF), (0xA000, 0xABFF), (0xD7B0, 0xD7FF), (0xF900, 0x16FFF), (0x18D00, 0x1FFFF),
    (0x2F800, 0x2FA1F), (0xE0000, 0xE0FFF),
)  # fmt: skip
_LETTERS_AS_THEY_ARE: Final = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0x17000, 0x18CFF),
    (0x20000, 0x2F7FF),
    (0x30000, 0x3FFFF),
)
_HANGUL: Final = (0xAC00, 0xD7A3)

_PLAIN_SPELLING: Final = {
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n",
    "ƒ": "f", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y", "ɖ": "d", "ɛ": "e", "ɔ": "o",
}  # fmt: skip

_LOOK_ALIKE_SCRIPTS: Final = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC"})
_LETTER_SYMBOLS: Final = ((0x1F150, 0x1F169), (0x1F170, 0x1F189), (0x1F1E6, 0x1F1FF))


@dataclass(frozen=True, slots=True)
class Alphabet:
    """Lookup tables over all code points.

    `count` is how many units a code point makes; `first` is the unit itself where it makes one, else the place of its
    units in `many`; `role` is SEPARATOR, UNIT or TRANSPARENT with the flags. `readings` maps a unit that looks like
    several letters to all it may stand for; `coarse` maps such units and those letters to one representative.

    `typed` writes a code point as the ASCII character that it is a form of, with its case; `seen` as the ASCII
    character that a reader sees, in lower case; a question mark stands for all others.
    """

    count: NDArray[np.uint8]
    first: NDArray[np.uint32]
    many: NDArray[np.uint32]
    role: NDArray[np.uint8]
    typed: NDArray[np.uint8]
    seen: NDArray[np.uint8]
    readings: Mapping[str, frozenset[str]]
    coarse: Mapping[str, str]


def _within(ranges: tuple[tuple[int, int], ...]) -> frozenset[int]:
    return frozenset(point for low, high in ranges for point in range(low, high + 1))


def _spread(char: str) -> str:
    """Decompose and fold one character without looking at what it looks like."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())


def _look_alikes(char: str) -> Iterator[str]:
    """Yield the ASCII letters that a character looks like, in lower case."""
    for entry in confusables_data.get(char, ()):
        shape = "".join(part for part in unicodedata.normalize("NFKD", entry["c"]) if not unicodedata.combining(part))
        if len(shape) != 1:
            continue
        if not shape.isascii():
            shape = _small_capital(shape)
        if len(shape) == 1 and shape.isascii() and shape.isalpha():
            yield shape.lower()
            # UTS #39 takes capital I and small l for one shape
            if shape == "l" and char.isupper():
                yield "i"
    if char in "\u04cf\u04c0":
        yield "l"


def _small_capital(char: str) -> str:
    name = unicodedata.name(char, "")
    prefix = "LATIN LETTER SMALL CAPITAL "
    rest = name.removeprefix(prefix)
    return rest.lower() if name.startswith(prefix) and len(rest) == 1 else ""


@cache
def _classes() -> tuple[Mapping[str, str], Mapping[str, frozenset[str]]]:
    """Return what a folded letter becomes, and the readings of those that look like several letters."""
    seen: dict[str, set[str]] = {}
    for point in _within(
        ((0x80, 0x058F), (0x13A0, 0x13FF), (0x1C80, 0x1DBF), (0x1E00, 0x1FFF), (0x2C60, 0x2DFF))
    ) | _within(((0xA640, 0xA69F), (0xA720, 0xA7FF), (0xAB30, 0xABBF))):
        char = chr(point)
        if unicodedata.category(char)[0] != "L" or unicodedata.name(char, "?").split()[0] not in _LOOK_ALIKE_SCRIPTS:
            continue
        folded = _spread(char)
        if len(folded) == 1 and not folded.isascii() and folded not in _PLAIN_SPELLING:
            plain = _small_capital(char)
            seen.setdefault(folded, set()).update((plain,) if plain else _look_alikes(char))
    single = {letter: next(iter(looks)) for letter, looks in seen.items() if len(looks) == 1}
    several = {letter: frozenset(looks | {letter}) for letter, looks in seen.items() if len(looks) > 1}
    return MappingProxyType({**_PLAIN_SPELLING, **single}), MappingProxyType(several)


def _units(char: str, becomes: Mapping[str, str]) -> str:
    out = []
    for part in _spread(char):
        kind = unicodedata.category(part)
        if part in becomes:
            out.append(becomes[part])
        elif kind == "Nd":
            out.append(str(unicodedata.decimal(part)))
        elif kind in ("Lm", "Sk") and 0x02B0 <= ord(part) <= 0x02FF:
            continue  # modifier letters stand for apostrophes and the like
        elif kind[0] in "LN" or (kind[0] == "M" and ord(part) not in _OPTIONAL):
            out.append(part)
    return "".join(out)


_OPTIONAL: Final = _within(_OPTIONAL_MARKS)


@cache
def alphabet() -> Alphabet:
    """Make the tables. Takes some tens of milliseconds, once in a process."""
    count = np.zeros(_SPACE, np.uint8)
    first = np.zeros(_SPACE, np.uint32)
    role = np.zeros(_SPACE, np.uint8)
    typed = np.full(_SPACE, ord("?"), np.uint8)
    many: list[int] = []
    becomes, several = _classes()
    ignorable = _within(_IGNORABLE)

    def put(point: int, units: str) -> None:
        count[point] = len(units)
        role[point] = UNIT
        if len(units) == 1:
            first[point] = ord(units)
        else:
            first[point] = len(many)
            many.extend(map(ord, units))

    typed[:0x80] = np.arange(0x80)
    for point in range(0x80):
        if chr(point).isalnum():
            put(point, chr(point).lower())
    for low, high in _LOOKED_AT:
        for point in range(low, high + 1):
            char = chr(point)
            kind = unicodedata.category(char)
            typed[point] = _as_typed(char, kind)
            if point in ignorable or kind == "Cf" or point in _OPTIONAL:
                role[point] = TRANSPARENT
            elif kind not in ("Cn", "Cs", "Co") and (units := _units(char, becomes)):
                put(point, units)
                role[point] |= MARK if kind[0] == "M" else 0
    for low, high in _LETTER_SYMBOLS:
        for point in range(low, high + 1):
            put(point, chr(ord("a") + point - low))
    for low, high in _LETTERS_AS_THEY_ARE:
        count[low : high + 1], role[low : high + 1] = 1, UNIT
        first[low : high + 1] = np.arange(low, high + 1)
    # a Hangul syllable is two or three jamo (Unicode 3.12)
    for point in range(_HANGUL[0], _HANGUL[1] + 1):
        index = point - _HANGUL[0]
        tail = index % 28
        jamo = [0x1100 + index // 588, 0x1161 + index % 588 // 28] + ([0x11A7 + tail] if tail else [])
        count[point], role[point], first[point] = len(jamo), UNIT, len(many)
        many.extend(jamo)
    role[(count == 1) & np.isin(first, [ord(letter) for letter in several])] |= UNSURE
    for low, high in _UNSPACED_RANGES:
        role[low : high + 1] |= np.where(role[low : high + 1] & UNIT, UNSPACED, 0).astype(np.uint8)
    seen = np.where((count == 1) & (first < 0x80), first, typed).astype(np.uint8)
    for table in (count, first, role, typed, seen):
        table.setflags(write=False)
    return Alphabet(
        count, first, np.array(many, np.uint32), role, typed, seen, several, MappingProxyType(_merged(several))
    )


def _as_typed(char: str, kind: str) -> int:
    form = unicodedata.normalize("NFKC", char)
    if len(form) == 1 and form.isascii():
        return ord(form)
    return ord(" " if kind == "Zs" else "-" if kind == "Pd" else "." if char in "。｡·•" else "?")


def _merged(several: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Join all letters that share a reading, and name each group by its least letter."""
    leader: dict[str, str] = {}

    def find(letter: str) -> str:
        while leader.get(letter, letter) != letter:
            letter = leader[letter]
        return letter

    for looks in several.values():
        least = min(find(look) for look in looks)
        for look in looks:
            leader[find(look)] = least
    return {letter: find(letter) for looks in several.values() for letter in sorted(looks) if find(letter) != letter}
