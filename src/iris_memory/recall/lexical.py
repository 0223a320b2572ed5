"""Word tokens, and the overlap of two sets of them.

A token is a run of letters, marks and decimal digits (general categories L*, M*, Nd) of the text after NFKC and
casefold, longer than two characters. Overlap is the Jaccard index in millionths, rounded half up; it is 0 when either
side has no token. Tokens are kept as 64-bit BLAKE2b digests.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.tables.limits import MILLION

TOKENISER: Final = "word3"
UNICODE_VERSION: Final = unicodedata.unidata_version

Semantic = Callable[[str, MemoryEntry], float]
"""A relevance of an entry to the text of a request, from 0 to 1. It must be deterministic."""


class _Breaks(dict[int, str]):
    """Maps each code point to itself or to a space, and remembers the answer."""

    def __missing__(self, point: int) -> str:
        mark = chr(point)
        group = unicodedata.category(mark)
        kept = mark if group[0] in "LM" or group == "Nd" else " "
        self[point] = kept
        return kept


_BREAKS: Final = _Breaks()


def words(text: str) -> list[str]:
    """Return the tokens of a text in order, repeats included."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [word for word in folded.translate(_BREAKS).split() if len(word) > 2]


@lru_cache(maxsize=65_536)
def token(word: str) -> int:
    """Return the 64-bit token of a word."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def tokens(text: str) -> list[int]:
    """Return the distinct tokens of a text, ascending."""
    return sorted({token(word) for word in words(text)})


def overlap(first: frozenset[int] | set[int], second: frozenset[int] | set[int]) -> int:
    """Return the Jaccard index of two token sets in millionths, rounded half up."""
    if not first or not second:
        return 0
    shared = len(first & second)
    return share(shared, len(first) + len(second) - shared)


def share(part: int, whole: int) -> int:
    """Return part/whole in millionths, rounded half up."""
    return (2 * MILLION * part + whole) // (2 * whole)
