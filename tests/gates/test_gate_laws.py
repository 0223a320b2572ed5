"""Laws of the recall gates: what each lets pass, in which order, and on what a verdict may hang."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Consumer, Context, Surface
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.entry import (
    Lifecycle,
    MemoryEntry,
    Quarantine,
    QuarantineReason,
    Suppression,
    SuppressionReason,
)
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import (
    AdapterScope,
    CrisisScope,
    NotebookScope,
    OperatorCopilotScope,
    PoseScope,
    ProfileScope,
    SceneScope,
    Scope,
    SessionScope,
    TenantScope,
)
from iris_memory.gates.facts import Asked, Gate, Hold, Matter, Standing, Trait, trait_of
from iris_memory.gates.reach import reaches
from iris_memory.gates.recall_order import RECALL_ORDER, verdict
from iris_memory.tables.consumers import CONSUMER_CONTEXTS
from reference.recall import reason
from reference.worlds import DAY, ENTRY_BYTES, MICRO, NOW, effort, entry_of, request_of, requests, seeds

ENTRIES = seeds(ENTRY_BYTES).map(entry_of)
GATES = {gate.name: gate for gate in RECALL_ORDER}
RIGHTS = ["tenant_id", "user_id", "scope", "surface", "contexts", "consented_categories", "crisis_frame"]
RIGHTS += ["safety_critical_context", "dsar_workflow", "tenant_policy"]
"""The fields of a request on which a verdict may hang: compiled verdicts are kept by them."""


def first(entry: MemoryEntry, request: RecallRequest, **policy: Any) -> DropReason | None:
    """Return the reason of the first gate that drops an entry."""
    asked = Asked(request, **policy)
    verdicts = (verdict(gate, trait_of(entry, gate.trait, asked), asked) for gate in RECALL_ORDER)
    return next((found for found in verdicts if found is not None), None)


def test_gates_stand_in_the_order_of_the_source() -> None:
    assert [gate.name for gate in RECALL_ORDER] == [
        "tenant",
        "reach",
        "crisis",
        "suppression",
        "lifecycle",
        "sensitive",
    ]
    assert all(gate.rule and gate.rule == gate.rule.strip(" .") for gate in RECALL_ORDER)


@effort(300)
@given(ENTRIES, requests())
def test_first_objection_is_the_reference_s(entry: MemoryEntry, request: RecallRequest) -> None:
    assert first(entry, request) == reason(entry, request)


@pytest.mark.parametrize("gate", RECALL_ORDER, ids=GATES.keys())
@effort(60)
@given(data=st.data())
def test_verdict_hangs_on_trait_and_rights_alone(gate: Gate, data: st.DataObject) -> None:
    """Text, instant, limit, assistant, consumer and adapter scope of the request change no verdict on a trait."""
    first_asked, second = data.draw(requests()), data.draw(requests())
    varied = {name: getattr(second, name) for name in RecallRequest.model_fields if name not in RIGHTS}
    varied |= {
        "text": data.draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=20)),
        "now": NOW + timedelta(days=data.draw(st.integers(-10_000, 10_000))),
        "assistant_id": data.draw(st.none() | st.just("a")),
        "consumer": data.draw(st.sampled_from(Consumer)),
        "adapter_scope": data.draw(st.sampled_from(AdapterScope)),
    }
    assert varied.keys() | set(RIGHTS) == RecallRequest.model_fields.keys()
    closed, paused = data.draw(st.frozensets(st.sampled_from(AdapterScope), max_size=2)), data.draw(st.booleans())
    before = Asked(first_asked, suppressed_scopes=closed, paused=paused)
    after = Asked(first_asked.model_copy(update=varied), suppressed_scopes=closed, paused=paused)
    facts = trait_of(data.draw(ENTRIES), gate.trait, before)
    assert gate.check(facts, before) == gate.check(facts, after)
    assert gate.check(facts, before) == gate.check(facts, before), "asked again, it answers the same"


@effort(100)
@given(ENTRIES, ENTRIES, requests())
def test_trait_holds_everything_a_gate_looks_at(one: MemoryEntry, other: MemoryEntry, request: RecallRequest) -> None:
    """Two entries that share a trait share the verdict, whatever else they are."""
    asked = Asked(request)
    fields = {
        Trait.ADDRESS: ["tenant_id", "user_id", "scope", "adapter_scope"],
        Trait.MATTER: ["category", "multi_actor"],
        Trait.HOLD: ["suppression"],
        Trait.STANDING: ["quarantine", "lifecycle", "expires_at"],
    }
    for gate in RECALL_ORDER:
        twin = other.model_copy(update={name: getattr(one, name) for name in fields[gate.trait]})
        assert verdict(gate, trait_of(one, gate.trait, asked), asked) == verdict(
            gate, trait_of(twin, gate.trait, asked), asked
        )


@pytest.mark.parametrize(
    "problem", [KeyError("row"), ValueError("x"), ZeroDivisionError(), MemoryError(), RecursionError()]
)
def test_gate_that_raises_denies(problem: Exception) -> None:
    def check(facts: Any, asked: Asked) -> None:
        raise problem

    gate = Gate("broken", Trait.MATTER, "a rule", check)
    assert verdict(gate, Matter(Category.FACT, False), Asked(request_of(b""))) is DropReason.GATE_FAILED


@pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit])
def test_signal_to_stop_is_not_taken_for_a_verdict(signal: type[BaseException]) -> None:
    def check(facts: Any, asked: Asked) -> None:
        raise signal

    with pytest.raises(signal):
        verdict(Gate("stopped", Trait.MATTER, "a rule", check), Matter(Category.FACT, False), Asked(request_of(b"")))


# --- 1 tenant, 2 reach


@pytest.mark.parametrize(
    ("tenant", "scope", "passes"),
    [
        ("t", ProfileScope(user_id="u"), True),
        ("s", ProfileScope(user_id="u"), False),
        ("t", TenantScope(tenant_id="t", user_id="u"), True),
        ("t", TenantScope(tenant_id="s", user_id="u"), False),
        ("s", TenantScope(tenant_id="t", user_id="u"), False),
        ("t", OperatorCopilotScope(tenant_id="t", operator_id="u"), True),
        ("t", OperatorCopilotScope(tenant_id="s", operator_id="u"), False),
    ],
)
def test_tenant_of_entry_and_scope_is_the_request_s(tenant: str, scope: Scope, passes: bool) -> None:
    entry = entry_of(b"", tenant_id=tenant, scope=scope)
    asked = Asked(request_of(b""))
    found = GATES["tenant"].check(trait_of(entry, Trait.ADDRESS, asked), asked)
    assert found == (None if passes else DropReason.TENANT_MISMATCH)


A, B = "a", "b"
NEAR: list[tuple[Scope, Scope, bool]] = [
    (SessionScope(user_id="u", session_id=A), SessionScope(user_id="u", session_id=B), False),
    (NotebookScope(user_id="u", notebook_id=A), NotebookScope(user_id="u", notebook_id=B), False),
    (CrisisScope(user_id="u", session_id=A), CrisisScope(user_id="u", session_id=B), False),
    (CrisisScope(user_id="u", session_id=A), SessionScope(user_id="u", session_id=B), False),
    (CrisisScope(user_id="u", session_id=A), SessionScope(user_id="u", session_id=A), True),
    (
        SceneScope(user_id="u", session_id=A, scene_id=A, room_id=A),
        SceneScope(user_id="u", session_id=A, scene_id=A, room_id=B),
        False,
    ),
    (
        PoseScope(user_id="u", session_id=A, scene_id=A, pose_id=A),
        SceneScope(user_id="u", session_id=A, scene_id=A, room_id=B),
        True,
    ),
    (
        PoseScope(user_id="u", session_id=A, scene_id=A, pose_id=A),
        SceneScope(user_id="u", session_id=A, scene_id=B, room_id=A),
        False,
    ),
    (
        PoseScope(user_id="u", session_id=A, scene_id=A, pose_id=A),
        PoseScope(user_id="u", session_id=A, scene_id=A, pose_id=B),
        False,
    ),
    (TenantScope(tenant_id="t", user_id="u"), TenantScope(tenant_id="t", user_id="v"), False),
    (TenantScope(tenant_id="t", user_id="u"), TenantScope(tenant_id="s", user_id="u"), False),
    (OperatorCopilotScope(tenant_id="t", operator_id="u"), OperatorCopilotScope(tenant_id="t", operator_id="v"), False),
    (OperatorCopilotScope(tenant_id="t", operator_id="u"), OperatorCopilotScope(tenant_id="s", operator_id="u"), False),
    (NotebookScope(user_id="u", notebook_id=A), ProfileScope(user_id="v"), False),
]


@pytest.mark.parametrize(("request_scope", "entry_scope", "expected"), NEAR)
def test_same_means_every_shared_identifier(request_scope: Scope, entry_scope: Scope, expected: bool) -> None:
    assert reaches(request_scope, entry_scope, tenant_policy=False) == expected
    assert reaches(request_scope, request_scope, tenant_policy=False)


@pytest.mark.parametrize("owner", ["user", "scope"])
def test_entry_belongs_to_the_person_by_both_its_owner_and_its_scope(owner: str) -> None:
    entry = entry_of(b"", **({"user_id": "v"} if owner == "user" else {"scope": ProfileScope(user_id="v")}))
    assert first(entry, request_of(b"")) is DropReason.SCOPE_MISMATCH
    # a request whose own scope is another person's reaches neither
    assert first(entry, request_of(b"", scope=ProfileScope(user_id="v"))) is DropReason.SCOPE_MISMATCH


def test_scope_that_policy_suppresses_is_counted_apart() -> None:
    entry = entry_of(b"", adapter_scope=AdapterScope.DOMAIN)
    closed = frozenset({AdapterScope.DOMAIN})
    assert first(entry, request_of(b""), suppressed_scopes=closed) is DropReason.SCOPE_SUPPRESSED
    assert first(entry, request_of(b""), suppressed_scopes=frozenset({AdapterScope.POSE})) is None
    foreign = entry.model_copy(update={"user_id": "v"})
    assert first(foreign, request_of(b""), suppressed_scopes=closed) is DropReason.SCOPE_MISMATCH


# --- 3 crisis, 4 suppression and lifecycle


@pytest.mark.parametrize("critical_context", [False, True])
@pytest.mark.parametrize("category", Category)
def test_crisis_leaves_safety_in_a_critical_context(category: Category, critical_context: bool) -> None:
    asked = Asked(request_of(b"", crisis_frame=True, safety_critical_context=critical_context))
    passes = critical_context and category is Category.SAFETY
    assert GATES["crisis"].check(Matter(category, False), asked) == (None if passes else DropReason.CRISIS_FRAME)
    calm = Asked(request_of(b"", safety_critical_context=critical_context))
    assert GATES["crisis"].check(Matter(category, False), calm) is None


@pytest.mark.parametrize("reason_held", SuppressionReason)
@pytest.mark.parametrize(
    ("ends_in", "holds"), [(None, True), (DAY, True), (MICRO, True), (timedelta(0), False), (-DAY, False)]
)
def test_suppression_holds_until_its_end(
    reason_held: SuppressionReason, ends_in: timedelta | None, holds: bool
) -> None:
    ends = None if ends_in is None else NOW + ends_in
    for started in (NOW - 2 * DAY, NOW + 2 * DAY):  # the source asks for the end alone
        held = Suppression(reason=reason_held, started_at=started, ends_at=ends)
        entry = entry_of(b"", suppression=held)
        assert first(entry, request_of(b"")) == (DropReason(reason_held) if holds else None)


def test_order_within_the_fourth_gate() -> None:
    """An active suppression counts before quarantine, quarantine before the lifecycle, the lifecycle before expiry."""
    held = Suppression(reason=SuppressionReason.USER_PAUSE, started_at=NOW)
    apart = Quarantine(reason=QuarantineReason.INSTRUCTION_LIKE, since=NOW)
    facts: dict[str, Any] = {
        "suppression": held, "quarantine": apart, "lifecycle": Lifecycle.DRAFT, "expires_at": NOW - DAY,
    }  # fmt: skip
    expected = [
        DropReason.USER_PAUSE, DropReason.QUARANTINED, DropReason.LIFECYCLE_DRAFT, DropReason.LIFECYCLE_EXPIRED, None,
    ]  # fmt: skip
    found = []
    for name in ("", "suppression", "quarantine", "lifecycle", "expires_at"):
        facts |= {name: Lifecycle.ACTIVE if name == "lifecycle" else None} if name else {}
        found.append(first(entry_of(b"", **facts), request_of(b"")))
    assert found == expected


@pytest.mark.parametrize("lifecycle", Lifecycle)
def test_only_an_active_revision_passes(lifecycle: Lifecycle) -> None:
    found = GATES["lifecycle"].check(Standing(False, lifecycle, False), Asked(request_of(b"")))
    assert found == (None if lifecycle is Lifecycle.ACTIVE else DropReason(f"lifecycle-{lifecycle}"))


@pytest.mark.parametrize(("expires_in", "passes"), [(MICRO, True), (DAY, True), (timedelta(0), False), (-MICRO, False)])
def test_expiry_ends_recall_at_its_instant(expires_in: timedelta, passes: bool) -> None:
    entry = entry_of(b"", expires_at=NOW + expires_in)
    assert first(entry, request_of(b"")) == (None if passes else DropReason.LIFECYCLE_EXPIRED)


def test_off_the_record_answers_nothing() -> None:
    paused = Asked(request_of(b""), paused=True)
    for hold in (Hold(None), *(Hold(why) for why in SuppressionReason)):
        assert GATES["suppression"].check(hold, paused) is DropReason.USER_PAUSE
    foreign = entry_of(b"", tenant_id="s")
    assert first(foreign, request_of(b""), paused=True) is DropReason.TENANT_MISMATCH


# --- 5 sensitive


@pytest.mark.parametrize(
    ("flag", "consents", "contexts", "expected"),
    [
        (False, {}, {"health"}, DropReason.WITHOUT_CONSENT),
        (False, {"medical"}, {}, DropReason.OUTSIDE_CONTEXT),
        (False, {}, {}, DropReason.WITHOUT_CONSENT),
        (False, {"medical"}, {"health"}, None),
        (False, {"biometric"}, {"health"}, DropReason.WITHOUT_CONSENT),
        (True, {"medical"}, {"health", "relationship"}, DropReason.WITHOUT_CONSENT),
        (True, {MULTI_ACTOR_SENSITIVE}, {"health", "relationship"}, DropReason.WITHOUT_CONSENT),
        (True, {"medical", MULTI_ACTOR_SENSITIVE}, {"health"}, DropReason.OUTSIDE_CONTEXT),
        (True, {"medical", MULTI_ACTOR_SENSITIVE}, {"relationship"}, DropReason.OUTSIDE_CONTEXT),
        (True, {"medical", MULTI_ACTOR_SENSITIVE}, {"health", "relationship"}, None),
        (True, {"medical", MULTI_ACTOR_SENSITIVE}, {"safety"}, None),
    ],
)
def test_sensitive_interaction_adds_to_the_category_s_own_rule(
    flag: bool, consents: set[str], contexts: set[str], expected: DropReason | None
) -> None:
    known = {category.value: category for category in Category}
    given = frozenset(known.get(name, MULTI_ACTOR_SENSITIVE) for name in consents)
    request = request_of(b"", consented_categories=given, contexts=frozenset(Context(name) for name in contexts))
    assert GATES["sensitive"].check(Matter(Category.MEDICAL, flag), Asked(request)) == expected


def test_plain_memory_about_a_sensitive_interaction_needs_its_consent() -> None:
    matter = Matter(Category.FACT, True)
    for consents, contexts, expected in [
        (frozenset(), {Context.RELATIONSHIP}, DropReason.WITHOUT_CONSENT),
        (frozenset({MULTI_ACTOR_SENSITIVE}), {Context.HEALTH}, DropReason.OUTSIDE_CONTEXT),
        (frozenset({MULTI_ACTOR_SENSITIVE}), {Context.RELATIONSHIP}, None),
    ]:
        request = request_of(b"", consented_categories=consents, contexts=frozenset(contexts))
        assert GATES["sensitive"].check(matter, Asked(request)) == expected


@pytest.mark.parametrize("category", [Category.MEDICAL, Category.SAFETY])
@pytest.mark.parametrize("dsar_workflow", [False, True])
@pytest.mark.parametrize("critical", [False, True])
@pytest.mark.parametrize("surface", Surface)
def test_sensitive_memory_reaches_operators_by_two_ways_only(
    category: Category, dsar_workflow: bool, critical: bool, surface: Surface
) -> None:
    request = request_of(
        b"",
        surface=surface,
        dsar_workflow=dsar_workflow,
        safety_critical_context=critical,
        consented_categories=frozenset(Category),
        contexts=frozenset(Context),
    )
    allowed = surface is not Surface.ADMIN or dsar_workflow or (category is Category.SAFETY and critical)
    found = GATES["sensitive"].check(Matter(category, False), Asked(request))
    assert found == (None if allowed else DropReason.OUTSIDE_CONTEXT)


def test_crisis_frame_implies_its_context_and_no_consent() -> None:
    matter = Matter(Category.SAFETY, False)
    request = request_of(b"", crisis_frame=True, consented_categories=frozenset(), contexts=frozenset())
    assert GATES["sensitive"].check(matter, Asked(request)) is DropReason.WITHOUT_CONSENT
    consented = request.model_copy(update={"consented_categories": frozenset({Category.SAFETY})})
    assert GATES["sensitive"].check(matter, Asked(consented)) is None
    spiritual = request.model_copy(update={"consented_categories": frozenset({Category.SPIRITUAL})})
    assert GATES["sensitive"].check(Matter(Category.SPIRITUAL, False), Asked(spiritual)) is DropReason.OUTSIDE_CONTEXT


def test_health_surfaces_in_recovery_and_never_in_a_briefing() -> None:
    """The source's own example, with the contexts each consumer may assert."""
    for consumer, passes in ((Consumer.TARA, True), (Consumer.VERITAS, False)):
        request = request_of(
            b"", consumer=consumer, contexts=CONSUMER_CONTEXTS[consumer], consented_categories=frozenset(Category)
        )
        for category in (Category.MEDICAL, Category.PHYSICAL_HEALTH, Category.MENTAL_HEALTH, Category.BIOMETRIC):
            assert (GATES["sensitive"].check(Matter(category, False), Asked(request)) is None) == passes
