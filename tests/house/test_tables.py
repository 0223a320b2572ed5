"""Double entry: the policy tables equal docs/spec/tables, written by hand from the specification, cell by cell."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

import pytest

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Consumer, Context, Surface
from iris_memory.contracts.consent import ConsentType, OptOut
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.inspection import InspectionPath
from iris_memory.contracts.scope import AdapterScope, ScopeKind
from iris_memory.tables import adapter_scopes, limits
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, RETENTION, Envelope, Tier
from iris_memory.tables.categories import CATEGORIES, MULTI_ACTOR_CONTEXTS, SAFETY_CRITICAL, SENSITIVE_CATEGORIES
from iris_memory.tables.consumers import CONSUMER_CONTEXTS
from iris_memory.tables.inspectors import INSPECTORS
from iris_memory.tables.labels import LABELS, UNTRUSTED_AT_MOST
from iris_memory.tables.origins import INFERRED_AT_MOST, ORIGINS
from iris_memory.tables.scopes import REACH
from iris_memory.tables.surfaces import SURFACES

FOLDER = Path(__file__).parents[2] / "docs" / "spec" / "tables"
Cells = dict[tuple[str, str], str]


def yes(flag: bool) -> str:
    """Return a flag as the tables spell it."""
    return "yes" if flag else "no"


def listed(words: Iterable[StrEnum], order: type[StrEnum]) -> str:
    """Return words in the order of their enum, as a cell lists them."""
    return " ".join(sorted(word.value for word in order if word in set(words)))


def by_hand(name: str) -> Cells:
    """Return the cells of a hand-written table; a cell that lists words has them sorted."""
    cells: Cells = {}
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            (_, key), *rest = row.items()
            for column, value in rest:
                assert (key, column) not in cells, f"{name}: two rows for {key}"
                cells[key, column] = " ".join(sorted(value.split(" "))) if " " in value else value
    return cells


def categories() -> Cells:
    cells: Cells = {}
    for category, row in CATEGORIES.items():
        cells[category, "sensitive"] = yes(row.sensitive)
        cells[category, "safety_critical"] = yes(category in SAFETY_CRITICAL)
        for context in Context:
            cells[category, context] = yes(context in row.contexts) if row.sensitive else "-"
        assert row.sensitive or not row.contexts, "a plain category names no context"
    cells[MULTI_ACTOR_SENSITIVE, "sensitive"] = "yes"
    cells[MULTI_ACTOR_SENSITIVE, "safety_critical"] = "no"
    for context in Context:
        cells[MULTI_ACTOR_SENSITIVE, context] = yes(context in MULTI_ACTOR_CONTEXTS)
    return cells


def scopes() -> Cells:
    cells: Cells = {}
    for request, row in REACH.items():
        assert not row.reaches & row.under_tenant_policy, "what is always reached needs no flag"
        for entry in ScopeKind:
            under = "tenant-policy" if entry in row.under_tenant_policy else "never"
            cells[request, entry] = "always" if entry in row.reaches else under
    return cells


def adapters() -> Cells:
    cells: Cells = {}
    for scope, row in ADAPTER_SCOPES.items():
        cells[scope, "canonical_kind"] = row.kind
        cells[scope, "required_consents"] = listed(row.required_consents, ConsentType)
        cells[scope, "opt_outs"] = listed(row.opt_outs, OptOut)
        cells[scope, "tiers"] = listed(row.tiers, Tier)
        cells[scope, "governance_review"] = yes(row.needs_governance_review)
        cells[scope, "operators_may_inspect"] = yes(row.admin_reviewable)
        cells[scope, "consumers"] = listed(row.consumers, Consumer)
    return cells


def summarised(row: Envelope) -> str:
    """Return how long summarised memory lives, in the words of the specification."""
    if not row.keeps_summary:
        assert row.summarised is None
        return "none"
    if row.until_contract_ends:
        assert row.summarised is None
        return "until-contract-ends"
    return "until-forgotten" if row.summarised is None else str(row.summarised.days)


def retention() -> Cells:
    cells: Cells = {}
    for scope, row in RETENTION.items():
        cells[scope, "raw_days"] = "until-forgotten" if row.raw is None else str(row.raw.days)
        cells[scope, "summarised_days"] = summarised(row)
        cells[scope, "aggregates_only"] = yes(row.aggregates_only)
        cells[scope, "at_expiry"] = row.at_expiry
        assert all(window is None or window.seconds == window.microseconds == 0 for window in (row.raw, row.summarised))
    return cells


def consumers() -> Cells:
    return {
        (consumer, context): yes(context in row) for consumer, row in CONSUMER_CONTEXTS.items() for context in Context
    }


def origins() -> Cells:
    cells: Cells = {}
    for origin, row in ORIGINS.items():
        cells[origin, "weight"] = str(float(Fraction(row.weight, limits.MILLION)))
        cells[origin, "authority"] = str(row.authority)
        cells[origin, "source"] = row.source
        cells[origin, "own_words"] = yes(row.own_words)
    return cells


def surfaces() -> Cells:
    cells: Cells = {}
    for surface, row in SURFACES.items():
        cells[surface, "budget"] = str(row.budget)
        cells[surface, "rationale"] = "visible" if row.shows_rationale else "hidden"
    return cells


def labels() -> Cells:
    cells: Cells = {}
    for label, row in LABELS.items():
        cells[label, "trust"] = str(row.trust)
        cells[label, "untrusted"] = yes(row.trust <= UNTRUSTED_AT_MOST)
        cells[label, "origins"] = listed(row.origins, Origin)
        cells[label, "barred_categories"] = listed(row.barred, Category)
    return cells


def inspectors() -> Cells:
    cells: Cells = {}
    for role, row in INSPECTORS.items():
        cells[role, "ordinary"] = listed(row.ordinary, InspectionPath) or "-"
        cells[role, "sensitive"] = listed(row.sensitive, InspectionPath) or "-"
        cells[role, "approves"] = yes(row.approves)
    return cells


TABLES = {
    "inspectors": inspectors,
    "categories": categories,
    "scopes": scopes,
    "adapter_scopes": adapters,
    "retention": retention,
    "consumers": consumers,
    "origins": origins,
    "surfaces": surfaces,
    "labels": labels,
}
ELSEWHERE = {"guards", "scope_changes"}
"""Hand-written tables that the tests of their own room compare."""


@pytest.mark.parametrize("name", TABLES)
def test_table_equals_the_hand_written_one(name: str) -> None:
    written, built = (
        by_hand(name),
        {(str(row), str(column)): str(cell) for (row, column), cell in TABLES[name]().items()},
    )
    assert written.keys() == built.keys()
    differing = {cell: (written[cell], built[cell]) for cell in written if written[cell] != built[cell]}
    assert differing == {}, "(hand-written, in the table)"


def test_every_hand_written_table_is_compared() -> None:
    assert {path.stem for path in FOLDER.glob("*.csv")} - ELSEWHERE == TABLES.keys()


def test_sensitive_set_is_the_nineteen_of_the_source() -> None:
    named = [
        "pose_alignment", "biometric", "spiritual", "medical", "sexual", "financial", "legal", "safety",
        "physical_health", "mental_health", "substance_use", "sexuality", "gender_identity", "religion_user_redacted",
        "abuse_history", "immigration_status", "financial_distress", "relationship_violence", "legal_jeopardy",
    ]  # fmt: skip
    assert sorted(SENSITIVE_CATEGORIES) == sorted(named)
    assert (len(SENSITIVE_CATEGORIES), len(Category), len(AdapterScope), len(ScopeKind)) == (19, 29, 12, 8)
    assert (len(Surface), len(Label), len(Origin)) == (4, 8, 6)


def test_numbers_are_the_specification_s() -> None:
    assert dict(limits.SCORE_WEIGHTS) == {"recency": 400, "semantic": 350, "reference_count": 150, "origin": 100}
    assert sum(limits.SCORE_WEIGHTS.values()) == 1_000
    assert limits.RECENCY_TIME_CONSTANT.days == 30
    assert limits.REFERENCES_FOR_FULL_SCORE == 10
    assert limits.PROMOTION_THRESHOLD == 3
    assert limits.QUESTION_LIFETIME.days == 30
    assert adapter_scopes.OPERATOR_COPILOT_RETENTION_DAYS == 14
    assert adapter_scopes.REVIEW_GRACE.days == 30
    assert INFERRED_AT_MOST == 1
