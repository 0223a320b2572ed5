"""Recall through a store: rights come from records, never from the request; the answer stands with its event."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from flows.stores import DAY, TERMS, OpenIris, SteppingClock, bodies, chain, open_store, person, written
from iris_memory.contracts.audit import AuditAction, AuditEvent, Severity
from iris_memory.contracts.category import Category, Consumer, Context
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.scope import (
    AdapterScope,
    NotebookScope,
    OperatorCopilotScope,
    ProfileScope,
    SceneScope,
    SessionScope,
    TenantScope,
)
from iris_memory.contracts.write import ActorMention
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.recall.options import DEFAULT_OPTIONS
from iris_memory.tables.categories import CATEGORIES, SENSITIVE_CATEGORIES
from iris_memory.tables.consumers import CONSUMER_CONTEXTS
from words import stands_in


def accounted(me: PersonMemory, **wish: Any) -> dict[str, int]:
    """Recall, check the accounting identity, and return what was held back."""
    envelope = me.recall(**wish).audit_envelope
    assert envelope.evaluated_count == (
        len(envelope.returned_ids)
        + sum(envelope.suppression_counts.values())
        + envelope.deduplicated_count
        + envelope.over_budget_count
    )
    return envelope.suppression_counts


def test_the_event_is_the_answer(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    me.remember("Likes tea")
    me.remember("Takes statins", category="medical")
    me.consent.grant("category:medical", terms=TERMS)
    me.remember("Takes statins", category="medical")
    result = me.recall("tea")
    event = chain(iris)[-1]
    envelope = result.audit_envelope
    assert (event["action"], event["policy_id"]) == ("memory.recall.resolved", "iris-memory-recall-v1")
    assert event["severity"] == "warning"
    assert event["returned_ids"] == [hit.entry.id for hit in result.hits] == list(envelope.returned_ids)
    assert event["suppression_counts"] == {"sensitive-category-outside-relevant-context": 1}
    assert (event["evaluated_count"], event["deduplicated_count"], event["over_budget_count"]) == (2, 0, 0)
    assert (event["surface"], event["consumer"], event["recall_version"]) == (
        "assistant",
        "assistant",
        envelope.recall_version,
    )
    assert event["scope"].startswith("profile:")
    assert "ada" not in event["scope"].split(":")
    assert event["at"] == int(clock.now().timestamp() * 1_000_000)
    me.forget(category="medical", scan=False)
    me.recall("tea")
    assert chain(iris)[-1]["severity"] == "info"


def test_the_sink_gets_the_same_event(folder: Any, clock: SteppingClock) -> None:
    got: list[AuditEvent] = []
    with open_store(folder, clock=clock, sink=got.append) as iris:
        me = person(iris)
        me.remember("Likes tea")
        result = me.recall("tea")
        told = chain(iris)[-1]
        (event,) = got
        assert (event.action, event.severity, event.at) == (AuditAction.RECALL_RESOLVED, Severity.INFO, clock.now())
        assert event.object_ids == result.audit_envelope.returned_ids == tuple(told["returned_ids"])
        assert (event.person, event.policy_id) == (told["person"], told["policy_id"])
        assert event.counts["evaluated"] == told["evaluated_count"] == 1
        iris.for_user(tenant="acme", user="nobody").recall("tea")
        assert got[1].person == chain(iris)[-1]["person"] == "nobody"


def test_a_sink_that_raises_does_not_hurt(folder: Any, caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: AuditEvent) -> None:
        raise RuntimeError("tea is out")

    with open_store(folder, sink=broken) as iris, caplog.at_level(logging.WARNING):
        me = person(iris)
        me.remember("Likes tea")
        assert bodies(me, "tea") == ["Likes tea"]
        assert chain(iris)[-1]["action"] == "memory.recall.resolved"
    assert "RuntimeError" in caplog.text
    assert not stands_in("tea", caplog.text)


def test_a_sink_may_recall_itself(folder: Any) -> None:
    seen: list[int] = []

    def curious(event: AuditEvent) -> None:
        seen.append(len(event.object_ids))
        if len(seen) < 3:
            me.recall("tea")

    with open_store(folder, sink=curious) as iris:
        me = person(iris)
        me.remember("Likes tea")
        me.recall("tea")
    assert seen == [1, 1, 1]


def test_asking_about_nobody_makes_nobody(iris: Iris) -> None:
    nobody = iris.for_user(tenant="acme", user="nobody")
    assert accounted(nobody, text="tea") == {}
    assert nobody.list().total == 0
    assert nobody.questions() == nobody.held() == []
    assert nobody.preview_forget(everything=True).memories == 0
    assert iris.instruments.vault.find_subject("acme", "nobody") is None
    assert iris.instruments.vault.subjects("acme") == []
    assert chain(iris)[0]["person"] == "nobody"


@pytest.mark.parametrize("category", sorted(SENSITIVE_CATEGORIES), ids=str)
def test_sensitive_memory_needs_consent_and_context(category: Category, iris: Iris, clock: SteppingClock) -> None:
    """Consent is the ledger's: a request cannot claim it; a context lets through what its row says and no more."""
    me = person(iris)
    me.consent.grant(f"category:{category.value}", terms=TERMS, expires_at=clock.now() + DAY)
    me.remember("Something private", category=category)
    for context in Context:
        shown = bodies(me, contexts=[context])
        assert shown == (["Something private"] if context in CATEGORIES[category].contexts else []), context
    clock.step(DAY)
    assert accounted(me, contexts=list(Context)) == {"sensitive-category-without-consent": 1}
    assert accounted(me, contexts=list(Context), surface="admin") == {"scope-suppressed": 1}
    me.consent.revoke(f"category:{category.value}", scan=False)
    assert me.recall(contexts=list(Context)).audit_envelope.evaluated_count == 0, "a withdrawal takes it along"


