"""A gate that raises denies: what it should have judged is dropped under `gate-failed`, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import RecallRequest
from iris_memory.gates.facts import Asked, Gate
from iris_memory.gates.recall_order import RECALL_ORDER
from iris_memory.recall.explain import explain
from iris_memory.recall.pipeline import RecallPipeline
from reference.recall import reason
from reference.worlds import ENTRY_BYTES, entry_of, request_of, requests, worlds

PIPELINE = RecallPipeline()
STAGE_OF = {
    "tenant-mismatch": 0, "scope-mismatch": 1, "crisis-frame": 2, "user-pause": 3, "sensitive-category": 3,
    "tenant-quarantine": 3, "quarantined": 4, "lifecycle-draft": 4, "lifecycle-paused": 4, "lifecycle-superseded": 4,
    "lifecycle-tombstoned": 4, "lifecycle-expired": 4, "sensitive-category-without-consent": 5,
    "sensitive-category-outside-relevant-context": 5,
}  # fmt: skip
"""The place of the gate behind each reason. (`crisis-frame` is a suppression's reason too: see `stage`.)"""


def stage(entry: MemoryEntry, request: RecallRequest) -> int:
    """Return the place of the gate that drops an entry; past the last where none does."""
    why = reason(entry, request)
    if why is None:
        return len(RECALL_ORDER)
    admitted = not request.crisis_frame or (entry.category == "safety" and request.safety_critical_context)
    return 3 if why == "crisis-frame" and admitted else STAGE_OF[why]


def broken(gate: Gate, fails: Any = lambda facts: True) -> Gate:
    """Return a gate that raises on some facts."""

    def check(facts: Any, asked: Asked) -> Any:
        if fails(facts):
            raise KeyError("a row that is missing")
        return gate.check(facts, asked)

    return Gate(gate.name, gate.trait, gate.rule, check)


@pytest.mark.parametrize("place", range(len(RECALL_ORDER)), ids=[gate.name for gate in RECALL_ORDER])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(worlds(), requests())
def test_gate_that_raises_drops(
    place: int, monkeypatch: pytest.MonkeyPatch, world: list[MemoryEntry], request: RecallRequest
) -> None:
    order = list(RECALL_ORDER)
    order[place] = broken(order[place])
    with monkeypatch.context() as patch:
        patch.setattr("iris_memory.recall.pipeline.RECALL_ORDER", tuple(order))
        envelope = PIPELINE.resolve(world, request).audit_envelope
    expected = [reason(entry, request) if stage(entry, request) < place else "gate-failed" for entry in world]
    assert envelope.returned_ids == ()
    assert envelope.suppression_counts == {why: expected.count(why) for why in expected}


def test_gate_that_raises_on_some_facts_drops_those_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    order = (*RECALL_ORDER[:-1], broken(RECALL_ORDER[-1], lambda matter: matter.category is Category.FACT))
    monkeypatch.setattr("iris_memory.recall.pipeline.RECALL_ORDER", order)
    monkeypatch.setattr("iris_memory.recall.explain.RECALL_ORDER", order)
    world = [
        entry_of(bytes(ENTRY_BYTES), place, category=category, subject=None)
        for place, category in enumerate((Category.FACT, Category.GOAL))
    ]
    columns, asked = PIPELINE.columns(world), Asked(request_of(b""))
    envelope = PIPELINE.recall(columns, asked).audit_envelope
    assert (envelope.returned_ids, envelope.suppression_counts) == (("m1",), {"gate-failed": 1})
    told = explain(PIPELINE, columns, asked, columns.keys[0])
    assert told is not None
    assert (told.outcome, told.counted_under) == ("dropped", "gate-failed")
    assert [verdict.passed for verdict in told.verdicts] == [True] * 5 + [False]
