"""The port that looks for what should be gone, from outside the process that uses the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ResidueReport:
    """What a scan of files for byte patterns found.

    `found` counts hits per pattern label; `too_short` counts patterns that are too short to prove anything.
    """

    files: int
    size: int
    patterns: int
    too_short: int
    found: dict[str, int]

    @property
    def is_clean(self) -> bool:
        """Say whether nothing was found."""
        return not self.found


class ResidueScanner(Protocol):
    """Looks through files for byte patterns."""

    def scan(self, files: Iterable[Path], patterns: Sequence[tuple[str, bytes]]) -> ResidueReport:
        """Scan files for (label, bytes) patterns. MUST run in another process: opening a SQLite file inside the
        process that uses it drops that process's POSIX locks when the file is closed."""
        ...
