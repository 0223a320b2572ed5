"""Recency: exp(-age / 30 days) in millionths, from integer tables, so that no platform's `exp` decides an order.

Age is floored to the minute. 30 days is the time constant: there the value is 1/e; the half-life is 20.8 days.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iris_memory.tables.limits import MILLION, RECENCY_TIME_CONSTANT

MINUTE: Final = 60_000_000
"""Microseconds in a minute."""

_CONSTANT_MINUTES: Final = RECENCY_TIME_CONSTANT.days * 24 * 60
_PRECISION: Final = 60
_COARSE: Final = 800
_LENGTH: Final = 627_200
"""Minutes the table covers; the value reaches 0 before its end (constant * ln 2,000,000 = 626,773)."""


def _powers(step: int, count: int) -> list[int]:
    """Return exp(-step * k / constant) for k below `count`, scaled by 2**60, each correct to the last unit."""
    guard = 1 << 128
    # Taylor series of exp(-x), x = step / constant < 1, in integers with 128 fractional bits
    term, ratio, index = guard, 0, 0
    while term:
        ratio += term if index % 2 == 0 else -term
        index += 1
        term = term * step // (_CONSTANT_MINUTES * index)
    value, powers = guard, []
    for _ in range(count):
        powers.append(value >> (128 - _PRECISION))
        value = value * ratio >> 128
    return powers


@lru_cache(maxsize=1)
def table() -> NDArray[np.int64]:
    """Return the value in millionths for each age in minutes; the last entry is 0 and serves every older age."""
    coarse = np.array(_powers(_COARSE, _LENGTH // _COARSE), dtype=np.uint64)[:, None]
    fine = np.array(_powers(1, _COARSE), dtype=np.uint64)[None, :]
    half = np.uint64(_PRECISION // 2)
    mask = np.uint64((1 << (_PRECISION // 2)) - 1)
    upper = (coarse >> half) * (fine >> half)
    middle = (coarse >> half) * (fine & mask) + (coarse & mask) * (fine >> half)
    product = (upper + (middle >> half)).ravel()
    fraction = 43  # fraction * million stays below 2**63
    scaled = (product >> np.uint64(_PRECISION - fraction)) * np.uint64(MILLION)
    values: NDArray[np.int64] = ((scaled + np.uint64(1 << (fraction - 1))) >> np.uint64(fraction)).astype(np.int64)
    values[-1] = 0
    values.flags.writeable = False
    return values


def recency(now: int, since: int) -> int:
    """Return the recency in millionths of an instant, both in microseconds; a future instant counts as age 0."""
    values = table()
    return int(values[min(max((now - since) // MINUTE, 0), len(values) - 1)])
