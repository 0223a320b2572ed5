"""Leakage: nothing surfaces across scopes, across people or outside its context; and nothing else is missing.

Generated worlds go through the pipeline; two people of one tenant live in a real store, and each is asked about by
every consumer, in every context, on every surface. What comes back is compared with `expected`, set by set.
"""

from __future__ import annotations

from datetime import timedelta

from iris_memory.contracts.category import Category, Consumer, Surface
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Suppression, SuppressionReason
from iris_memory.contracts.scope import (
    CrisisScope,
    NotebookScope,
    ProfileScope,
    SceneScope,
    Scope,
    SessionScope,
    owner_of,
)
from iris_memory.contracts.write import Statement
from iris_memory.errors import UnknownMemoryError
from iris_memory.evals.entries import entry_of, request_of, scope_drawn, sentence_drawn
from iris_memory.evals.expected import (
    CONSUMER_CONTEXTS,
    CONTEXTS,
    PLAIN,
    SCOPE_CONSUMERS,
    SENSITIVE,
    SURFACES,
    Situation,
    may_surface,
    sees,
)
from iris_memory.evals.stage import BASE, DAWN, ROOMY, TERMS, Draws, Stage, acts_on, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.gates.facts import Asked
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_WORLDS, _ENTRIES, _REQUESTS = 16, 60, 30
_CATEGORIES = (*PLAIN, *SENSITIVE)
_NOW = DAWN + timedelta(days=1)
_SCOPES: tuple[tuple[str, str, Scope], ...] = (
    ("profile", "assistant_profile", ProfileScope(user_id="ada")),
    ("session", "session", SessionScope(user_id="ada", session_id="s1")),
    ("other session", "session", SessionScope(user_id="ada", session_id="s2")),
    ("notebook", "notebook", NotebookScope(user_id="ada", notebook_id="n1")),
    ("scene", "scene", SceneScope(user_id="ada", session_id="s1", scene_id="c1", room_id="r1")),
    ("crisis", "crisis", CrisisScope(user_id="ada", session_id="s1")),
)


def run(tally: Tally) -> str:
    """Look at generated worlds and at a store with two people."""
    _worlds(tally)
    with stage() as place, place.open() as iris:
        _people(tally, place, iris)
    return (
        f"{_WORLDS * _REQUESTS} requests over generated worlds; two people in a store, asked about by"
        f" {len(CONSUMER_CONTEXTS)} consumers in {len(CONTEXTS)} contexts on {len(SURFACES)} surfaces"
    )


def _worlds(tally: Tally) -> None:
    pipeline = RecallPipeline(RecallOptions(budgets=ROOMY))
    for number in range(_WORLDS):
        draws = Draws(f"leakage {number}")
        world = [_entry_drawn(draws, place) for place in range(_ENTRIES)]
        columns = pipeline.columns(world)
        for asking in range(_REQUESTS):
            tenant, user = draws.one(("acme", "rival")), draws.one(("ada", "eve"))
            scope, policy = scope_drawn(draws, tenant=tenant, user=user), draws.chance(2)
            given = Situation(
                contexts=draws.some(CONTEXTS, of=3),
                consents=draws.some((*SENSITIVE, "multi-actor-sensitive"), of=2),
                surface=draws.one(SURFACES),
                crisis=draws.chance(6),
                safety_critical=draws.chance(2),
                data_rights=draws.chance(3),
            )
            request = request_of(given, tenant=tenant, user=user, scope=scope, now=_NOW, tenant_policy=policy)
            result = pipeline.recall(columns, Asked(request))
            allowed = {
                entry.id
                for entry in world
                if (entry.tenant_id, entry.user_id) == (tenant, user)
                and sees(scope, entry.scope, tenant_policy=policy)
                and _stands(entry)
                and may_surface(entry.category, given, about_somebody=entry.multi_actor is not None)
            }
            case = f"world {number} request {asking}"
            tally.same(case, {hit.entry.id for hit in result.hits}, allowed)
            account = result.audit_envelope
            held = sum(account.suppression_counts.values())
            tally.same(f"{case}: account", account.evaluated_count, len(result.hits) + held)


def _entry_drawn(draws: Draws, place: int) -> MemoryEntry:
    tenant, user = draws.one(("acme", "rival")), draws.one(("ada", "eve"))
    hold = Suppression(
        reason=draws.one(tuple(SuppressionReason)),
        started_at=DAWN,
        ends_at=draws.one((None, DAWN + timedelta(hours=1), DAWN + timedelta(days=2))),
    )
    return entry_of(
        f"{place:03}",
        tenant=tenant,
        user=user,
        scope=scope_drawn(draws, tenant=tenant, user=user),
        category=Category(draws.one(_CATEGORIES)),
        body=sentence_drawn(draws),
        about_somebody=draws.chance(6),
        lifecycle=draws.one(tuple(Lifecycle)) if draws.chance(8) else Lifecycle.ACTIVE,
        suppression=hold if draws.chance(10) else None,
        expires_at=draws.one((DAWN, _NOW, DAWN + timedelta(days=9))) if draws.chance(10) else None,
    )


