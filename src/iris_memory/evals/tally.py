"""The tally of a suite: how many cases it looked at, how many went wrong, and which ones first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

_TOLD: Final = 5


@dataclass(slots=True)
class Tally:
    """Counts the cases of one suite. A case is named by codes and ids of the suite, never by words of a memory."""

    cases: int = 0
    failed: int = 0
    first: list[str] = field(default_factory=list)

    def check(self, case: str, holds: bool) -> None:
        """Count a case, and whether it holds."""
        self.cases += 1
        if not holds:
            self.fail(case)

    def same(self, case: str, found: object, expected: object) -> None:
        """Count a case that holds where what was found is what was expected."""
        self.check(case, found == expected)

    def fail(self, case: str) -> None:
        """Note a case that went wrong."""
        self.failed += 1
        if len(self.first) < _TOLD:
            self.first.append(case)