@pytest.mark.parametrize("consumer", Consumer, ids=str)
def test_contexts_are_cut_to_the_consumer(consumer: Consumer, iris: Iris) -> None:
    me = person(iris, consents=[f"category:{category.value}" for category in SENSITIVE_CATEGORIES])
    for category in SENSITIVE_CATEGORIES:
        me.remember(f"About {category.value}", category=category)
    asking = iris.for_user(tenant="acme", user="ada", consumer=consumer)
    shown = set(bodies(asking, contexts=list(Context), surface="notebook"))
    if consumer in {Consumer.ADMIN, Consumer.SUPPORT, Consumer.STUDIO}:
        assert shown == set(), "the profile is not for these"
        return
    may = CONSUMER_CONTEXTS[consumer]
    assert shown == {f"About {name.value}" for name in SENSITIVE_CATEGORIES if CATEGORIES[name].contexts & may}


def test_a_crisis_frame(folder: Any, clock: SteppingClock) -> None:
    """In a crisis only safety surfaces, and that only where it is safety-critical; the frame may come from a port."""
    frame = {"open": False}
    with open_store(folder, clock=clock, crisis=lambda tenant, user, now: frame["open"]) as iris:
        me = person(iris, consents=["category:safety"])
        me.remember("Likes tea")
        me.remember("Call Bo when it is bad", category="safety")
        assert bodies(me, contexts=["crisis"]) != []
        for raised in ({"crisis_frame": True}, {}):
            frame["open"] = not raised
            assert accounted(me, contexts=["general"], **raised) == {"crisis-frame": 2}
            shown = bodies(me, contexts=["general"], safety_critical_context=True, **raised)
            assert shown == ["Call Bo when it is bad"]
        frame["open"] = False
        assert bodies(me) == ["Likes tea"]


def test_a_sensitive_interaction_needs_its_own(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris)
    me.consent.grant("multi_actor_sensitive", terms=TERMS, expires_at=clock.now() + DAY)
    me.remember("Bo shouted", actor=ActorMention(name="Bo", sensitive_interaction=True))
    assert bodies(me, contexts=["relationship"]) == ["Bo shouted"]
    assert accounted(me) == {"sensitive-category-outside-relevant-context": 1}
    clock.step(DAY)
    assert accounted(me, contexts=["relationship"]) == {"sensitive-category-without-consent": 1}
    me.consent.revoke("multi_actor_sensitive", scan=False)
    assert me.recall(contexts=["relationship"]).audit_envelope.evaluated_count == 0, "a withdrawal takes it along"


