"""Encodings: other readings of the same text, each with the way back to the original.

* Escapes: percent (RFC 3986 2.1, UTF-8), HTML character references, JSON string escapes. What one pass lays open, the
  next one reads: three at most, so that `%252540`, `&amp;#64;` and `%26%2364;` are seen through.
* Base64, once: see `base64_text`.

A reading is found first and located later: where nothing is found in it, nobody asks what it stands for.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iris_memory.masking.alphabet import TRANSPARENT, alphabet
from iris_memory.masking.base64_text import has_run, texts_in
from iris_memory.masking.folding import visible_back

Offsets = NDArray[np.int64]

PASSES_MOST: Final = 3
"""How often what an escape stands for is read for escapes again."""

_HEX = "[0-9A-Fa-f]"
_PERCENT = re.compile(f"%{_HEX}{{2}}")
_HTML = f"&(?:amp;){{0,3}}(?:#(?:[0-9]{{1,7}}|[xX]{_HEX}{{1,6}});?|[A-Za-z][A-Za-z0-9]{{1,30}};)"
_PAIR = rf"u[dD][89abAB]{_HEX}{{2}}\\{{1,8}}u[dD][c-fC-F]{_HEX}{{2}}"
_JSON = rf"\\{{1,8}}(?:{_PAIR}|u{_HEX}{{4}}|U{_HEX}{{8}}|x{_HEX}{{2}}|[nrtbf\"'/])"
_ESCAPE = re.compile(f"(%u{_HEX}{{4}}|{_HTML}|{_JSON})")
_CONTROL: Final = dict(zip("nrtbf\"'/", "\n\r\t\b\f\"'/", strict=True))
_STRAY = re.compile("[\udc80-\udcff]+")
_NIBBLES: Final = np.array(
    [int(chr(octet), 16) if chr(octet) in "0123456789abcdefABCDEF" else 16 for octet in range(256)], np.uint8
)

_TRIGGERS: Final = "%&\\"
_CROWD: Final = 32
"""One trigger in so many characters is a crowd."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One way to read a text, or to read another reading (`outer`). `chancy` marks decoded bytes, in which a short
    literal can stand by chance.

    `locate` gives, for each code point, the stretch of the outer text that it stands for; it is asked once, if ever.
    """

    text: str
    outer: Reading | None = None
    locate: Callable[[], tuple[Offsets, Offsets]] | None = None
    chancy: bool = False

    @cached_property
    def _places(self) -> tuple[Offsets, Offsets] | None:
        return None if self.locate is None else self.locate()

    @cached_property
    def in_ascii(self) -> tuple[str, Offsets | None]:
        """The text as `in_ascii` gives it."""
        return in_ascii(self.text)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the original that `[start, end)` of this reading stands for."""
        if self._places is None or self.outer is None:
            return start, end
        starts, ends = self._places
        return self.outer.original(int(starts[start]), int(ends[end - 1]))


def readings(text: str) -> Iterator[Reading]:
    """Yield every reading of a text: as it is, unescaped, decoded from base64."""
    reading = Reading(text)
    for reading in unescaped(text):
        yield reading
    plain, kept = reading.in_ascii
    for decoded in texts_in(plain.encode("ascii")):
        yield Reading(decoded.text, reading, _past_transparent(decoded.locate, kept), chancy=True)


def unescaped(text: str) -> Iterator[Reading]:
    """Yield the text as it is, then unescaped as often as that changes it: three times at most."""
    reading = Reading(text)
    yield reading
    for _ in range(PASSES_MOST):
        further = _unescaped(reading)
        if further is None:
            return
        reading = further
        yield reading


def horizon(text: str, *, reach: int) -> int:
    """Return the offset from which on a later piece of text could still change what is found.

    Behind it stand, in every reading, `reach` visible code points; a run of base64 there stands for fewer than it has.
    """
    *_, last = unescaped(text)
    plain, _ = last.in_ascii
    if has_run(plain[-2 * reach :].encode("ascii")):
        reach = reach * 4 // 3 + 48
    place = visible_back(last.text, reach + 12)
    return len(text) if place >= len(last.text) else last.original(place, place + 1)[0]


def _past_transparent(
    locate: Callable[[], tuple[Offsets, Offsets]], kept: Offsets | None
) -> Callable[[], tuple[Offsets, Offsets]]:
    if kept is None:
        return locate

    def located() -> tuple[Offsets, Offsets]:
        starts, ends = locate()
        return kept[starts], kept[ends - 1] + 1

    return located


def _unescaped(reading: Reading) -> Reading | None:
    """Read escapes once: percent first, then the others. None where that changes nothing."""
    inner = reading
    if _PERCENT.search(reading.text):
        inner = _from_percent(reading)
    pieces = _pieces(inner.text)
    if pieces is not None:
        meaning = {escape: _meaning(escape) for escape in set(pieces[1::2])}
        read = pieces.copy()
        read[1::2] = [meaning[escape] for escape in pieces[1::2]]
        return Reading("".join(read), inner, lambda: _located(pieces, read))
    return None if inner is reading else inner


