"""Recency is exp(-age / 30 days) in millionths, right to the last unit for every minute there is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.shape import to_micros
from iris_memory.recall.recency import MINUTE, recency, table
from iris_memory.tables.limits import RECENCY_TIME_CONSTANT
from reference.worlds import NOW

MINUTES = 30 * 24 * 60
BITS = 160


def exact_values(count: int) -> list[int]:
    """Return round-half-up(exp(-minute / 43200) * 10**6) by big integers with 160 fractional bits.

    One minute's factor comes from its series; each further minute multiplies by it. The error grows by less than one
    unit in 2**-160 a minute, so the whole of it stays below 2**-139 and no value lies that near to a half.
    """
    one, term, ratio, order = 1 << BITS, 1 << BITS, 0, 0
    while term:
        ratio += (-1) ** order * term
        order += 1
        term = term // (MINUTES * order)
    half, values, value = 1 << (BITS - 1), [], one
    for _ in range(count):
        scaled = value * 1_000_000
        assert abs((scaled & (one - 1)) - half) > 1 << 60, "too near to a half to tell"
        values.append((scaled + half) >> BITS)
        value = value * ratio >> BITS
    return values


def test_every_minute_is_right_to_the_last_unit() -> None:
    values = table()
    exact = np.array(exact_values(len(values)), dtype=np.int64)
    assert np.array_equal(values, exact)
    assert exact[-1] == 0, "the last value serves every older age"


def test_landmarks() -> None:
    values, minutes = table(), RECENCY_TIME_CONSTANT.days * 24 * 60
    assert minutes == MINUTES
    assert (values[0], values[minutes]) == (1_000_000, round(1_000_000 / math.e))
    half_life = math.ceil(20.794 * 24 * 60)
    assert values[half_life - 1] >= 500_000 > values[half_life + 1], "30 days is not the half-life; 20.8 days is"
    assert not values.flags.writeable
    assert (np.diff(values) <= 0).all()


@pytest.mark.parametrize(
    ("age", "minute"),
    [
        (0, 0), (MINUTE - 1, 0), (MINUTE, 1), (2 * MINUTE - 1, 1), (-1, 0), (-(10**17), 0), (10**17, -1),
        (len(table()) * MINUTE, -1), ((len(table()) - 1) * MINUTE, -1), ((len(table()) - 1) * MINUTE - 1, -2),
    ],
)  # fmt: skip
def test_age_is_floored_to_the_minute_and_the_future_counts_as_now(age: int, minute: int) -> None:
    now = to_micros(NOW)
    assert recency(now, now - age) == table()[minute]


@given(st.integers(-(10**18), 10**18), st.integers(-(10**18), 10**18))
def test_recency_never_grows_with_age(now: int, since: int) -> None:
    assert 0 <= recency(now + MINUTE, since) <= recency(now, since) <= 1_000_000
