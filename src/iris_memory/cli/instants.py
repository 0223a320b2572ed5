"""Instants: the present one, and one that a person typed."""

from __future__ import annotations

from datetime import datetime

from iris_memory.cli.failures import UsageError


def present() -> datetime:
    """Return the present instant, for saying how long ago something was."""
    from iris_memory.wiring.clock import SystemClock

    return SystemClock().now()


def typed_instant(text: str | None, *, option: str) -> datetime | None:
    """Return the instant of an option, aware, or None where it is not given.

    Raises:
        UsageError: it is no RFC 3339 date and time, or has no zone.
    """
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or len(text) < len("2027-01-31T12:00Z"):
        raise UsageError(f"{option} takes a date and time with a zone, such as 2027-01-31T12:00:00Z")
    if instant.tzinfo is None:
        raise UsageError(f"{option} needs a time zone; add Z or an offset such as +02:00")
    return instant
