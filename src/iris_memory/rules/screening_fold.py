"""One spelling for many: folded text and its tokens, the only form that screening looks at."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from iris_memory.rules.hygiene import bound_marks, without_ignorable

_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_MIXED: Final = re.compile("[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]")
_LOOKALIKES: Final = str.maketrans(
    dict(
        zip(
            "авекмнорстухіјѕԁԛԝһьӏѵαβγεηικνορτυχωϲϳ",
            "abekmhopctyxijsdqwhblvabyenikvoptuxwcj",
            strict=True,
        )
    )
)
"""Cyrillic and Greek letters that look like Latin ones; used only where a word mixes the scripts."""

_TOKEN: Final = re.compile(
    r"[^\W\d_][^\W_]*|\d+(?:[.,]\d+)+|[^\W_]+|[.!?]{1,8}['\"]|\.(?!\w)|[!?;:,\n\"()<>{}\[\]*#|=$\u20ac\u00a3\u2014\u2013\u2026\u00ab\u00bb]|(?<!\w)-|-(?!\w)"
)
_TOKEN_OR_ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+]{1,10}://[^\s<>\"]{1,200}|www\.[^\s<>\"]{1,200}|[\w.+-]{1,64}@[\w.-]{1,64}|" + _TOKEN.pattern
)
_QUOTES: Final = (("\u2019", "'"), ("\u2018", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u201e", '"'), ("`", "'"))
_BEYOND_LATIN: Final = re.compile("[\u0300-\u1fff\u200b-\u200f\u202a-\u202f\u2060-\U0010ffff]")
_GREEK_OR_CYRILLIC: Final = re.compile("[\u0370-\u052f]")


def fold(text: str) -> str:
    """Return the text in NFKC and casefold, without invisible characters, with look-alikes of mixed words as Latin."""
    if text.isascii():
        return text.lower()
    if _BEYOND_LATIN.search(text):
        text = bound_marks(without_ignorable(text))
    for quote, plain in _QUOTES:
        text = text.replace(quote, plain)
    text = unicodedata.normalize("NFKC", text.replace("\xad", "")).casefold()
    if _GREEK_OR_CYRILLIC.search(text) and _MIXED.search(text):
        text = text.translate(_LOOKALIKES)
    return text


def without_accents(folded: str) -> str:
    """Return folded text without the accents of Latin, Greek and Cyrillic letters."""
    if folded.isascii():
        return folded
    return _ACCENTS.sub("", unicodedata.normalize("NFD", folded))


def tokens(plain: str) -> list[str]:
    """Return words, addresses and the punctuation that parts clauses, of text that was folded and lost its accents.

    An apostrophe parts words ("j'ai" is two), but "n't" stays with its verb ("dont").
    """
    if "n't" in plain:
        plain = plain.replace("n't", "nt")
    if "@" in plain or "://" in plain or "www." in plain:
        return _TOKEN_OR_ADDRESS.findall(plain)
    return _TOKEN.findall(plain)
