"""Text inside base64 (RFC 4648, both alphabets, padded or not, on wrapped lines).

Every run of ten characters or more is decoded at all four phases, so that a prefix glued to it does not matter. Of what
comes out, only stretches of printable, well-formed UTF-8 are kept; most runs are words and keep nothing.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]

RUN_LEAST: Final = 10
"""How many characters a run needs to be read: seven bytes."""

TEXT_LEAST: Final = 6
"""How many octets of printable characters in a row make a stretch of decoded bytes a text."""

BREAK: Final = "\x1e" * 8
"""Stands between stretches that do not belong together: longer than any gap inside a literal."""

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_MARKS: Final = bytes(0x61 if byte in _ALPHABET else 0x20 for byte in range(256))
_STANDARD: Final = bytes.maketrans(b"-_=", b"+/A")
_LEAST_RUN: Final = b"a" * RUN_LEAST
_WORD_MOST: Final = 64
_LINE_END = re.compile(rb"\r?\n[ \t]{0,8}(?=[A-Za-z0-9+/_=-]{2})")
_RUN_BREAK: Final = b"AAAA"

# well-formed sequences beyond ASCII (Unicode table 3-7)
_WELL_FORMED = (
    rb"[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xe1-\xec\xee\xef][\x80-\xbf])[\x80-\xbf]"
    rb"|(?:\xf0[\x90-\xbf]|\xf4[\x80-\x8f]|[\xf1-\xf3][\x80-\xbf])[\x80-\xbf]{2}"
)
_STRETCH = re.compile(rb"(?:[\t\n\r\x20-\x7e]|" + _WELL_FORMED + rb"){2,}")
_FEW_OCTETS: Final = 4096
_PRINTS: Final = np.array([0x20 <= octet < 0x7F or octet in b"\t\n\r" for octet in range(256)])

Run = tuple[int, int, bool]
"""Where a run stands, and whether it goes on from the one before on a wrapped line."""


class Decoded(NamedTuple):
    """What one phase of all runs decodes to, and how to say where each code point of it came from."""

    text: str
    locate: Callable[[], tuple[Offsets, Offsets]]


def has_run(data: bytes) -> bool:
    """Whether ASCII text holds a run that is long enough to be read."""
    return _LEAST_RUN in data.translate(_MARKS)


def texts_in(data: bytes) -> Iterator[Decoded]:
    """Yield the texts that runs of base64 in ASCII text decode to, one per phase that gives any."""
    runs = _runs(data)
    if not runs:
        return
    packed = b"".join(part for low, high, joined in runs for part in (b"" if joined else _RUN_BREAK, data[low:high]))
    packed = packed.translate(_STANDARD) + _RUN_BREAK
    for phase in range(4):
        octets = binascii.a2b_base64(packed[phase : phase + (len(packed) - phase) // 4 * 4])
        stretches = _stretches(octets)
        if stretches:
            text = BREAK.join(octets[low:high].decode() for low, high in stretches)
            yield Decoded(text, _locator(runs, phase, octets, stretches))


def _runs(data: bytes) -> list[Run]:
    marks = data.translate(_MARKS)
    runs: list[Run] = []
    place, joined = marks.find(_LEAST_RUN), False
    while place >= 0:
        stop = marks.find(b" ", place)
        stop = len(data) if stop < 0 else stop
        run = data[place:stop]
        # short runs of one case are words and identifiers
        if joined or stop - place > _WORD_MOST or not (run.islower() or run.isupper() or run.isdigit()) or b"=" in run:
            runs.append((place, stop, joined))
            line = _LINE_END.match(data, stop)
            if line is not None:
                place, joined = line.end(), stop - place >= RUN_LEAST
                if joined:
                    continue
        place, joined = marks.find(_LEAST_RUN, stop), False
    return runs


def _stretches(octets: bytes) -> list[tuple[int, int]]:
    """Return where decoded bytes are text. Two ways to the same answer: one is fast for few octets, one for many."""
    if len(octets) <= _FEW_OCTETS:
        spans = (found.span() for found in _STRETCH.finditer(octets))
        return [(low, high) for low, high in spans if high - low >= TEXT_LEAST]
    return _stretches_of_many(octets)


def _stretches_of_many(octets: bytes) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(_is_text(np.frombuffer(octets, np.uint8)).view(np.int8), prepend=0, append=0))
    lows, highs = edges[::2], edges[1::2]
    long = highs - lows >= TEXT_LEAST
    return list(zip(lows[long].tolist(), highs[long].tolist(), strict=True))


def _is_text(data: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell which octets are printable ASCII or belong to a well-formed sequence."""
    text: NDArray[np.bool_] = _PRINTS[data]
    if not (data >= 0x80).any():
        return text
    padded = np.concatenate((data, np.zeros(3, np.uint8)))
    following = padded[1:-2]
    one, two, three = (((padded[n : n + data.size] & 0xC0) == 0x80) for n in (1, 2, 3))
    opens2 = (data >= 0xC2) & (data <= 0xDF) & one
    opens3 = ((data & 0xF0) == 0xE0) & one & two
    opens3 &= ~(((data == 0xE0) & (following < 0xA0)) | ((data == 0xED) & (following > 0x9F)))
    opens4 = (data >= 0xF0) & (data <= 0xF4) & one & two & three
    opens4 &= ~(((data == 0xF0) & (following < 0x90)) | ((data == 0xF4) & (following > 0x8F)))
    opens3 |= opens4
    opens2 |= opens3
    text |= opens2
    text[1:] |= opens2[:-1]
    text[2:] |= opens3[:-2]
    text[3:] |= opens4[:-3]
    return text


def _locator(
    runs: list[Run], phase: int, octets: bytes, stretches: list[tuple[int, int]]
) -> Callable[[], tuple[Offsets, Offsets]]:
    def located() -> tuple[Offsets, Offsets]:
        at = _places_of(runs)[phase:]
        table = np.array(stretches, np.int64)
        lows, lengths = table[:, 0], table[:, 1] - table[:, 0]
        # each stretch is followed by a break, whose octets stand for the stretch's last one; the last break is cut off
        with_break = lengths + len(BREAK)
        within = np.arange(int(with_break.sum())) - np.repeat(np.cumsum(with_break) - with_break, with_break)
        octet = np.minimum(np.repeat(lows, with_break) + within, len(octets) - 1)
        marks = np.frombuffer(octets, np.uint8)[octet]
        begins = np.flatnonzero(((marks & 0xC0) != 0x80) | (within >= np.repeat(lengths, with_break)))
        first, last = octet[begins], octet[np.append(begins[1:], octet.size) - 1]
        ends = at[np.minimum(last // 3 * 4 + last % 3 + 1, at.size - 1)] + 1
        return at[first // 3 * 4 + first % 3], ends

    return located


def _places_of(runs: list[Run]) -> Offsets:
    """Say where each character of the packed runs came from. What breaks runs apart counts to the run after it."""
    table = np.array(runs, np.int64)
    lead = np.where(table[:, 2] == 1, 0, len(_RUN_BREAK))
    lengths = table[:, 1] - table[:, 0] + lead
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths + lead, lengths)
    at = np.maximum(within, 0) + np.repeat(table[:, 0], lengths)
    return np.concatenate((at, np.full(len(_RUN_BREAK), table[-1, 1] - 1, np.int64)))
