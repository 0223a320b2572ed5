"""Consent: a scope is as open as the ledger makes it, what is withdrawn is gone, what may not be stored is in no file.

Everything goes through a store, by the front door; what should hold stands here a second time.
"""

from __future__ import annotations

from datetime import timedelta

from iris_memory.contracts.category import Category, Consumer
from iris_memory.contracts.consent import DueReason, OptOut, ScopeMode
from iris_memory.contracts.entry import Label, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.write import Statement
from iris_memory.errors import ContractError
from iris_memory.evals.expected import CONTEXTS, SENSITIVE
from iris_memory.evals.stage import BASE, TERMS, Stage, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.formats.consent_record import consent_record, event_of
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

_CANARY = "Schweigegeld im Notenschrank"
_SESSION_SCOPES = ("assistant_profile", "session", "scene", "conversation", "notebook")


def run(tally: Tally) -> str:
    """Look at modes of scopes, withdrawals with what hangs on them, sessions in no file, ageing, records."""
    with stage() as place:
        with place.open("modes") as iris:
            _modes(tally, iris)
        with place.open("cascade") as iris:
            _cascades(tally, place, iris)
        _sessions(tally, place)
        with place.open("ageing") as iris:
            _ageing(tally, place, iris)
    return (
        f"{len(SENSITIVE)} categories withdrawn, each with what was made from it; {len(Consumer)} consumers; a session"
    )


def _modes(tally: Tally, iris: Iris) -> None:
    for consumer in Consumer:
        memory = iris.for_user(tenant="acme", user=f"{consumer.value}-user", consumer=consumer, session="s1")
        tally.check(f"{consumer}: nothing is open at first", _open(memory) == set())
        memory.consent.grant("data_processing", terms=TERMS)
        ephemeral = {name for name, mode in _modes_of(memory).items() if mode is ScopeMode.EPHEMERAL}
        memory.consent.grant("data_storage", terms=TERMS)
        durable = {name for name, mode in _modes_of(memory).items() if mode is ScopeMode.DURABLE}
        tally.check(f"{consumer}: what lacks storage alone is ephemeral, then durable", ephemeral <= durable)
        tally.check(f"{consumer}: no scope is in both modes", not ephemeral & (durable - ephemeral))
        for name, policy in memory.scope_policies().items():
            tally.same(f"{consumer}: {name} says why", bool(policy.notes), policy.mode is not ScopeMode.DURABLE)
        memory.opt_out(*OptOut)
        tally.check(f"{consumer}: opted out of everything", not _open(memory) & set(_SESSION_SCOPES))
        memory.opt_out()
        memory.consent.revoke("data_processing", scan=False)
        tally.check(f"{consumer}: closed again", _open(memory) == set())


def _cascades(tally: Tally, place: Stage, iris: Iris) -> None:
    for name in SENSITIVE:
        memory = iris.for_user(tenant="acme", user=f"about-{name}")
        consent = f"category:{name}"
        memory.consent.grant(*BASE, consent, terms=TERMS)
        memory.remember("an ordinary note")
        source = memory.remember(f"a note on {name}", category=Category(name))
        if source.outcome != "written":
            tally.check(f"{name} is stored with its consent", holds=False)
            continue
        link = ProvenanceLink(
            kind=ProvenanceKind.INFERENCE_BATCH,
            ref=f"memory:{source.entry.logical_id}",
            captured_at=place.clock.now(),
            label=Label.USER_TYPED,
        )
        made = Statement(body="what follows from it", provenance=(link,), origin=Origin.MODEL_INFERRED)
        tally.same(f"{name}: something is made of it", memory.remember(made).outcome, "written")
        told = memory.consent.preview_revoke(consent)
        done = memory.consent.withdraw(consent, scan=False)
        receipt = done.receipt
        tally.check(f"{name}: a receipt", receipt is not None and receipt.memories == 2)
        tally.same(f"{name}: as the preview said", (told.deleted["memories"], told.deleted["made from them"]), (1, 1))
        shown = {hit.entry.body for hit in memory.recall("note follows", contexts=CONTEXTS).hits}
        tally.same(f"{name}: nothing of it is served", shown, {"an ordinary note"})
        tally.same(f"{name}: nothing of it is listed", memory.list(limit=100).total, 1)
        late = memory.remember(made.model_copy(update={"body": "what else follows from it"}))
        tally.check(f"{name}: nothing is made of it later", late.outcome == "refused")
        again = memory.remember(f"a note on {name}", category=Category(name))
        tally.check(f"{name}: nothing of it is stored", again.outcome == "refused")
        tally.same(f"{name}: the ledger stays", [event.type for event in memory.consent.trail()][-1], consent)
        tally.same(f"{name}: and is sound", list(memory.consent.check()), [])
    tally.check("the chain verifies", iris.verify_audit(tenant="acme").ok)


