"""Names: the full name in its everyday forms, as whole words, whatever separates them.

Forms of `Ada Augusta Lovelace`: in order, `Lovelace, Ada Augusta`, `Ada Lovelace`, initials and last name
(`A. Lovelace`, `A. A. Lovelace`, `Lovelace, A.`), title and last name (`Dr Lovelace`), `Ada X. Lovelace`; written with
or without accents, umlauts as two letters, joined or hyphenated, with a possessive or a simple ending.

A one-word name is a `lone name`. One that is an everyday word, or has two letters, counts only where it is capitalised
and only near something stronger. A name whose every word is an everyday word counts where it is capitalised.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.alphabet import UNSPACED, alphabet
from iris_memory.masking.folding import Folded, fold
from iris_memory.masking.pattern import Hit, token_end, token_start
from iris_memory.masking.words import EVERYDAY_WORDS, listed

GAP_MOST: Final = 6
"""How many visible characters may stand between two words of a name."""

JOINT_MOST: Final = 2
"""How many visible characters may stand where a word of a name has a hyphen or an apostrophe."""

JOINED_LEAST: Final = 8
"""How many units a name needs before it counts when written as one word."""

_TITLES: Final = listed(
    """
    mr mrs ms mx miss dr prof professor doctor sir dame lord lady rev father sister brother captain capt herr frau
    fraulein hr fr dipling monsieur madame mademoiselle mme mlle maitre senor senora senorita sr sra srta don dona
    signor signora signore sig dott dottssa ing avv senhor senhora dom mevrouw meneer mijnheer dhr mevr mw pan pani
    gospodin gospoda bay bayan san sama
    """
)
_PARTICLES: Final = listed(
    """
    van von der den de del della di da dos das du la le ter ten zu zur af av al el bin ibn ben mac mc st santa y
    """
)
_ENDINGS: Final = listed("s es n en a u y e i em om ou ovi ova ovu ie im ym") | frozenset(
    fold(ending) for ending in listed("а у ом ой е ы и ю ем ов ова ову овым ым")
)
_GAP: Final = frozenset(" \t\r\n\x1f-_.,'\"’‘“”/+&·*|()[]‐‑‒–—=>")
_NARROW_GAP: Final = frozenset(" \t\r\n\x1f,'\"_-")
_LONE_ENDINGS: Final = frozenset({"s"})
_DIGRAPHS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe"}
)
_WORD = re.compile(r"[^\s,;]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_SPACELESS_FULL_NAME: Final = 3


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A name in one order. `words` are the lengths of its words in units; `places` are the units before which something
    may stand: between two words (True), or where a word has a hyphen or an apostrophe (False)."""

    units: str
    literal: int
    words: tuple[int, ...]
    places: tuple[tuple[int, bool], ...]
    capitalised: bool
    weak: bool
    lone: bool
    reversed: bool
    spaceless: bool
    plain: bool
    whole_start: bool
    whole_end: bool = False
    reach: int = 0

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not (self.spaceless or text.starts_token(start)):
            return None
        stop = self._ending(text, end)
        if stop is None or not self._spaced_as_written(text, start, end):
            return None
        if self.capitalised and not self._is_capitalised(text, start):
            return None
        begin, finish = text.begin(start), text.end(stop)
        weak = self.weak
        if self.lone and self.plain and not text.plain:
            # a word of another script that merely looks like a short name
            written = unicodedata.normalize("NFKD", text.text[begin:finish])
            weak = weak or not any(char.isascii() and char.isalpha() for char in written)
        return Hit(begin, finish, PiiKind.NAME, self.literal, weak, self.lone, len(self.units) < 5)

    def _ending(self, text: Folded, end: int) -> int | None:
        if text.ends_token(end) or self.spaceless:
            return end
        stop = token_end(text, end, most=4)
        if not text.ends_token(stop):
            return None
        allowed = _LONE_ENDINGS if self.lone else _ENDINGS
        if self.lone and (self.weak or len(self.units) < 4):
            return None
        return stop if text.units[end:stop] in allowed else None

    def _spaced_as_written(self, text: Folded, start: int, end: int) -> bool:
        joined = False
        for place, is_word in self.places:
            gap = text.gap(start + place)
            if not gap:
                joined = joined or is_word
            elif not (self._may_part(gap) if is_word else len(gap) <= JOINT_MOST):
                return False
        if joined and not self.spaceless and (len(self.units) < JOINED_LEAST or self.units in EVERYDAY_WORDS):
            return False
        return unbroken_but(text, start, end, self.places)

    def _may_part(self, gap: str) -> bool:
        narrow = self.reversed or self.capitalised
        return len(gap) <= GAP_MOST and (gap == " " or set(gap) <= (_NARROW_GAP if narrow else _GAP))

    def _is_capitalised(self, text: Folded, start: int) -> bool:
        for length in self.words:
            if text.text[text.begin(start)].islower():
                return False
            start += length
        return True


