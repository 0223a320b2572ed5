"""The pipeline agrees with a naive recall, hit for hit and count for count, on generated worlds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import RecallRequest, RecallResult
from iris_memory.contracts.scope import AdapterScope
from iris_memory.gates.facts import Asked
from iris_memory.recall.options import Dedupe, RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from reference.recall import Account, recall
from reference.worlds import effort, requests, worlds

PIPELINE = RecallPipeline()
LITERAL = RecallPipeline(RecallOptions(dedupe=Dedupe.RECENCY))


def account(result: RecallResult) -> Account:
    """Return a result in the reference's words."""
    envelope = result.audit_envelope
    assert envelope.returned_ids == tuple(hit.entry.id for hit in result.hits)
    return Account(
        hits=[(hit.entry.id, hit.score, hit.score_parts.model_dump()) for hit in result.hits],
        dropped=envelope.suppression_counts,
        evaluated=envelope.evaluated_count,
        deduplicated=envelope.deduplicated_count,
        over_budget=envelope.over_budget_count,
    )


@effort(300)
@given(worlds(), requests())
def test_pipeline_agrees_with_the_reference(world: list[MemoryEntry], request: RecallRequest) -> None:
    assert account(PIPELINE.resolve(world, request)) == recall(world, request)


@effort(100)
@given(worlds(), requests())
def test_literal_rule_agrees_with_the_reference(world: list[MemoryEntry], request: RecallRequest) -> None:
    assert account(LITERAL.resolve(world, request)) == recall(world, request, by_authority=False)


@effort(100)
@given(worlds(), requests(), st.booleans(), st.sets(st.sampled_from(AdapterScope), max_size=4))
def test_policy_of_a_store_agrees_with_the_reference(
    world: list[MemoryEntry], request: RecallRequest, paused: bool, closed: set[AdapterScope]
) -> None:
    asked = Asked(request, suppressed_scopes=frozenset(closed), paused=paused)
    result = PIPELINE.recall(PIPELINE.columns(world), asked)
    assert account(result) == recall(world, request, paused=paused, closed=tuple(closed))
