"""Sensitive gating: each sensitive category, on every surface, for every consumer, with and without its consent.

A sensitive memory is stored only with its own consent and shown only with that consent in a context that needs it:
health memory surfaces for tara and never for veritas.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from pathlib import Path

from iris_memory.contracts.category import Category, Consumer, Surface
from iris_memory.contracts.write import ActorMention, Refused, Statement, WriteOutcome
from iris_memory.evals.entries import entry_of, request_of
from iris_memory.evals.expected import CONSUMER_CONTEXTS, CONTEXTS, PLAIN, SENSITIVE, SURFACES, Situation, may_surface
from iris_memory.evals.stage import BASE, ROOMY, TERMS, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.gates.facts import Asked
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_HEALTH = ("medical", "physical_health", "mental_health", "substance_use")
_EVERYTHING = (*PLAIN, *SENSITIVE)


def run(tally: Tally) -> str:
    """Look at every verdict of the pipeline, at the storage gate, and at a store as consumers see it."""
    _verdicts(tally)
    with stage() as place:
        with place.open("gate") as iris:
            _storage(tally, iris)
            _imports(tally, iris, place.folder)
        with place.open("shown") as iris:
            _consumers(tally, iris)
            _withdrawals(tally, place, iris)
    return (
        f"{len(SENSITIVE)} sensitive categories by consent, {len(CONTEXTS)} contexts and {len(SURFACES)} surfaces;"
        f" {len(CONSUMER_CONTEXTS)} consumers; storage, correction, import, withdrawal and expiry"
    )


def _verdicts(tally: Tally) -> None:
    pipeline = RecallPipeline(RecallOptions(budgets=ROOMY))
    alone = [entry_of(name, category=Category(name)) for name in _EVERYTHING]
    shared = [entry_of(f"{name}+", category=Category(name), about_somebody=True) for name in _EVERYTHING]
    columns = pipeline.columns([*alone, *shared])
    everything = frozenset({*SENSITIVE, "multi-actor-sensitive"})
    consents = [frozenset[str](), everything, everything - {"multi-actor-sensitive"}]
    consents += [frozenset({name}) for name in SENSITIVE]
    contexts = [frozenset[str](), *(frozenset({name}) for name in CONTEXTS), frozenset(CONTEXTS)]
    flags = [(surface, False, False) for surface in SURFACES]
    flags += [("admin", True, False), ("admin", False, True)]
    for consented, about, (surface, safety, rights) in product(consents, contexts, flags):
        given = Situation(about, consented, surface, safety_critical=safety, data_rights=rights)
        shown = {hit.entry.id for hit in pipeline.recall(columns, Asked(request_of(given))).hits}
        wanted = {name for name in _EVERYTHING if may_surface(name, given)}
        wanted |= {f"{name}+" for name in _EVERYTHING if may_surface(name, given, about_somebody=True)}
        tally.same(f"{len(consented)} consents, {sorted(about)[:1]}, {surface} {safety} {rights}", shown, wanted)


def _storage(tally: Tally, iris: Iris) -> None:
    for place, name in enumerate(SENSITIVE):
        memory = iris.for_user(tenant="acme", user=f"user {place}")
        others = [f"category:{other}" for other in SENSITIVE if other != name]
        memory.consent.grant(*BASE, "sensitive_data", *others, terms=TERMS)
        plain = memory.remember("something plain")
        one, many = memory.remember("told", category=name), memory.remember_many([_about(name)])[0]
        for outcome in (one, many):
            tally.same(f"{name} without its consent", _refusal(outcome), ("sensitive-category-without-consent", name))
        turned = memory.revise(plain.entry.logical_id, category=name) if plain.outcome == "written" else plain
        tally.same(f"corrected into {name}", _refusal(turned), ("sensitive-category-without-consent", name))
        memory.consent.grant(f"category:{name}", terms=TERMS)
        tally.same(f"{name} with its consent", memory.remember("told", category=name).outcome, "written")
    memory = iris.for_user(tenant="acme", user="friend")
    memory.consent.grant(*BASE, terms=TERMS)
    quarrel = ActorMention(name="Grace", sensitive_interaction=True)
    refused = memory.remember("a quarrel", actor=quarrel)
    reason = refused.reason.value if isinstance(refused, Refused) else None
    tally.same("a sensitive interaction without its consent", reason, "multi-actor-without-consent")
    memory.consent.grant("multi_actor_sensitive", terms=TERMS)
    written = memory.remember("a quarrel", actor=quarrel).outcome
    tally.same("a sensitive interaction with its consent", written, "written")


def _about(name: str) -> Statement:
    return Statement(body="told in a batch", category=Category(name))


def _refusal(outcome: WriteOutcome) -> tuple[str, str] | None:
    if not isinstance(outcome, Refused):
        return None
    return outcome.reason.value, ",".join(outcome.needs).removeprefix("category:")


def _imports(tally: Tally, iris: Iris, folder: Path) -> None:
    memory = iris.for_user(tenant="acme", user="importer")
    memory.consent.grant(*BASE, terms=TERMS)
    export = folder / "export.jsonl"
    export.write_text(
        '{"id": "a", "text": "I was diagnosed with diabetes last year", "author": "user"}\n'
        '{"id": "b", "text": "told", "category": "medical", "author": "user"}\n'
        '{"id": "c", "text": "I like the violin", "author": "user"}\n'
    )
    report = memory.import_file(export, format="jsonl")
    tally.same("imported: what is not sensitive is taken", (report.taken, len(report.held_refs)), (1, 2))
    needs = sorted({need for held in memory.held() for need in held.needs})
    tally.same("imported: what is sensitive waits for its consent", needs, ["category:medical"])
    memory.consent.grant("category:medical", terms=TERMS)
    report = memory.import_file(export, format="jsonl")
    tally.same("imported: consent lets it in", (report.taken, memory.held()), (2, []))
    shown = {hit.entry.category.value for hit in memory.recall("diabetes", contexts=["general"]).hits}
    tally.same("imported: still in context alone", shown, {"other"})


def _consumers(tally: Tally, iris: Iris) -> None:
    memory = iris.for_user(tenant="acme", user="ada")
    memory.consent.grant(*BASE, *(f"category:{name}" for name in SENSITIVE), terms=TERMS)
    memory.remember_many([Statement(body=f"ada about {name}", category=Category(name)) for name in _EVERYTHING])
    for consumer, row in CONSUMER_CONTEXTS.items():
        asks = iris.for_user(tenant="acme", user="ada", consumer=Consumer(consumer))
        reads = consumer not in {"studio", "admin", "support"}  # these may not read the profile at all
        for context, surface in product(CONTEXTS, ("assistant", "shell", "notebook")):
            found = asks.recall("ada about", contexts=[context], surface=Surface(surface))
            shown = {hit.entry.category.value for hit in found.hits}
            given = Situation(frozenset({context}) & row, frozenset(SENSITIVE), surface)
            wanted = {name for name in _EVERYTHING if reads and may_surface(name, given)}
            tally.same(f"{consumer} {context} {surface}", shown, wanted)
            if consumer == "veritas":
                tally.check(f"veritas never sees health in {context} on {surface}", not shown & set(_HEALTH))
            if consumer == "tara" and context == "health":
                tally.check(f"tara sees health on {surface}", set(_HEALTH) <= shown)
        admin = asks.recall("ada about", contexts=CONTEXTS, surface=Surface.ADMIN, safety_critical_context=True)
        tally.same(f"{consumer} on the admin surface without a grant", admin.hits, ())


def _withdrawals(tally: Tally, place: Stage, iris: Iris) -> None:
    memory = iris.for_user(tenant="acme", user="ada")
    left = set(SENSITIVE)
    for name in SENSITIVE:
        memory.consent.revoke(f"category:{name}", scan=False)
        left.discard(name)
        shown = {hit.entry.category.value for hit in memory.recall("ada about", contexts=CONTEXTS).hits}
        tally.same(f"{name} after its withdrawal", shown, {*PLAIN, *left})
    memory.consent.grant("category:medical", terms=TERMS, expires_at=place.clock.now() + timedelta(days=7))
    memory.remember("ada about medical", category="medical", again=True)  # the withdrawal took the one before along
    begins = place.clock.now()
    for days, expected in ((0, True), (6, True), (7, False), (30, False)):
        place.clock.instant = begins + timedelta(days=days)
        shown = {hit.entry.category.value for hit in memory.recall("ada about", contexts=CONTEXTS).hits}
        tally.same(f"a consent of seven days after {days}", "medical" in shown, expected)