@dataclass(frozen=True, slots=True)
class SurnamePattern:
    """A last name, which counts only with a title, with the owner's initials, or with the first name and an initial."""

    units: str
    literal: int
    first: str
    initials: str
    everyday: bool
    places: tuple[tuple[int, bool], ...]
    whole_start: bool = True
    whole_end: bool = False
    reach: int = 0

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        stop = token_end(text, end, most=4)
        if not text.ends_token(stop) or (stop > end and text.units[end:stop] not in _ENDINGS):
            return None
        if not text.starts_token(start):
            return None
        if not text.unbroken(start, end) and not (
            all(len(text.gap(start + place)) <= JOINT_MOST for place, _ in self.places)
            and unbroken_but(text, start, end, self.places)
        ):
            return None
        if self.everyday and text.text[text.begin(start)].islower():
            return None
        begin = self._led_by(text, start)
        if begin is not None:
            return Hit(begin, text.end(stop), PiiKind.NAME, self.literal)
        finish = self._followed_by_initials(text, stop)
        if finish is not None:
            return Hit(text.begin(start), finish, PiiKind.NAME, self.literal)
        return None

    def _led_by(self, text: Folded, start: int) -> int | None:
        """Return where the title, the initials or the first name before the last name begin."""
        letters, found = "", None
        unit, dotted = start, True
        while unit > 0 and len(letters) < 4:
            gap = text.gap(unit)
            if not gap or len(gap) > 3 or not set(gap) <= _BETWEEN:
                break
            low = token_start(text, unit - 1, most=12)
            token = text.units[low:unit]
            if len(token) > 12 or not text.starts_token(low):
                break
            if letters:
                if self._is_first(text, unit):
                    return text.begin(unit - len(self.first))
            elif token in _TITLES:
                return text.begin(low)
            if not token.isalpha() or (len(token) > 1 and (letters or token != self.initials)):
                break
            dotted = dotted and "." in gap
            letters = token + letters
            unit = low
            if letters in (self.initials[: len(letters)], self.initials[0]) and self._is_signed(
                text, unit, start, dotted
            ):
                found = text.begin(unit)
        return found

    def _is_first(self, text: Folded, unit: int) -> bool:
        """Whether the first name stands directly before a unit, hyphens in it aside."""
        low = unit - len(self.first)
        return (
            low >= 0
            and text.units.startswith(self.first, low)
            and text.starts_token(low)
            and text.fits(low, unit, most=len(self.first) + 2 * JOINT_MOST)
        )

    def _is_signed(self, text: Folded, unit: int, start: int, dotted: bool) -> bool:
        """Whether initials are written as such: with full stops, or as capitals before a capital."""
        if dotted:
            return True
        if self.everyday and text.units[unit:start] in _SINGLE_LETTER_WORDS:
            return False
        last = text.text[text.begin(start) : text.end(start + len(self.units))]
        return text.text[text.begin(unit)].isupper() and not last.islower()

    def _followed_by_initials(self, text: Folded, end: int) -> int | None:
        if end >= len(text.units) or not _COMMA.fullmatch(text.gap(end)):
            return None
        stop = end + 1
        if text.units[end] != self.initials[0] or not text.ends_token(stop) or text.text[text.begin(end)].islower():
            return None
        offset = text.end(stop)
        following = text.text[offset : offset + 1]
        return offset + 1 if following == "." else None


_SINGLE_LETTER_WORDS: Final = frozenset("aioyeu")
_BETWEEN: Final = frozenset(" .-_\t\n\r\x1f'’")
_COMMA = re.compile(r"\s?,\s?")


