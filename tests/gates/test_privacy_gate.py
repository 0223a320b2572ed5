"""The privacy helpers are the gates: they say what admission and recall say, for everything."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Context, Surface
from iris_memory.contracts.consent import ConsentType, category_consent
from iris_memory.contracts.decision import DropReason, RefusalReason
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import ProfileScope
from iris_memory.evals.entries import entry_of
from iris_memory.evals.stage import DAWN
from iris_memory.gates import privacy, sensitive
from iris_memory.gates.privacy import evaluate_privacy_storage_gate, filter_privacy_aware_recall
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.tables.categories import SENSITIVE_CATEGORIES, is_sensitive

REQUEST = RecallRequest(tenant_id="acme", user_id="ada", scope=ProfileScope(user_id="ada"), now=DAWN)
GRANTS = (*sorted(SENSITIVE_CATEGORIES), MULTI_ACTOR_SENSITIVE)


@pytest.mark.parametrize("category", Category)
def test_nothing_sensitive_is_stored_without_its_own_consent(category: Category) -> None:
    every_other = {category_consent(other) for other in Category if other is not category} | set(ConsentType)
    found = evaluate_privacy_storage_gate(category, every_other)
    if is_sensitive(category):
        assert found is not None
        assert found.reason is RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT
        assert found.needs == (category_consent(category),)
        assert evaluate_privacy_storage_gate(category, {category_consent(category)}) is None
    else:
        assert found is None


def test_a_sensitive_interaction_needs_its_consent_beside_the_category_s() -> None:
    for category in Category:
        held = {category_consent(category)}
        found = evaluate_privacy_storage_gate(category, held, sensitive_interaction=True)
        assert found is not None
        assert found.reason is RefusalReason.MULTI_ACTOR_WITHOUT_CONSENT
        held.add("multi_actor_sensitive")
        assert evaluate_privacy_storage_gate(category, held, sensitive_interaction=True) is None


@settings(max_examples=150)
@given(
    contexts=st.frozensets(st.sampled_from(list(Context)), max_size=3),
    consented=st.frozensets(st.sampled_from(GRANTS)),
    surface=st.sampled_from(list(Surface)),
    flags=st.tuples(st.booleans(), st.booleans()),
)
def test_the_filter_is_the_sensitive_gate_of_the_pipeline(
    contexts: frozenset[Context], consented: frozenset[str], surface: Surface, flags: tuple[bool, bool]
) -> None:
    dsar, safety_critical = flags
    entries = [
        entry_of(f"{category.value}-{somebody}", category=category, about_somebody=somebody)
        for category, somebody in product(Category, (False, True))
    ]
    request = RecallRequest(
        tenant_id="acme",
        user_id="ada",
        scope=ProfileScope(user_id="ada"),
        now=DAWN,
        contexts=contexts,
        consented_categories=consented,
        surface=surface,
        dsar_workflow=dsar,
        safety_critical_context=safety_critical,
    )
    found = filter_privacy_aware_recall(entries, request)
    result = RecallPipeline().resolve(entries, request)
    counts = result.audit_envelope.suppression_counts
    assert found.held_back == {
        reason.value: counts[reason.value]
        for reason in sorted((DropReason.WITHOUT_CONSENT, DropReason.OUTSIDE_CONTEXT))
        if reason.value in counts
    }
    assert len(found.entries) + sum(found.held_back.values()) == len(entries)
    assert {hit.entry.id for hit in result.hits} <= {entry.id for entry in found.entries}


def test_a_gate_that_fails_holds_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    gate = sensitive.SENSITIVE
    monkeypatch.setattr(
        privacy, "SENSITIVE", type(gate)(name=gate.name, trait=gate.trait, rule=gate.rule, check=broken)
    )
    found = filter_privacy_aware_recall([entry_of("a")], REQUEST)
    assert found.entries == ()
    assert found.held_back == {"gate-failed": 1}