def _stands(entry: MemoryEntry) -> bool:
    hold = entry.suppression
    held = hold is not None and (hold.ends_at is None or hold.ends_at > _NOW)
    over = entry.expires_at is not None and entry.expires_at <= _NOW
    return not held and not over and entry.lifecycle.value == "active"


def _people(tally: Tally, place: Stage, iris: Iris) -> None:
    ada, eve = (iris.for_user(tenant="acme", user=user) for user in ("ada", "eve"))
    for memory in (ada, eve):
        memory.consent.grant(*BASE, *(f"category:{name}" for name in SENSITIVE), terms=TERMS)
    adas = _write(ada)
    eve.remember_many([Statement(body=f"eve keeps {name}", category=Category(name)) for name in _CATEGORIES])
    eves = {entry.logical_id for entry in eve.list(limit=1_000).entries}
    place.clock.advance(minutes=5)
    for consumer in CONSUMER_CONTEXTS:
        _ask_about(tally, iris, adas, eves, consumer)
    _foreign_ids(tally, iris, eve, ada, adas)


_Known = dict[str, tuple[str, str, Scope]]
"""Of each of Ada's memories: its category, adapter scope and scope."""


def _write(ada: PersonMemory) -> _Known:
    statements = [Statement(body=f"ada keeps a fact in the {name}", scope=scope) for name, _, scope in _SCOPES]
    statements += [Statement(body=f"ada keeps {name}", category=Category(name)) for name in _CATEGORIES[1:]]
    outcomes = ada.remember_many(statements)
    places = [("fact", adapter, scope) for _, adapter, scope in _SCOPES]
    places += [(name, "assistant_profile", ProfileScope(user_id="ada")) for name in _CATEGORIES[1:]]
    return {
        outcome.entry.logical_id: place
        for outcome, place in zip(outcomes, places, strict=True)
        if outcome.outcome == "written"
    }


def _ask_about(tally: Tally, iris: Iris, adas: _Known, eves: set[str], consumer: str) -> None:
    ada = iris.for_user(tenant="acme", user="ada", consumer=Consumer(consumer))
    questions: list[tuple[Scope, frozenset[str], str]] = [
        (ProfileScope(user_id="ada"), frozenset({context}), surface) for context in CONTEXTS for surface in SURFACES
    ]
    questions += [(scope, frozenset(CONTEXTS), "assistant") for _, _, scope in _SCOPES]
    questions += [(ProfileScope(user_id="eve"), frozenset(CONTEXTS), surface) for surface in SURFACES]
    for scope, contexts, surface in questions:
        found = ada.recall("ada eve keeps a fact", contexts=contexts, scope=scope, surface=Surface(surface))
        shown = {hit.entry.logical_id for hit in found.hits}
        given = Situation(contexts & CONSUMER_CONTEXTS[consumer], frozenset(SENSITIVE), surface)
        allowed = {
            name
            for name, (category, adapter, lives) in adas.items()
            if surface != "admin"  # consumer memory is on the admin surface under a grant alone, and there is none
            and consumer in SCOPE_CONSUMERS[adapter]
            and owner_of(scope) == "ada"
            and sees(scope, lives)
            and may_surface(category, given)
        }
        tally.same(f"{consumer} {scope.kind} {'+'.join(sorted(contexts))[:20]} {surface}", shown, allowed)
        tally.check(f"{consumer}: nothing of another person", not shown & eves)
    for name, (category, adapter, _) in list(adas.items())[::5]:
        told = ada.explain(name, "fact", contexts=frozenset(CONTEXTS))
        given = Situation(CONSUMER_CONTEXTS[consumer], frozenset(SENSITIVE))
        shows = consumer in SCOPE_CONSUMERS[adapter] and adapter == "assistant_profile" and may_surface(category, given)
        tally.same(f"{consumer} explains {category} in {adapter}", told.outcome == "returned", shows)


def _foreign_ids(tally: Tally, iris: Iris, eve: PersonMemory, ada: PersonMemory, adas: _Known) -> None:
    iris.flush()
    before = ada.list(limit=1_000)
    for name in list(adas)[::4]:
        for verb, act in acts_on(eve, name):
            tally.check(f"{verb} of somebody else's memory", raises(UnknownMemoryError, act))
    tally.same("a stranger changed nothing", ada.list(limit=1_000), before)