def _sessions(tally: Tally, place: Stage) -> None:
    with place.open("sessions") as iris:
        memory = iris.for_user(tenant="acme", user="ada", session="s1")
        memory.consent.grant("data_processing", terms=TERMS)
        outcome = memory.remember(_CANARY)
        tally.check("it is kept in its session", outcome.outcome == "written" and outcome.mode == "ephemeral")
        tally.same("and recalled there", [hit.entry.body for hit in memory.recall(_CANARY).hits], [_CANARY])
        other = iris.for_user(tenant="acme", user="ada", session="s2")
        tally.same("and nowhere else", other.recall(_CANARY).hits, ())
        memory.pause()
        memory.resume()
        tally.same("going off the record ends it", memory.recall(_CANARY).hits, ())
        memory.remember(_CANARY)
        iris.flush()
        told = b"".join(iris.export_audit(tenant="acme"))
        tally.check("the chain holds no word of it", _CANARY.encode() not in told)
    files = [file for file in sorted((place.folder / "sessions").rglob("*")) if file.is_file()]  # closed by now
    tally.check("there are files", len(files) > 1)
    tally.check("no file holds a byte of it", not any(_CANARY.encode() in file.read_bytes() for file in files))


def _ageing(tally: Tally, place: Stage, iris: Iris) -> None:
    memory = iris.for_user(tenant="acme", user="ada")
    memory.consent.grant(*BASE, terms=TERMS)
    memory.consent.grant("personalization", terms=TERMS, expires_at=place.clock.now() + timedelta(days=1))
    tally.same("nothing is due at first", list(memory.consent.due()), [])
    place.clock.advance(days=1)
    due = {one.name: one.reason for one in memory.consent.due()}
    tally.same("an end", due, {"personalization": DueReason.EXPIRED})
    iris.governance(tenant="acme").publish_notice("data_storage", terms="Other words.")
    due = {one.name: one.reason for one in memory.consent.due()}
    tally.same("changed terms", due.get("data_storage"), DueReason.TERMS_CHANGED)
    place.clock.advance(days=730)
    due = {one.name: one.reason for one in memory.consent.due()}
    tally.same("an age", due.get("data_processing"), DueReason.RE_ASK)
    memory.consent.deny("model_improvement", terms=TERMS)
    tally.check("a refusal is not due", "model_improvement" not in {one.name for one in memory.consent.due()})
    for event in memory.consent.trail():
        tally.same(f"record {event.sequence} gives back its event", event_of(consent_record(event)), event)
    governance = iris.governance(tenant="acme")
    request = governance.ask("tenant", asked_by="olaf", reason="pilot", until=place.clock.now() + timedelta(days=9))
    refused = governance.grant(request.request_id, granted_by="olaf")
    tally.check("the one who asks never grants", not hasattr(refused, "request_id"))
    tally.check("a consent needs a name", raises(ContractError, memory.consent.grant, "no-such-consent", terms=TERMS))


def _modes_of(memory: PersonMemory) -> dict[str, ScopeMode]:
    return {scope.value: policy.mode for scope, policy in memory.scope_policies().items()}


def _open(memory: PersonMemory) -> set[str]:
    return {scope.value for scope, policy in memory.scope_policies().items() if policy.enabled}
