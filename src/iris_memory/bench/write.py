"""write: remember, each on the disk before it is acknowledged, one by one and in batches."""

from __future__ import annotations

import time

from iris_memory.bench.measure import CommitFloor, Result, median, percentile, scratch_store, times
from iris_memory.bench.worlds import person, sentence, statement
from iris_memory.tables.limits import BATCH_MOST

ROUNDS = 300
BATCHES = 10


def bench(*, quick: bool = False) -> list[Result]:
    """Measure writes."""
    rounds = ROUNDS // 3 if quick else ROUNDS
    with scratch_store() as (iris, folder):
        memory = person(iris, "ada", BATCH_MOST)
        floors = CommitFloor(folder)
        before = floors.fsynced()
        texts = [sentence(f"each/{number}") for number in range(rounds)]
        each = times(lambda number: memory.remember(texts[number]), rounds)
        fsynced = (before + floors.fsynced()) / 2
        floors.close()
        rates = []
        for batch in range(1, (3 if quick else BATCHES) + 1):
            statements = [statement(f"batch/{batch}", number) for number in range(BATCH_MOST)]
            mine = [each.model_copy(update={"scope": None}) for each in statements]
            start = time.perf_counter()
            memory.remember_many(mine)
            rates.append(BATCH_MOST / (time.perf_counter() - start))
    return [
        Result("remember p50", BATCH_MOST, median(each), "ms", fsynced, max(1.5 * fsynced, fsynced + 0.4)),
        Result("remember p95", BATCH_MOST, percentile(each, 0.95), "ms", fsynced),
        Result("batch of 1,000", BATCH_MOST, median(rates), "entries/s", None, 10_000, at_least=True),
    ]
