"""What a matcher gives the scan: units to look for, and the check that makes an occurrence a hit."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded


class Hit(NamedTuple):
    """A stretch of a text that is a literal of the owner.

    `weak` counts only near a hit that is not; `lone_name` is a one-word name; `brief` is too short to be believed in
    decoded bytes, where anything can be spelt by chance.
    """

    start: int
    end: int
    kind: PiiKind
    literal: int
    weak: bool = False
    lone_name: bool = False
    brief: bool = False

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hit itself: alone, it is its own stretch."""
        return (self,)


class Pattern(Protocol):
    """Units that point at a literal, and the rule that decides.

    `whole_start` and `whole_end` promise that no hit starts or ends inside a token there, so that the scan may drop
    such occurrences without asking. `reach` bounds how many visible code points around the units the check looks at.
    """

    @property
    def units(self) -> str: ...

    @property
    def whole_start(self) -> bool: ...

    @property
    def whole_end(self) -> bool: ...

    @property
    def reach(self) -> int: ...

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        """Decide about the occurrence of the pattern at the units `[start, end)`."""
        ...


def token_start(text: Folded, unit: int, *, most: int) -> int:
    """Return the unit at which the token that holds `unit` starts, looking back at most `most` units."""
    low = max(0, unit - most)
    while unit > low and not text.starts_token(unit):
        unit -= 1
    return unit


def token_end(text: Folded, unit: int, *, most: int) -> int:
    """Return the unit before which the token that holds `unit - 1` ends, looking ahead at most `most` units."""
    high = min(len(text.units), unit + most)
    while unit < high and not text.ends_token(unit):
        unit += 1
    return unit
