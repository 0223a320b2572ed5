"""Laws of recall, each a property over generated worlds."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Context, Surface
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.entry import Label, MemoryEntry, Origin, Suppression, SuppressionReason
from iris_memory.contracts.recall import RecallRequest, RecallResult
from iris_memory.contracts.scope import AdapterScope, NotebookScope, SessionScope
from iris_memory.gates.facts import Asked
from iris_memory.recall.options import Dedupe, RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.tables.labels import LABELS
from iris_memory.tables.limits import SCORE_WEIGHTS
from reference.recall import ORIGINS, SURFACES, key, parts
from reference.recall import recall as naive_recall
from reference.worlds import DAY, ENTRY_BYTES, NOW, effort, entry_of, request_of, requests, seeds, worlds

PIPELINE = RecallPipeline()
EVERYTHING = RecallPipeline(RecallOptions(budgets=dict.fromkeys(Surface, 1_000_000), conflict_key=lambda entry: None))
"""No budget and no conflicts: what it returns is what passes the gates."""


def length_of_body(text: str, entry: MemoryEntry) -> float:
    """Stand in for an injected relevance."""
    return (len(entry.body) + len(text)) % 11 / 10


SEMANTIC = RecallPipeline(RecallOptions(semantic=length_of_body, semantic_name="length"))


def returned(pipeline: RecallPipeline, world: list[MemoryEntry], request: RecallRequest) -> set[str]:
    """Return the ids of the hits."""
    return set(pipeline.resolve(world, request).audit_envelope.returned_ids)


@effort(150)
@given(worlds(), requests(), st.data(), st.sampled_from([PIPELINE, EVERYTHING, SEMANTIC]))
def test_order_of_candidates_changes_no_byte(
    world: list[MemoryEntry], request: RecallRequest, data: st.DataObject, pipeline: RecallPipeline
) -> None:
    # ids that clash: the same entry twice, and a second entry under the id of the first
    twins = [entry.model_copy(update={"id": world[0].id}) for entry in world[:12]]
    world = [*world, *world[:2], *twins]
    shuffled = data.draw(st.permutations(world))
    assert (
        pipeline.resolve(shuffled, request).model_dump_json()
        == pipeline.resolve(iter(world), request).model_dump_json()
    )


@effort(150)
@given(worlds(), requests(limit=None), st.data())
def test_removing_a_consent_never_adds_a_result(
    world: list[MemoryEntry], request: RecallRequest, data: st.DataObject
) -> None:
    given_up = data.draw(st.sampled_from([*Category, MULTI_ACTOR_SENSITIVE]))
    fewer = request.model_copy(update={"consented_categories": request.consented_categories - {given_up}})
    assert returned(EVERYTHING, world, fewer) <= returned(EVERYTHING, world, request)
    # under budget and dedupe another memory may move up, but only one that passed every gate before
    assert returned(PIPELINE, world, fewer) <= returned(EVERYTHING, world, request)


@effort(100)
@given(worlds(), requests(limit=None), st.sampled_from(Context))
def test_removing_a_context_never_adds_a_result(
    world: list[MemoryEntry], request: RecallRequest, context: Context
) -> None:
    fewer = request.model_copy(update={"contexts": request.contexts - {context}})
    assert returned(EVERYTHING, world, fewer) <= returned(EVERYTHING, world, request)


@effort(100)
@given(worlds(), requests(crisis_frame=True))
def test_crisis_admits_safety_only(world: list[MemoryEntry], request: RecallRequest) -> None:
    hits = PIPELINE.resolve(world, request).hits
    assert all(hit.entry.category is Category.SAFETY for hit in hits)
    assert request.safety_critical_context or not hits
    assert Category.SAFETY in request.consented_categories or not hits


def test_crisis_lets_consented_safety_through() -> None:
    entry = entry_of(bytes(ENTRY_BYTES), category=Category.SAFETY)
    request = request_of(b"", crisis_frame=True, safety_critical_context=True, consented_categories=frozenset(Category))
    assert returned(PIPELINE, [entry], request) == {entry.id}


@effort(150)
@given(worlds(), requests(), st.sampled_from([PIPELINE, EVERYTHING, SEMANTIC]))
def test_foreign_memory_neither_leaks_nor_weighs(
    world: list[MemoryEntry], request: RecallRequest, pipeline: RecallPipeline
) -> None:
    def is_own(entry: MemoryEntry) -> bool:
        scope_tenant = getattr(entry.scope, "tenant_id", request.tenant_id)
        return entry.tenant_id == scope_tenant == request.tenant_id and entry.user_id == request.user_id

    result = pipeline.resolve(world, request)
    assert all(is_own(hit.entry) for hit in result.hits)
    assert result.hits == pipeline.resolve([entry for entry in world if is_own(entry)], request).hits


@effort(150)
@given(worlds(), requests(), st.sampled_from([PIPELINE, EVERYTHING, SEMANTIC]))
def test_every_candidate_is_accounted_for_once(
    world: list[MemoryEntry], request: RecallRequest, pipeline: RecallPipeline
) -> None:
    envelope = pipeline.resolve(world, request).audit_envelope
    held_back = sum(envelope.suppression_counts.values()) + envelope.deduplicated_count + envelope.over_budget_count
    assert envelope.evaluated_count == len(world) == len(envelope.returned_ids) + held_back
    assert 0 not in envelope.suppression_counts.values()


@effort(150)
@given(worlds(least=1), requests())
def test_result_is_what_its_contract_says(world: list[MemoryEntry], request: RecallRequest) -> None:
    result = PIPELINE.resolve(world, request)
    assert RecallResult.model_validate_json(result.model_dump_json()) == result
    assert result.audit_envelope.scope_key == request.scope.text()
    redacts = request.surface is Surface.ADMIN and not request.dsar_workflow
    known = {entry.id: entry for entry in world}
    for hit in result.hits:
        entry = known[hit.entry.id]
        assert hit.entry == (entry.model_copy(update={"multi_actor": None}) if redacts else entry)
        assert hit.provenance_chain == entry.provenance_chain


@effort(150)
@given(st.lists(seeds(ENTRY_BYTES), min_size=2, max_size=8), st.sampled_from(Label), st.data())
def test_untrusted_entry_never_hides_a_stated_one(rows: list[bytes], label: Label, data: st.DataObject) -> None:
    """POI-12: whatever an untrusted label may claim, it does not hide what the person said or confirmed."""
    shared: dict[str, Any] = {
        "tenant_id": "t",
        "user_id": "u",
        "scope": request_of(b"").scope,
        "category": Category.FACT,
    }
    shared |= {"subject": "home", "multi_actor": None}
    stated = [entry_of(row, place, **_plain(shared)) for place, row in enumerate(rows[:2])]
    stated = [entry.model_copy(update={"origin": Origin.USER_CONFIRMED}) for entry in stated]
    squatters = [
        entry_of(row, place, **_plain(shared)).model_copy(
            update={
                "label": label,
                "origin": data.draw(st.sampled_from(sorted(LABELS[label].origins - {Origin.USER_STATED}))),
            }
        )
        for place, row in enumerate(rows[2:], start=2)
    ]
    squatters = [entry for entry in squatters if entry.origin is not Origin.USER_CONFIRMED]
    assert returned(PIPELINE, [*stated, *squatters], request_of(b"")) <= {entry.id for entry in stated}
    assert len(PIPELINE.resolve([*stated, *squatters], request_of(b"")).hits) == 1


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "lifecycle": entry_of(b"").lifecycle, "suppression": None, "quarantine": None, "expires_at": None}


@effort(150)
@given(worlds(), requests())
def test_recency_rule_is_literal(world: list[MemoryEntry], request: RecallRequest) -> None:
    """The source's own rule: within a conflict cluster the newest stays, whatever its origin."""
    literal = RecallOptions(dedupe=Dedupe.RECENCY, budgets=dict.fromkeys(Surface, 1_000_000))
    request = request.model_copy(update={"limit": None})
    passed = [entry for entry in world if entry.id in returned(EVERYTHING, world, request)]
    newest: dict[Any, MemoryEntry] = {}
    for entry in sorted(passed, key=lambda entry: entry.id, reverse=True):
        cluster = key(entry) or entry.id
        if cluster not in newest or newest[cluster].updated_at <= entry.updated_at:
            newest[cluster] = entry
    assert returned(RecallPipeline(literal), world, request) == {entry.id for entry in newest.values()}