def patterns(value: str, *, literal: int) -> Iterator[NamePattern | SurnamePattern]:
    """Yield the patterns of one name. A name of a single letter has none."""
    spellings = dict.fromkeys((value, value.translate(_DIGRAPHS)))
    seen: set[str] = set()
    for spelling in spellings:
        words = [word for word in _WORD.findall(spelling) if fold(word)]
        if "," in spelling and len(words) > 1:
            words = words[1:] + words[:1]  # the owner wrote the last name first
        for pattern in _orders(words, literal):
            if pattern.units not in seen:
                seen.add(pattern.units)
                yield pattern
        yield from _surname(words, literal)


def _orders(words: list[str], literal: int) -> Iterator[NamePattern]:
    if not words:
        return
    if len(words) == 1:
        pattern = _named(words, literal, lone=not _is_full_without_space(words[0]))
        if len(pattern.units) > 1:
            yield pattern
        return
    last = _last_words(words)
    given = words[: len(words) - len(last)]
    yield _named(words, literal)
    yield _named(last + given, literal, in_reverse=True)
    if len(given) > 1:
        yield _named(given[:1] + last, literal)
        yield _named(last + given[:1], literal, in_reverse=True)


def _named(words: list[str], literal: int, *, lone: bool = False, in_reverse: bool = False) -> NamePattern:
    parts = [fold(word) for word in words]
    units = "".join(parts)
    places = _places(words)
    spaceless = bool(alphabet().role[ord(words[0][0])] & UNSPACED) and bool(
        alphabet().role[ord(words[-1][-1])] & UNSPACED
    )
    everyday = all(part in EVERYDAY_WORDS or len(part) == 1 for part in parts)
    short = lone and len(units) <= 2 and not spaceless
    return NamePattern(
        units=units,
        literal=literal,
        words=tuple(len(part) for part in parts),
        places=places,
        capitalised=everyday or short,
        weak=lone and (everyday or short),
        lone=lone,
        reversed=in_reverse,
        spaceless=spaceless,
        plain=units.isascii(),
        whole_start=not spaceless,
        reach=len(units) + GAP_MOST * len(words) + JOINT_MOST * len(places) + 8,
    )


def _places(words: list[str]) -> tuple[tuple[int, bool], ...]:
    """Return where, in units, one word ends and another begins (True) and where a word has a joint (False)."""
    places: dict[int, bool] = {}
    place = 0
    for word in words:
        for part in re.split(r"[\W_]+", word):
            if place and fold(part):
                places.setdefault(place, False)
            place += len(fold(part))
        places[place] = True
    del places[place]
    return tuple(sorted(places.items()))


def unbroken_but(text: Folded, start: int, end: int, places: tuple[tuple[int, bool], ...]) -> bool:
    """Whether no separator stands between the units `[start, end)` other than at these places."""
    edges = [start, *(start + place for place, _ in places), end]
    return all(text.unbroken(low, high) for low, high in pairwise(edges))


def _last_words(words: list[str]) -> list[str]:
    """Return the last name with the particles before it."""
    cut = len(words) - 1
    while cut > 1 and fold(words[cut - 1]) in _PARTICLES:
        cut -= 1
    return words[cut:]


def _surname(words: list[str], literal: int) -> Iterator[SurnamePattern]:
    if len(words) < 2:
        return
    last = _last_words(words)
    given = words[: len(words) - len(last)]
    initials = "".join(fold(part)[:1] for word in given for part in re.split(r"[\W_]+", word) if fold(part))
    for part in (last, last[-1:]) if len(last) > 1 else (last,):
        form = "".join(fold(word) for word in part)
        if len(form) >= 3 and initials:
            yield SurnamePattern(
                units=form,
                places=_places(part),
                literal=literal,
                first=fold(given[0]),
                initials=initials,
                everyday=form in EVERYDAY_WORDS,
                reach=len(form) + JOINT_MOST * len(part) + 72,
            )


def _is_full_without_space(word: str) -> bool:
    """Whether a name written without spaces is a whole name: three ideographs, kana or syllables at least."""
    if _HANGUL.match(word):
        return len(_HANGUL.findall(word)) >= _SPACELESS_FULL_NAME
    return bool(alphabet().role[ord(word[0])] & UNSPACED) and len(word) >= _SPACELESS_FULL_NAME
