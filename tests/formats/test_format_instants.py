"""Times become instants in UTC, exact to the microsecond, or no instant at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.formats.instants import from_epoch, from_iso
from iris_memory.formats.row import RowNote

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("1700000000.123456"), datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC)),
        # the nearest binary number lies a hair below; the digits count
        (Decimal("1775071165.4220922"), datetime(2026, 4, 1, 19, 19, 25, 422092, tzinfo=UTC)),
        (Decimal("1700000000.9999999"), datetime(2023, 11, 14, 22, 13, 20, 999999, tzinfo=UTC)),
        (1700000000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (Decimal("-0.5"), datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC)),
        (Decimal("1E-999999"), _EPOCH),
        ("2023-11-14T22:13:20Z", datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
    ],
)
def test_seconds_become_an_instant(value: object, expected: datetime) -> None:
    assert from_epoch(value) == (expected, None)


@pytest.mark.parametrize(
    "value", [True, [], "soon", Decimal("1E+999999999"), Decimal("253402300800"), Decimal("-1E12"), 10**4000]
)
def test_seconds_that_are_none_are_noted(value: object) -> None:
    assert from_epoch(value) == (None, RowNote.BAD_TIME)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))
def test_every_microsecond_survives(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)
    micros = (at - _EPOCH) // timedelta(microseconds=1)
    assert from_epoch(Decimal(micros).scaleb(-6)) == (at, None)
    assert from_iso(at.isoformat()) == (at, None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-07-25T23:57:00.108347-07:00", datetime(2024, 7, 26, 6, 57, 0, 108347, tzinfo=UTC)),
        ("2024-07-25 23:57:00+0530", datetime(2024, 7, 25, 18, 27, tzinfo=UTC)),
        ("2024-07-25t23:57:00.1234567z", datetime(2024, 7, 25, 23, 57, 0, 123456, tzinfo=UTC)),
        ("2024-07-25T23:57:00,5Z", datetime(2024, 7, 25, 23, 57, 0, 500000, tzinfo=UTC)),
    ],
)
def test_an_offset_becomes_utc(value: str, expected: datetime) -> None:
    moment, note = from_iso(value)
    assert (moment, note) == (expected, None)
    assert moment is not None
    assert moment.tzinfo is UTC


def test_a_time_without_a_zone_is_no_instant() -> None:
    assert from_iso("2024-07-25T23:57:00") == (None, RowNote.NAIVE_TIME)


@pytest.mark.parametrize(
    "value",
    [
        5,
        "2024-07-25",
        "2024-02-30T00:00:00Z",
        "2024-07-25T25:00:00Z",
        "2024-07-25T23:59:60Z",
        "0001-01-01T00:00:00+14:00",
        "٢٠٢٤-٠٧-٢٥T00:00:00Z",
        "2024-07-25T23:57:00Z ",
    ],
)
def test_other_times_are_noted(value: object) -> None:
    assert from_iso(value) == (None, RowNote.BAD_TIME)


@pytest.mark.parametrize("value", [None, ""])
def test_no_time_is_nothing_to_note(value: object) -> None:
    assert from_epoch(value) == from_iso(value) == (None, None)