@effort(60)
@given(st.lists(seeds(ENTRY_BYTES), min_size=60, max_size=60), st.sampled_from(Surface), st.data())
def test_surface_decides_how_many_and_whether_it_says_why(
    rows: list[bytes], surface: Surface, data: st.DataObject
) -> None:
    world = [entry_of(row, place, **_plain({"subject": None, **OPEN})) for place, row in enumerate(rows)]
    budget = int(SURFACES[surface]["budget"])
    limit = data.draw(st.none() | st.integers(0, 70))
    result = PIPELINE.resolve(world, request_of(b"", surface=surface, limit=limit))
    assert len(result.hits) == min(budget, 60 if limit is None else limit)
    assert result.audit_envelope.over_budget_count == 60 - len(result.hits)
    everything = PIPELINE.resolve(world, request_of(b"", surface=surface))
    assert result.hits == everything.hits[: len(result.hits)]
    for hit in result.hits:
        if SURFACES[surface]["rationale"] == "hidden":
            assert hit.surface_rationale is None
        else:
            assert hit.surface_rationale is not None
            assert hit.surface_rationale[-1] == hit.entry.origin
            counts = {"recent": "recency", "matches-request": "semantic", "often-used": "reference_count"}
            points = [
                SCORE_WEIGHTS[counts[code]] * getattr(hit.score_parts, counts[code])
                for code in hit.surface_rationale[:-1]
            ]
            assert points == sorted(points, reverse=True)
            assert 0 not in points
            silent = set(counts) - set(hit.surface_rationale)
            assert all(getattr(hit.score_parts, counts[code]) == 0 for code in silent)


