"""An explanation says of every entry what recall does with it, and why."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import Explanation, RecallRequest
from iris_memory.contracts.scope import AdapterScope
from iris_memory.gates.facts import Asked
from iris_memory.gates.recall_order import RECALL_ORDER
from iris_memory.recall.explain import explain
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from reference.recall import parts, reason
from reference.worlds import effort, entry_of, request_of, requests, worlds


def relevance(text: str, entry: MemoryEntry) -> float:
    """Stand in for an injected relevance."""
    return (len(entry.body) * 7 + len(text)) % 101 / 100


PIPELINES = [
    RecallPipeline(),
    RecallPipeline(RecallOptions(semantic=relevance, semantic_name="test")),
    RecallPipeline(RecallOptions(weights={"recency": 0, "semantic": 900, "reference_count": 100, "origin": 0})),
]


@effort(120)
@given(
    worlds(least=1),
    requests(),
    st.sampled_from(PIPELINES),
    st.booleans(),
    st.sets(st.sampled_from(AdapterScope), max_size=3),
)
def test_explanation_agrees_with_recall(
    world: list[MemoryEntry], request: RecallRequest, pipeline: RecallPipeline, paused: bool, closed: set[AdapterScope]
) -> None:
    asked = Asked(request, suppressed_scopes=frozenset(closed), paused=paused)
    columns = pipeline.columns(world)
    result = pipeline.recall(columns, asked)
    told = {}
    for entry in world:
        (logical_id,) = (key for key in columns.keys if key.split(":", 1)[1] == entry.id)
        found = explain(pipeline, columns, asked, logical_id)
        assert found is not None
        assert Explanation.model_validate_json(found.model_dump_json()) == found
        assert (found.entry_id, found.logical_id) == (entry.id, logical_id)
        told[entry.id] = found
        # the gates: each has its say, and the first that objects is the one that counts
        assert [verdict.gate for verdict in found.verdicts] == [gate.name for gate in RECALL_ORDER]
        objections = [verdict.reason for verdict in found.verdicts if not verdict.passed]
        assert (objections[0] if objections else None) == reason(entry, request, paused, tuple(closed))
        assert found.counted_under == (objections[0] if objections else None)
        assert (found.outcome == "dropped") == bool(objections)
        # the score: the reference's parts, and the weights given
        expected = parts(entry, request)
        if pipeline.options.semantic:
            expected["semantic"] = round(relevance(request.text, entry) * 100) * 10_000
        assert found.score_parts.model_dump() == expected
        assert found.score == sum(pipeline.options.weights[name] * part for name, part in expected.items())
    for rank, hit in enumerate(result.hits, start=1):
        found = told.pop(hit.entry.id)
        assert (found.outcome, found.rank, found.score) == ("returned", rank, hit.score)
        assert found.score_parts == hit.score_parts
    assert all(found.rank is None for found in told.values())
    outcomes = [found.outcome for found in told.values()]
    envelope = result.audit_envelope
    assert outcomes.count("deduplicated") == envelope.deduplicated_count
    assert outcomes.count("over-budget") == envelope.over_budget_count
    assert outcomes.count("dropped") == sum(envelope.suppression_counts.values())


def test_unknown_memory_has_no_explanation() -> None:
    pipeline = PIPELINES[0]
    assert explain(pipeline, pipeline.columns([entry_of(b"")]), Asked(request_of(b"")), "elsewhere") is None
