"""The list of benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from iris_memory.bench import audit, forget, load, mask, recall, recall_many, write
from iris_memory.bench.measure import Result, machine
from iris_memory.errors import SettingError

BENCHES: Final[dict[str, Callable[..., list[Result]]]] = {
    "recall": recall.bench,
    "recall-many": recall_many.bench,
    "write": write.bench,
    "load": load.bench,
    "forget": forget.bench,
    "audit": audit.bench,
    "mask": mask.bench,
}
ALL: Final = "all"


def run(
    names: Sequence[str], *, quick: bool = False, starting: Callable[[str], None] = lambda name: None
) -> dict[str, object]:
    """Run benchmarks and return what `iris bench --json` prints.

    With `quick` the sizes are smaller and the numbers rougher: a look, not a measurement. `starting` is told the name
    of each before it runs.

    Raises:
        SettingError: there is no such benchmark.
    """
    wanted = list(BENCHES) if not names or ALL in names else list(names)
    for name in wanted:
        if name not in BENCHES:
            raise SettingError(f"a benchmark is one of {', '.join((*BENCHES, ALL))}")
    results = []
    for name in wanted:
        starting(name)
        for result in BENCHES[name](quick=quick):
            found = result.as_json()
            results.append(found if len(wanted) == 1 else {**found, "name": f"{name}: {found['name']}"})
    return {"bench": wanted[0] if len(wanted) == 1 else ALL, "machine": machine(), "results": results}
