"""inspect: grant and freeze a person's whole memory, and read pages of the frozen set, each told before it is shown."""

from __future__ import annotations

import time

from iris_memory.bench.measure import CommitFloor, Result, median, percentile, scratch_store, times
from iris_memory.bench.worlds import TENANT, person
from iris_memory.contracts.inspection import INSPECTED_MOST, Inspection, InspectionPage
from iris_memory.contracts.scope import AdapterScope
from iris_memory.front.iris import Iris
from iris_memory.tables.inspectors import PACE_MOST, PAGE_MOST

SIZE = INSPECTED_MOST
LIMIT = 500.0
_ROUNDS = 5


def bench(*, quick: bool = False) -> list[Result]:
    """Measure the last approval of an answer to the person's own request, which freezes everything, and its reading."""
    size = SIZE // 10 if quick else SIZE
    with scratch_store(tended=False) as (iris, folder):
        floors = CommitFloor(folder)
        fsynced = floors.fsynced(50)
        floors.close()
        memory = person(iris, "ada", size)
        desk = iris.rights_desk(TENANT)
        request_id = memory.rights.submit("access").request_id
        desk.sign_off(request_id, "court-order", actor="desk")
        desk.start(request_id, actor="desk")
        taken, granted = [], None
        for _ in range(_ROUNDS):
            waiting = _asked(iris, request_id)
            start = time.perf_counter()
            granted = iris.inspections(tenant=TENANT, actor="tom", role="t&s").approve(waiting)
            taken.append((time.perf_counter() - start) * 1e3)
        assert isinstance(granted, Inspection)
        assert granted.grant is not None
        assert granted.grant.entries == size
        legal = iris.inspections(tenant=TENANT, actor="lea", role="legal")
        name = granted.inspection_id

        def look(number: int) -> None:
            shown = legal.read(name, offset=number * PAGE_MOST % size, limit=PAGE_MOST)
            assert isinstance(shown, InspectionPage)

        reads = times(look, PACE_MOST // PAGE_MOST)
    return [
        Result("grant and freeze, median", size, median(taken), "ms", fsynced, LIMIT),
        Result("grant and freeze, slowest", size, max(taken), "ms", fsynced, LIMIT),
        Result(f"read {PAGE_MOST} of them, p95", size, percentile(reads, 0.95), "ms", fsynced),
    ]


def _asked(iris: Iris, request_id: str) -> str:
    legal = iris.inspections(tenant=TENANT, actor="lea", role="legal")
    asked = legal.request(
        "ada",
        path="dsar-fulfillment",
        reason="data-subject-request",
        reference=request_id,
        target={"adapter_scopes": list(AdapterScope), "include_sensitive": True, "most": SIZE},
        consent_snapshot_id=legal.consent_snapshot("ada"),
    )
    assert isinstance(asked, Inspection)
    iris.inspections(tenant=TENANT, actor="ann", role="admin").approve(asked.inspection_id)
    return asked.inspection_id
