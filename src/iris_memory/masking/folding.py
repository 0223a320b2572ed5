"""Folding: the same text as bare units, with every unit's place in the original.

A folded text holds letters and digits only, in the spelling of `alphabet`; separators and transparent characters are
left out, so that one automaton finds a literal whatever stands between its parts. What was left out is not lost: `at`
leads back to the original, and `gap` reads what stands between two units.

Laws: every offset is a code-point offset of the original text; folding looks at one code point at a time, so the fold
of a slice is the slice of the fold; ASCII text takes a path of byte translations.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iris_memory.masking.alphabet import MARK, TRANSPARENT, UNIT, UNSPACED, UNSURE, alphabet

_LOWER: Final = bytes(ord(chr(byte).lower()) if byte < 0x80 else byte for byte in range(256))
_NOT_UNITS: Final = bytes(byte for byte in range(256) if byte >= 0x80 or not chr(byte).isalnum())
_IS_UNIT: Final = bytes(byte < 0x80 and chr(byte).isalnum() for byte in range(256))

_LONG_GAP: Final = 64
_FULL_STOPS: Final = str.maketrans(dict.fromkeys("。｡．․·•", "."))
_SURROGATES = re.compile("[\ud800-\udfff]+")
_JAMO: Final = ("\u1100", "\u11ff")
_LEADING_JAMO_END: Final = "\u115f"


class Folded:
    """A text and its units. `units[u]` comes from the code point at `at[u]` of `text`."""

    text: str
    units: str
    plain: bool
    """Whether the text is ASCII."""
    unsure: bool
    """Whether a unit of it looks like several letters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = text.isascii()
        self.unsure = False
        if self.plain:
            self.units = text.encode("ascii").translate(_LOWER, _NOT_UNITS).decode("ascii")
        else:
            self._fold_wide()

    def _fold_wide(self) -> None:
        letters = alphabet()
        points = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        counts = letters.count[points]
        if counts.size and int(counts.max()) > 1:
            ends = np.cumsum(counts, dtype=np.uint32)
            size = int(ends[-1])
            at = np.repeat(np.arange(points.size), counts)
            # where a code point makes several units, they stand side by side in `many`
            place = np.repeat(letters.first[points], counts)
            several = np.repeat(counts > 1, counts)
            place[several] += (np.arange(size, dtype=np.uint32) - np.repeat(ends - counts, counts))[several]
            place[several] = letters.many[place[several]]
            units = place
        else:
            at = np.flatnonzero(counts)
            units = letters.first[points[at]]
        self.units = units.tobytes().decode("utf-32-le")
        self.at = at.data
        self._points = points
        self.unsure = bool((letters.role[points] & UNSURE).any())

    @cached_property
    def at(self) -> memoryview[int]:
        """The offset in the original of each unit."""
        return np.flatnonzero(np.frombuffer(self.text.encode("ascii").translate(_IS_UNIT), np.bool_)).data

    @cached_property
    def _separators(self) -> memoryview[int]:
        """How many separators stand before each unit, counted from the start of the text."""
        separates = (alphabet().role[self._points] & (UNIT | TRANSPARENT)) == 0
        before: NDArray[np.int64] = np.cumsum(separates, dtype=np.int64)[np.asarray(self.at)]
        return before.data

    def separated(self, unit: int) -> bool:
        """Whether a separator stands between unit `unit - 1` and unit `unit`."""
        if self.plain:
            return self.at[unit] - self.at[unit - 1] > 1
        return self._separators[unit] > self._separators[unit - 1]

    def unbroken(self, start: int, end: int) -> bool:
        """Whether no separator stands between the units `[start, end)`."""
        if self.plain:
            return self.at[end - 1] - self.at[start] == end - start - 1
        return self._separators[end - 1] == self._separators[start]

    def starts_token(self, unit: int) -> bool:
        """Whether a token may start at this unit: at an edge, after a separator, or beside an unspaced script."""
        if unit == 0 or self.separated(unit):
            return True
        return not self.plain and self._borders(unit)

    def ends_token(self, unit: int) -> bool:
        """Whether a token may end before this unit."""
        if unit >= len(self.units) or self.separated(unit):
            return True
        if self.plain:
            return False
        last, following = self.units[unit - 1], self.units[unit]
        if _JAMO[0] <= last <= _JAMO[1] and _JAMO[0] <= following <= _LEADING_JAMO_END:
            return True  # a Korean particle follows; the syllable is whole
        return self._borders(unit)

    def _borders(self, unit: int) -> bool:
        role, at = alphabet().role, self.at
        before, after = at[unit - 1], at[unit]
        if before == after or role[self._points[after]] & MARK:
            return False
        return bool((role[self._points[before]] | role[self._points[after]]) & UNSPACED)

    def may_start(self, units: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Answer `starts_token` for many units; may say yes too often, never no wrongly."""
        return self._edges(units, (units == 0))

    def may_end(self, units: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Answer `ends_token` for many units; may say yes too often, never no wrongly."""
        return self._edges(np.minimum(units, len(self.units) - 1), (units >= len(self.units)))

    def _edges(self, units: NDArray[np.int64], outside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        at = np.asarray(self.at)
        before = np.maximum(units, 1) - 1
        edges: NDArray[np.bool_] = outside | (at[units] - at[before] > 1)
        if not self.plain:
            role, points = alphabet().role, self._points[at[units]]
            edges |= ((role[points] | role[self._points[at[before]]]) & UNSPACED) != 0
            edges |= (points >= 0x1100) & (points <= 0xD7FF)
        return edges

    def around(
        self, begin: NDArray[np.int64], last: NDArray[np.int64], reach: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return stretches of the original that go so many visible code points beyond others, up to its edges.

        They begin with the code points at `begin` and end after those at `last`, which are visible; the stretch
        reaches to the code point before the one that is `reach` behind `last`.
        """
        if self.is_all_visible:
            return np.maximum(begin - reach, 0), np.minimum(last + reach, len(self.text))
        offsets = np.append(self._visible, len(self.text))
        first, final = np.searchsorted(self._visible, begin) - reach, np.searchsorted(self._visible, last) + reach
        low: NDArray[np.int64] = np.where(first > 0, offsets[np.maximum(first, 0)], 0)
        return low, offsets[np.minimum(final, offsets.size - 1)]

    def begin(self, unit: int) -> int:
        """Return the offset of a unit in the original."""
        return int(self.at[unit])

    def end(self, unit: int) -> int:
        """Return the offset after unit `unit - 1` in the original, with the marks that belong to it."""
        offset = int(self.at[unit - 1]) + 1
        if self.plain or offset >= len(self.text) or not self._is_transparent(offset):
            return offset
        index = int(np.searchsorted(self._visible, offset))
        return int(self._visible[index]) if index < self._visible.size else len(self.text)

    def gap(self, unit: int) -> str:
        """Return what stands between unit `unit - 1` and unit `unit`, without transparent characters.

        Before the first and after the last unit it is what stands at that edge of the text. Of a long gap the middle
        is left out: what is returned is then longer than any gap that a matcher allows.
        """
        at = self.at
        low = at[unit - 1] + 1 if unit > 0 else 0
        high = at[unit] if unit < len(self.units) else len(self.text)
        if high <= low:
            return ""
        if high - low <= _LONG_GAP:
            return cleaned(self.text[low:high])
        if self.plain:
            return self.text[low : low + _LONG_GAP // 2] + self.text[high - _LONG_GAP // 2 : high]
        first, last = np.searchsorted(self._visible, (low, high)).tolist()
        kept = self._visible[first:last]
        if kept.size > _LONG_GAP:
            kept = np.concatenate((kept[: _LONG_GAP // 2], kept[-_LONG_GAP // 2 :]))
        return cleaned("".join(self.text[offset] for offset in kept.tolist()))

    def lead(self, unit: int, *, most: int) -> str:
        """Return what a reader sees before a unit: the last visible code points, each as one ASCII character."""
        offset = self.at[unit]
        if self.plain:
            return self.text[max(0, offset - most) : offset].lower()
        last = int(np.searchsorted(self._visible, offset))
        return alphabet().seen[self._points[self._visible[max(0, last - most) : last]]].tobytes().decode("ascii")

    def back(self, unit: int, count: int) -> int:
        """Return the offset of the visible code point that stands `count` before a unit."""
        offset = self.at[unit]
        if self.plain or not count:
            return offset - count
        return int(self._visible[int(np.searchsorted(self._visible, offset)) - count])

    def fits(self, start: int, end: int, *, most: int) -> bool:
        """Whether the units `[start, end)` take up at most so many visible code points of the original."""
        low, high = int(self.at[start]), int(self.at[end - 1])
        if high - low < most or self.plain:
            return high - low < most
        first, last = np.searchsorted(self._visible, (low, high)).tolist()
        return bool(last - first < most)

    @cached_property
    def _visible(self) -> NDArray[np.int64]:
        """The offsets of all code points that are not transparent."""
        return np.flatnonzero(alphabet().role[self._points] != TRANSPARENT)

    @cached_property
    def is_all_visible(self) -> bool:
        """Whether no code point of the text is transparent."""
        return self.plain or self._visible.size == len(self.text)

    def _is_transparent(self, offset: int) -> bool:
        return bool(alphabet().role[self._points[offset]] == TRANSPARENT)

    def same(self, unit: int, pattern: str) -> bool:
        """Whether the units from `unit` on can be read as the pattern."""
        if self.units.startswith(pattern, unit):
            return True
        if not self.unsure and pattern.isascii():
            return False
        found = self.units[unit : unit + len(pattern)]
        return len(found) == len(pattern) and all(map(_reads_as, found, pattern))


def _reads_as(unit: str, wanted: str) -> bool:
    if unit == wanted:
        return True
    readings = alphabet().readings
    return wanted in readings.get(unit, ()) or unit in readings.get(wanted, ())


def cleaned(text: str) -> str:
    """Return separators and letters as they are compared outside of units: compatible forms, no transparent ones."""
    if text.isascii():
        return text
    role = alphabet().role
    kept = "".join(char for char in text if role[ord(char)] != TRANSPARENT)
    return unicodedata.normalize("NFKC", kept).translate(_FULL_STOPS)


def without_surrogates(text: str) -> str:
    """Return the text with every lone surrogate written as U+FFFD: the same length, and it can be encoded."""
    if text.isascii():
        return text
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return _SURROGATES.sub(lambda found: "\ufffd" * len(found[0]), text)
    return text


def fold(text: str) -> str:
    """Return the units of a text."""
    return Folded(text).units


def coarsened(units: str) -> str:
    """Return units with every look-alike group written as one letter; the length stays."""
    for letter, leader in alphabet().coarse.items():
        units = units.replace(letter, leader)
    return units


def visible_back(text: str, count: int) -> int:
    """Return the offset with `count` visible code points behind it, or 0 where the text has fewer."""
    if text.isascii():
        return max(0, len(text) - count)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    visible = np.flatnonzero(alphabet().role[points] != TRANSPARENT)
    return int(visible[-count]) if 0 < count <= visible.size else 0 if count else len(text)
