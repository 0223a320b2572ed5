"""scale: many people on PostgreSQL, recalled by one process and by two, the server sharing the same cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from iris_memory.bench.measure import Result
from iris_memory.bench.postgres import KEY
from iris_memory.bench.postgres_server import Scratch, scratch_database
from iris_memory.bench.worlds import TENANT, draw, person, sentence
from iris_memory.errors import StorageError
from iris_memory.front.iris import Iris

PEOPLE, EACH, THREADS = 1_000, 100, 4
SECONDS = 8.0
LIMIT = 1.2
TENANTS = 8

_PLACE = "IRIS_BENCH_PLACE"
_WORKER = "from iris_memory.bench.postgres_scale import work; work()"


def bench(*, quick: bool = False, server: str | None = None) -> list[Result]:
    """Measure recalls a second of one process and of two, and the processor time of each recall on either side.

    In one tenant every recall appends to the same chain, one after the other; in several tenants only the processors
    are shared. What differs between the two is the chain.
    """
    people, seconds = (100, 2.0) if quick else (PEOPLE, SECONDS)
    results: list[Result] = []
    for tenants in (1, TENANTS):
        with scratch_database(server) as scratch, TemporaryDirectory(prefix="iris-bench-") as folder:
            store = Path(folder) / "store"
            with Iris.open(store, key=KEY, tended=False, database=scratch.service) as iris:
                for number in range(people):
                    person(iris, f"person-{number}", EACH, tenant=_tenant(number, tenants))
            one = _together(1, store, scratch, people, seconds, tenants=tenants)
            two = _together(2, store, scratch, people, seconds, tenants=tenants)
        results += _told(one, two, people * EACH, "one tenant" if tenants == 1 else f"{tenants} tenants")
    return results


def _told(one: _Run, two: _Run, size: int, where: str) -> list[Result]:
    cores = os.cpu_count() or 1
    # a process is one core's at most, the two share what there is with the server
    most = min(1e3 / one.cpu, cores * 1e3 / (one.cpu + one.server_cpu))
    both = min(2e3 / two.cpu, cores * 1e3 / (two.cpu + two.server_cpu))
    return [
        Result(f"one process, {where}", size, one.rate, "recalls/s", most),
        Result(f"two processes, {where}", size, two.rate, "recalls/s", both, LIMIT * one.rate, at_least=True),
        Result(
            f"two processes over one, {where}", size, two.rate / one.rate, "times", both / most, LIMIT, at_least=True
        ),
        Result(f"CPU of Iris per recall, one process, {where}", size, one.cpu, "ms"),
        Result(f"CPU of Iris per recall, two processes, {where}", size, two.cpu, "ms"),
        Result(f"CPU of the server per recall, one process, {where}", size, one.server_cpu, "ms"),
        Result(f"CPU of the server per recall, two processes, {where}", size, two.server_cpu, "ms"),
    ]


def _tenant(number: int, tenants: int) -> str:
    return f"{TENANT}-{number % tenants}"


def work() -> None:
    """Be one of the processes: open, warm up, say so, and recall until the time is over."""
    place = json.loads(os.environ[_PLACE])
    with Iris.open(place["store"], key=KEY, database=place["database"]) as iris:
        memories = [
            iris.for_user(tenant=_tenant(number, place["tenants"]), user=f"person-{number}")
            for number in range(place["people"])
        ]
        texts = [sentence(f"ask/{number}", 8) for number in range(200)]
        for memory in memories:
            memory.recall(texts[0])
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        done = [0] * THREADS
        until = time.perf_counter() + place["seconds"]

        def ask(thread: int) -> None:
            while time.perf_counter() < until:
                turn = f"{place['number']}/{thread}/{done[thread]}"
                memories[draw(turn, len(memories))].recall(texts[done[thread] % len(texts)])
                done[thread] += 1

        cpu, start = time.process_time(), time.perf_counter()
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = time.perf_counter() - start
        found = {"recalls": sum(done), "seconds": taken, "cpu": time.process_time() - cpu}
    sys.stdout.write(json.dumps(found) + "\n")


class _Run:
    """What some processes did together: recalls a second, and milliseconds of processor time each took."""

    def __init__(self, found: list[dict[str, float]], server_cpu: float) -> None:
        recalls = sum(one["recalls"] for one in found)
        self.rate = sum(one["recalls"] / one["seconds"] for one in found)
        self.cpu = sum(one["cpu"] for one in found) / recalls * 1e3
        self.server_cpu = server_cpu / recalls * 1e3


def _together(count: int, store: Path, scratch: Scratch, people: int, seconds: float, *, tenants: int = 1) -> _Run:
    workers = []
    for number in range(count):
        place = {
            "store": str(store),
            "database": scratch.service,
            "people": people,
            "tenants": tenants,
            "seconds": seconds,
            "number": number,
        }
        workers.append(
            subprocess.Popen(
                [sys.executable, "-c", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, _PLACE: json.dumps(place)},
            )
        )
    try:
        if any(_line(worker) != "ready" for worker in workers):
            raise StorageError("a process of the benchmark did not come up")
        cpu = scratch.cpu_seconds()
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        found = [json.loads(_line(worker)) for worker in workers]
        return _Run(found, scratch.cpu_seconds() - cpu)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def _line(worker: subprocess.Popen[str]) -> str:
    assert worker.stdout is not None
    return worker.stdout.readline().strip()
