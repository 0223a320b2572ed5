"""audit: verify the chain and tree of an export, beside a bare sha256 loop over the same lines."""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime, timedelta

from iris_memory.bench.measure import Result
from iris_memory.chain.canonical import JsonValue
from iris_memory.chain.checkpoint import Checkpoint, Signer, sign_checkpoint, tenant_origin
from iris_memory.chain.export import ExportHeader, KeyPeriod, export_lines
from iris_memory.chain.link import genesis, link
from iris_memory.chain.verify import verify_export
from iris_memory.contracts.shape import to_micros

SIZE = 100_000
LIMIT = 100_000.0


def bench(*, quick: bool = False) -> list[Result]:
    """Measure offline verification of events about written memories."""
    size = SIZE // 10 if quick else SIZE
    lines = _export(size)
    best_verify, best_hash = 0.0, 0.0
    for _ in range(3):
        start = time.perf_counter()
        report = verify_export(lines)
        best_verify = max(best_verify, size / (time.perf_counter() - start))
        assert report.ok
        start = time.perf_counter()
        for line in lines:
            hashlib.sha256(line).digest()
        best_hash = max(best_hash, len(lines) / (time.perf_counter() - start))
    return [Result("verify an export", size, best_verify, "events/s", best_hash, LIMIT, at_least=True)]


def _export(size: int) -> list[bytes]:
    signer = Signer(tenant_origin("bench"), b"\x09" * 32)
    head, events = genesis("bench"), []
    began = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(size):
        body: dict[str, JsonValue] = {
            "action": "memory.written",
            "policy_id": "iris-memory-write-v1",
            "severity": "info",
            "person": f"{number % 97:032x}",
            "object_ids": [f"01900000-0000-7000-8000-{number:012x}"],
            "commitments": [f"{number:064x}"],
        }
        line, head = link(head, body, at=to_micros(began + timedelta(seconds=number)))
        events.append(line)
    note = sign_checkpoint(Checkpoint(tenant_origin("bench"), head.size, head.frontier.root()), signer=signer)
    return list(export_lines(ExportHeader("bench", (KeyPeriod(signer.verifier),), (note,)), events=events))
