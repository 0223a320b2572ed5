"""The list of benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from iris_memory.bench import (
    audit,
    erase,
    forget,
    http,
    inspect,
    load,
    mask,
    pages,
    postgres,
    postgres_scale,
    recall,
    recall_many,
    sweep,
    write,
)
from iris_memory.bench.measure import Result, machine
from iris_memory.errors import SettingError

BENCHES: Final[dict[str, Callable[..., list[Result]]]] = {
    "recall": recall.bench,
    "recall-many": recall_many.bench,
    "write": write.bench,
    "load": load.bench,
    "forget": forget.bench,
    "erase": erase.bench,
    "audit": audit.bench,
    "mask": mask.bench,
    "sweep": sweep.bench,
    "inspect": inspect.bench,
    "http": http.bench,
    "pages": pages.bench,
}
ON_POSTGRES: Final[dict[str, Callable[..., list[Result]]]] = {
    "recall": postgres.bench_recall,
    "write": postgres.bench_write,
    "forget": postgres.bench_forget,
    "scale": postgres_scale.bench,
}
SQLITE: Final = "sqlite"
POSTGRES: Final = "postgres"
ALL: Final = "all"


def run(
    names: Sequence[str],
    *,
    quick: bool = False,
    starting: Callable[[str], None] = lambda name: None,
    engine: str = SQLITE,
    server: str | None = None,
) -> dict[str, object]:
    """Run benchmarks and return what `iris bench --json` prints.

    With `quick` the sizes are smaller and the numbers rougher: a look, not a measurement. `starting` is told the name
    of each before it runs. On the engine `postgres` they run on `server` (a superuser's address), or on a private one.

    Raises:
        SettingError: there is no such benchmark or engine, or no server to measure on.
    """
    benches = benches_of(engine)
    more = {} if engine == SQLITE else {"server": server}
    wanted = list(benches) if not names or ALL in names else list(names)
    for name in wanted:
        if name not in benches:
            raise SettingError(f"a benchmark is one of {', '.join((*benches, ALL))}")
    results = []
    for name in wanted:
        starting(name)
        for result in benches[name](quick=quick, **more):
            found = result.as_json()
            results.append(found if len(wanted) == 1 else {**found, "name": f"{name}: {found['name']}"})
    name = wanted[0] if len(wanted) == 1 else ALL
    return {"bench": name, "engine": engine, "machine": machine(), "results": results}


def benches_of(engine: str) -> dict[str, Callable[..., list[Result]]]:
    """Return the benchmarks of an engine by name.

    Raises:
        SettingError: there is no such engine.
    """
    if engine not in {SQLITE, POSTGRES}:
        raise SettingError(f"an engine is {SQLITE} or {POSTGRES}")
    return BENCHES if engine == SQLITE else ON_POSTGRES
