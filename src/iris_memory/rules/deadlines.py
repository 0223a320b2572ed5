"""Deadlines: exact to the calendar, from the moment a request was submitted.

Laws:
* a month ends on the same day of the next month, or on its last day where there is no such day;
* a period with several parts ends with the earliest of them;
* an extension runs on from the first deadline;
* a business day is Monday to Friday; holidays are not known here, so the instant is never later than the law's.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta

from iris_memory.contracts.rights import Regime, RightsKind
from iris_memory.tables.regimes import REGIMES, VERIFY_DAYS, Period

_SATURDAY = 5


def add_months(start: datetime, months: int) -> datetime:
    """Return the same day and time some calendar months on, or the last day of that month."""
    place = start.year * 12 + start.month - 1 + months
    year, month = divmod(place, 12)
    return start.replace(year=year, month=month + 1, day=min(start.day, monthrange(year, month + 1)[1]))


def add_business_days(start: datetime, days: int) -> datetime:
    """Return the same time some working days on; the day of the start does not count."""
    at = start
    while days > 0:
        at += timedelta(days=1)
        days -= at.weekday() < _SATURDAY
    return at


def end_of(start: datetime, period: Period) -> datetime:
    """Return the end of a period: the earliest of its parts."""
    ends = []
    if period.days:
        ends.append(start + timedelta(days=period.days))
    if period.months:
        ends.append(add_months(start, period.months))
    if period.business_days:
        ends.append(add_business_days(start, period.business_days))
    return min(ends)


def first_deadline(regime: Regime, kind: RightsKind, submitted_at: datetime) -> datetime:
    """Return when a request must be answered."""
    row = REGIMES[regime]
    period = row.objection if kind is RightsKind.OBJECT and row.objection is not None else row.first
    return end_of(submitted_at, period)


def extended_deadline(regime: Regime, kind: RightsKind, first: datetime) -> datetime | None:
    """Return the deadline after an extension; None where the law knows none."""
    row = REGIMES[regime]
    if row.extension is None or (kind is RightsKind.OBJECT and row.objection is not None):
        return None
    return end_of(first, row.extension)


def acknowledge_by(regime: Regime, submitted_at: datetime) -> datetime | None:
    """Return when the person must have been told that the request arrived; None where the law sets no date."""
    period = REGIMES[regime].acknowledge
    return None if period is None else end_of(submitted_at, period)


def verify_by(submitted_at: datetime) -> datetime:
    """Return when a request closes whose requester was not verified."""
    return submitted_at + timedelta(days=VERIFY_DAYS)