def test_the_admin_surface_shows_no_consumer_memory(iris: Iris, clock: SteppingClock) -> None:
    """Without a grant nothing of a consumer scope reaches it; an operator's own copilot memory does."""
    me = person(iris, consents=["category:safety"])
    me.remember("Likes tea")
    me.remember("Call Bo", category="safety")
    wish = {"surface": "admin", "contexts": ["safety"], "safety_critical_context": True}
    assert accounted(me, **wish) == {"scope-suppressed": 2}
    admin = iris.for_user(tenant="acme", user="ada", consumer="admin")
    assert accounted(admin, **wish) == {"scope-suppressed": 2}
    own = OperatorCopilotScope(tenant_id="acme", operator_id="ada")
    iris.approve_scope(
        tenant="acme",
        adapter_scope="operator_copilot",
        approver="eve",
        reason="reviewed",
        expires_at=clock.now() + DAY,
    )
    note = admin.remember("Prefers short reports", scope=own, label="operator", origin="operator-copilot")
    assert written(note)
    assert bodies(admin, scope=own, surface="admin") == ["Prefers short reports"]
    clock.step(DAY)
    assert accounted(admin, scope=own, surface="admin")["scope-suppressed"] == 1


def test_a_notebook_reaches_the_tenant_only_by_its_policy(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["tenant_processing"])
    ends = clock.now() + 2 * DAY
    iris.approve_scope(tenant="acme", adapter_scope="tenant", approver="eve", reason="reviewed", expires_at=ends)
    me.remember("Badge 7", scope=TenantScope(tenant_id="acme", user_id="ada"))
    notebook = NotebookScope(user_id="ada", notebook_id="n")
    assert accounted(me, scope=notebook, surface="notebook") == {"scope-mismatch": 1}
    iris.set_tenant_policy(tenant="other", notebook_reaches_tenant=True)
    assert bodies(me, scope=notebook) == []
    iris.set_tenant_policy(tenant="acme", notebook_reaches_tenant=True)
    assert bodies(me, scope=notebook) == ["Badge 7"]
    assert bodies(me) == [], "a profile request does not"
    iris.set_tenant_policy(tenant="acme", notebook_reaches_tenant=False)
    assert bodies(me, scope=notebook) == []
    iris.set_tenant_policy(tenant="acme", notebook_reaches_tenant=True)
    clock.step(2 * DAY)
    assert accounted(me, scope=notebook) == {"scope-suppressed": 1}


def test_scopes_reach_what_they_reach(iris: Iris) -> None:
    me = person(iris)
    session, other = SessionScope(user_id="ada", session_id="s1"), SessionScope(user_id="ada", session_id="s2")
    scene = SceneScope(user_id="ada", session_id="s1", scene_id="c", room_id="r")
    me.remember("of the profile")
    me.remember("of s1", scope=session)
    me.remember("of the scene", scope=scene)
    assert set(bodies(me)) == {"of the profile"}
    assert set(bodies(me, scope=session)) == {"of the profile", "of s1"}
    assert set(bodies(me, scope=other)) == {"of the profile"}
    assert set(bodies(me, scope=scene)) == {"of the profile", "of s1", "of the scene"}
    for foreign in (ProfileScope(user_id="bob"), TenantScope(tenant_id="other", user_id="ada")):
        assert accounted(me, scope=foreign) == {"scope-mismatch": 3}


def test_an_opt_out_closes_what_was_written_before(me: PersonMemory) -> None:
    me.remember("Likes tea")
    me.opt_out("memory")
    assert accounted(me) == {"scope-suppressed": 1}
    assert not me.scope_policies()[AdapterScope.ASSISTANT_PROFILE].enabled
    me.opt_out()
    assert bodies(me) == ["Likes tea"]


def test_a_consent_withdrawn_closes_what_was_written_before(me: PersonMemory) -> None:
    me.remember("Likes tea")
    me.consent.revoke("data_processing")
    assert accounted(me) == {"scope-suppressed": 1}
    me.consent.grant("data_processing", terms=TERMS)
    assert bodies(me) == ["Likes tea"]


