"""Cross-tenant: the same user, sessions and notebooks in two tenants share nothing, whatever is asked or done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from iris_memory.contracts.category import Category, Surface
from iris_memory.contracts.scope import (
    AdapterScope,
    NotebookScope,
    OperatorCopilotScope,
    ProfileScope,
    Scope,
    SessionScope,
    TenantScope,
)
from iris_memory.contracts.write import Answer, AskUser, Refused, Statement
from iris_memory.errors import UnknownMemoryError
from iris_memory.evals.entries import entry_of, request_of
from iris_memory.evals.expected import CONTEXTS, PLAIN, SENSITIVE, SURFACES, Situation
from iris_memory.evals.stage import BASE, ROOMY, TERMS, Stage, acts_on, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_TENANTS = ("acme", "rival", "Acme", "acme ", "acme:ada", "%61cme")
"""Names that something careless would take for one another."""


def run(tally: Tally) -> str:
    """Look at candidates of many tenants in a pipeline, and at two tenants in one store."""
    _candidates(tally)
    with stage() as place, place.open() as iris:
        _two_tenants(tally, place, iris)
    return f"{len(_TENANTS)} tenants in a pipeline on {len(SURFACES)} surfaces; one user of two tenants in a store"


def _scopes(tenant: str) -> Iterator[Scope]:
    yield ProfileScope(user_id="ada")
    yield SessionScope(user_id="ada", session_id="s1")
    yield NotebookScope(user_id="ada", notebook_id="n1")
    yield TenantScope(tenant_id=tenant, user_id="ada")
    yield OperatorCopilotScope(tenant_id=tenant, operator_id="ada")


def _candidates(tally: Tally) -> None:
    pipeline = RecallPipeline(RecallOptions(budgets=ROOMY))
    world = [
        entry_of(f"{owner}/{named}/{scope.kind}", tenant=owner, scope=scope)
        for owner in _TENANTS
        for named in _TENANTS
        for scope in _scopes(named)
    ]
    for tenant in _TENANTS:
        for scope in _scopes(tenant):
            for surface in SURFACES:
                given = Situation(frozenset(CONTEXTS), frozenset(SENSITIVE), surface, data_rights=True)
                result = pipeline.resolve(world, request_of(given, tenant=tenant, scope=scope, tenant_policy=True))
                owners = {hit.entry.tenant_id for hit in result.hits}
                named = {getattr(hit.entry.scope, "tenant_id", tenant) for hit in result.hits}
                tally.same(f"{tenant!r} {scope.kind} {surface}", (owners, named), ({tenant}, {tenant}))
                foreign = sum(entry.tenant_id != tenant for entry in world)
                foreign += sum(
                    entry.tenant_id == tenant and getattr(entry.scope, "tenant_id", tenant) != tenant for entry in world
                )
                counted = result.audit_envelope.suppression_counts.get("tenant-mismatch")
                tally.same(f"{tenant!r} {scope.kind} {surface}: counted", counted, foreign)


def _two_tenants(tally: Tally, place: Stage, iris: Iris) -> None:
    acme, rival = (iris.for_user(tenant=tenant, user="ada") for tenant in ("acme", "rival"))
    for tenant, memory in (("acme", acme), ("rival", rival)):
        memory.consent.grant(*BASE, "tenant_processing", *(f"category:{name}" for name in SENSITIVE), terms=TERMS)
        iris.approve_scope(
            tenant=tenant,
            adapter_scope=AdapterScope.TENANT,
            approver="board",
            reason="a trial",
            expires_at=place.clock.now() + timedelta(days=30),
        )
        iris.set_tenant_policy(tenant=tenant, notebook_reaches_tenant=True)
        notes = [Statement(body=f"{tenant} notes {name}", category=Category(name)) for name in (*PLAIN, *SENSITIVE)]
        scopes = list(_scopes(tenant))[:4]
        statements = [*notes, *(Statement(body=f"{tenant} in {scope.kind}", scope=scope) for scope in scopes)]
        outcomes = memory.remember_many(statements)
        tally.check(f"{tenant}: all written", all(outcome.outcome == "written" for outcome in outcomes))
    _recalls(tally, acme, rival)
    _foreign_scopes(tally, acme)
    _foreign_ids(tally, iris, acme, rival)
    _audits(tally, iris, acme, rival)
    _acts(tally, iris, acme, rival)


def _recalls(tally: Tally, acme: PersonMemory, rival: PersonMemory) -> None:
    for tenant, memory in (("acme", acme), ("rival", rival)):
        for scope in list(_scopes(tenant))[:4]:
            for surface in SURFACES:
                found = memory.recall("notes", contexts=CONTEXTS, scope=scope, surface=Surface(surface))
                foreign = [hit for hit in found.hits if not hit.entry.body.startswith(tenant)]
                tally.check(f"{tenant} {scope.kind} {surface}", not foreign and bool(found.hits or surface == "admin"))


def _foreign_scopes(tally: Tally, acme: PersonMemory) -> None:
    scope = TenantScope(tenant_id="rival", user_id="ada")
    tally.same("recall in the scope of another tenant", acme.recall("notes", scope=scope).hits, ())
    refused = acme.remember("planted", scope=scope)
    reason = refused.reason.value if isinstance(refused, Refused) else None
    tally.same("write into the scope of another tenant", reason, "scope-not-of-subject")


def _foreign_ids(tally: Tally, iris: Iris, acme: PersonMemory, rival: PersonMemory) -> None:
    iris.flush()
    before = acme.list(limit=1_000)
    for entry in before.entries[::3]:
        name = entry.logical_id
        for verb, act in acts_on(rival, name):
            tally.check(f"{verb} across tenants", raises(UnknownMemoryError, act))
    seats = [acme.remember(f"acme sits {where}", subject="seat") for where in ("left", "right")]
    asked = seats[1]
    (question,) = acme.questions()
    tally.check("a question in its own tenant alone", isinstance(asked, AskUser) and not rival.questions())
    stolen = raises(UnknownMemoryError, rival.answer, question.question_id, Answer.REPLACE, digest=question.digest)
    tally.check("answer across tenants", stolen)
    tally.same("nothing was changed from outside", acme.list(limit=1_000).entries[2:], before.entries)


def _audits(tally: Tally, iris: Iris, acme: PersonMemory, rival: PersonMemory) -> None:
    for tenant, other in (("acme", rival), ("rival", acme)):
        lines = b"".join(iris.export_audit(tenant=tenant))
        ids = [entry.id.encode() for entry in other.list(limit=1_000).entries]
        tally.check(f"the chain of {tenant} holds no id of the other", not any(name in lines for name in ids))
        tally.check(f"the chain of {tenant} verifies", iris.verify_audit(tenant=tenant).ok)


def _acts(tally: Tally, iris: Iris, acme: PersonMemory, rival: PersonMemory) -> None:
    kept = _words(rival)
    acme.pause()
    tally.check("a pause stays in its tenant", not acme.recall("notes").hits and bool(rival.recall("notes").hits))
    acme.resume()
    acme.consent.revoke("category:medical")
    tally.check("a withdrawal stays in its tenant", "category:medical" in rival.consent.active())
    acme.opt_out("memory")
    tally.check("an opt-out stays in its tenant", not acme.recall("notes").hits and bool(rival.recall("notes").hits))
    acme.forget(everything=True, scan=False)
    tally.same("forgetting everything stays in its tenant", _words(rival), kept)
    tally.same("forgotten words are forgotten in one tenant", rival.remember("acme notes fact").outcome, "written")
    acme.erase(scan=False)
    tally.check("erasing stays in its tenant", bool(rival.consent.active()) and rival.list(limit=1).total > len(kept))
    tally.check("and leaves nothing in its own", not acme.consent.active() and acme.list(limit=1).total == 0)
    for tenant in ("acme", "rival"):
        tally.check(f"the chain of {tenant} still verifies", iris.verify_audit(tenant=tenant).ok)


def _words(memory: PersonMemory) -> list[tuple[str, str]]:
    return [(entry.id, entry.body) for entry in memory.list(limit=1_000).entries]
