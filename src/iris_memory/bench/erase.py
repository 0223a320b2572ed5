"""erase: a person of 10,000 memories whole, set-based, keys and rows read back, every file searched (DSR-18)."""

from __future__ import annotations

import time

from iris_memory.bench.measure import CommitFloor, Result, scratch_store
from iris_memory.bench.worlds import TENANT, person
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.seal import key_periods

SIZE = 10_000
LIMIT = 5_000.0


def bench(*, quick: bool = False) -> list[Result]:
    """Measure an erasure with its proof, the same without the search, and the export that came before it."""
    size = SIZE // 10 if quick else SIZE
    with scratch_store() as (iris, folder):
        floors = CommitFloor(folder)
        fsynced = floors.fsynced(50)
        floors.close()
        proven = person(iris, "ada", size)
        request = proven.rights.submit("export", format="ndjson").request_id
        iris.rights_desk(TENANT).sign_off(request, "operator-signoff", actor="bench", declared=True)
        start = time.perf_counter()
        proven.exports.make(request)
        exported = (time.perf_counter() - start) * 1e3
        start = time.perf_counter()
        receipt = proven.erase(scan=True)
        with_proof = (time.perf_counter() - start) * 1e3
        keys = [period.key for period in key_periods(iris.instruments, TENANT)]
        if receipt is None or not receipt.is_complete or not is_genuine(receipt, keys=keys):
            raise RuntimeError("an erasure is not proven")
        plain = person(iris, "bob", size)
        start = time.perf_counter()
        plain.erase(scan=False)
        without = (time.perf_counter() - start) * 1e3
    return [
        Result("erase a person with proof", size, with_proof, "ms", fsynced, LIMIT),
        Result("erase a person, no search of files", size, without, "ms", fsynced),
        Result("export a person", size, exported, "ms", fsynced),
    ]