def _located(pieces: list[str], read: list[str]) -> tuple[Offsets, Offsets]:
    """Say where what was read comes from. Every second piece is an escape, read as a whole."""
    written = np.fromiter(map(len, pieces), np.int64, len(pieces))
    lengths = np.fromiter(map(len, read), np.int64, len(read))
    piece = np.repeat(np.arange(len(pieces)), lengths)
    within = np.arange(piece.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    begins = (np.cumsum(written) - written)[piece]
    plain = piece % 2 == 0
    starts = begins + np.where(plain, within, 0)
    return starts, np.where(plain, starts + 1, begins + written[piece])


def _pieces(text: str) -> list[str] | None:
    """Split a text into what is no escape and what is, by turns; None where there is no escape.

    Few triggers are looked at one by one, which is much faster than trying the pattern everywhere.
    """
    if sum(map(text.count, _TRIGGERS)) > len(text) // _CROWD:
        pieces: list[str] = _ESCAPE.split(text)
        return pieces if len(pieces) > 1 else None
    places = []
    for trigger in _TRIGGERS:
        place = text.find(trigger)
        while place >= 0:
            places.append(place)
            place = text.find(trigger, place + 1)
    pieces, last = [], 0
    for place in sorted(places):
        escape = _ESCAPE.match(text, place) if place >= last else None
        if escape is not None:
            pieces += (text[last:place], escape[0])
            last = escape.end()
    return [*pieces, text[last:]] if pieces else None


def _from_percent(reading: Reading) -> Reading:
    """Read percent-encoded octets as UTF-8. An octet that belongs to no character becomes a question mark."""
    data = np.frombuffer(reading.text.encode(), np.uint8)
    padded = np.concatenate((data, np.zeros(2, np.uint8)))
    high, low = _NIBBLES[padded[1:-1]], _NIBBLES[padded[2:]]
    escapes = np.flatnonzero((data == ord("%")) & (high < 16) & (low < 16))
    octets = data.copy()
    octets[escapes] = (high << 4 | low)[escapes]
    kept = np.ones(data.size, np.bool_)
    kept[escapes + 1] = kept[escapes + 2] = False
    octets = octets[kept]
    if (octets >= 0x80).any():
        octets = _well_formed(octets)

    def located() -> tuple[Offsets, Offsets]:
        # the code point that each octet of the outer text belongs to, and how many code points an octet takes up there
        point = (np.cumsum((data & 0xC0) != 0x80) - 1)[kept]
        width = np.ones(data.size, np.int64)
        width[escapes] = 3
        begins = np.flatnonzero((octets & 0xC0) != 0x80)
        last = np.append(begins[1:], octets.size) - 1
        return point[begins], point[last] + width[kept][last]

    return Reading(octets.tobytes().decode(), reading, located)


def _well_formed(octets: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Write a question mark for every octet that belongs to no character."""
    text = octets.tobytes().decode("utf-8", "surrogateescape")
    return np.frombuffer(_STRAY.sub(lambda found: "?" * len(found[0]), text).encode(), np.uint8)


def _meaning(escape: str) -> str:
    match escape[0]:
        case "%":
            return _char(int(escape[2:], 16))
        case "&":
            return html.unescape(re.sub("^&(?:amp;)+", "&", escape))
        case _:
            return _json(escape.lstrip("\\"))


def _json(escape: str) -> str:
    if escape[0] in _CONTROL:
        return _CONTROL[escape[0]]
    points = [int(part, 16) for part in escape.replace("\\", "").lower().split(escape[0].lower()) if part]
    if len(points) == 2:
        return chr(0x10000 + ((points[0] - 0xD800) << 10) + (points[1] - 0xDC00))
    return _char(points[0])


def _char(point: int) -> str:
    return "\ufffd" if 0xD800 <= point <= 0xDFFF or point > 0x10FFFF else chr(point)


def in_ascii(text: str) -> tuple[str, Offsets | None]:
    """Return the text as the ASCII it is a form of, without transparent characters, and the offsets of what is left.

    Offsets are None for ASCII text.
    """
    if text.isascii():
        return text, None
    return _written(text, alphabet().typed)


def in_letters(text: str) -> tuple[str, Offsets | None]:
    """Return the text as `in_ascii` does, in lower case and with look-alikes as what they look like."""
    if text.isascii():
        return text.lower(), None
    return _written(text, alphabet().seen)


def _written(text: str, table: NDArray[np.uint8]) -> tuple[str, Offsets]:
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kept = np.flatnonzero(alphabet().role[points] != TRANSPARENT)
    return table[points[kept]].tobytes().decode("ascii"), kept
