"""recall, write and forget on PostgreSQL, each beside what the bare driver does on the same server in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from iris_memory.bench import recall as on_sqlite
from iris_memory.bench.measure import PAYLOAD, Result, median, percentile, scratch_store, times
from iris_memory.bench.postgres_server import PostgresFloor, Scratch, scratch_database
from iris_memory.bench.worlds import TENANT, person, sentence, statement
from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey
from iris_memory.tables.limits import BATCH_MOST

KEY = FixedKey(b"\x07" * 32)
SIZES = (1_000, 10_000)
ROUNDS = 300
SEALED = 700
"""Bytes of one sealed entry of these worlds, about."""

WRITE_LIMIT = 8_000.0
FORGET_LIMIT = 2_000.0


@contextmanager
def scratch_iris(scratch: Scratch, *, durability: str = "default", tended: bool = True) -> Iterator[Iris]:
    """Open a store whose data lies in a scratch database."""
    with TemporaryDirectory(prefix="iris-bench-") as folder:
        iris = Iris.open(
            Path(folder) / "store", key=KEY, audit_durability=durability, tended=tended, database=scratch.service
        )
        try:
            yield iris
        finally:
            iris.close()


def bench_recall(*, quick: bool = False, server: str | None = None) -> list[Result]:
    """Measure warm recall: SQLite's compute, one round trip, and one commit of the profile are its floor."""
    results: list[Result] = []
    for size in SIZES[:1] if quick else SIZES:
        with scratch_store() as (iris, _):
            person(iris, "ada", size)
            compute = on_sqlite.compute_of(iris, size)
        for durability in ("default", "strict"):
            results += _recall(size, compute, durability, server)
        results.append(Result("compute p50, on SQLite", size, compute, "ms"))
    return results


def bench_write(*, quick: bool = False, server: str | None = None) -> list[Result]:
    """Measure writes: one by one beside a bare commit, in batches beside a bare COPY of blobs of the same size."""
    rounds, batches = (100, 3) if quick else (300, 10)
    with scratch_database(server) as scratch, scratch_iris(scratch) as iris:
        floor = PostgresFloor(scratch, payload=SEALED)
        memory = person(iris, "ada", BATCH_MOST)
        before = floor.commit(durable=True)
        texts = [sentence(f"each/{number}") for number in range(rounds)]
        each = times(lambda number: memory.remember(texts[number]), rounds)
        commit = (before + floor.commit(durable=True)) / 2
        copied = floor.copied(BATCH_MOST)
        rates = []
        for batch in range(1, batches + 1):
            mine = [
                one.model_copy(update={"scope": None})
                for one in (statement(f"batch/{batch}", number) for number in range(BATCH_MOST))
            ]
            start = time.perf_counter()
            memory.remember_many(mine)
            rates.append(BATCH_MOST / (time.perf_counter() - start))
        copied = (copied + floor.copied(BATCH_MOST)) / 2
        floor.close()
    return [
        Result("remember p50", BATCH_MOST, median(each), "ms", commit),
        Result("remember p95", BATCH_MOST, percentile(each, 0.95), "ms", commit),
        Result("batch of 1,000", BATCH_MOST, median(rates), "entries/s", copied, WRITE_LIMIT, at_least=True),
    ]


def bench_forget(*, quick: bool = False, server: str | None = None) -> list[Result]:
    """Measure forgetting everything of a person, and erasing one, beside a bare commit."""
    size = 1_000 if quick else 10_000
    with scratch_database(server) as scratch, scratch_iris(scratch) as iris:
        floor = PostgresFloor(scratch, payload=PAYLOAD)
        commit = floor.commit(durable=True)
        taken = []
        for name, erases in (("ada", False), ("bob", True)):
            memory = person(iris, name, size)
            start = time.perf_counter()
            if erases:
                memory.erase(scan=False)
            else:
                memory.forget(everything=True, scan=False)
            taken.append((time.perf_counter() - start) * 1e3)
        floor.close()
    return [
        Result("forget everything of a person", size, taken[0], "ms", commit, FORGET_LIMIT),
        Result("erase a person", size, taken[1], "ms", commit, FORGET_LIMIT),
    ]


def _recall(size: int, compute: float, durability: str, server: str | None) -> list[Result]:
    with scratch_database(server) as scratch, scratch_iris(scratch, durability=durability) as iris:
        person(iris, "ada", size)
        iris.flush()
        floor = PostgresFloor(scratch, payload=PAYLOAD)
        memory = iris.for_user(tenant=TENANT, user="ada")
        texts = on_sqlite.texts()
        memory.recall(texts[-1], contexts=on_sqlite.CONTEXTS)
        trips, commits = floor.round_trip(), floor.commit(durable=durability == "strict")
        taken = times(lambda number: memory.recall(texts[number], contexts=on_sqlite.CONTEXTS), ROUNDS)
        trip = (trips + floor.round_trip()) / 2
        commit = (commits + floor.commit(durable=durability == "strict")) / 2
        floor.close()
    least = compute + trip + commit
    return [
        Result(f"whole call {durability} p50", size, median(taken), "ms", least, least),
        Result(f"whole call {durability} p95", size, percentile(taken, 0.95), "ms", least),
        Result(f"bare round trip beside {durability}", size, trip, "ms"),
        Result(f"bare commit beside {durability}", size, commit, "ms"),
    ]
