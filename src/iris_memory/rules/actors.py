"""Other people: a mentioned person is a keyed opaque handle in the user's namespace, never a profile.

A plain hash of a name can be guessed; the handle is an HMAC under a key of the subject, over a salt of its own. Once
the salt is gone no key and no name leads to the handle again: somebody forgotten and met anew has another one.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from typing import Final

from iris_memory.rules.hygiene import normalise_for_match

HANDLE: Final = re.compile(r"actor-[0-9a-f]{32}")
"""The form of a handle."""

_MARKS: Final = re.compile(r"[\u0300-\u036f]")
_APART: Final = re.compile(r"[\s.,'’`´_\-\u2010-\u2015]+")
_LETTERS: Final = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d"})
_TITLES: Final = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "mx",
        "miss",
        "dr",
        "prof",
        "professor",
        "doctor",
        "sir",
        "herr",
        "frau",
        "monsieur",
        "madame",
        "mme",
        "sr",
        "sra",
        "signor",
        "signora",
        "senor",
        "senora",
    ]
)


def folded_name(name: str) -> str:
    """Return a name as it is compared: any case, with or without accents, punctuation, a title, or `Last, First`."""
    first, comma, last = name.partition(",")
    turned = f"{last} {first}" if comma and last.strip() and "," not in last else name
    spread = unicodedata.normalize("NFD", normalise_for_match(turned).translate(_LETTERS))
    plain = unicodedata.normalize("NFC", _MARKS.sub("", spread))
    words = [word for word in _APART.split(plain) if word]
    while len(words) > 1 and words[0] in _TITLES:
        del words[0]
    return " ".join(words) or normalise_for_match(name)


def actor_handle(name: str, *, key: bytes, salt: bytes = b"") -> str:
    """Return the handle of a name (as `folded_name` compares it) under the subject's actor key and a salt."""
    message = salt + folded_name(name).encode("utf-8", "surrogatepass")
    return "actor-" + hmac.digest(key, message, "sha256").hex()[:32]
