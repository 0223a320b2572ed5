"""Email addresses: matched wide. The domain points; the local part before it decides.

Wide means: any case, IDNA in both spellings (RFC 5891), a `+tag` dropped, dots ignored where the provider ignores them
(Google, Proton) and nowhere else, provider domains that are one mailbox (`googlemail.com`), `@` and `.` spelt out or
bracketed, a line break anywhere. This folding is for masking only; identity is never established by it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import idna

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded, cleaned, fold
from iris_memory.masking.pattern import Hit

TAG_MOST: Final = 40
"""How many characters of a `+tag` are read."""

SPREAD: Final = 24
"""How many more visible characters a part of an address may take up than it has, for brackets, words and breaks."""

CONNECTOR_MOST: Final = 12
"""How many characters may stand before and after an `@`."""

_GOOGLE: Final = frozenset({"gmail.com", "googlemail.com"})
_PROTON: Final = frozenset({"proton.me", "protonmail.com", "pm.me"})
_DOT_WORDS: Final = ("dot", "punkt", "punto", "point", "ponto")
_AT_WORDS: Final = ("at", "arroba", "chez")

_DOT_WORD = "(?:" + "|".join(_DOT_WORDS) + ")"
_SPELT_DOT = re.compile(rf"\s*[\[({{<]\s*{_DOT_WORD}\s*[\])}}>]\s*|[\s_-]+{_DOT_WORD}[\s_-]+", re.I)
_BRACKETED = re.compile(r"\s*[\[({<]\s*([.@])\s*[\])}>]\s*|\s*(\.)\s*")
_LINE_BREAK = re.compile(r"=?\s*[\r\n\x1f]\s*[>\s]*")
_LOCAL_EDGE: Final = frozenset("._-+%'")
_AROUND_AT: Final = frozenset("[](){}<> \t\r\n\x1f=@-_*")


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A local part as it must be written, without tag; `dots` says whether its dots matter."""

    local: str
    literal: int
    dots: bool


@dataclass(frozen=True, slots=True)
class DomainPattern:
    """A domain in one spelling, with the owner's mailboxes there by the units of their local parts."""

    units: str
    domain: str
    mailboxes: Mapping[str, tuple[Mailbox, ...]]
    lengths: tuple[int, ...]
    reach: int
    foreign: bool
    whole_start: bool = True
    whole_end: bool = True

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if start == 0 or not text.ends_token(end) or not text.fits(start, end, most=_spread(self.domain)):
            return None
        edge = self._before_at(text, start)
        if edge is None or not self._is_domain(text, start, end):
            return None
        found = self._mailbox(text, edge) or self._tagged(text, edge)
        if found is None:
            return None
        begin, literal = found
        return Hit(begin, text.end(end), PiiKind.EMAIL, literal)

    def _is_domain(self, text: Folded, start: int, end: int) -> bool:
        written = text.text[text.begin(start) : text.end(end)]
        return written.lower() == self.domain or (
            # units are equal already; what is left to compare is where the dots and hyphens stand
            _points(written) == _points(self.domain)
        )

    def _before_at(self, text: Folded, start: int) -> int | None:
        """Return the unit before which the local part ends, if an `@` in any spelling stands before the domain."""
        gap = text.gap(start)
        if len(gap) > CONNECTOR_MOST:
            return None
        if "@" in gap:
            return start if gap == "@" or set(gap) <= _AROUND_AT else None
        for word in _AT_WORDS:
            low = start - len(word)
            if low > 0 and text.units.startswith(word, low) and _apart(gap) and _apart(text.gap(low)):
                return low
        return None

    def _mailbox(self, text: Folded, edge: int) -> tuple[int, int] | None:
        units = text.units
        for length in self.lengths:
            low = edge - length
            if low < 0:
                continue
            for mailbox in self._at(text, units[low:edge], low):
                if not text.starts_token(low) or _is_inside_local(text, low):
                    continue
                if not text.fits(low, edge, most=_spread(mailbox.local)):
                    continue
                written = text.text[text.begin(low) : text.end(edge)]
                if written.lower() == mailbox.local or _spelling(written, mailbox.dots) == _spelling(
                    mailbox.local, mailbox.dots
                ):
                    return text.begin(low), mailbox.literal
        return None

    def _at(self, text: Folded, units: str, low: int) -> Iterable[Mailbox]:
        exact = self.mailboxes.get(units)
        if exact is not None or not (text.unsure or self.foreign):
            return exact or ()
        return (
            mailbox
            for written, boxes in self.mailboxes.items()
            if len(written) == len(units) and text.same(low, written)
            for mailbox in boxes
        )

    def _tagged(self, text: Folded, edge: int) -> tuple[int, int] | None:
        """Look for `local+tag`: the local part ends before the first plus sign of the token."""
        high = text.end(edge)
        token = _TOKEN.match(text.text[max(0, high - TAG_MOST - _spread(" " * max(self.lengths))) : high][::-1])
        if token is None:
            return None
        plus = _PLUS.search(text.text, high - token.end(), high)
        if plus is None:
            return None
        before = bisect_left(text.at, plus.start())
        return self._mailbox(text, before) if 0 < before < edge and high - plus.start() <= TAG_MOST else None


