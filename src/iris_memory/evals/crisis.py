"""Crisis: in a crisis frame nothing surfaces but safety-critical memory, and that only in a safety-critical context."""

from __future__ import annotations

from datetime import datetime
from itertools import product

from iris_memory.contracts.category import Category, Consumer, Surface
from iris_memory.contracts.scope import CrisisScope, ProfileScope, Scope, SessionScope
from iris_memory.contracts.write import Statement
from iris_memory.evals.entries import entry_of, request_of
from iris_memory.evals.expected import CONTEXTS, PLAIN, SENSITIVE, SURFACES, Situation
from iris_memory.evals.stage import BASE, ROOMY, TERMS, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.gates.facts import Asked
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_EVERYTHING = (*PLAIN, *SENSITIVE)


def run(tally: Tally) -> str:
    """Look at the pipeline in and out of a crisis frame, and at a store whose crisis port says yes for a day."""
    _frames(tally)
    with stage() as place:
        begins, ends = place.clock.now(), place.clock.now()
        frame = [begins, ends]

        def in_crisis(tenant: str, user: str, now: datetime) -> bool:
            return (tenant, user) == ("acme", "ada") and frame[0] <= now < frame[1]

        with place.open(crisis=in_crisis) as iris:
            _store(tally, place, iris, frame)
    return f"{len(_EVERYTHING)} categories in and out of a frame on {len(SURFACES)} surfaces; a frame set by a port"


def _frames(tally: Tally) -> None:
    pipeline = RecallPipeline(RecallOptions(budgets=ROOMY))
    scopes: tuple[Scope, ...] = (
        ProfileScope(user_id="ada"),
        SessionScope(user_id="ada", session_id="s1"),
        CrisisScope(user_id="ada", session_id="s1"),
    )
    world = [
        entry_of(f"{name}/{scope.kind}", category=Category(name), scope=scope)
        for name in _EVERYTHING
        for scope in scopes
    ]
    consents = (frozenset[str](), frozenset(SENSITIVE), frozenset(SENSITIVE) - {"safety"})
    columns = pipeline.columns(world)
    for scope, consented, surface, critical, context in product(
        scopes, consents, SURFACES, (False, True), (None, *CONTEXTS)
    ):
        about = frozenset({context}) if context else frozenset[str]()
        given = Situation(about, consented, surface, crisis=True, safety_critical=critical, data_rights=True)
        result = pipeline.recall(columns, Asked(request_of(given, scope=scope)))
        shown = {hit.entry.category.value for hit in result.hits}
        wanted = {"safety"} if critical and "safety" in consented else set()
        case = f"{scope.kind} {len(consented)} {surface} {critical} {context}"
        tally.same(case, shown, wanted)
        reached = 1 + scopes.index(scope)
        counted = result.audit_envelope.suppression_counts.get("crisis-frame", 0)
        tally.same(f"{case}: counted", counted, reached * (len(_EVERYTHING) - int(critical)))


def _store(tally: Tally, place: Stage, iris: Iris, frame: list[datetime]) -> None:
    ada, eve = (iris.for_user(tenant="acme", user=user) for user in ("ada", "eve"))
    for memory in (ada, eve):
        memory.consent.grant(*BASE, *(f"category:{name}" for name in SENSITIVE), terms=TERMS)
        memory.remember_many([Statement(body=f"a note on {name}", category=Category(name)) for name in _EVERYTHING])
    tally.same("before the frame", _shown(ada), set(_EVERYTHING))
    place.clock.advance(hours=1)
    frame[0] = place.clock.now()
    frame[1] = frame[0].replace(day=frame[0].day + 1)
    for consumer, surface, critical in product(("assistant", "tara", "arete", "veritas"), SURFACES, (False, True)):
        asks = iris.for_user(tenant="acme", user="ada", consumer=Consumer(consumer))
        for contexts in (CONTEXTS, ("safety",), ("general",), ()):
            found = asks.recall(
                "a note",
                contexts=contexts,
                surface=Surface(surface),
                safety_critical_context=critical,
                crisis_frame=False,
            )
            shown = {hit.entry.category.value for hit in found.hits}
            wanted = {"safety"} if critical and surface != "admin" else set()
            tally.same(f"{consumer} {surface} {critical} {len(contexts)} contexts, by the port", shown, wanted)
    tally.same("nobody else is in the frame", _shown(eve), set(_EVERYTHING))
    for name in (entry.logical_id for entry in ada.list(limit=1_000).entries):
        told = ada.explain(name, contexts=CONTEXTS)
        tally.same("explain says so", (told.outcome, told.counted_under), ("dropped", "crisis-frame"))
    ada.consent.revoke("category:safety", scan=False)
    found = ada.recall("a note", contexts=CONTEXTS, safety_critical_context=True)
    tally.same("a frame is no consent", found.hits, ())
    ada.consent.grant("category:safety", terms=TERMS)
    ada.remember("a note on safety", category="safety", again=True)  # the withdrawal took the one before along
    place.clock.advance(days=1)
    tally.same("after the frame", _shown(ada), set(_EVERYTHING))
    asked = ada.recall("a note", contexts=CONTEXTS, crisis_frame=True)
    tally.same("a frame set by the request", asked.hits, ())
    asked = ada.recall("a note", crisis_frame=True, safety_critical_context=True)
    tally.same("a frame implies its context", {hit.entry.category.value for hit in asked.hits}, {"safety"})


def _shown(memory: PersonMemory) -> set[str]:
    return {hit.entry.category.value for hit in memory.recall("a note", contexts=CONTEXTS).hits}