OPEN: dict[str, Any] = {
    "tenant_id": "t", "user_id": "u", "scope": request_of(b"").scope, "category": Category.FACT, "multi_actor": None,
}  # fmt: skip


@pytest.mark.parametrize("dsar_workflow", [False, True])
@pytest.mark.parametrize("surface", Surface)
def test_other_people_are_redacted_for_operators_alone(surface: Surface, dsar_workflow: bool) -> None:
    actor = next(found for number in range(64) if (found := entry_of(bytes(4) + bytes([0, number])).multi_actor))
    entry = entry_of(b"").model_copy(update={"multi_actor": actor})
    request = request_of(b"", surface=surface, dsar_workflow=dsar_workflow)
    (hit,) = PIPELINE.resolve([entry], request).hits
    assert hit.entry.multi_actor == (None if surface is Surface.ADMIN and not dsar_workflow else actor)
    assert entry.multi_actor == actor


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.25, 250_000), (0.0000005, 1), (0.00000049, 0),
        (1, 1_000_000), (2.0, 1_000_000), (-1.0, 0), (True, 1_000_000),
        (float("nan"), 0), (float("inf"), 0), (None, 0), ("0.5", 0),
        (np.float32(0.5), 500_000), (np.float64(1), 1_000_000),
    ],
)  # fmt: skip
def test_injected_relevance_is_rounded_half_up_and_cut(value: object, expected: int) -> None:
    def semantic(text: str, entry: MemoryEntry) -> Any:
        return value

    pipeline = RecallPipeline(RecallOptions(semantic=semantic, semantic_name="fixed"))
    (hit,) = pipeline.resolve([entry_of(b"")], request_of(b"", text="window")).hits
    assert hit.score_parts.semantic == expected
    assert "fixed" in pipeline.options.version


@effort(100)
@given(worlds(), requests())
def test_injected_relevance_is_honoured(world: list[MemoryEntry], request: RecallRequest) -> None:
    for hit in SEMANTIC.resolve(world, request).hits:
        assert hit.score_parts.semantic == round(length_of_body(request.text, hit.entry) * 10) * 100_000
        assert hit.score == sum(SCORE_WEIGHTS[name] * part for name, part in hit.score_parts.model_dump().items())