_TOKEN = re.compile(r"[^\s@<>()\[\]{},;:\"\\]+")
_PLUS = re.compile(r"[+＋﹢]")


def _apart(gap: str) -> bool:
    return 0 < len(gap) <= CONNECTOR_MOST and set(gap) <= _AROUND_AT


def _spread(part: str) -> int:
    return 2 * len(part) + SPREAD


def _is_inside_local(text: Folded, low: int) -> bool:
    """Whether more of a local part stands directly before: `foo.ada@` is not `ada@`."""
    gap = text.gap(low)
    return len(gap) == 1 and gap in _LOCAL_EDGE and low > 0


def _without_breaks(text: str) -> str:
    return _LINE_BREAK.sub("", _SPELT_DOT.sub(".", _BRACKETED.sub(r"\1\2", text)))


def _points(text: str) -> tuple[tuple[int, str], ...]:
    """Return the punctuation of a domain with the number of units before each mark."""
    return _marks(_without_breaks(cleaned(text)), kept=None)


def _spelling(text: str, dots: bool) -> tuple[tuple[int, str], ...]:
    return _marks(_without_breaks(cleaned(text)), kept=None if dots else "")


def _marks(text: str, *, kept: str | None) -> tuple[tuple[int, str], ...]:
    marks, count = [], 0
    for char in text:
        if units := fold(char):
            count += len(units)
        elif kept is None or char in kept:
            marks.append((count, char))
    return tuple(marks)


def canonical(value: str) -> str | None:
    """Return the mailbox that an address stands for, or None for what is not an address."""
    parsed = _parse(value)
    if parsed is None:
        return None
    local, domain = parsed
    home = "gmail.com" if domain in _GOOGLE else "proton.me" if domain in _PROTON else domain
    return f"{fold(local) if home in _GOOGLE | _PROTON else cleaned(local).casefold()}@{home}"


def _parse(value: str) -> tuple[str, str] | None:
    local, _, domain = cleaned(value.strip()).rpartition("@")
    local = local.split("+", 1)[0].strip().lower()
    domain = _decoded(domain.strip().rstrip(".").lower())
    if not fold(local) or "." not in domain or not all(fold(label) for label in domain.split(".")):
        return None
    return local, domain


def _decoded(domain: str) -> str:
    try:
        return idna.decode(domain) if "xn--" in domain else domain
    except idna.IDNAError:
        return domain


def _encoded(domain: str) -> str:
    try:
        return idna.encode(domain, uts46=True).decode("ascii")
    except idna.IDNAError:
        return domain


def patterns(values: Iterable[tuple[int, str]]) -> Iterator[DomainPattern]:
    """Yield the patterns of all addresses together: one per domain and spelling."""
    homes: dict[str, dict[str, list[Mailbox]]] = {}
    for literal, value in values:
        parsed = _parse(value)
        if parsed is None:
            continue
        local, domain = parsed
        ignores_dots = domain in _GOOGLE or domain in _PROTON
        mailbox = Mailbox(local.replace(".", "") if domain in _GOOGLE else local, literal, not ignores_dots)
        for home in _GOOGLE if domain in _GOOGLE else _PROTON if domain in _PROTON else (domain,):
            boxes = homes.setdefault(home, {})
            for units in _local_units(local):
                boxes.setdefault(units, []).append(mailbox)
    for home, boxes in sorted(homes.items()):
        frozen = {units: tuple(dict.fromkeys(found)) for units, found in boxes.items()}
        lengths = tuple(sorted({len(units) for units in frozen}, reverse=True))
        foreign = not all(map(str.isascii, frozen))
        for domain in dict.fromkeys((home, _encoded(home))):
            for dot in ("", *_DOT_WORDS):
                units = dot.join(fold(label) for label in domain.split("."))
                reach = _spread(domain) + _spread(" " * lengths[0]) + TAG_MOST + 2 * CONNECTOR_MOST + 8
                yield DomainPattern(units, domain, frozen, lengths, reach, foreign)


def _local_units(local: str) -> Iterator[str]:
    parts = [fold(part) for part in local.split(".") if fold(part)]
    for dot in ("", *_DOT_WORDS) if len(parts) > 1 else ("",):
        yield dot.join(parts)
