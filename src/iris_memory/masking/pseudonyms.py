"""Pseudonyms: what stands in a text instead of owner identity, and the way back for whom it was granted.

A pseudonym is `[owner:<kind>#<n>]`. Laws:

* `n` is stable per canonical literal within one consumer's conversation, and counts literals of a kind in the order in
  which this consumer first met them there, from left to right. Two consumers count apart, so that equal pseudonyms of
  two consumers say nothing; what is kept beside a number is an HMAC under the deployment's key.
* Only a pseudonym issued in the same exchange is turned back, only for kinds granted to its caller, and never a secret.
* What looks like a pseudonym in the input was not issued: it is written `[owner~:<kind>#<n>]`, which means nothing to
  anybody, and comes back as it was typed. Masking leaves that form alone, and leaves its own output alone.
"""

from __future__ import annotations

import hmac
import re
from typing import Final, NamedTuple

from iris_memory.contracts.masking import OWNER_PII_KINDS, PiiKind
from iris_memory.errors import MaskingError
from iris_memory.masking.encodings import Offsets, Reading, in_letters, unescaped
from iris_memory.masking.folding import without_surrogates

KEY_LEAST: Final = 16
"""How many bytes a key needs."""

NUMBER_MOST: Final = 999_999
ESCAPE: Final = "~"

_KINDS: Final = "|".join(kind.value for kind in PiiKind)
PSEUDONYM: Final = re.compile(rf"\[owner:(?:{_KINDS})#[0-9]{{1,6}}\]")
"""The one spelling that is issued and turned back."""

_READS_LIKE = re.compile(
    rf"[\[{{(<]\s{{0,4}}(?P<word>owner)\s{{0,4}}(?P<escape>{ESCAPE}?)\s{{0,4}}:\s{{0,4}}(?:{_KINDS})"
    r"\s{0,4}#\s{0,4}[0-9]{1,8}\s{0,4}[\]})>]"
)


class LookAlike(NamedTuple):
    """Something in the input that reads like a pseudonym. `at` is where the escape goes; None where it has one."""

    start: int
    end: int
    at: int | None


def look_alikes(text: str) -> list[LookAlike]:
    """Return what reads like a pseudonym in a text, in any case, script, spacing or escape, from left to right."""
    found = []
    for reading in unescaped(without_surrogates(text)):
        letters, kept = in_letters(reading.text)
        for match in _READS_LIKE.finditer(letters):
            start, end = _placed(reading, kept, match.span())
            _, word_end = _placed(reading, kept, match.span("word"))
            found.append(LookAlike(start, end, None if match["escape"] else word_end))
    return sorted(set(found), key=lambda look: (look.start, look.end))


def _placed(reading: Reading, kept: Offsets | None, span: tuple[int, int]) -> tuple[int, int]:
    low, high = span if kept is None else (int(kept[span[0]]), int(kept[span[1] - 1]) + 1)
    return reading.original(low, high)