def test_an_instance_that_did_not_write_answers_the_newest(open_iris: OpenIris) -> None:
    """A recall whose snapshot went stale is computed again before it is answered."""
    one, two = open_iris(), open_iris()
    me, again = person(one), two.for_user(tenant="acme", user="ada")
    for number in range(5):
        me.remember(f"Fact {number}")
        assert len(bodies(again)) == number + 1
        assert chain(two)[-1]["evaluated_count"] == number + 1
    me.consent.revoke("data_processing")
    assert bodies(again) == []
    me.consent.grant("data_processing", terms=TERMS)
    me.opt_out("memory")
    assert bodies(again) == []
    me.opt_out()
    me.pause()
    assert bodies(again) == []


def test_a_recall_succeeds_however_fast_others_write(open_iris: OpenIris) -> None:
    """A version that changes under every attempt does not starve a recall: it computes while nobody else writes."""
    one, two = open_iris(), open_iris()
    me, again = person(one), two.for_user(tenant="acme", user="ada")
    me.remember("Fact")
    store = two.instruments.store
    plain = store.write
    interfering = {"left": 40}

    def contended(work: Any, *, durable: bool = True) -> Any:
        if interfering["left"] > 0:
            interfering["left"] -= 1
            me.remember(f"Meanwhile {interfering['left']}")
        return plain(work, durable=durable)

    store.write = contended  # type: ignore[method-assign]
    try:
        result = again.recall(surface="notebook")
    finally:
        del store.write
    told = [event for event in chain(two) if event["action"] == "memory.recall.resolved"]
    assert [event["evaluated_count"] for event in told] == [result.audit_envelope.evaluated_count]
    assert interfering["left"] < 40 - 3


def test_recalls_of_many_threads(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes tea")
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(10):
                assert bodies(me, "tea") == ["Likes tea"]
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    iris.flush()
    assert me.list().entries[0].reference_count == 80


def test_budgets_and_limits(me: PersonMemory) -> None:
    for number in range(15):
        me.remember(f"Fact {number}")
    for surface, most in (("assistant", 12), ("shell", 3), ("notebook", 50)):
        result = me.recall(surface=surface)
        assert len(result.hits) == min(15, most)
        assert all((hit.surface_rationale is None) == (surface == "shell") for hit in result.hits)
        for limit in (0, 1, 99):
            assert len(me.recall(surface=surface, limit=limit).hits) == min(15, most, limit)
            accounted(me, surface=surface, limit=limit)


def test_the_same_question_gives_the_same_bytes(me: PersonMemory, open_iris: OpenIris, clock: SteppingClock) -> None:
    for number in range(20):
        clock.step(timedelta(minutes=7))
        me.remember(
            f"Fact {number} about tea", subject=f"slot {number % 6}", label="assistant", origin="model-inferred"
        )
    answer = me.recall("tea", surface="notebook").model_dump_json()
    assert me.recall("tea", surface="notebook").model_dump_json() == answer
    assert open_iris().for_user(tenant="acme", user="ada").recall("tea", surface="notebook").model_dump_json() == answer


def test_explain_agrees_with_recall(me: PersonMemory) -> None:
    me.consent.grant("category:medical", terms=TERMS)
    entries = [written(me.remember("Fact", subject="one slot"))]
    entries += [written(me.remember(f"Pill {number}", category="medical")) for number in range(2)]
    for contexts in (["general"], ["health"]):
        result = me.recall("fact pill", contexts=contexts)
        shown = {hit.entry.logical_id: hit for hit in result.hits}
        for outcome in entries:
            found = me.explain(outcome.entry.logical_id, "fact pill", contexts=contexts)
            assert (found.outcome == "returned") == (outcome.entry.logical_id in shown)
            if found.outcome == "returned":
                hit = shown[outcome.entry.logical_id]
                assert (found.score, found.score_parts) == (hit.score, hit.score_parts)
                assert found.rank == [*shown].index(outcome.entry.logical_id) + 1
            else:
                assert found.counted_under == "sensitive-category-outside-relevant-context"


def _likes_gin(text: str, entry: MemoryEntry) -> float:
    return 1.0 if "gin" in entry.body else 0.0


def test_an_injected_semantic_function_is_used(folder: Any) -> None:
    options = replace(DEFAULT_OPTIONS, semantic=_likes_gin, semantic_name="gin")
    with open_store(folder, options=options) as iris:
        me = person(iris)
        me.remember("Likes tea")
        me.remember("Likes gin")
        assert bodies(me, "anything") == ["Likes gin", "Likes tea"]