@effort(100)
@given(worlds(), requests(), st.lists(st.integers(0, 1_000), min_size=3, max_size=3))
def test_injected_weights_are_honoured(world: list[MemoryEntry], request: RecallRequest, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), 1_000]
    weights = {name: edges[place + 1] - edges[place] for place, name in enumerate(SCORE_WEIGHTS)}
    result = RecallPipeline(RecallOptions(weights=weights)).resolve(world, request)
    known = {entry.id: entry for entry in world}
    for hit in result.hits:
        # the parts are the reference's, whatever they weigh
        assert hit.score_parts.model_dump() == parts(known[hit.entry.id], request)
        assert hit.score == sum(weights[name] * part for name, part in hit.score_parts.model_dump().items())
    ranks = [(-hit.score, -hit.entry.updated_at.timestamp()) for hit in result.hits]
    assert ranks == sorted(ranks)


@effort(60)
@given(worlds(), requests())
def test_equal_weights_score_the_same_however_they_are_given(world: list[MemoryEntry], request: RecallRequest) -> None:
    given = RecallPipeline(RecallOptions(weights=dict(SCORE_WEIGHTS)))
    assert given.resolve(world, request) == PIPELINE.resolve(world, request)


@effort(60)
@given(worlds(), requests(limit=None), st.integers(0, 9))
def test_injected_budget_is_honoured(world: list[MemoryEntry], request: RecallRequest, budget: int) -> None:
    few = RecallPipeline(RecallOptions(budgets=dict.fromkeys(Surface, budget)))
    many = RecallPipeline(RecallOptions(budgets=dict.fromkeys(Surface, 1_000)))
    assert few.resolve(world, request).hits == many.resolve(world, request).hits[:budget]


@effort(60)
@given(worlds(), requests(limit=None))
def test_injected_conflict_key_is_honoured(world: list[MemoryEntry], request: RecallRequest) -> None:
    one_a_category = RecallPipeline(
        RecallOptions(conflict_key=lambda entry: entry.category.value, budgets=dict.fromkeys(Surface, 1_000))
    )
    hits = one_a_category.resolve(world, request).hits
    passed = [entry for entry in world if entry.id in returned(EVERYTHING, world, request)]
    assert len(hits) == len({hit.entry.category for hit in hits}) == len({entry.category for entry in passed})
    best: dict[Category, int] = {}
    for entry in passed:
        best[entry.category] = max(best.get(entry.category, -1), int(ORIGINS[entry.origin]["authority"]))
    assert all(int(ORIGINS[hit.entry.origin]["authority"]) == best[hit.entry.category] for hit in hits)


@effort(40)
@given(worlds(), st.lists(requests(), min_size=2, max_size=8))
def test_columns_that_answered_before_answer_the_same(world: list[MemoryEntry], asked: list[RecallRequest]) -> None:
    """Verdicts and entries kept from earlier requests change nothing."""
    columns = PIPELINE.columns(world)
    for request in [*asked, *asked]:
        kept = PIPELINE.recall(columns, Asked(request)).model_dump_json()
        assert kept == PIPELINE.resolve(world, request).model_dump_json()


EVERY_RIGHT: dict[str, Any] = {
    "tenant_id": "t", "user_id": "u", "scope": NotebookScope(user_id="u", notebook_id="s0"), "limit": None,
    "surface": Surface.NOTEBOOK, "contexts": frozenset(Context), "tenant_policy": True, "crisis_frame": False,
    "consented_categories": frozenset({*Category, MULTI_ACTOR_SENSITIVE}), "safety_critical_context": True,
    "dsar_workflow": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("context", "change"),
    [
        ({}, {"tenant_id": "s"}),
        ({}, {"user_id": "v:1%"}),
        ({}, {"scope": SessionScope(user_id="u", session_id="s0")}),
        ({"dsar_workflow": False}, {"surface": Surface.ADMIN}),
        ({}, {"contexts": frozenset()}),
        ({}, {"consented_categories": frozenset()}),
        ({}, {"crisis_frame": True}),
        ({"crisis_frame": True}, {"safety_critical_context": False}),
        ({"surface": Surface.ADMIN}, {"dsar_workflow": False}),
        ({}, {"tenant_policy": False}),
        ({}, {"suppressed_scopes": frozenset({AdapterScope.TENANT})}),
        ({}, {"paused": True}),
    ],
)
def test_no_verdict_outlives_the_right_it_hung_on(context: dict[str, Any], change: dict[str, Any]) -> None:
    """The same columns asked with one right changed, and changed back, count as columns never asked before."""
    random = Random(5)
    world = [entry_of(random.randbytes(ENTRY_BYTES), place) for place in range(600)]
    columns = EVERYTHING.columns(world)
    policy = {name: change[name] for name in change.keys() & {"suppressed_scopes", "paused"}}
    request = request_of(b"", **{**EVERY_RIGHT, **context})
    changed = request.model_copy(update={name: value for name, value in change.items() if name not in policy})
    first, second = Asked(request), Asked(changed, **policy)
    told = [EVERYTHING.recall(columns, asked) for asked in (first, second, first)]
    fresh = [EVERYTHING.recall(EVERYTHING.columns(world), asked) for asked in (first, second, first)]
    assert told == fresh
    assert told[0].audit_envelope.suppression_counts != told[1].audit_envelope.suppression_counts


