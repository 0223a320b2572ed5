"""The real clock. The only place that reads it."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Tells the system's time in UTC."""

    def now(self) -> datetime:
        """Return the present instant."""
        return datetime.now(UTC)
