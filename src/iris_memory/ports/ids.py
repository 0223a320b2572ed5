"""The port that makes identifiers and random bytes, so that nothing below the flows draws a random number."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Ids(Protocol):
    """Makes identifiers and secret bytes."""

    def entry_id(self, now: datetime) -> str:
        """Return a new UUIDv7 (RFC 9562) in lower-case text. Ids of one process MUST increase strictly."""
        ...

    def secret(self, length: int) -> bytes:
        """Return `length` bytes fit for keys, nonces and blindings. They MUST come from the system's generator."""
        ...
