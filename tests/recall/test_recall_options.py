"""Options of recall: what cannot be meant is refused, and what decides the bytes of a result is in the version."""

from __future__ import annotations

from typing import Any

import pytest

from iris_memory.contracts.category import Surface
from iris_memory.contracts.entry import MemoryEntry, Origin
from iris_memory.errors import SettingError
from iris_memory.recall.lexical import TOKENISER, UNICODE_VERSION
from iris_memory.recall.options import Dedupe, RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.tables.limits import SCORE_WEIGHTS
from reference.worlds import entry_of, request_of

WEIGHTS = dict(SCORE_WEIGHTS)
BUDGETS = dict.fromkeys(Surface, 5)


def half(text: str, entry: MemoryEntry) -> float:
    """Stand in for an injected relevance."""
    return 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"weights": {}},
        {"weights": {**WEIGHTS, "recency": 401}},
        {"weights": {**WEIGHTS, "luck": 0}},
        {"weights": {**WEIGHTS, "recency": -1, "semantic": 751}},
        {"weights": {**WEIGHTS, "recency": 399.5, "semantic": 350.5}},
        {"weights": {"recency": 1_000}},
        {"budgets": {}},
        {"budgets": {Surface.ADMIN: 1}},
        {"budgets": {**BUDGETS, Surface.SHELL: -1}},
        {"budgets": {**BUDGETS, Surface.SHELL: 2.5}},
        {"dedupe": "newest"},
        {"semantic": half},
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        RecallOptions(**options)


@pytest.mark.parametrize("dedupe", Dedupe)
def test_rule_may_be_named_by_its_word(dedupe: Dedupe) -> None:
    """A word does not quietly become the other rule (POI-12)."""
    named: Any = dedupe.value
    assert RecallOptions(dedupe=named) == RecallOptions(dedupe=dedupe)
    older = entry_of(
        b"", 1, subject="seat", origin=Origin.USER_STATED, updated_at=request_of(b"").now.replace(year=2020)
    )
    newer = entry_of(b"", 2, subject="seat", origin=Origin.MODEL_INFERRED)
    (hit,) = RecallPipeline(RecallOptions(dedupe=named)).resolve([older, newer], request_of(b"")).hits
    assert hit.entry == (older if dedupe is Dedupe.AUTHORITY else newer)


def test_version_names_what_decides_the_bytes() -> None:
    usual = RecallOptions().version
    assert "400.350.150.100" in usual
    assert TOKENISER in usual
    assert UNICODE_VERSION in usual
    others = [
        RecallOptions(weights={**WEIGHTS, "recency": 399, "semantic": 351}),
        RecallOptions(semantic=half, semantic_name="half"),
        RecallOptions(dedupe=Dedupe.RECENCY),
    ]
    assert len({usual, *(options.version for options in others)}) == 4
    assert RecallOptions(weights=WEIGHTS).version == usual


@pytest.mark.parametrize("surface", Surface)
def test_a_budget_of_nothing_shows_nothing(surface: Surface) -> None:
    pipeline = RecallPipeline(RecallOptions(budgets=dict.fromkeys(Surface, 0)))
    envelope = pipeline.resolve(
        [entry_of(b"", place) for place in range(3)], request_of(b"", surface=surface)
    ).audit_envelope
    assert (envelope.returned_ids, envelope.over_budget_count) == ((), 3)
