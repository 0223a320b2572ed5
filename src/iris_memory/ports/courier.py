"""The port that carries a webhook's message out of the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Courier(Protocol):
    """Sends one message and says what was answered."""

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> int:
        """Return the HTTP status of the answer; 0 where there was none, whatever the reason.

        It MUST NOT follow a redirect, and MUST NOT connect to an address of the inside for an address of the outside.
        """
        ...
