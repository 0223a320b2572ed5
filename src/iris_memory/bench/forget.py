"""forget: erase a person, with tombstones, destroyed keys, scrubbed files and a receipt."""

from __future__ import annotations

import time

from iris_memory.bench.measure import CommitFloor, Result, scratch_store
from iris_memory.bench.worlds import person

SIZE = 10_000
LIMIT = 1_000.0


def bench(*, quick: bool = False) -> list[Result]:
    """Measure forgetting. The residue scan is measured apart."""
    size = SIZE // 10 if quick else SIZE
    with scratch_store() as (iris, folder):
        floors = CommitFloor(folder)
        fsynced = floors.fsynced(50)
        floors.close()
        everything = person(iris, "ada", size)
        start = time.perf_counter()
        everything.forget(everything=True, scan=False)
        forgotten = (time.perf_counter() - start) * 1e3
        whole = person(iris, "bob", size)
        start = time.perf_counter()
        whole.erase(scan=False)
        erased = (time.perf_counter() - start) * 1e3
        scanned = person(iris, "eve", size)
        start = time.perf_counter()
        scanned.erase(scan=True)
        with_scan = (time.perf_counter() - start) * 1e3
    return [
        Result("erase a person", size, erased, "ms", fsynced, LIMIT),
        Result("forget everything of a person", size, forgotten, "ms", fsynced, LIMIT),
        Result("erase a person, residue scan included", size, with_scan, "ms", fsynced),
    ]
