"""load: the first recall of a person after a start: read, unwrap, decrypt, lay columns."""

from __future__ import annotations

import hashlib
import time

from iris_memory.bench.measure import Result, median, scratch_store
from iris_memory.bench.worlds import TENANT, person
from iris_memory.flows.recall import current

SIZE = 10_000
LIMIT = 150.0


def bench(*, quick: bool = False) -> list[Result]:
    """Measure a cold load."""
    size = SIZE // 10 if quick else SIZE
    with scratch_store() as (iris, _):
        person(iris, "ada", size)
        iris.flush()
        instruments = iris.instruments
        blobs = _hashing(size)
        taken = []
        for _round in range(7):
            instruments.people.drop(TENANT, "ada")
            start = time.perf_counter()
            current(instruments, instruments.people.get(TENANT, "ada"))
            taken.append((time.perf_counter() - start) * 1e3)
    return [Result("cold load", size, median(taken), "ms", blobs, LIMIT * size / SIZE)]


def _hashing(size: int) -> float:
    """Return the time a bare sha256 over as many blobs of 700 bytes takes, in milliseconds."""
    blob = b"x" * 700
    start = time.perf_counter()
    for _ in range(size):
        hashlib.sha256(blob).digest()
    return (time.perf_counter() - start) * 1e3
