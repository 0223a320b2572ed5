"""The real ids. The only place that draws random numbers.

UUIDv7 (RFC 9562): 48 bits of milliseconds, then a 12-bit counter so that ids of one process increase strictly, then 62
random bits. When the clock steps back or the counter runs over, ids go on from the last millisecond used.
"""

from __future__ import annotations

import os
import threading
from datetime import datetime

from iris_memory.contracts.shape import to_micros

_COUNTER_MOST = 0xFFF
_RANDOM_BATCH = 512


class SystemIds:
    """Makes UUIDv7 ids and secret bytes from the system's generator."""

    def __init__(self) -> None:
        """Start before the first millisecond."""
        self._lock = threading.Lock()
        self._last = -1
        self._counter = 0
        self._random = b""

    def entry_id(self, now: datetime) -> str:
        """Return a new UUIDv7, greater than every one before."""
        with self._lock:
            millis = to_micros(now) // 1000
            if millis > self._last:
                self._last, self._counter = millis, 0
            elif self._counter < _COUNTER_MOST:
                self._counter += 1
            else:
                self._last, self._counter = self._last + 1, 0
            if len(self._random) < 8:
                self._random = os.urandom(8 * _RANDOM_BATCH)
            tail = int.from_bytes(self._random[:8], "big") & ((1 << 62) - 1)
            self._random = self._random[8:]
            value = (self._last << 80) | (0x7 << 76) | (self._counter << 64) | (0b10 << 62) | tail
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def secret(self, length: int) -> bytes:
        """Return secret bytes."""
        return os.urandom(length)