class Pseudonyms:
    """The pseudonyms of one consumer in one conversation. Holds literals in memory; its `repr` shows none."""

    __slots__ = ("_conversation", "_counts", "_key", "_meanings", "_numbers", "_tokens", "consumer")

    def __init__(self, *, key: bytes, consumer: str, conversation: str) -> None:
        if len(key) < KEY_LEAST:
            raise MaskingError(f"the key of pseudonyms needs at least {KEY_LEAST} bytes")
        self._key = key
        self.consumer = consumer
        self._conversation = conversation
        self._numbers: dict[bytes, int] = {}
        self._counts: dict[PiiKind, int] = {}
        self._tokens: dict[tuple[str, str], str] = {}
        self._meanings: dict[str, tuple[str, frozenset[PiiKind]]] = {}

    def __repr__(self) -> str:
        return f"Pseudonyms(issued={len(self._numbers)})"

    def exchange(self) -> Exchange:
        """Open one request: what it masks, and only that, can be turned back in it."""
        return Exchange(self)

    def token(self, kind: PiiKind, canonical: str, *, meaning: str, kinds: frozenset[PiiKind]) -> str:
        """Return the pseudonym of a canonical literal, the same one each time.

        `meaning` is what it is turned back into, and `kinds` are all that must be granted for that.
        """
        known = self._tokens.get((kind.value, canonical))
        if known is not None:
            return known
        digest = self.digest(kind.value, canonical)
        number = self._numbers.get(digest)
        if number is None:
            number = self._counts.get(kind, 0) + 1
            if number > NUMBER_MOST:
                raise MaskingError("one conversation met more literals of a kind than can be numbered")
            self._counts[kind] = number
            self._numbers[digest] = number
            if PiiKind.SECRET not in kinds:
                self._meanings[f"[owner:{kind.value}#{number}]"] = (meaning, kinds)
        self._tokens[kind.value, canonical] = token = f"[owner:{kind.value}#{number}]"
        return token

    def meaning(self, token: str, *, grants: frozenset[PiiKind]) -> str | None:
        """Return what a pseudonym stands for where every kind of it is granted."""
        meaning, kinds = self._meanings.get(token, ("", frozenset(PiiKind)))
        return meaning if kinds <= grants & OWNER_PII_KINDS else None

    def digest(self, *parts: str) -> bytes:
        """Return the keyed digest of parts within this consumer's conversation."""
        return keyed_digest(self._key, self.consumer, self._conversation, *parts)


class Exchange:
    """One request of one caller: what was issued and escaped in it, and what it gave out."""

    __slots__ = ("_escaped", "_given_out", "_issued", "_typed", "pseudonyms")

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self.pseudonyms = pseudonyms
        self._issued: set[str] = set()
        self._escaped: dict[str, str] = {}
        self._typed: set[str] = set()
        self._given_out: set[bytes] = set()

    def __repr__(self) -> str:
        return f"Exchange(issued={len(self._issued)}, escaped={len(self._escaped)})"

    def issue(self, kind: PiiKind, canonical: str, *, meaning: str, kinds: frozenset[PiiKind]) -> str:
        """Return the pseudonym of a literal and remember that this exchange issued it."""
        token = self.pseudonyms.token(kind, canonical, meaning=meaning, kinds=kinds)
        self._issued.add(token)
        return token

    def note(self, typed: str, *, escaped: str | None) -> None:
        """Remember a look-alike of the input: how it was typed, and how it is written now (None: as it was)."""
        if escaped is None:
            self._typed.add(typed)
        else:
            self._escaped[escaped] = typed

    def gave_out(self, text: str) -> None:
        """Remember, by keyed digest, that this exchange wrote this text."""
        self._given_out.add(self.pseudonyms.digest("given-out", text))

    def is_own(self, text: str) -> bool:
        """Whether this exchange wrote this very text: then masking it again changes nothing."""
        return bool(self._given_out) and self.pseudonyms.digest("given-out", text) in self._given_out

    def vocabulary(self) -> dict[str, str | None]:
        """Return everything that may have to be turned back: escapes with what was typed, pseudonyms with None."""
        back: dict[str, str | None] = dict.fromkeys(self._issued)
        back.update((escaped, typed) for escaped, typed in self._escaped.items() if escaped not in self._typed)
        return back

    def turned_back(self, token: str, *, grants: frozenset[PiiKind]) -> str:
        """Return what one entry of the vocabulary is turned back into; itself where that is not granted."""
        if token in self._issued:
            meaning = self.pseudonyms.meaning(token, grants=grants)
            return token if meaning is None else meaning
        return self._escaped.get(token, token) if token not in self._typed else token


def keyed_digest(key: bytes, *parts: str) -> bytes:
    """Return HMAC-SHA-256 (RFC 2104) over parts, each with its length, so that no two lists of parts are one."""
    message = b"".join(
        len(encoded).to_bytes(8, "big") + encoded
        for part in parts
        for encoded in (part.encode("utf-8", "surrogatepass"),)
    )
    return hmac.digest(key, message, "sha256")
