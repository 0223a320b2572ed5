"""The clock port. Flows ask once per call and hand the instant down as `now`."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC. It MAY jump in either direction; callers cope."""
        ...
