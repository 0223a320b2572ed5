"""Pauses between tries: each twice as long as the one before, up to a limit, and uneven, so that many do not march."""

from __future__ import annotations

import random
from typing import Final

SHORTEST: Final = 0.1
LONGEST: Final = 5.0


class Pauses:
    """Seconds to wait before the next try."""

    __slots__ = ("_longest", "_next")

    def __init__(self, *, longest: float = LONGEST) -> None:
        self._longest = longest
        self._next = SHORTEST

    def next(self) -> float:
        """Return the next pause: between half and the whole of what has doubled since the last success."""
        pause, self._next = self._next, min(self._longest, 2 * self._next)
        return pause * random.uniform(0.5, 1.0)  # noqa: S311 - uneven, not secret

    def reset(self) -> None:
        """Begin with the shortest again."""
        self._next = SHORTEST
