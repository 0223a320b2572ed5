"""Why one memory would or would not surface for one request: every gate's verdict, the score, and the outcome."""

from __future__ import annotations

from typing import Literal

from iris_memory.contracts.recall import Explanation, GateVerdict
from iris_memory.contracts.shape import to_micros
from iris_memory.gates.facts import Asked, Trait, trait_of
from iris_memory.gates.recall_order import RECALL_ORDER, verdict
from iris_memory.recall.columns import Columns
from iris_memory.recall.pipeline import RecallPipeline, reason_of
from iris_memory.recall.weighing import parts_of, weigh


def explain(pipeline: RecallPipeline, columns: Columns, asked: Asked, logical_id: str) -> Explanation | None:
    """Explain one memory; None where the columns do not hold it."""
    row = columns.row_of.get(logical_id)
    if row is None:
        return None
    entry, request = columns.entry(row), asked.request
    verdicts = []
    for gate in RECALL_ORDER:
        facts = columns.addresses[columns.address[row]] if gate.trait is Trait.ADDRESS else None
        reason = verdict(gate, facts or trait_of(entry, gate.trait, asked), asked)
        verdicts.append(
            GateVerdict(gate=gate.name, passed=reason is None, reason=reason.value if reason else None, rule=gate.rule)
        )
    found = pipeline.evaluate(columns, asked)
    parts = parts_of(entry, text=request.text, now=to_micros(request.now), semantic=pipeline.options.semantic)
    reason = reason_of(int(found.dropped[row]))
    outcome: Literal["returned", "dropped", "deduplicated", "over-budget"]
    if reason is not None:
        outcome = "dropped"
    elif row in found.deduplicated:
        outcome = "deduplicated"
    else:
        outcome = "returned" if row in found.ranked else "over-budget"
    return Explanation(
        logical_id=logical_id,
        entry_id=entry.id,
        verdicts=tuple(verdicts),
        counted_under=reason.value if reason else None,
        score=weigh(parts, pipeline.options.weights),
        score_parts=parts,
        weights=dict(pipeline.options.weights),
        outcome=outcome,
        rank=found.ranked.index(row) + 1 if row in found.ranked else None,
    )
