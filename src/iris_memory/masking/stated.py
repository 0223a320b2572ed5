"""Stated values: the literal in what a person told their memory about themselves.

A statement is often a sentence: `My email is ada@lovelace.example`. Addresses of mail, numbers and links are taken out
of it wherever they stand; of a name, what stands after the words that people say before one; a handle is one token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking import documents

NAME_WORDS_MOST: Final = 6
"""A text of more words is no name: masking a sentence would mask nothing that is ever written again."""

_BEFORE_A_NAME = re.compile(
    r"""^(?:(?:my|the|full|first|last|legal|real)\s+){0,3}name(?:\s+is|'s|:)\s+
    |^(?:i\s+am|i'm|call\s+me|they\s+call\s+me|i\s+go\s+by|(?:is\s+)?(?:called|named)|name:)\s+
    |^(?:mein\s+name\s+ist|ich\s+heiße|ich\s+heisse|je\s+m'appelle|me\s+llamo|mi\s+nombre\s+es|mi\s+chiamo|меня\s+зовут)\s+
    """,
    re.I | re.X,
)
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+|(?:[a-z0-9-]+\.)+[a-z]{2,24}(?:/[^\s<>\"')\]]*)?", re.I)
_HANDLE = re.compile(r"@[A-Za-z0-9_][A-Za-z0-9_.-]{1,63}")
_ENDS: Final = " \t\r\n.,;:!?\"'“”«»"


def values_in(kind: PiiKind, statement: str, *, regions: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the literals of one kind in a statement about the owner."""
    text = statement.strip()
    match kind:
        case PiiKind.EMAIL:
            yield from _or_whole(list(documents.emails_in(text)), text)
        case PiiKind.PHONE:
            yield from _or_whole(list(documents.phones_in(text, regions=regions)), text)
        case PiiKind.LINK:
            yield from _or_whole([found[0].rstrip(_ENDS) for found in _URL.finditer(text)], text)
        case PiiKind.HANDLE:
            handles = [found[0].rstrip(".") for found in _HANDLE.finditer(text)]
            links = [] if handles else [found[0].rstrip(_ENDS) for found in _URL.finditer(text) if "/" in found[0]]
            yield from _or_whole(handles or links, text)
        case PiiKind.NAME:
            name = _BEFORE_A_NAME.sub("", text, count=1).strip(_ENDS)
            if 0 < len(name.split()) <= NAME_WORDS_MOST:
                yield name
        case _:
            yield text


def _or_whole(found: list[str], text: str) -> list[str]:
    """Return what was found, or the whole text where it is one token or written with gaps, as a number is."""
    return found or ([text.strip(_ENDS)] if len(text.split()) <= NAME_WORDS_MOST else [])
