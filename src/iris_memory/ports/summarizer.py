"""The summarizer port: makes a shorter text of several, and says where it came from as far as it knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from iris_memory.rules.extracting import Digest


class Summarizer(Protocol):
    """Makes summaries. It never runs inside a transaction, and MAY fail: the extractive one takes its place then."""

    @property
    def name(self) -> str:
        """Name and version, as they stand in the provenance of each summary: 1 to 100 printable ASCII characters."""
        ...

    def summarize(self, texts: Sequence[str], *, most: int) -> Digest | None:
        """Return a text of at most `most` code points made from the texts; None where there is nothing to say.

        Raises:
            SummarizerError: it could not be done.
        """
        ...
