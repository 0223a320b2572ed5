"""Phone numbers: the national number's digits in a row, whatever separates them, with any prefix that leads to it.

A literal is parsed once, with the owner's regions (ITU-T E.164 by libphonenumber's metadata). What is looked for is the
whole national significant number; digits directly before it must spell a way to dial it (`+44`, `0044`, `0`,
`(0)`), and no digit may follow. An extension is taken along. Fewer than seven digits never act.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import phonenumbers
from phonenumbers import PhoneNumber, PhoneNumberFormat

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded, cleaned, fold
from iris_memory.masking.pattern import Hit

DIGITS_LEAST: Final = 7
"""Fewer digits never act."""

BELIEVED_LEAST: Final = 9
"""So many digits are believed even where a letter stands directly before or after them."""

GAP_MOST: Final = 4
"""How many separators may stand between two digits."""

_PREFIX_WINDOW: Final = 28
_EXTENSION_MOST: Final = 28

_GAP: Final = frozenset(" \t\r\n\x1f-.()/·~*_[]\\‐‑‒–—−:")
_DECIMAL = re.compile(r"[0-9]\.\Z")
_EXTENSION = re.compile(
    r"\s{0,3}[,;]?\s{0,2}(?:extension|ext|extn|x|#|int|durchwahl|dw|poste|anexo|ramal|tel\.?\s?int)\s?[.:=]?\s?\d{1,6}(?!\d)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class PhonePattern:
    """The digits of a number. `prefix` matches, at the end of what stands before, every way to dial it."""

    units: str
    literal: int
    prefix: re.Pattern[str]
    needs_prefix: bool = False
    whole_start: bool = False
    whole_end: bool = False

    @property
    def reach(self) -> int:
        return 3 * len(self.units) + _PREFIX_WINDOW + _EXTENSION_MOST

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not text.fits(start, end, most=3 * (end - start)):
            return None
        at = text.at
        for unit in range(start + 1, end):
            if int(at[unit]) - int(at[unit - 1]) > 1:
                gap = text.gap(unit)
                if len(gap) > GAP_MOST or not set(gap) <= _GAP:
                    return None
        begin = self._begin(text, start)
        finish = self._finish(text, end)
        if begin is None or finish is None:
            return None
        return Hit(begin, finish, PiiKind.PHONE, self.literal)

    def _begin(self, text: Folded, start: int) -> int | None:
        """Return where the number begins with its prefix, or None where digits before it belong to another number."""
        lead = text.lead(start, most=_PREFIX_WINDOW)
        found = self.prefix.search(lead)
        if found is not None and found.end() > found.start():
            return text.back(start, len(lead) - found.start())
        if self.needs_prefix:
            return None
        if start == 0 or text.separated(start):
            return None if _DECIMAL.search(lead) else text.begin(start)
        return text.begin(start) if self._is_believed(text.units[start - 1]) else None

    def _finish(self, text: Folded, end: int) -> int | None:
        offset = text.end(end)
        extension = _EXTENSION.match(text.text, offset)
        if extension is not None:
            return extension.end()
        if end < len(text.units) and text.units[end].isdigit() and text.gap(end) == ".":
            return None
        if end < len(text.units) and not text.separated(end) and not self._is_believed(text.units[end]):
            return None
        return offset

    def _is_believed(self, neighbour: str) -> bool:
        return not neighbour.isdigit() and len(self.units) >= BELIEVED_LEAST


def parse(value: str, *, regions: Iterable[str]) -> PhoneNumber | None:
    """Read a number with the owner's regions; None where no region makes it a possible number."""
    written = cleaned(value)
    for region in (None, *regions):
        try:
            number = phonenumbers.parse(written, region)
        except phonenumbers.NumberParseException:
            continue
        # an owner who writes the country knows better than metadata that has grown old
        if phonenumbers.is_possible_number(number) or written.lstrip().startswith("+"):
            return number
    return None


def canonical(value: str, *, regions: Iterable[str]) -> str | None:
    """Return the number as E.164, or its digits where no region is known; None for what is too short to act."""
    number = parse(value, regions=regions)
    if number is not None:
        return phonenumbers.format_number(number, PhoneNumberFormat.E164)
    digits = _digits(value)
    return digits if len(digits.lstrip("0")) >= DIGITS_LEAST else None


def region_of(value: str) -> str | None:
    """Return the region of a number that is written with its country code."""
    number = parse(value, regions=())
    return None if number is None else phonenumbers.region_code_for_number(number)


def patterns(value: str, *, literal: int, regions: Iterable[str]) -> Iterator[PhonePattern]:
    """Yield the patterns of one number."""
    number = parse(value, regions=regions)
    if number is None:
        digits = _digits(value).lstrip("0")
        if len(digits) >= DIGITS_LEAST:
            yield PhonePattern(digits, literal, _prefix(r"\d{1,3}", "0"))
        return
    country = str(number.country_code)
    national = phonenumbers.national_significant_number(number)
    trunk = phonenumbers.ndd_prefix_for_region(phonenumbers.region_code_for_number(number) or "", True) or "0"
    digits = _digits(phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL))
    prefix = _prefix(country, trunk, digits.removesuffix(national) if digits.endswith(national) else "")
    if len(national) >= DIGITS_LEAST:
        yield PhonePattern(national, literal, prefix)
    elif len(country + national) >= DIGITS_LEAST:
        yield PhonePattern(country + national, literal, _DIALLED, needs_prefix=True)
    written = digits.removeprefix(trunk)
    if national not in written and len(written) >= DIGITS_LEAST:
        yield PhonePattern(written, literal, prefix)


def _digits(value: str) -> str:
    return "".join(unit for unit in fold(value) if unit.isdigit())


_DIALLED = re.compile(r"(?:\+|(?<![^\W_])(?:00|011|0011|810))[\s\-.()]{0,3}\Z")


def _prefix(country: str, *trunks: str) -> re.Pattern[str]:
    """Return what may stand before a national number: exit code, country, trunk digit, in any punctuation."""
    gap = r"[\s\-.()/\x1f\\]{0,4}"
    exit_code = rf"(?:\+|(?<!\d)(?:00|0011|011|8{gap}10)){gap}"
    trunk = "(?:" + "|".join(gap.join(digits) for digits in sorted(set(trunks), key=len, reverse=True) if digits) + ")"
    trunk_digit = rf"(?:{trunk}{gap})?"
    return re.compile(rf"(?:(?:{exit_code}|(?<!\d)){country}{gap}{trunk_digit}\(?|(?<!\d)\(?{trunk}{gap}\(?|\()\Z")
