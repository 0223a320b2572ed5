"""recall: one person at several sizes; all gates, ranking, rationale and the audit event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from iris_memory.bench.measure import CommitFloor, Result, cosine_floor, median, percentile, scratch_store, times
from iris_memory.bench.worlds import TENANT, person, sentence
from iris_memory.contracts.category import Context
from iris_memory.flows.instruments import Caller, Durability
from iris_memory.flows.recall import Wish, current, question_of
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.recall.columns import bytes_held

SIZES = (1_000, 10_000, 100_000)
COMPUTE_LIMITS = {1_000: 0.3, 10_000: 1.0, 100_000: 8.0}
ROUNDS = 300


def bench(*, quick: bool = False) -> list[Result]:
    """Measure recall."""
    results: list[Result] = []
    for size in SIZES[:2] if quick else SIZES:
        with scratch_store() as (iris, folder):
            person(iris, "ada", size)
            results += _compute(iris, size)
            results += _whole(iris, folder, size, compute=results[-2].value)
            results += _space(iris, folder, size)
    return results


def compute_in(iris: Iris) -> Callable[[int], None]:
    """Return a call that computes the recall of one round, and does nothing else."""
    instruments, caller = iris.instruments, Caller(TENANT, "ada")
    person = instruments.people.get(TENANT, "ada")
    snapshot = current(instruments, person)
    columns = snapshot.columns

    wishes = [Wish(text=text, contexts=CONTEXTS) for text in texts()]

    def call(number: int) -> None:
        asked = question_of(instruments, caller, person, snapshot, wishes[number])
        instruments.pipeline.recall(columns, asked)

    return call


def _compute(iris: Iris, size: int) -> list[Result]:
    call = compute_in(iris)
    call(-1)
    taken = times(call, ROUNDS)
    floor = cosine_floor(size)
    return [
        Result("compute p50", size, median(taken), "ms", floor, COMPUTE_LIMITS[size]),
        Result("compute p95", size, percentile(taken, 0.95), "ms", floor),
    ]


def _whole(iris: Iris, folder: Path, size: int, *, compute: float) -> list[Result]:
    memory = iris.for_user(tenant=TENANT, user="ada")
    floors = CommitFloor(folder)

    asked = texts()

    def call(number: int) -> None:
        memory.recall(asked[number], contexts=CONTEXTS)

    call(-1)
    written = floors.written()
    taken = times(call, ROUNDS)
    results = [
        Result("whole call p50", size, median(taken), "ms", written, compute + 0.2),
        Result("whole call p95", size, percentile(taken, 0.95), "ms", written),
    ]
    strict = replace(iris.instruments, durability=Durability.STRICT)
    memory = PersonMemory(strict, Caller(TENANT, "ada"))
    before = floors.fsynced()
    taken = times(call, ROUNDS)
    fsynced = (before + floors.fsynced()) / 2
    floors.close()
    results.append(Result("whole call strict p50", size, median(taken), "ms", fsynced, compute + 1.3 * fsynced))
    results.append(Result("whole call strict p95", size, percentile(taken, 0.95), "ms", fsynced))
    return results


def _space(iris: Iris, folder: Path, size: int) -> list[Result]:
    person = iris.instruments.people.get(TENANT, "ada")
    iris.instruments.store.scrub()
    disk = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    return [
        Result("memory per cached entry", size, bytes_held(person.snapshot.columns) / size, "bytes"),
        Result("disk per entry", size, disk / size, "bytes"),
    ]


CONTEXTS = frozenset({Context.GENERAL, Context.HEALTH})


def texts() -> list[str]:
    """Return what is asked, one text a round."""
    return [sentence(f"ask/{number}", 8) for number in range(ROUNDS)]
