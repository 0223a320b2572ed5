"""Links: host and path after normalisation (RFC 3986 6.2); the host alone counts when it is the owner's.

The scheme, `www.`, credentials, a port, the query, tracking parameters and the fragment do not matter; a host is
compared in both spellings of IDNA. A host that many people share is never owned: there the path has to match too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

import idna

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded, cleaned, fold
from iris_memory.masking.hosts import SHARED_HOSTS
from iris_memory.masking.pattern import Hit

_LINK = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]{0,20})://)?(?:[^\s/@]*@)?(?P<host>[^\s/:?#@]+)(?::\d+)?(?P<path>[^\s?#]*)", re.I
)
_LEAD_MOST: Final = 32
_LEADS = re.compile(r"(?:[a-z][a-z0-9+.-]{0,20}://)?(?:www\.)?\Z", re.I)


@dataclass(frozen=True, slots=True)
class LinkPattern:
    """Host and path in one spelling. `marks` is the punctuation between its units; `owned` lets subdomains count."""

    units: str
    literal: int
    marks: tuple[tuple[int, str], ...]
    owned: bool
    has_path: bool
    whole_start: bool = True
    whole_end: bool = True

    @property
    def reach(self) -> int:
        return len(self.units) + sum(len(mark) for _, mark in self.marks) + _LEAD_MOST + 4

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not (text.starts_token(start) and text.ends_token(end)):
            return None
        if not self._ends_here(text, end) or not self._marked_as_written(text, start, end):
            return None
        lead = text.lead(start, most=_LEAD_MOST)
        found = _LEADS.search(lead)
        first = found.start() if found is not None else len(lead)
        before = lead[first - 1 : first] if first else ""
        if before in ("@", "-") or (before == "." and not self.owned):
            return None
        return Hit(text.back(start, len(lead) - first), text.end(end), PiiKind.LINK, self.literal)

    def _ends_here(self, text: Folded, end: int) -> bool:
        """Whether the host or the path is over, and does not go on as a longer one."""
        if end >= len(text.units):
            return True
        gap = text.gap(end)
        return gap not in ((".", "-", "_", "@") if not self.has_path else (".", "-", "_", "~"))

    def _marked_as_written(self, text: Folded, start: int, end: int) -> bool:
        written = dict(self.marks)
        return all(
            text.gap(start + unit) == written.get(unit, "")
            for unit in range(1, end - start)
            if unit in written or text.separated(start + unit)
        )


def _parse(value: str) -> tuple[str, str] | None:
    """Return host and path as they are compared, or None for what is not a link or leads to a shared host alone."""
    found = _LINK.match(cleaned(value.strip()))
    if found is None:
        return None
    host = found["host"].lower().rstrip(".").removeprefix("www.")
    path = unquote(found["path"]).rstrip("/").lower()
    if "." not in host or not all(fold(label) for label in host.split(".")):
        return None
    if not path and host in SHARED_HOSTS:
        return None
    return host, path


def canonical(value: str) -> str | None:
    """Return host and path, or None for a link that nobody owns."""
    parsed = _parse(value)
    return None if parsed is None else "".join(parsed)


def patterns(value: str, *, literal: int) -> Iterator[LinkPattern]:
    """Yield the patterns of one link: its host in both spellings, with the path if it has one."""
    parsed = _parse(value)
    if parsed is None:
        return
    host, path = parsed
    for spelling in dict.fromkeys((host, _other_spelling(host))):
        units, marks, gap = "", [], ""
        for char in spelling + path:
            part = fold(char)
            if part and gap:
                marks.append((len(units), gap))
            gap = "" if part else gap + char
            units += part
        yield LinkPattern(units, literal, tuple(marks), owned=not path, has_path=bool(path))


def _other_spelling(host: str) -> str:
    try:
        return idna.decode(host) if "xn--" in host else idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host
