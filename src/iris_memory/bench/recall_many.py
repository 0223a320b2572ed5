"""recall-many: many people and threads; cold and warm, with and without a writer beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from iris_memory.bench.measure import CommitFloor, Result, median, percentile, scratch_store, times
from iris_memory.bench.worlds import TENANT, person, sentence
from iris_memory.flows.instruments import Caller
from iris_memory.flows.recall import Wish, question_of
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

PEOPLE = 1_000
EACH = 100
THREADS = 8
TEXTS = tuple(sentence(f"ask/{number}", 8) for number in range(500))


def bench(*, quick: bool = False) -> list[Result]:
    """Measure many recalls at once, in the strict profile."""
    count = 100 if quick else PEOPLE
    rounds = 1_000 if quick else 4_000
    with scratch_store(durability="strict") as (iris, folder):
        memories = [person(iris, f"person-{number}", EACH) for number in range(count)]
        for known in iris.instruments.people.known():
            iris.instruments.people.drop(known.tenant, known.user_id)
        cold = times(lambda number: _ask(memories, number), count)
        floors = CommitFloor(folder)
        compute = median(times(lambda number: _compute(iris, number % count), 500))
        fsynced = floors.fsynced()
        single, _ = _run(memories, 1, rounds // 4)
        many, taken = _run(memories, THREADS, rounds)
        beside, under = _beside_writer(iris, memories, rounds)
        fsynced = (fsynced + floors.fsynced()) / 2
        floors.close()
    ideal = min(THREADS, (compute + fsynced) / compute)
    return [
        Result("cold recall p50", EACH, median(cold), "ms"),
        Result("compute p50", EACH, compute, "ms"),
        Result("one thread, warm, strict", EACH, single, "recalls/s", 1e3 / (compute + fsynced)),
        Result("8 threads, warm, strict", EACH, many, "recalls/s", single * ideal, 0.7 * ideal * single, at_least=True),
        Result("8 threads, warm, strict p99", EACH, percentile(taken, 0.99), "ms", fsynced),
        Result("8 threads beside a writer", EACH, beside, "recalls/s", single * ideal),
        Result("8 threads beside a writer p99", EACH, percentile(under, 0.99), "ms", fsynced),
    ]


def _ask(memories: list[PersonMemory], number: int) -> None:
    memories[number % len(memories)].recall(TEXTS[number % len(TEXTS)])


def _compute(iris: Iris, number: int) -> None:
    person = iris.instruments.people.get(TENANT, f"person-{number}")
    caller = Caller(TENANT, person.user_id)
    wish = Wish(text=TEXTS[number % len(TEXTS)])
    asked = question_of(iris.instruments, caller, person, person.snapshot, wish)
    iris.instruments.pipeline.recall(person.snapshot.columns, asked)


def _run(memories: list[PersonMemory], threads: int, rounds: int) -> tuple[float, list[float]]:
    """Return recalls per second, and the sorted durations in milliseconds."""
    taken: list[float] = []

    def work(thread: int) -> None:
        mine = times(lambda number: _ask(memories, number * threads + thread), rounds // threads)
        taken.extend(mine)

    start = time.perf_counter()
    _together([lambda thread=thread: work(thread) for thread in range(threads)])  # type: ignore[misc]
    return len(taken) / (time.perf_counter() - start), sorted(taken)


def _beside_writer(iris: Iris, memories: list[PersonMemory], rounds: int) -> tuple[float, list[float]]:
    stop = threading.Event()
    writer_of = iris.for_user(tenant=TENANT, user="person-0")

    def write() -> None:
        number = 0
        while not stop.is_set():
            writer_of.remember(sentence(f"beside/{number}"))
            number += 1
            stop.wait(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return _run(memories, THREADS, rounds)
    finally:
        stop.set()
        writer.join()


def _together(works: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
