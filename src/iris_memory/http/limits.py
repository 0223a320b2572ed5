"""Limits: how often one holder, and one address, may ask: token buckets in this process.

A bucket holds a minute's worth and fills evenly. Holders and addresses stand in it as digests under a key of the
process, and the ones that asked longest ago are let go of first.
"""

from __future__ import annotations

import math
import secrets
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, NamedTuple

from iris_memory.contracts.shape import Contract, Count

BUCKETS_MOST: Final = 100_000
_SECONDS: Final = 60.0
_ROUNDING: Final = 1e-6


class Rates(Contract):
    """Requests a minute; 0 sets no limit."""

    per_holder: Count = 0
    per_address: Count = 0


class _Bucket(NamedTuple):
    level: float
    at: float


class Buckets:
    """The buckets of one kind of asker. Used by one event loop, so it takes no lock."""

    def __init__(self, per_minute: int, seconds: Callable[[], float]) -> None:
        """Take the requests a minute, 0 for no limit, and a clock that never goes back."""
        self._most = float(per_minute)
        self._seconds = seconds
        self._key = secrets.token_bytes(16)
        self._buckets: OrderedDict[bytes, _Bucket] = OrderedDict()

    def wait(self, asker: str) -> int:
        """Take one request of an asker; return 0, or after how many whole seconds to ask again."""
        if not self._most:
            return 0
        mark = blake2b(asker.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16).digest()
        now = self._seconds()
        known = self._buckets.pop(mark, None)
        level = self._most if known is None else min(self._most, known.level + self._filled(now - known.at))
        is_let_in = level >= 1 - _ROUNDING
        self._buckets[mark] = _Bucket(max(0.0, level - 1) if is_let_in else level, now)
        while len(self._buckets) > BUCKETS_MOST:
            self._buckets.popitem(last=False)
        return 0 if is_let_in else max(1, math.ceil((1 - level) * _SECONDS / self._most))

    def _filled(self, seconds: float) -> float:
        return seconds * self._most / _SECONDS


class Limiter:
    """What the shield asks before it lets a request in."""

    def __init__(self, rates: Rates, seconds: Callable[[], float]) -> None:
        """Take the rates and a clock that never goes back."""
        self._addresses = Buckets(rates.per_address, seconds)
        self._holders = Buckets(rates.per_holder, seconds)

    def address(self, address: str) -> int:
        """Take one request of an address; return 0, or after how many whole seconds to ask again."""
        return self._addresses.wait(address)

    def holder(self, tenant: str, name: str) -> int:
        """Take one request of a holder; return 0, or after how many whole seconds to ask again."""
        return self._holders.wait(f"{tenant}\x1f{name}")
