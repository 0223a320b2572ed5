"""Measuring: percentiles of repeated calls, and floors that bound what any implementation could do here."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import numpy as np

from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey

PAYLOAD = 600
"""Bytes of the row that a floor commits: about one sealed entry."""


@dataclass(frozen=True, slots=True)
class Result:
    """One number. `floor` is what was measured beside it, `limit` what it must not pass; None where there is none."""

    name: str
    size: int
    value: float
    unit: str
    floor: float | None = None
    limit: float | None = None
    at_least: bool = False

    @property
    def ok(self) -> bool:
        """Say whether the limit is kept."""
        if self.limit is None:
            return True
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def as_json(self) -> dict[str, object]:
        """Return the result as the command prints it."""
        return {
            "name": self.name,
            "size": self.size,
            "value": _short(self.value),
            "unit": self.unit,
            "floor": _short(self.floor),
            "limit": _short(self.limit),
            "ok": self.ok,
        }


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def times(call: Callable[[int], object], rounds: int) -> list[float]:
    """Return the sorted durations of repeated calls, in milliseconds."""
    taken = []
    for number in range(rounds):
        start = time.perf_counter()
        call(number)
        taken.append((time.perf_counter() - start) * 1e3)
    return sorted(taken)


def percentile(ordered: list[float], share: float) -> float:
    """Return a percentile of sorted durations."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(values: list[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def machine() -> str:
    """Say what this machine is, without its name."""
    return f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}"


@contextmanager
def scratch_store(*, durability: str = "default", tended: bool = True) -> Iterator[tuple[Iris, Path]]:
    """Open a store in a scratch folder that goes away afterwards."""
    with TemporaryDirectory(prefix="iris-bench-") as folder:
        key = FixedKey(b"\x07" * 32)
        iris = Iris.open(Path(folder) / "store", key=key, audit_durability=durability, tended=tended, database="")
        try:
            yield iris, Path(folder)
        finally:
            iris.close()


class CommitFloor:
    """A bare SQLite commit of one row in the same folder: fsynced, or only written."""

    def __init__(self, folder: Path) -> None:
        """Make two files, one for each kind."""
        self._fsynced = _floor_file(folder / "floor-full.db", "full")
        self._written = _floor_file(folder / "floor-normal.db", "normal")

    def fsynced(self, rounds: int = 200) -> float:
        """Return the median of a fsynced commit, in milliseconds."""
        return median(times(lambda _: _commit(self._fsynced), rounds))

    def written(self, rounds: int = 200) -> float:
        """Return the median of a commit that is not fsynced, in milliseconds."""
        return median(times(lambda _: _commit(self._written), rounds))

    def close(self) -> None:
        """Let go of both files."""
        self._fsynced.close()
        self._written.close()


def cosine_floor(size: int, rounds: int = 50) -> float:
    """Return the median of a cosine scan with top 12 over `size` float32 vectors of 384, in milliseconds."""
    generator = np.random.default_rng(7)
    vectors = generator.standard_normal((size, 384), dtype=np.float32)
    query = generator.standard_normal(384, dtype=np.float32)

    def scan(_: int) -> None:
        scores = vectors @ query
        np.argpartition(scores, size - 12)[size - 12 :]

    scan(0)
    return median(times(scan, rounds))


def _floor_file(path: Path, synchronous: str) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for statement in (
        "PRAGMA journal_mode = WAL",
        f"PRAGMA synchronous = {synchronous}",
        "CREATE TABLE floor (id INTEGER PRIMARY KEY, bytes BLOB)",
    ):
        list(connection.execute(statement))
    return connection


def _commit(connection: apsw.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO floor (bytes) VALUES (?)", (b"x" * PAYLOAD,))
    connection.execute("COMMIT")
