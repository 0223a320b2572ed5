"""Handles: with `@`, in the path of a host that is known for profiles, or bare when unusual; always a whole word.

Unusual is a handle of five characters or more that is not an everyday word. What a handle writes between its letters
(`ada_love`) stands for itself, and a handle is never replaced inside a longer identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded, cleaned, fold
from iris_memory.masking.hosts import PROFILE_HOSTS
from iris_memory.masking.pattern import Hit
from iris_memory.masking.words import EVERYDAY_WORDS

UNUSUAL_LEAST: Final = 5
"""How many units a handle needs to count where nothing says that it is one."""
HANDLE_LEAST: Final = 2

_PROFILE_WINDOW: Final = 48
_CONTINUES: Final = frozenset("_-")
_PROFILE = re.compile(
    r"(?:^|[^\w.-]|\.)(?:" + "|".join(re.escape(host) for host in sorted(PROFILE_HOSTS)) + r")"
    r"/(?:in/|u/|user/|users/|profile/|~|@|c/|channel/|people/|author/)?\Z",
    re.I,
)


@dataclass(frozen=True, slots=True)
class HandlePattern:
    """A handle. `marks` are the characters inside it that are not units, by the unit before which they stand."""

    units: str
    literal: int
    marks: tuple[tuple[int, str], ...]
    bare: bool
    whole_start: bool = True
    whole_end: bool = True

    @property
    def reach(self) -> int:
        return 2 * len(self.units) + _PROFILE_WINDOW + 4

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not (text.starts_token(start) and text.ends_token(end)):
            return None
        before, after = text.gap(start), text.gap(end)
        if after[:1] in _CONTINUES and len(after) == 1 and end < len(text.units):
            return None
        if before[-1:] in _CONTINUES and len(before) == 1 and start > 0:
            return None
        if not self._marked_as_written(text, start, end):
            return None
        brief = len(self.units) < 5
        finish = text.end(end)
        if before.endswith("@") and not (len(before) == 1 and start > 0):
            return Hit(text.back(start, 1), finish, PiiKind.HANDLE, self.literal, brief=brief)
        if self.bare or (before.endswith(("/", "@", "~")) and _PROFILE.search(text.lead(start, most=_PROFILE_WINDOW))):
            return Hit(text.begin(start), finish, PiiKind.HANDLE, self.literal, brief=brief)
        return None

    def _marked_as_written(self, text: Folded, start: int, end: int) -> bool:
        written = dict(self.marks)
        return all(
            text.gap(start + unit) == written.get(unit, "")
            for unit in range(1, end - start)
            if unit in written or text.separated(start + unit)
        )


def stripped(value: str) -> str:
    """Return a handle without its sign, or the last part of a profile's address."""
    value = cleaned(value.strip())
    if "/" in value:
        value = value.rstrip("/").rsplit("/", 1)[-1]
    return value.lstrip("@~")


def canonical(value: str) -> str | None:
    """Return the handle in lower case without its sign, or None for one that is too short."""
    handle = stripped(value)
    return handle.casefold() if len(fold(handle)) >= HANDLE_LEAST else None


def patterns(value: str, *, literal: int) -> Iterator[HandlePattern]:
    """Yield the pattern of one handle, and of its account part where it names a server (`ada@social.example`)."""
    handle = stripped(value)
    if canonical(handle) is None:
        return
    units, marks, gap = "", [], ""
    for char in handle:
        part = fold(char)
        if part and gap and units:
            marks.append((len(units), gap))
        gap = "" if part else gap + char
        units += part
    yield HandlePattern(units, literal, tuple(marks), len(units) >= UNUSUAL_LEAST and units not in EVERYDAY_WORDS)
