"""sweep: end 100,000 memories whose raw window is over, summaries written, keys destroyed; bounded in memory."""

from __future__ import annotations

import gc
import os
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from iris_memory.bench.measure import PAYLOAD, Result
from iris_memory.bench.worlds import TENANT, sentence
from iris_memory.contracts.scope import SessionScope
from iris_memory.contracts.write import Statement
from iris_memory.flows.sweep import PAGE
from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey
from iris_memory.tables.limits import BATCH_MOST

PEOPLE, EACH = 100, 1_000
SESSION_OF = 20
"""Memories of one session."""
MEGABYTES = 256.0
"""What a sweep may add to the memory of the process, however much is due."""
MICROSECONDS = 1_000.0
"""Processor time a due memory may take: it is opened, looked at, condensed, its key destroyed, its row deleted."""
_MEGABYTE = 1 << 20


class _Clock:
    """Tells the instant it was set to."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant


def bench(*, quick: bool = False) -> list[Result]:
    """Measure a sweep of many due memories, of many people and of one."""
    people = PEOPLE // 20 if quick else PEOPLE
    size = people * EACH
    with TemporaryDirectory(prefix="iris-bench-") as folder:
        floor = _floor(Path(folder), size)
        taken, worked, grown, summaries = _sweep(Path(folder) / "many", people, EACH)
        one_taken, _, one_grown, _ = _sweep(Path(folder) / "one", 1, size // 10)
    return [
        Result("sweep due memories of many people", size, taken, "s", floor),
        Result("processor time of one due memory", size, worked / size * 1e6, "us", None, MICROSECONDS),
        Result("memory it took beyond what was held", size, grown, "MB", None, MEGABYTES),
        Result("summaries written", size, summaries, "summaries", size / SESSION_OF),
        Result("sweep due memories of one person", size // 10, one_taken, "s", floor / 10),
        Result("memory it took beyond what was held, one person", size // 10, one_grown, "MB", None, MEGABYTES),
    ]


def _sweep(folder: Path, people: int, each: int) -> tuple[float, float, float, int]:
    """Return the time a sweep took, its processor time, the megabytes it added at its highest, and its summaries."""
    clock = _Clock()
    with Iris.open(folder, key=FixedKey(b"\x07" * 32), clock=clock, tended=False) as iris:
        for number in range(people):
            _fill(iris, f"person-{number}", each)
            iris.instruments.people.drop(TENANT, f"person-{number}")
        clock.instant += timedelta(days=2)
        gc.collect()
        with _highest() as highest:
            start, at_work = time.perf_counter(), time.process_time()
            report = iris.sweep()
            taken, worked = time.perf_counter() - start, time.process_time() - at_work
    if report.summarized + report.ended != people * each:
        raise RuntimeError("a sweep did not reach everything that was due")
    return taken, worked, highest[0] / _MEGABYTE, report.summaries


def _fill(iris: Iris, user: str, each: int) -> None:
    memory = iris.for_user(tenant=TENANT, user=user)
    memory.consent.grant("data_processing", "data_storage", terms="everything, for a benchmark")
    statements = [
        Statement(
            body=sentence(f"{user}/{number}"),
            scope=SessionScope(user_id=user, session_id=f"s{number // SESSION_OF}"),
        )
        for number in range(each)
    ]
    for start in range(0, each, BATCH_MOST):
        memory.remember_many(statements[start : start + BATCH_MOST])


@contextmanager
def _highest() -> Iterator[list[int]]:
    """Watch the resident memory of the process; afterwards the list holds the bytes it grew by at its highest."""
    before, found, done = _resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            found[0] = max(found[0], _resident() - before)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()
        found[0] = max(found[0], _resident() - before)


def _resident() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # the highest so far, where nothing else tells


def _floor(folder: Path, size: int) -> float:
    """Return how long a bare SQLite takes to delete as many rows, a page and an fsync at a time."""
    connection = apsw.Connection(str(folder / "floor.db"))
    for statement in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = full",
        "PRAGMA secure_delete = ON",
        "CREATE TABLE floor (id INTEGER PRIMARY KEY, bytes BLOB)",
    ):
        list(connection.execute(statement))
    with connection:
        connection.executemany("INSERT INTO floor (bytes) VALUES (?)", [(b"x" * PAYLOAD,)] * size)
    start = time.perf_counter()
    for first in range(0, size, PAGE):
        with connection:
            connection.execute("DELETE FROM floor WHERE id > ? AND id <= ?", (first, first + PAGE))
    taken = time.perf_counter() - start
    connection.close()
    return taken
