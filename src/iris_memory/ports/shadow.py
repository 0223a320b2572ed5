"""The shadow log: where guards write one row per firing, and where the report reads them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from iris_memory.contracts.guarding import Firing


class ShadowLog(Protocol):
    """Keeps firings. Safe for many threads."""

    def write(self, firing: Firing) -> None:
        """Keep one firing. Raises StorageError or OSError where it cannot be kept."""
        ...

    def read(self, *, since: datetime) -> Iterable[Firing]:
        """Yield the firings since an instant, oldest first."""
        ...

    def key(self) -> bytes | None:
        """Return the key of digests where a governed call has resolved it already; never make or fetch one."""
        ...