@pytest.mark.parametrize("ends", [NOW, NOW - DAY, NOW + DAY, None])
def test_off_the_record_holds_back_what_was_held_back_before(ends: datetime | None) -> None:
    """Also where every memory was once suppressed, and is no longer."""
    held = Suppression(reason=SuppressionReason.SENSITIVE_CATEGORY, started_at=NOW - 9 * DAY, ends_at=ends)
    columns = PIPELINE.columns([entry_of(b"", place, suppression=held) for place in range(3)])
    envelope = PIPELINE.recall(columns, Asked(request_of(b""), paused=True)).audit_envelope
    assert (envelope.returned_ids, envelope.suppression_counts) == ((), {"user-pause": 3})
    over = ends is not None and ends <= NOW
    counts = PIPELINE.recall(columns, Asked(request_of(b""))).audit_envelope.suppression_counts
    assert counts == ({} if over else {"sensitive-category": 3})


def test_verdicts_are_kept_for_a_bounded_number_of_questions() -> None:
    columns = PIPELINE.columns([entry_of(b"")])
    scopes = [request_of(bytes([0, 0, 8, place])).scope for place in range(2)]
    for number in range(200):
        person = f"user-{number}"
        request = request_of(b"", user_id=person, scope=scopes[number % 2].model_copy(update={"user_id": person}))
        assert PIPELINE.recall(columns, Asked(request)).audit_envelope.suppression_counts == {"scope-mismatch": 1}
        assert len(columns.verdicts) <= 64
    assert PIPELINE.recall(columns, Asked(request_of(b""))).audit_envelope.returned_ids == ("m0",)


@pytest.mark.parametrize("surface", Surface)
def test_nothing_asked_of_nothing(surface: Surface) -> None:
    for text, limit in (("", None), ("window", 0), ("a b", 3)):
        result = PIPELINE.resolve([], request_of(b"", surface=surface, text=text, limit=limit))
        assert result.hits == ()
        assert result.audit_envelope.evaluated_count == 0
        assert result.audit_envelope.suppression_counts == {}


def test_worlds_are_rich() -> None:
    """The generated worlds meet every reason of a library recall, dedupe, budget and every part of a score."""
    random, seen = Random(11), {"hits": 0, "deduplicated": 0, "over-budget": 0, "semantic": 0}
    for _ in range(300):
        rows = [random.randbytes(ENTRY_BYTES) for _ in range(random.randrange(24))]
        found = naive_recall([entry_of(row, place) for place, row in enumerate(rows)], request_of(random.randbytes(36)))
        for reason, count in found.dropped.items():
            seen[reason] = seen.get(reason, 0) + count
        seen["hits"] += len(found.hits)
        seen["deduplicated"] += found.deduplicated
        seen["over-budget"] += found.over_budget
        seen["semantic"] += sum(part["semantic"] > 0 for _, _, part in found.hits)
    absent = {"gate-failed", "scope-suppressed"}  # a library recall knows neither
    assert {*(reason.value for reason in DropReason)} - absent <= seen.keys()
    assert min(seen.values()) >= 10, seen


CANARY = "kanarienvogel"


@effort(60)
@given(worlds(), requests())
def test_account_holds_no_word_of_a_memory(world: list[MemoryEntry], request: RecallRequest) -> None:
    world = [entry.model_copy(update={"body": f"{CANARY} {entry.body}"[:4000], "subject": CANARY}) for entry in world]
    request = request.model_copy(update={"text": CANARY})
    assert CANARY not in PIPELINE.resolve(world, request).audit_envelope.model_dump_json()
