"""Admission: every reason a write can be refused for, reached through a store, with what would be needed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from flows.stores import BASE, DAY, TERMS, OpenIris, SteppingClock, actions, chain, person, refused, written
from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ScopeMode, ScopePolicy, category_consent
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink
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
from iris_memory.contracts.write import ActorMention, Statement
from iris_memory.errors import ContractError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.gates.admission import Admitting, check
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.categories import SENSITIVE_CATEGORIES

SESSION = SessionScope(user_id="ada", session_id="s1")
SCOPES: dict[AdapterScope, Scope] = {
    AdapterScope.ASSISTANT_PROFILE: ProfileScope(user_id="ada"),
    AdapterScope.DOMAIN: ProfileScope(user_id="ada"),
    AdapterScope.CROSS_DOMAIN: ProfileScope(user_id="ada"),
    AdapterScope.SESSION: SESSION,
    AdapterScope.CONVERSATION: SESSION,
    AdapterScope.SCENE: SceneScope(user_id="ada", session_id="s1", scene_id="c", room_id="r"),
    AdapterScope.POSE: PoseScope(user_id="ada", session_id="s1", scene_id="c", pose_id="p"),
    AdapterScope.NOTEBOOK: NotebookScope(user_id="ada", notebook_id="n"),
    AdapterScope.OPERATOR_COPILOT: OperatorCopilotScope(tenant_id="acme", operator_id="ada"),
    AdapterScope.ADMIN_REVIEW: OperatorCopilotScope(tenant_id="acme", operator_id="ada"),
    AdapterScope.TENANT: TenantScope(tenant_id="acme", user_id="ada"),
    AdapterScope.CRISIS: CrisisScope(user_id="ada", session_id="s1"),
}


def _unconsented(iris: Iris, clock: SteppingClock) -> Any:
    return iris.for_user(tenant="acme", user="ada").remember("Likes tea")


def _processing_alone(iris: Iris, clock: SteppingClock) -> Any:
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", terms=TERMS)
    return me.remember("Likes tea")


def _foreign_consumer(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris, consumer="support").remember("Likes tea")


def _unreviewed(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris, consents=["tenant_processing"])
    return me.remember("Badge 7", scope=SCOPES[AdapterScope.TENANT])


def _opted_out(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    me.opt_out("personalization")
    return me.remember("Likes tea")


def _sensitive(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Takes statins", category="medical")


def _about_somebody(iris: Iris, clock: SteppingClock) -> Any:
    mention = ActorMention(name="Bo", sensitive_interaction=True)
    return person(iris).remember("Bo shouted", actor=mention)


def _off_the_record(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    me.pause()
    return me.remember("Likes tea")


def _hidden(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Likes \u202etea")


def _blank(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("\u00ad \n")


def _claimed_origin(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Likes tea", label="web", origin="user-stated")


def _claimed_category(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Is Ada", label="user-pasted", origin="model-inferred", category="identity")


def _foreign_scope(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Likes tea", scope=ProfileScope(user_id="bob"))


def _mismatched(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Likes tea", scope=SESSION, adapter_scope="domain")


def _outranked(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    me.remember("Likes tea", subject="drink")
    return me.remember("Likes gin", subject="drink", label="assistant", origin="model-inferred")


def _forgotten(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    me.forget(written(me.remember("Likes tea")).entry.logical_id, scan=False)
    return me.remember("likes  TEA")


def _replayed_after_forgetting(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    entry = written(me.remember("Likes tea", idempotency_key="k")).entry
    me.forget(entry.logical_id, scan=False)
    return me.remember("Likes tea", idempotency_key="k")


def _stale(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    entry = written(me.remember("Likes tea")).entry
    me.revise(entry.logical_id, "Likes green tea")
    return me.revise(entry.logical_id, "Likes black tea", expected=entry.id)


def _draft(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    me.remember("Likes tea", subject="drink")
    draft = me.remember("Likes gin", subject="drink")
    return me.revise(draft.entry.logical_id, "Likes rum")  # type: ignore[union-attr]


def _over(iris: Iris, clock: SteppingClock) -> Any:
    return person(iris).remember("Likes tea", expires_at=clock.now())


def _of_something_gone(iris: Iris, clock: SteppingClock) -> Any:
    me = person(iris)
    source = written(me.remember("Likes tea")).entry.logical_id
    me.forget(source, scan=False)
    link = ProvenanceLink(
        kind=ProvenanceKind.SESSION_SUMMARY, ref=f"memory:{source}", captured_at=clock.now(), label=Label.USER_TYPED
    )
    return me.remember(Statement(body="Drinks something warm", provenance=(link,)))


REASONS: dict[R, tuple[Callable[[Iris, SteppingClock], Any], tuple[str, ...]]] = {
    R.CONSENT_MISSING: (_unconsented, BASE),
    R.SCOPE_EPHEMERAL: (_processing_alone, ("data_storage",)),
    R.CONSUMER_NOT_ALLOWED: (_foreign_consumer, ()),
    R.GOVERNANCE_REVIEW_MISSING: (_unreviewed, ()),
    R.OPTED_OUT: (_opted_out, ()),
    R.SENSITIVE_CATEGORY_WITHOUT_CONSENT: (_sensitive, ("category:medical",)),
    R.MULTI_ACTOR_WITHOUT_CONSENT: (_about_somebody, ("multi_actor_sensitive",)),
    R.OFF_THE_RECORD: (_off_the_record, ()),
    R.HIDDEN_CHARACTERS: (_hidden, ()),
    R.EMPTY_AFTER_CLEANING: (_blank, ()),
    R.ORIGIN_ABOVE_CEILING: (_claimed_origin, ()),
    R.CATEGORY_ABOVE_CEILING: (_claimed_category, ()),
    R.SCOPE_NOT_OF_SUBJECT: (_foreign_scope, ()),
    R.ADAPTER_SCOPE_MISMATCH: (_mismatched, ("profile",)),
    R.CONFLICT_KEPT_EXISTING: (_outranked, ()),
    R.FORGOTTEN_BEFORE: (_forgotten, ("again",)),
    R.UNKNOWN_MEMORY: (_replayed_after_forgetting, ()),
    R.STALE_REVISION: (_stale, ()),
    R.NOT_ACTIVE: (_draft, ()),
    R.ALREADY_EXPIRED: (_over, ()),
    R.SOURCE_FORGOTTEN: (_of_something_gone, ()),
}
UNREACHED = {R.SCOPE_SUPPRESSED}
"""Only a policy without a cause is refused so, and no store makes one: see `test_a_mode_without_a_cause_is_denied`."""


ELSEWHERE = {
    R.LOOKS_SENSITIVE,
    R.SCOPE_CHANGE_NOT_ALLOWED,
    R.TENANT_MEMORY_STAYS,
    R.OPERATOR_MEMORY_STAYS,
    R.SCOPE_UNCHANGED,
    R.READ_ONLY_COPY,
    R.SELF_APPROVAL,
    R.NOT_WAITING,
    R.ORIGIN_NEEDS_CONFIRMATION,
    R.ANSWER_NOT_FREE,
    R.WRITE_BUDGET_SPENT,
    R.PROMOTION_REFUSED,
    R.MARKER_MISSING,
    R.ASSISTANT_NOT_ALLOWED,
    R.SESSION_ENDED,
    R.TURN_OUT_OF_ORDER,
    R.PLACE_NOT_OF_SURFACE,
}
"""Refusals of other acts than a statement, met in the tests of these acts."""


def test_every_reason_has_its_case() -> None:
    assert set(REASONS) | UNREACHED | ELSEWHERE == set(R)


@pytest.mark.parametrize("reason", REASONS, ids=str)
def test_reason(reason: R, iris: Iris, clock: SteppingClock) -> None:
    case, needs = REASONS[reason]
    outcome = refused(case(iris, clock))
    assert (outcome.reason, outcome.needs) == (reason, needs)
    assert outcome.rule
    if reason is not R.UNKNOWN_MEMORY:  # an answer given again tells nothing new
        told = chain(iris)[-1]
        assert told["action"] == "memory.refused"
        assert told["refused"] == {reason.value: 1}
        assert told["severity"] == "warning"


def asking(**changes: Any) -> Admitting:
    """A statement that is admitted, but for the changes."""
    policy = ScopePolicy(adapter_scope=AdapterScope.ASSISTANT_PROFILE, enabled=True, mode=ScopeMode.DURABLE, notes=())
    fields = {
        "tenant_id": "acme",
        "user_id": "ada",
        "scope": ProfileScope(user_id="ada"),
        "adapter_scope": AdapterScope.ASSISTANT_PROFILE,
        "category": Category.FACT,
        "sensitive_interaction": False,
        "policy": policy,
        "causes": (),
        "consents": frozenset(BASE),
        "paused": False,
    }
    return Admitting(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_mode_without_a_cause_is_denied() -> None:
    assert check(asking()) is None
    closed = asking().policy.model_copy(update={"mode": ScopeMode.SUPPRESSED, "enabled": False})
    outcome = refused(check(asking(policy=closed)))
    assert (outcome.reason, outcome.needs) == (R.SCOPE_SUPPRESSED, ())


def test_the_order_of_reasons() -> None:
    """Whose it is before consent, consent before the category, the category before the pause."""
    bare = frozenset[str]()
    closed = asking().policy.model_copy(update={"mode": ScopeMode.SUPPRESSED, "enabled": False})
    causes = ((R.CONSENT_MISSING, "data_processing"),)
    everything: dict[str, Any] = {
        "scope": ProfileScope(user_id="bob"),
        "adapter_scope": AdapterScope.SESSION,
        "policy": closed,
        "causes": causes,
        "category": Category.MEDICAL,
        "consents": bare,
        "paused": True,
    }
    seen = []
    for name, mended in (
        ("scope", ProfileScope(user_id="ada")),
        ("adapter_scope", AdapterScope.ASSISTANT_PROFILE),
        ("policy", asking().policy),
        ("consents", frozenset({"category:medical"})),
        ("paused", False),
    ):
        seen.append(refused(check(asking(**everything))).reason)
        everything[name] = mended
    assert seen == [
        R.SCOPE_NOT_OF_SUBJECT,
        R.ADAPTER_SCOPE_MISMATCH,
        R.CONSENT_MISSING,
        R.SENSITIVE_CATEGORY_WITHOUT_CONSENT,
        R.OFF_THE_RECORD,
    ]
    assert check(asking(**everything)) is None


def test_a_scope_of_another_tenant_is_not_the_subjects(iris: Iris) -> None:
    me = person(iris, consents=["tenant_processing"])
    for scope in (
        TenantScope(tenant_id="other", user_id="ada"),
        OperatorCopilotScope(tenant_id="other", operator_id="ada"),
    ):
        assert refused(me.remember("Badge 7", scope=scope)).reason is R.SCOPE_NOT_OF_SUBJECT


@pytest.mark.parametrize("category", sorted(SENSITIVE_CATEGORIES), ids=str)
def test_storage_gate(category: Category, me: PersonMemory) -> None:
    """Each of the 19 is stored with its own consent and with no other; the entry notes under which."""
    others = [category_consent(other) for other in SENSITIVE_CATEGORIES if other is not category]
    me.consent.grant(*others, "sensitive_data", terms=TERMS)
    outcome = refused(me.remember("Something private", category=category))
    assert (outcome.reason, outcome.needs) == (R.SENSITIVE_CATEGORY_WITHOUT_CONSENT, (category_consent(category),))
    granted = me.consent.grant(category_consent(category), terms=TERMS)[0]
    entry = written(me.remember("Something private", category=category)).entry
    assert [(noted.category, noted.granted_at) for noted in entry.consents] == [(category, granted.occurred_at)]
    me.consent.revoke(category_consent(category), scan=False)
    assert refused(me.remember("Something else", category=category)).needs == (category_consent(category),)


def test_there_are_nineteen() -> None:
    assert len(SENSITIVE_CATEGORIES) == 19


@pytest.mark.parametrize("adapter", AdapterScope, ids=str)
def test_every_adapter_scope_takes_what_it_may(adapter: AdapterScope, iris: Iris, clock: SteppingClock) -> None:
    """With its consents, an allowed consumer and, where due, an approval; and not before each of these is there."""
    row = ADAPTER_SCOPES[adapter]
    consumer = sorted(row.consumers)[0]
    me = iris.for_user(tenant="acme", user="ada", consumer=consumer)
    for consent in row.required_consents:
        policy = me.scope_policies()[adapter]
        if policy.mode is ScopeMode.EPHEMERAL and hasattr(SCOPES[adapter], "session_id"):
            assert written(_write(me, adapter)).mode == "ephemeral"
            me.end_session(SCOPES[adapter].session_id)  # type: ignore[union-attr]
        else:
            assert consent.value in refused(_write(me, adapter)).needs
        me.consent.grant(consent.value, terms=TERMS)
    if row.needs_governance_review:
        assert refused(_write(me, adapter)).reason is R.GOVERNANCE_REVIEW_MISSING
        ends = clock.now() + DAY
        iris.approve_scope(tenant="acme", adapter_scope=adapter, approver="eve", reason="reviewed", expires_at=ends)
        iris.approve_scope(tenant="other", adapter_scope=adapter, approver="eve", reason="reviewed", expires_at=ends)
    entry = written(_write(me, adapter)).entry
    assert entry.adapter_scope is adapter
    for foreign in sorted(set(type(consumer)) - row.consumers):
        other = iris.for_user(tenant="acme", user="ada", consumer=foreign)
        assert refused(_write(other, adapter)).reason is R.CONSUMER_NOT_ALLOWED
    for opt_out in row.opt_outs:
        me.opt_out(opt_out)
        assert refused(_write(me, adapter)).reason is R.OPTED_OUT
    me.opt_out()
    if row.needs_governance_review:
        clock.step(DAY - timedelta(microseconds=1))
        assert written(_write(me, adapter, "just in time"))
        clock.step(timedelta(microseconds=1))
        assert refused(_write(me, adapter, "too late")).reason is R.GOVERNANCE_REVIEW_MISSING


def _write(me: PersonMemory, adapter: AdapterScope, body: str = "Something to keep") -> Any:
    return me.remember(body, scope=SCOPES[adapter], adapter_scope=adapter)


def test_an_approval_holds_for_its_tenant_alone(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["tenant_processing"])
    iris.approve_scope(
        tenant="other", adapter_scope="tenant", approver="eve", reason="reviewed", expires_at=clock.now() + DAY
    )
    assert refused(_write(me, AdapterScope.TENANT)).reason is R.GOVERNANCE_REVIEW_MISSING


def test_ephemeral_memory_needs_a_session(iris: Iris) -> None:
    """A scope that lacks `data_storage` alone lives in a session; where there is none, a statement is refused."""
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", terms=TERMS)
    assert me.scope_policies()[AdapterScope.ASSISTANT_PROFILE].mode is ScopeMode.EPHEMERAL
    assert refused(me.remember("Likes tea")).reason is R.SCOPE_EPHEMERAL
    assert me.list().total == 0


def test_no_words_are_read_before_consent(iris: Iris) -> None:
    """A statement without consent is refused for that, whatever its text holds; nothing of it is kept."""
    me = iris.for_user(tenant="acme", user="ada")
    outcome = refused(me.remember("\u202ehidden", subject="s", idempotency_key="k"))
    assert outcome.reason is R.CONSENT_MISSING
    assert me.list().total == 0


def test_a_batch_of_mixed_statements(me: PersonMemory, iris: Iris) -> None:
    """A thousand at once: each has an outcome of its own, in order, and one event accounts for all."""
    statements = [
        Statement(body="Likes tea", subject="drink"),
        Statement(body="Likes gin", subject="drink"),  # the person's own words: asks
        Statement(body="likes  TEA ", subject="Drink"),  # the same again
        Statement(body="Takes statins", category=Category.MEDICAL),
        Statement(body="Sleeps late", subject="sleep", origin=Origin.MODEL_INFERRED, label=Label.ASSISTANT),
        Statement(
            body="Sleeps early", subject="sleep", origin=Origin.MODEL_INFERRED, label=Label.ASSISTANT
        ),  # replaces
        Statement(body="Sleeps well", subject="sleep"),
        Statement(body="\u2066hidden"),
        *(Statement(body=f"Fact number {number}") for number in range(992)),
    ]
    outcomes = me.remember_many(statements)
    kinds = [outcome.outcome for outcome in outcomes]
    assert kinds[:8] == ["written", "ask-user", "written", "refused", "written", "written", "written", "refused"]
    assert set(kinds[8:]) == {"written"}
    assert outcomes[2].entry == outcomes[0].entry  # type: ignore[union-attr]
    sleeping = outcomes[6].entry  # type: ignore[union-attr]
    assert [entry.body for entry in me.history(sleeping.logical_id)] == ["Sleeps late", "Sleeps early", "Sleeps well"]
    assert me.list(limit=0).total == 992 + 3
    (event,) = [event for event in chain(iris) if event["action"] == "memory.batch.written"]
    assert len(event["object_ids"]) == len(event["commitments"]) == 992 + 5
    assert event["refused"] == {"hidden-characters": 1, "sensitive-category-without-consent": 1}
    assert [rule for rule, *_ in event["conflicts"]] == [
        "most-recent-wins",
        "most-recent-wins",
        "explicit-user-trumps-inferred",
    ]


def test_a_batch_is_all_or_nothing_where_it_breaks_a_contract(me: PersonMemory) -> None:
    with pytest.raises(ContractError, match="1000"):
        me.remember_many([Statement(body="x")] * 1_001)
    with pytest.raises(ContractError, match="normal form"):
        me.remember_many([Statement(body="fine"), Statement(body="\u0958" * 4_000)])
    assert me.list().total == 0


def test_an_empty_batch_is_nothing(me: PersonMemory, iris: Iris) -> None:
    before = actions(iris)
    assert me.remember_many([]) == []
    assert actions(iris) == before


def test_a_source_lowers_the_label(me: PersonMemory, clock: SteppingClock) -> None:
    """POI-1: what was typed but rests on a web page is no better than the page."""
    link = ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref="turn-1", captured_at=clock.now(), label=Label.WEB)
    stated = Statement(body="The bank has a new account", provenance=(link,))
    assert refused(me.remember(stated)).reason is R.ORIGIN_ABOVE_CEILING
    inferred = stated.model_copy(update={"origin": Origin.MODEL_INFERRED})
    assert written(me.remember(inferred)).entry.label is Label.WEB


def test_reopening_changes_nothing(open_iris: OpenIris) -> None:
    iris = open_iris()
    person(iris).remember("Likes tea")
    iris.close()
    me = open_iris().for_user(tenant="acme", user="ada")
    assert written(me.remember("Likes gin"))
    assert me.list().total == 2
