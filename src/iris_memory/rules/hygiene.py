"""Hygiene of text: nothing invisible is kept that a reader of the page could not know of (POI-6).

Laws:
- text is kept in Unicode normal form C, with LF as its only line end and no white space at its ends;
- every default-ignorable code point has a row in `DEFAULT_IGNORABLE`: it is stripped, refused, or kept where a script
  or an emoji needs it;
- what carries no meaning (a byte order mark, a soft hyphen, a word joiner) is stripped and counted while it stands
  alone; two invisible characters side by side, and every character made to hide or reorder text, refuse the text;
- a refusal says what kind and how many, never where or what.

Private-use characters are left alone: they are seen, if only as a box. Whether text is true, or an instruction, is for
others.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from iris_memory.contracts.decision import RefusalReason

UNICODE_VERSION: Final = "14.0.0"
"""The DerivedCoreProperties.txt whose Default_Ignorable_Code_Point `DEFAULT_IGNORABLE` covers: 4,174 code points."""

MARKS_MOST: Final = 30
"""Non-starters in a row: the limit of the Stream-Safe Text Format (UAX #15). Sorting long runs is quadratic."""

IDEOGRAPHIC_SELECTORS_MOST: Final = 16
"""Ideographic variation selectors in one text. Names need one or two; each can carry a byte nobody sees."""


class UncleanReason(StrEnum):
    """Why a text cannot be kept as it is."""

    TAG_CHARACTER = "tag-character"
    VARIATION_SELECTOR = "variation-selector"
    BIDI_CONTROL = "bidi-control"
    JOINER = "joiner"
    INVISIBLE_OPERATOR = "invisible-operator"
    FILLER = "filler"
    FORMAT_CONTROL = "format-control"
    INVISIBLE_RUN = "invisible-run"
    MARK_RUN = "mark-run"
    CONTROL_CHARACTER = "control-character"
    LONE_SURROGATE = "lone-surrogate"
    NONCHARACTER = "noncharacter"
    NOTHING_LEFT = "nothing-left"


class Cleaned(NamedTuple):
    """The text to keep, and how many invisible characters were taken out of it."""

    text: str
    stripped: int


class Unclean(NamedTuple):
    """Why the text is refused: each reason with the number of characters it was found for."""

    found: tuple[tuple[UncleanReason, int], ...]

    @property
    def refusal(self) -> RefusalReason:
        """The reason code a write is refused with."""
        if self.found[0][0] is UncleanReason.NOTHING_LEFT:
            return RefusalReason.EMPTY_AFTER_CLEANING
        return RefusalReason.HIDDEN_CHARACTERS


class Treatment(StrEnum):
    """What becomes of a default-ignorable code point."""

    STRIP = "strip"
    REFUSE = "refuse"
    KEEP_IN_PLACE = "keep-in-place"
    """Kept where its place needs it, refused elsewhere."""
    KEEP_OR_STRIP = "keep-or-strip"
    """Kept where its place needs it, stripped elsewhere."""


class IgnorableRow(NamedTuple):
    """A range of default-ignorable code points, what becomes of them, and the reason if that is a refusal."""

    first: int
    last: int
    treatment: Treatment
    reason: UncleanReason


_STRIP, _REFUSE = Treatment.STRIP, Treatment.REFUSE
_IN_PLACE, _OR_STRIP = Treatment.KEEP_IN_PLACE, Treatment.KEEP_OR_STRIP
_R = UncleanReason

DEFAULT_IGNORABLE: Final = tuple(
    IgnorableRow(*row)
    for row in (
        (0x00AD, 0x00AD, _STRIP, _R.INVISIBLE_RUN),  # soft hyphen
        (0x034F, 0x034F, _OR_STRIP, _R.INVISIBLE_RUN),  # combining grapheme joiner
        (0x061C, 0x061C, _OR_STRIP, _R.BIDI_CONTROL),  # Arabic letter mark
        (0x115F, 0x1160, _REFUSE, _R.FILLER),  # Hangul jamo fillers
        (0x17B4, 0x17B5, _STRIP, _R.INVISIBLE_RUN),  # Khmer inherent vowels
        (0x180B, 0x180D, _IN_PLACE, _R.VARIATION_SELECTOR),  # Mongolian free variation selectors
        (0x180E, 0x180E, _IN_PLACE, _R.FORMAT_CONTROL),  # Mongolian vowel separator
        (0x180F, 0x180F, _IN_PLACE, _R.VARIATION_SELECTOR),  # Mongolian free variation selector four
        (0x200B, 0x200B, _OR_STRIP, _R.INVISIBLE_RUN),  # zero width space
        (0x200C, 0x200D, _IN_PLACE, _R.JOINER),  # zero width non-joiner and joiner
        (0x200E, 0x200F, _OR_STRIP, _R.BIDI_CONTROL),  # left-to-right and right-to-left mark
        (0x202A, 0x202E, _REFUSE, _R.BIDI_CONTROL),  # embeddings, overrides and their end
        (0x2060, 0x2060, _STRIP, _R.INVISIBLE_RUN),  # word joiner
        (0x2061, 0x2064, _REFUSE, _R.INVISIBLE_OPERATOR),  # function application .. invisible plus
        (0x2065, 0x2065, _REFUSE, _R.FORMAT_CONTROL),  # unassigned
        (0x2066, 0x2069, _REFUSE, _R.BIDI_CONTROL),  # isolates and their end
        (0x206A, 0x206F, _REFUSE, _R.FORMAT_CONTROL),  # deprecated shaping controls
        (0x3164, 0x3164, _REFUSE, _R.FILLER),  # Hangul filler
        (0xFE00, 0xFE0F, _IN_PLACE, _R.VARIATION_SELECTOR),  # variation selectors 1..16
        (0xFEFF, 0xFEFF, _STRIP, _R.INVISIBLE_RUN),  # byte order mark
        (0xFFA0, 0xFFA0, _REFUSE, _R.FILLER),  # halfwidth Hangul filler
        (0xFFF0, 0xFFF8, _REFUSE, _R.FORMAT_CONTROL),  # unassigned
        (0x1BCA0, 0x1BCA3, _REFUSE, _R.FORMAT_CONTROL),  # shorthand format controls
        (0x1D173, 0x1D17A, _REFUSE, _R.FORMAT_CONTROL),  # musical beams and ties
        (0xE0000, 0xE007F, _REFUSE, _R.TAG_CHARACTER),  # tags; the three flags that need them are known sequences
        (0xE0080, 0xE00FF, _REFUSE, _R.FORMAT_CONTROL),  # unassigned
        (0xE0100, 0xE01EF, _IN_PLACE, _R.VARIATION_SELECTOR),  # ideographic variation selectors
        (0xE01F0, 0xE0FFF, _REFUSE, _R.FORMAT_CONTROL),  # unassigned
    )
)
"""All of them, in order, without a gap or an overlap against the property."""

_FLAGS: Final = frozenset(
    "".join(chr(0xE0000 + ord(mark)) for mark in region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)
_BLACK_FLAG: Final = "\U0001f3f4"


def _class(*ranges: tuple[int, int]) -> str:
    # \U escapes, because a character class spelt with the characters themselves could not be read in review
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"


_IGNORABLES: Final = tuple((row.first, row.last) for row in DEFAULT_IGNORABLE)
_CONTROLS: Final = ((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F))
_ANNOTATIONS: Final = ((0xFFF9, 0xFFFB),)  # interlinear annotations hide text and are not default-ignorable
_SURROGATES: Final = ((0xD800, 0xDFFF),)
_NONCHARACTERS: Final = (
    (0xFDD0, 0xFDEF),
    *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)
_IGNORABLE: Final = re.compile(_class(*_IGNORABLES))
_HIDDEN: Final = re.compile(_class(*_IGNORABLES) + "+")
_FORBIDDEN: Final = re.compile(_class(*_CONTROLS, *_ANNOTATIONS, *_SURROGATES, *_NONCHARACTERS))
_LINE_END: Final = re.compile("\r\n|[\r\x85\u2028\u2029]")
_MARKS: Final = re.compile(rf"[^\w\s]{{{MARKS_MOST + 1},}}")

_EMOJI: Final = re.compile(
    _class(
        *((0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139)),
        *((0x2190, 0x21FF), (0x2300, 0x23FF), (0x24C2, 0x24C2), (0x25A0, 0x27BF), (0x2900, 0x297F), (0x2B00, 0x2BFF)),
        *((0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1FAFF)),
    )
)
_IDEOGRAPH: Final = re.compile(
    _class((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F), (0x30000, 0x323AF))
)
# what standardized variation sequences stand on beside emoji and ideographs: mathematical signs, East Asian
# punctuation, Myanmar dotted letters, Phags-pa, Manichaean and Egyptian signs
_STANDARD_BASE: Final = re.compile(
    _class(
        *((0x2200, 0x22FF), (0x2A00, 0x2AFF), (0x3001, 0x3002), (0xFF01, 0xFF1F), (0x1000, 0x109F)),
        *((0xA840, 0xA87F), (0xAA60, 0xAA7F), (0x10AC0, 0x10AFF), (0x13000, 0x1342F)),
    )
)
_MONGOLIAN: Final = re.compile(_class((0x1810, 0x1819), (0x1820, 0x18AF)))
_SPACELESS: Final = re.compile(  # Thai, Lao, Tibetan, Myanmar, Khmer: a zero width space parts their words
    _class((0x0E00, 0x0EFF), (0x0F00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x1A20, 0x1AAF))
)
_JOINING: Final = re.compile(  # cursive scripts and those with conjuncts, whose shapes the joiners choose
    _class(
        *((0x0600, 0x08FF), (0x0900, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x18AF), (0x1B00, 0x1BFF)),
        *((0xA840, 0xA8FF), (0xA980, 0xA9DF), (0xAA60, 0xAADF), (0xABC0, 0xABFF), (0xFB50, 0xFDCF), (0xFDF0, 0xFDFF)),
        *((0xFE70, 0xFEFC), (0x10AC0, 0x10AFF), (0x10D00, 0x10FFF), (0x11000, 0x11FFF), (0x1E900, 0x1E95F)),
    )
)
_RIGHT_TO_LEFT: Final = re.compile(
    _class(
        (0x0590, 0x061B), (0x061D, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF)
    )
)
_KEYCAP: Final = re.compile("[0-9#*][\ufe0e\ufe0f]\u20e3")
_VIRAMA: Final = 9  # canonical combining class
_BRAILLE_BLANK: Final = "\u2800"  # a symbol that shows nothing


def clean(text: str) -> Cleaned | Unclean:
    """Return the text as it may be kept, or why it may not. Linear in the length of the text; never raises.

    Cleaning what was cleaned changes nothing.
    """
    if text.isascii() and text.isprintable():  # nothing hides in these: most texts end here
        kept = text.strip()
        return Cleaned(kept, 0) if kept else Unclean(((UncleanReason.NOTHING_LEFT, 1),))
    found: Counter[UncleanReason] = Counter()
    text = _LINE_END.sub("\n", text)
    if (longest := _longest_mark_run(without_ignorable(text))) > MARKS_MOST:
        return Unclean(((UncleanReason.MARK_RUN, longest),))
    for forbidden in _FORBIDDEN.finditer(text):
        found[_forbidden(ord(forbidden.group()))] += 1
    text = unicodedata.normalize("NFC", text)
    stripped: list[int] = []
    if not text.isascii() and _IGNORABLE.search(text):
        _look_at_hidden(text, found=found, stripped=stripped)
    if found:
        return Unclean(tuple(sorted(found.items())))
    if stripped:
        dropped = frozenset(stripped)
        text = unicodedata.normalize("NFC", "".join(mark for at, mark in enumerate(text) if at not in dropped))
    text = text.strip()
    if not text.strip(_BRAILLE_BLANK + " \t\n"):
        return Unclean(((UncleanReason.NOTHING_LEFT, 1),))
    return Cleaned(text, len(stripped))


def normalise_for_match(text: str) -> str:
    """Return the form in which two texts are the same text: NFKC, casefold, white space collapsed and trimmed.

    Default-ignorable characters are left out, as in Unicode's NFKC_Casefold, so that none of them makes a forgotten
    text look new. Non-starters beyond `MARKS_MOST` in a row are left out too. Idempotent.
    """
    if not text.isascii():
        text = bound_marks(without_ignorable(text))
        # NFD first, for a casefold that does not depend on how marks were composed (Unicode, 3.13, D146)
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
        text = without_ignorable(text)
    return " ".join(unicodedata.normalize("NFKC", text.casefold()).split())


def without_ignorable(text: str) -> str:
    """Return the text without its default-ignorable characters."""
    return text if text.isascii() else _IGNORABLE.sub("", text)


def bound_marks(text: str) -> str:
    """Return the text with at most `MARKS_MOST` non-starters in a row, so that normalising it takes linear time."""
    if _longest_mark_run(text) <= MARKS_MOST:
        return text
    kept: list[str] = []
    run = 0
    for mark in text:
        run = run + 1 if unicodedata.combining(mark) else 0
        if run <= MARKS_MOST:
            kept.append(mark)
    return "".join(kept)


def _longest_mark_run(text: str) -> int:
    longest = 0
    if text.isascii():
        return longest
    for candidate in _MARKS.finditer(text):  # no non-starter is a word character or white space
        run = 0
        for mark in candidate.group():
            run = run + 1 if unicodedata.combining(mark) else 0
            longest = max(longest, run)
    return longest


def _forbidden(point: int) -> UncleanReason:
    if 0xD800 <= point <= 0xDFFF:
        return UncleanReason.LONE_SURROGATE
    if 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE:
        return UncleanReason.NONCHARACTER
    if 0xFFF9 <= point <= 0xFFFB:
        return UncleanReason.FORMAT_CONTROL
    return UncleanReason.CONTROL_CHARACTER


def _row_of(point: int) -> IgnorableRow:
    return next(row for row in DEFAULT_IGNORABLE if row.first <= point <= row.last)


def _look_at_hidden(text: str, *, found: Counter[UncleanReason], stripped: list[int]) -> None:
    right_to_left = _RIGHT_TO_LEFT.search(text) is not None
    ideographic = 0
    for run in _HIDDEN.finditer(text):
        start, end = run.span()
        if text[start - 1 : start] == _BLACK_FLAG and run.group() in _FLAGS:
            continue
        for at in range(start, end):
            row = _row_of(ord(text[at]))
            alone = end - start == 1
            if row.treatment is Treatment.REFUSE:
                found[row.reason] += 1
            elif _fits(text, at, alone=alone, right_to_left=right_to_left):
                ideographic += row.first == 0xE0100
            elif row.treatment is Treatment.KEEP_IN_PLACE:
                found[row.reason] += 1
            elif alone:
                stripped.append(at)
            else:
                found[UncleanReason.INVISIBLE_RUN] += 1
    if ideographic > IDEOGRAPHIC_SELECTORS_MOST:
        found[UncleanReason.VARIATION_SELECTOR] += ideographic


def _fits(text: str, at: int, *, alone: bool, right_to_left: bool) -> bool:
    mark = text[at]
    if mark in "\u061c\u200e\u200f":
        return alone and right_to_left
    place = _PLACES.get(mark)
    if place is not None:
        return (alone or mark in _MAY_FOLLOW) and place(text, at)
    if "\ufe00" <= mark <= "\ufe0f":
        return _takes_selector(text, at)
    if "\u180b" <= mark <= "\u180f":
        return _is(_MONGOLIAN, text, at - 1)
    return "\U000e0100" <= mark <= "\U000e01ef" and _is(_IDEOGRAPH, text, at - 1)


def _is(kind: re.Pattern[str], text: str, at: int) -> bool:
    return 0 <= at < len(text) and kind.match(text, at) is not None


def _takes_selector(text: str, at: int) -> bool:
    if text[at] in "\ufe0e\ufe0f":
        return _is(_EMOJI, text, at - 1) or _is(_KEYCAP, text, at - 1)
    if text[at] > "\ufe06":
        return False
    return _is(_STANDARD_BASE, text, at - 1) or (text[at] <= "\ufe02" and _is(_IDEOGRAPH, text, at - 1))


def _joins(text: str, at: int) -> bool:
    """ZWJ: between two emoji, or beside a letter of a script whose shapes it chooses."""
    before = at - 2 if at and text[at - 1] in "\ufe0e\ufe0f" else at - 1
    if _is(_EMOJI, text, before) and _is(_EMOJI, text, at + 1):
        return True
    return before == at - 1 and (_is(_JOINING, text, before) or _is(_JOINING, text, at + 1))


def _parts_letters(text: str, at: int) -> bool:
    """ZWNJ: between two letters of a joining script, or after a virama (after RFC 5892, appendix A.1)."""
    if not _is(_JOINING, text, at - 1):
        return False
    return _is(_JOINING, text, at + 1) or unicodedata.combining(text[at - 1]) == _VIRAMA


def _parts_words(text: str, at: int) -> bool:
    """Zero width space: between letters of a script written without spaces."""
    return _is(_SPACELESS, text, at - 1) and _is(_SPACELESS, text, at + 1)


def _parts_marks(text: str, at: int) -> bool:
    """Combining grapheme joiner: between two combining marks, whose order it holds."""
    around = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(around) == 2 and all(unicodedata.combining(mark) for mark in around)


def _parts_vowel(text: str, at: int) -> bool:
    """Mongolian vowel separator: between Mongolian letters, the first of which may carry a selector."""
    before = at - 2 if at and "\u180b" <= text[at - 1] <= "\u180f" else at - 1
    return _is(_MONGOLIAN, text, before) and _is(_MONGOLIAN, text, at + 1)


_PLACES: Final[dict[str, Callable[[str, int], bool]]] = {
    "\u034f": _parts_marks,
    "\u180e": _parts_vowel,
    "\u200b": _parts_words,
    "\u200c": _parts_letters,
    "\u200d": _joins,
}
_MAY_FOLLOW: Final = "\u180e\u200d"  # these may stand after a variation selector
