"""recall, write and forget on PostgreSQL, each beside what the bare driver does on the same server in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from iris_memory.bench import recall as on_sqlite
from iris_memory.bench.measure import PAYLOAD, Result, median, percentile, times
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
    """Measure warm recall: the compute that every engine has, one round trip, and one commit of the profile bound it.

    A round is a bound and a recall, so that whatever else runs on the machine slows both; the processor time of each
    recall does not hang on that.
    """
    return [
        result
        for size in (SIZES[:1] if quick else SIZES)
        for durability in ("default", "strict")
        for result in _recall(size, durability, server)
    ]


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
        rates, cpu, server_cpu = [], 0.0, scratch.cpu_seconds()
        for batch in range(1, batches + 1):
            mine = [
                one.model_copy(update={"scope": None})
                for one in (statement(f"batch/{batch}", number) for number in range(BATCH_MOST))
            ]
            start, used = time.perf_counter(), time.process_time()
            memory.remember_many(mine)
            rates.append(BATCH_MOST / (time.perf_counter() - start))
            cpu += time.process_time() - used
        server_cpu = scratch.cpu_seconds() - server_cpu
        copied = (copied + floor.copied(BATCH_MOST)) / 2
        floor.close()
    return [
        Result("remember p50", BATCH_MOST, median(each), "ms", commit),
        Result("remember p95", BATCH_MOST, percentile(each, 0.95), "ms", commit),
        Result("batch of 1,000", BATCH_MOST, median(rates), "entries/s", copied, WRITE_LIMIT, at_least=True),
        Result("entries per second of Iris's CPU", BATCH_MOST, batches * BATCH_MOST / cpu, "entries/s"),
        *(
            [
                Result(
                    "entries per second of the server's CPU", BATCH_MOST, batches * BATCH_MOST / server_cpu, "entries/s"
                )
            ]
            if server_cpu
            else []
        ),
    ]


def bench_forget(*, quick: bool = False, server: str | None = None) -> list[Result]:
    """Measure forgetting everything of a person, and erasing one, beside a bare commit."""
    size = 1_000 if quick else 10_000
    with scratch_database(server) as scratch, scratch_iris(scratch) as iris:
        floor = PostgresFloor(scratch, payload=PAYLOAD)
        commit = floor.commit(durable=True)
        taken, cpu = [], []
        for name, erases in (("ada", False), ("bob", True)):
            memory = person(iris, name, size)
            start, used = time.perf_counter(), time.process_time() + scratch.cpu_seconds()
            if erases:
                memory.erase(scan=False)
            else:
                memory.forget(everything=True, scan=False)
            taken.append((time.perf_counter() - start) * 1e3)
            cpu.append((time.process_time() + scratch.cpu_seconds() - used) * 1e3)
        floor.close()
    return [
        Result("forget everything of a person", size, taken[0], "ms", commit, FORGET_LIMIT),
        Result("forget everything of a person, CPU of both sides", size, cpu[0], "ms", None, FORGET_LIMIT),
        Result("erase a person", size, taken[1], "ms", commit, FORGET_LIMIT),
        Result("erase a person, CPU of both sides", size, cpu[1], "ms", None, FORGET_LIMIT),
    ]


def _recall(size: int, durability: str, server: str | None) -> list[Result]:
    with scratch_database(server) as scratch, scratch_iris(scratch, durability=durability) as iris:
        person(iris, "ada", size)
        iris.flush()
        floor = PostgresFloor(scratch, payload=PAYLOAD)
        floor.keep_durable(durability == "strict")
        memory = iris.for_user(tenant=TENANT, user="ada")
        texts = on_sqlite.texts()
        memory.recall(texts[-1], contexts=on_sqlite.CONTEXTS)
        compute = on_sqlite.compute_in(iris)
        taken: dict[str, list[float]] = {"compute": [], "trip": [], "commit": [], "recall": []}
        cpu = 0.0
        for number in range(ROUNDS):
            marks = [time.perf_counter()]
            for step in (compute, floor.ask_once, floor.commit_once):
                step(number)
                marks.append(time.perf_counter())
            start = time.process_time()
            memory.recall(texts[number], contexts=on_sqlite.CONTEXTS)
            marks.append(time.perf_counter())
            cpu += time.process_time() - start
            for name, begun, ended in zip(taken, marks, marks[1:], strict=False):
                taken[name].append((ended - begun) * 1e3)
        server_cpu = _server_cpu(scratch, lambda number: memory.recall(texts[number], contexts=on_sqlite.CONTEXTS))
        floor.close()
    bounds = sorted(map(sum, zip(taken["compute"], taken["trip"], taken["commit"], strict=True)))
    recalls, least = sorted(taken["recall"]), median(bounds)
    results = [
        Result(f"whole call {durability} p50", size, median(recalls), "ms", least, least),
        Result(f"whole call {durability} p95", size, percentile(recalls, 0.95), "ms", percentile(bounds, 0.95)),
        Result(f"compute beside {durability}", size, median(taken["compute"]), "ms"),
        Result(f"bare round trip beside {durability}", size, median(taken["trip"]), "ms"),
        Result(f"bare commit beside {durability}", size, median(taken["commit"]), "ms"),
        Result(f"CPU of Iris per recall, {durability}", size, cpu / ROUNDS * 1e3, "ms"),
    ]
    if server_cpu is not None:
        results.append(Result(f"CPU of the server per recall, {durability}", size, server_cpu, "ms"))
    return results


def _server_cpu(scratch: Scratch, recall: Callable[[int], object]) -> float | None:
    """Return the server's processor time of a recall in milliseconds; None where it is not ours to look at."""
    if not scratch.pid:
        return None
    start = scratch.cpu_seconds()
    for number in range(ROUNDS):
        recall(number)
    return (scratch.cpu_seconds() - start) / ROUNDS * 1e3
