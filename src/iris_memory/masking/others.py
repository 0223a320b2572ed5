"""Redaction: the details of other people and of anybody leave a text as typed tokens, and never come back.

A token is a keyed digest of the detail as it is compared: the same detail has the same token under one key, so that two
systems given the same key can refer to the same mail or person; under another key it has another, and no key turns it
back. It is not the masking of a known identity (`masking.scan`), whose pseudonyms are unmasked for whoever may see it.

Laws:
- the text minus its tokens equals the original minus the spans of the tokens;
- redacting a redacted text changes nothing;
- a category with a consent of its own leaves as one token and the words of its name, whatever the text holds.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable
from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.privacy import PiiToken, PiiTokenKind, RedactedText
from iris_memory.contracts.shape import trusted
from iris_memory.masking.folding import fold
from iris_memory.masking.pii_shapes import Detail, details
from iris_memory.tables.categories import is_sensitive

EVERY_KIND: Final = frozenset(PiiTokenKind)
CONTACTS: Final = frozenset(
    {PiiTokenKind.EMAIL, PiiTokenKind.PHONE, PiiTokenKind.ADDRESS, PiiTokenKind.HANDLE, PiiTokenKind.PERSON}
)
"""What leads to a person; numbers of cards, accounts and papers are their owner's own until said otherwise."""

_DIGITS_ALONE: Final = frozenset({PiiTokenKind.PHONE, PiiTokenKind.CARD})


def redact_pii_from_text(
    text: str,
    *,
    key: bytes,
    kinds: Iterable[PiiTokenKind] = EVERY_KIND,
    names: Iterable[str] = (),
) -> RedactedText:
    """Return a text with every detail that can be made out as a typed token.

    Args:
        text: any text.
        key: whoever shares it can compare tokens. A key of one person's keeps them apart from everybody else's.
        kinds: what is taken out.
        names: names that are known to be somebody's, found wherever they stand as whole words.
    """
    return _without(text, details(text, kinds=kinds, names=names), key=key)


def mask_others(text: str, *, key: bytes, names: Iterable[str] = (), own: Iterable[str] = ()) -> RedactedText:
    """Return a text in which other people's names, mails, phones, addresses and handles are tokens (DSR-15).

    Args:
        text: any text.
        key: as for `redact_pii_from_text`.
        names: names that are known to be another person's.
        own: what is the subject's own (names, mails, numbers): it stays as it is written.
    """
    kept = {fold(literal) for literal in own}
    found = [
        detail
        for detail in details(text, kinds=CONTACTS, names=names)
        if fold(text[detail.start : detail.end]) not in kept
    ]
    return _without(text, found, key=key)


def redact_privacy_summary(text: str, category: Category, *, key: bytes, names: Iterable[str] = ()) -> str:
    """Return what may be said of a memory to another system.

    Of a sensitive category: its name and a token, none of the words. Of any other: the words without details.
    """
    if is_sensitive(category):
        return f"[{category.value}:{_tag(key, category.value, fold(text))}]"
    return redact_pii_from_text(text, key=key, names=names).text


def pii_token(kind: PiiTokenKind, value: str, *, key: bytes) -> str:
    """Return the token of one detail, as it would stand in a redacted text."""
    return f"[{kind.value}:{_tag(key, kind.value, _compared(kind, value))}]"


def _without(text: str, found: Iterable[Detail], *, key: bytes) -> RedactedText:
    parts: list[str] = []
    tokens: list[PiiToken] = []
    at = 0
    for detail in found:
        token = trusted(
            PiiToken,
            kind=detail.kind,
            tag=_tag(key, detail.kind.value, _compared(detail.kind, text[detail.start : detail.end])),
            start=detail.start,
            end=detail.end,
        )
        parts += (text[at : detail.start], token.text())
        tokens.append(token)
        at = detail.end
    return trusted(RedactedText, text="".join((*parts, text[at:])), tokens=tuple(tokens))


def _compared(kind: PiiTokenKind, value: str) -> str:
    """Return a detail as it is compared: what is written differently and means the same has one token."""
    if kind in _DIGITS_ALONE:
        digits = "".join(str(unicodedata.digit(mark)) for mark in value if mark.isdigit())
        return digits.removeprefix("00")
    if kind is PiiTokenKind.EMAIL:
        spelt = unicodedata.normalize("NFKC", value).casefold()
        for written, meant in (("at", "@"), ("dot", "."), ("@", "@"), (".", ".")):
            for opened, closed in ("[]", "()"):
                spelt = spelt.replace(f"{opened}{written}{closed}", meant)
        return "".join(spelt.split())
    return fold(value)


def _tag(key: bytes, kind: str, value: str) -> str:
    message = b"iris-pii-token-1\x1f" + f"{kind}\x1f{value}".encode("utf-8", "surrogatepass")
    return hmac.digest(key, message, "sha256")[:8].hex()
