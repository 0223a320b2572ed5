"""DSR-3: every deadline on every start day of a leap and a common year, against a table made day by day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from iris_memory.contracts.rights import Regime, RightsKind
from iris_memory.rules.deadlines import (
    acknowledge_by,
    add_business_days,
    add_months,
    extended_deadline,
    first_deadline,
    verify_by,
)

CLOCK = time(13, 37, 5, 123_456)
DAY = timedelta(days=1)
STARTS = [date(2023, 1, 1) + place * DAY for place in range(365)] + [
    date(2024, 1, 1) + place * DAY for place in range(366)
]
KINDS = [kind for kind in RightsKind if kind is not RightsKind.OBJECT]


def at(day: date) -> datetime:
    return datetime.combine(day, CLOCK, UTC)


def month_on(start: date, months: int) -> date:
    """Walk day by day into the month wanted, and on to the same day of it, or to its last day."""
    day = start
    for _ in range(months):
        day += DAY
        while day.day != 1:
            day += DAY
    while day.day < start.day and (day + DAY).day != 1:
        day += DAY
    return day


def days_on(start: date, days: int) -> date:
    day = start
    for _ in range(days):
        day += DAY
    return day


def working_days_on(start: date, days: int) -> date:
    day, seen = start, 0
    while seen < days:
        day += DAY
        seen += day.strftime("%a") not in {"Sat", "Sun"}
    return day


@pytest.mark.parametrize("regime", [Regime.DEFAULT, Regime.GDPR, Regime.UK_GDPR])
def test_a_month_or_thirty_days_whichever_is_earlier(regime: Regime) -> None:
    for start in STARTS:
        wanted = min(days_on(start, 30), month_on(start, 1))
        for kind in RightsKind:
            assert first_deadline(regime, kind, at(start)) == at(wanted), start
        assert extended_deadline(regime, RightsKind.ACCESS, at(wanted)) == at(month_on(wanted, 2)), start


def test_california_has_forty_five_days_and_again_as_many() -> None:
    for start in STARTS:
        first = days_on(start, 45)
        for kind in KINDS:
            assert first_deadline(Regime.CCPA, kind, at(start)) == at(first)
            assert extended_deadline(Regime.CCPA, kind, at(first)) == at(days_on(first, 45))
        assert acknowledge_by(Regime.CCPA, at(start)) == at(working_days_on(start, 10))
        assert first_deadline(Regime.CCPA, RightsKind.OBJECT, at(start)) == at(working_days_on(start, 15))
        assert extended_deadline(Regime.CCPA, RightsKind.OBJECT, at(first)) is None


def test_brazil_has_fifteen_days_and_no_extension() -> None:
    for start in STARTS:
        for kind in RightsKind:
            assert first_deadline(Regime.LGPD, kind, at(start)) == at(days_on(start, 15))
            assert extended_deadline(Regime.LGPD, kind, at(start)) is None


def test_verification_has_seven_days() -> None:
    for start in STARTS:
        assert verify_by(at(start)) == at(days_on(start, 7))


BY_HAND = [
    (Regime.GDPR, "2023-01-29", "2023-02-28", "2023-04-28"),
    (Regime.GDPR, "2023-01-30", "2023-02-28", "2023-04-28"),
    (Regime.GDPR, "2023-01-31", "2023-02-28", "2023-04-28"),
    (Regime.GDPR, "2024-01-30", "2024-02-29", "2024-04-29"),
    (Regime.GDPR, "2024-01-31", "2024-02-29", "2024-04-29"),
    (Regime.GDPR, "2023-02-01", "2023-03-01", "2023-05-01"),
    (Regime.GDPR, "2024-02-29", "2024-03-29", "2024-05-29"),
    (Regime.GDPR, "2023-03-01", "2023-03-31", "2023-05-31"),
    (Regime.GDPR, "2023-04-15", "2023-05-15", "2023-07-15"),
    (Regime.DEFAULT, "2023-12-31", "2024-01-30", "2024-03-30"),
    (Regime.UK_GDPR, "2024-12-01", "2024-12-31", "2025-02-28"),
    (Regime.CCPA, "2024-01-15", "2024-02-29", "2024-04-14"),
    (Regime.CCPA, "2023-01-15", "2023-03-01", "2023-04-15"),
    (Regime.LGPD, "2024-02-20", "2024-03-06", None),
]


@pytest.mark.parametrize(("regime", "start", "first", "extended"), BY_HAND)
def test_rows_counted_by_hand(regime: Regime, start: str, first: str, extended: str | None) -> None:
    begun, due = at(date.fromisoformat(start)), at(date.fromisoformat(first))
    assert first_deadline(regime, RightsKind.ACCESS, begun) == due
    later = extended_deadline(regime, RightsKind.ACCESS, due)
    assert later == (at(date.fromisoformat(extended)) if extended else None)


def test_working_days_by_hand() -> None:
    friday = at(date(2024, 3, 1))
    assert add_business_days(friday, 1) == at(date(2024, 3, 4))
    assert add_business_days(friday, 10) == at(date(2024, 3, 15))
    assert add_business_days(at(date(2024, 3, 2)), 5) == at(date(2024, 3, 8))


def test_an_extension_never_outlasts_three_months_from_the_start() -> None:
    for start in STARTS:
        later = extended_deadline(
            Regime.GDPR, RightsKind.ACCESS, first_deadline(Regime.GDPR, RightsKind.ACCESS, at(start))
        )
        assert later is not None
        assert later <= add_months(at(start), 3)
