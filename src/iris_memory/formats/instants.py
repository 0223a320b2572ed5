"""When something was said: an instant with a zone, or no instant at all.

A time without a zone could be any of 26 hours, so it is noted and not guessed. Digits beyond the microsecond are cut,
never rounded: a time does not move into the next second.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import ROUND_FLOOR, Context, Decimal

from iris_memory.formats.row import RowNote

Instant = tuple[datetime | None, RowNote | None]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = Decimal("0.000001")
_EXACT = Context(prec=40)
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,12}))?(?:([Zz])|([+-]\d\d):?(\d\d))?", re.ASCII)
_UNKNOWN: Instant = (None, None)
_BAD: Instant = (None, RowNote.BAD_TIME)


def from_epoch(value: object) -> Instant:
    """Seconds since 1970 as an integer or a decimal, exact to the microsecond; text is read as ISO 8601."""
    if value is None or value == "":
        return _UNKNOWN
    if isinstance(value, str):
        return from_iso(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return _BAD
    seconds = Decimal(value)
    if not seconds.is_finite() or seconds.adjusted() > 12:  # far beyond the year 9999
        return _BAD
    whole = seconds.quantize(_MICROSECOND, rounding=ROUND_FLOOR, context=_EXACT)
    try:
        return _EPOCH + timedelta(microseconds=int(whole.scaleb(6, context=_EXACT))), None
    except OverflowError:
        return _BAD


def from_iso(value: object) -> Instant:
    """RFC 3339, or ISO 8601 with a space; `Z` or an offset makes it an instant."""
    if value is None or value == "":
        return _UNKNOWN
    match = _ISO.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return _BAD
    day, clock, fraction, zulu, hours, minutes = match.groups()
    zone = "+00:00" if zulu else f"{hours}:{minutes}" if hours else ""
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '').ljust(6, '0')[:6]}{zone}")
        return (moment.astimezone(UTC), None) if zone else (None, RowNote.NAIVE_TIME)
    except (ValueError, OverflowError):
        return _BAD
