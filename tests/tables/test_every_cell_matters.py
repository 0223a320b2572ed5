"""Every cell matters: with any one cell of a policy table changed, some decision comes out differently.

A case names the readers' names of a table, the table with one cell changed, and the decisions that read it. To cover a
table that gains a reader, write its decisions and yield its flips. Cells that nothing reads yet are not listed here:
tiers and operators' inspection of an adapter scope, and what an envelope does at its end.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Consumer, Context, Surface
from iris_memory.contracts.consent import ConsentType, OptOut, ScopeMode, ScopePolicy, category_consent
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.inspection import (
    CarveOut,
    CarveOutGround,
    Inspection,
    InspectionGrant,
    InspectionStep,
)
from iris_memory.contracts.inspection import InspectionPath as P
from iris_memory.contracts.inspection import InspectionReason as W
from iris_memory.contracts.inspection import InspectionState as S
from iris_memory.contracts.inspection import OperatorRole as R
from iris_memory.contracts.scope import SCOPE_CLASSES, AdapterScope, ProfileScope, Scope, ScopeKind
from iris_memory.errors import InspectionTransitionError
from iris_memory.flows import freezing
from iris_memory.gates import admission, crisis, reach, sensitive
from iris_memory.gates import inspection as inspection_gate
from iris_memory.gates.facts import Address, Asked, Matter
from iris_memory.gates.inspection import Approver, InspectionAsk
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.rules import conflict, consent, integrity, retention, scope_policy
from iris_memory.rules import inspection as inspection_moves
from iris_memory.tables import labels
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, RETENTION
from iris_memory.tables.categories import CATEGORIES, MULTI_ACTOR_CONTEXTS, SAFETY_CRITICAL, SENSITIVE_CATEGORIES
from iris_memory.tables.consumers import CONSUMER_CONTEXTS
from iris_memory.tables.inspectors import (
    CARVE_OUT_MOST,
    CLOCK_SKEW,
    INSPECTORS,
    NOTICE_WINDOW,
    PATH_CONTEXTS,
    REASONS,
    SENSITIVE_APPROVERS,
    TRANSITIONS,
)
from iris_memory.tables.labels import LABELS, UNTRUSTED_AT_MOST
from iris_memory.tables.origins import INFERRED_AT_MOST, ORIGINS, SourceKind
from iris_memory.tables.scopes import REACH
from iris_memory.tables.surfaces import SURFACES
from reference.worlds import NOW, entry_of, request_of

Decisions = Callable[[], object]


class Flip(NamedTuple):
    """One cell changed: where the changed table stands in, and the decisions that read it."""

    cell: str
    stand_ins: dict[str, Any]
    decisions: Decisions


def with_row(table: Mapping[Any, Any], key: Any, **cells: Any) -> dict[Any, Any]:
    """Return a table with some cells of one row changed."""
    return {**table, key: table[key]._replace(**cells)}


# --- categories


def sensitive_decisions() -> object:
    """Ask the sensitive gate about everything, in every single context, with and without consents, on two surfaces."""
    consents: list[frozenset[Any]] = [frozenset(), frozenset(Category), frozenset({*Category, MULTI_ACTOR_SENSITIVE})]
    rights = {"safety_critical_context": True}
    asked = [
        Asked(request_of(b"", contexts=contexts, consented_categories=given, surface=surface, **rights))
        for contexts in [frozenset[Context](), *(frozenset({context}) for context in Context)]
        for given in consents
        for surface in (Surface.ASSISTANT, Surface.ADMIN)
    ]
    matters = [Matter(category, flag) for category in Category for flag in (False, True)]
    return [sensitive.check(matter, question) for question in asked for matter in matters]


def crisis_decisions() -> object:
    asked = Asked(request_of(b"", crisis_frame=True, safety_critical_context=True))
    return [crisis.check(Matter(category, False), asked) for category in Category]


def storage_decisions() -> object:
    return [admission.check(admitting(category=category)) for category in Category]


def opened_by_consent() -> object:
    given = frozenset(category_consent(category) for category in Category)
    return inspect.unwrap(consent.consented_categories)(given)  # without what it remembers of other tables


def admitting(**changes: Any) -> admission.Admitting:
    """Return a plain statement at the admission gate, with some facts changed."""
    policy = ScopePolicy(adapter_scope=AdapterScope.ASSISTANT_PROFILE, enabled=True, mode=ScopeMode.DURABLE, notes=())
    return admission.Admitting(
        tenant_id="t", user_id="u", scope=ProfileScope(user_id="u"), adapter_scope=AdapterScope.ASSISTANT_PROFILE,
        category=Category.FACT, sensitive_interaction=False, policy=policy, causes=(), consents=(), paused=False,
    )._replace(**changes)  # fmt: skip


def categories() -> Iterator[Flip]:
    gate, tables = "iris_memory.gates.sensitive", "iris_memory.tables.categories.CATEGORIES"
    for category, row in CATEGORIES.items():
        # a plain row names no context: it would be dead policy
        flipped = with_row(CATEGORIES, category, sensitive=not row.sensitive)
        yield Flip(f"{category}.sensitive", {f"{gate}.CATEGORIES": flipped}, sensitive_decisions)
        yield Flip(f"{category}.sensitive-stored", {tables: flipped}, storage_decisions)
        toggled = SENSITIVE_CATEGORIES ^ {category}
        yield Flip(
            f"{category}.own-consent", {"iris_memory.rules.consent.SENSITIVE_CATEGORIES": toggled}, opened_by_consent
        )
        for context in Context if row.sensitive else ():
            changed = with_row(CATEGORIES, category, contexts=row.contexts ^ {context})
            yield Flip(f"{category}.{context}", {f"{gate}.CATEGORIES": changed}, sensitive_decisions)
        critical = SAFETY_CRITICAL ^ {category}
        yield Flip(f"{category}.in-crisis", {"iris_memory.gates.crisis.SAFETY_CRITICAL": critical}, crisis_decisions)
        if row.sensitive:
            yield Flip(f"{category}.to-operators", {f"{gate}.SAFETY_CRITICAL": critical}, sensitive_decisions)
    for context in Context:
        changed_contexts = MULTI_ACTOR_CONTEXTS ^ {context}
        yield Flip(f"multi-actor.{context}", {f"{gate}.MULTI_ACTOR_CONTEXTS": changed_contexts}, sensitive_decisions)


# --- scopes

KEYS: dict[str, str] = {"tenant_id": "t", "user_id": "u", "operator_id": "u"}


def scope(kind: ScopeKind) -> Scope:
    """Return the scope of a kind whose every identifier is the same as in the others."""
    names = [name for name in SCOPE_CLASSES[kind].model_fields if name != "kind"]
    made: Any = SCOPE_CLASSES[kind](**{name: KEYS.get(name, "x") for name in names})
    return made


def reach_decisions() -> object:
    return [
        reach.check(
            Address("t", "u", scope(entry), AdapterScope.SESSION),
            Asked(request_of(b"", scope=scope(request), tenant_policy=flag)),
        )
        for request, entry, flag in product(ScopeKind, ScopeKind, (False, True))
    ]


def strangers(request: ScopeKind, entry: ScopeKind) -> bool:
    """Say whether two kinds have no identifier in common: nothing could tell whether they belong together."""
    names = [set(SCOPE_CLASSES[kind].model_fields) - {"kind"} for kind in (request, entry)]
    return not names[0] & names[1]


def reach_values(request: ScopeKind, entry: ScopeKind) -> Iterator[tuple[str, dict[Any, Any]]]:
    """Yield the table with each of the other two values in one cell."""
    row = REACH[request]
    now = (entry in row.reaches, entry in row.under_tenant_policy)
    for name, (always, flagged) in {"always": (True, False), "policy": (False, True), "never": (False, False)}.items():
        if (always, flagged) != now:
            reaches = row.reaches | {entry} if always else row.reaches - {entry}
            under = row.under_tenant_policy | {entry} if flagged else row.under_tenant_policy - {entry}
            yield name, with_row(REACH, request, reaches=reaches, under_tenant_policy=under)


def scopes() -> Iterator[Flip]:
    for request, entry in product(ScopeKind, ScopeKind):
        for name, table in reach_values(request, entry) if not strangers(request, entry) else ():
            yield Flip(f"{request}-{entry}.{name}", {"iris_memory.gates.reach.REACH": table}, reach_decisions)


@pytest.mark.parametrize(
    ("request_kind", "entry_kind"), [pair for pair in product(ScopeKind, ScopeKind) if strangers(*pair)]
)
def test_no_cell_opens_a_scope_to_a_stranger(
    request_kind: ScopeKind, entry_kind: ScopeKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kinds without a common identifier stay apart whatever the table says."""
    before = reach_decisions()
    for _, table in reach_values(request_kind, entry_kind):
        monkeypatch.setattr("iris_memory.gates.reach.REACH", table)
        assert reach_decisions() == before


# --- surfaces


def surface_decisions() -> object:
    pipeline = RecallPipeline(RecallOptions())
    world = [entry_of(b"", place) for place in range(60)]
    results = [pipeline.resolve(world, request_of(b"", surface=surface)) for surface in Surface]
    return [(len(result.hits), [hit.surface_rationale for hit in result.hits]) for result in results]


def surfaces() -> Iterator[Flip]:
    for surface, row in SURFACES.items():
        for cell, changed in (
            ("budget-less", {"budget": row.budget - 1}),
            ("budget-more", {"budget": row.budget + 1}),
            ("rationale", {"shows_rationale": not row.shows_rationale}),
        ):
            table = with_row(SURFACES, surface, **changed)
            names = ("iris_memory.recall.options.SURFACES", "iris_memory.recall.pipeline.SURFACES")
            yield Flip(f"{surface}.{cell}", dict.fromkeys(names, table), surface_decisions)


# --- origins


def ranked_origins() -> object:
    """Recall a memory of each origin, and each pair of origins that clash, in either order of age."""
    pipeline, request = RecallPipeline(), request_of(b"")
    world = [entry_of(b"", place, origin=origin) for place, origin in enumerate(Origin)]
    scores = [(hit.score, hit.score_parts.origin) for hit in pipeline.resolve(world, request).hits]
    kept = []
    for first, second in product(Origin, Origin):
        older = entry_of(b"", 1, origin=first, subject="seat", updated_at=NOW - timedelta(days=1))
        newer = entry_of(b"", 2, origin=second, subject="seat", updated_at=NOW)
        kept.append(pipeline.resolve([older, newer], request).audit_envelope.returned_ids)
    return scores, kept


def conflict_decisions() -> object:
    sides = [conflict.Side(origin, label) for origin in Origin for label in Label]
    return [conflict.decide(prior=prior, new=new) for prior in sides for new in sides]


def origins() -> Iterator[Flip]:
    for origin, row in ORIGINS.items():
        for weight in (row.weight - 1, row.weight + 1):
            table = with_row(ORIGINS, origin, weight=weight)
            weights = np.array([table[member].weight for member in Origin], dtype=np.int64)
            stand_ins = {
                "iris_memory.recall.columns.ORIGIN_WEIGHTS": weights,
                "iris_memory.recall.pipeline.ORIGINS": table,
            }
            yield Flip(f"{origin}.weight-{weight}", stand_ins, ranked_origins)
        for authority in {0, 1, 2, 3} - {row.authority}:
            table = with_row(ORIGINS, origin, authority=authority)
            authorities = np.array([table[member].authority for member in Origin], dtype=np.int64)
            names = ("iris_memory.recall.columns.AUTHORITIES", "iris_memory.recall.pipeline.AUTHORITIES")
            yield Flip(f"{origin}.authority-{authority}", dict.fromkeys(names, authorities), ranked_origins)
        inferred = row.authority <= INFERRED_AT_MOST
        for cell, changed in (
            ("inferred", {"authority": 2 if inferred else 1}),
            ("source", {"source": SourceKind.IMPORTED if row.own_words else SourceKind.EXPLICIT_USER}),
            ("own-words", {"own_words": not row.own_words}),
        ):
            table = with_row(ORIGINS, origin, **changed)
            yield Flip(f"{origin}.{cell}", {"iris_memory.rules.conflict.ORIGINS": table}, conflict_decisions)
    for name, number in (("INFERRED_AT_MOST", INFERRED_AT_MOST), ("UNTRUSTED_AT_MOST", UNTRUSTED_AT_MOST)):
        for value in (number - 1, number + 1):
            yield Flip(f"{name}-{value}", {f"iris_memory.rules.conflict.{name}": value}, conflict_decisions)


# --- adapter scopes


def policy_decisions() -> object:
    every_consent, approvals = {consent.value for consent in ConsentType}, list(AdapterScope)
    asked: list[tuple[Any, ...]] = [(every_consent, [], consumer, approvals) for consumer in Consumer]
    asked += [(every_consent - {missing.value}, [], Consumer.ASSISTANT, approvals) for missing in ConsentType]
    asked += [(every_consent, [opt_out], Consumer.ASSISTANT, approvals) for opt_out in OptOut]
    asked += [(every_consent, [], Consumer.ASSISTANT, ())]
    return [
        dict(scope_policy.build_scope_policies(consents, opt_outs, consumer, approvals=given))
        for consents, opt_outs, consumer, given in asked
    ]


def address_decisions() -> object:
    return [
        admission.check(admitting(adapter_scope=adapter, scope=scope(kind)))
        for adapter, kind in product(AdapterScope, ScopeKind)
    ]


def adapters() -> Iterator[Flip]:
    policy, gate = "iris_memory.rules.scope_policy.ADAPTER_SCOPES", "iris_memory.gates.admission.ADAPTER_SCOPES"
    for adapter, row in ADAPTER_SCOPES.items():
        for kind in sorted(set(ScopeKind) - {row.kind}):
            yield Flip(
                f"{adapter}.kind-{kind}", {gate: with_row(ADAPTER_SCOPES, adapter, kind=kind)}, address_decisions
            )
        changes: list[tuple[str, dict[str, Any]]] = [
            (f"needs-{needed}", {"required_consents": tuple(set(row.required_consents) ^ {needed})})
            for needed in ConsentType
        ]
        changes += [(f"opt-out-{name}", {"opt_outs": row.opt_outs ^ {name}}) for name in OptOut]
        changes += [(f"consumer-{name}", {"consumers": row.consumers ^ {name}}) for name in Consumer]
        changes += [("governance", {"needs_governance_review": not row.needs_governance_review})]
        for cell, changed in changes:
            yield Flip(f"{adapter}.{cell}", {policy: with_row(ADAPTER_SCOPES, adapter, **changed)}, policy_decisions)


# --- retention


def expiry_decisions() -> object:
    made = datetime(2026, 3, 1, tzinfo=UTC)
    return [
        retention.expiry(adapter, origin, created_at=made, asked=asked)
        for adapter, origin, asked in product(AdapterScope, Origin, (None, made + timedelta(hours=1)))
    ]


def envelopes() -> Iterator[Flip]:
    for adapter, row in RETENTION.items():
        for cell in ("raw", "summarised"):
            if cell == "summarised" and not row.keeps_summary:
                continue
            for changed in {None, timedelta(days=2), (getattr(row, cell) or timedelta(0)) + timedelta(days=1)}:
                if changed != getattr(row, cell):
                    table = with_row(RETENTION, adapter, **{cell: changed})
                    name = f"{adapter}.{cell}-{changed}"
                    yield Flip(name, {"iris_memory.rules.retention.RETENTION": table}, expiry_decisions)


# --- labels


def ceiling_decisions() -> object:
    return [
        integrity.above_ceiling(label, origin, category) for label, origin, category in product(Label, Origin, Category)
    ]


def lowest_decisions() -> object:
    return [labels.lowest(first, second) for first, second in product(Label, Label)]


def trust() -> Iterator[Flip]:
    ceiling = "iris_memory.rules.integrity.LABELS"
    for label, row in LABELS.items():
        for origin in Origin:
            table = with_row(LABELS, label, origins=row.origins ^ {origin})
            yield Flip(f"{label}.origin-{origin}", {ceiling: table}, ceiling_decisions)
        for category in Category:
            table = with_row(LABELS, label, barred=row.barred ^ {category})
            yield Flip(f"{label}.barred-{category}", {ceiling: table}, ceiling_decisions)
        for other, above in LABELS.items():
            if abs(above.trust - row.trust) == 1:
                swapped = {**with_row(LABELS, label, trust=above.trust), other: above._replace(trust=row.trust)}
                yield Flip(f"{label}.trust-as-{other}", {"iris_memory.tables.labels.LABELS": swapped}, lowest_decisions)


# --- consumers


def cut_contexts() -> object:
    """Ask the store's question as every consumer, with every context asserted."""
    from iris_memory.flows import recall as flow
    from iris_memory.flows.instruments import Caller

    nothing: Any = SimpleNamespace(
        clock=SimpleNamespace(now=lambda: NOW),
        crisis=lambda *_: False,
        consents=lambda now: frozenset(),
        approved=lambda now: (),
        opt_outs=frozenset(),
        settings=SimpleNamespace(tenant_policy=False),
        state=SimpleNamespace(tenant_version=0),
    )
    wish = flow.Wish(contexts=frozenset(Context))
    return [
        flow.question_of(nothing, Caller(tenant="t", user="u", consumer=consumer), None, nothing, wish).request.contexts
        for consumer in Consumer
    ]


def consumers() -> Iterator[Flip]:
    for consumer, context in product(Consumer, Context):
        table = {**CONSUMER_CONTEXTS, consumer: CONSUMER_CONTEXTS[consumer] ^ {context}}
        yield Flip(f"{consumer}.{context}", {"iris_memory.flows.recall.CONSUMER_CONTEXTS": table}, cut_contexts)


# --- inspectors


def _ask(path: P, reason: W, role: R, *, sensitive: bool, approvers: tuple[Approver, ...]) -> InspectionAsk:
    """Return a request that nothing but the tables can object to."""
    return InspectionAsk(
        operator_tenant="t", target_tenant="t", target_user="u", scope=None, path=path, reason=reason, requester="q",
        role=role, line=None, is_sensitive=sensitive, is_safety_critical=False, break_glass=False,
        incident_verified=True, request_open=True, consent_snapshot_id="h", consent_head="h", matched=1, most=1,
        approvers=approvers, now=NOW, answer_by=NOW + timedelta(days=1),
    )  # fmt: skip


def inspection_decisions() -> object:
    """Ask the gate for every path, reason, role and sensitivity, and with approvers of every role, one to three."""
    three = tuple(Approver(name, R.LEGAL) for name in ("a", "b", "c"))
    asks = [
        _ask(path, reason, role, sensitive=sensitive, approvers=three)
        for path, reason, role, sensitive in product(P, W, R, (False, True))
    ]
    for path, reason in ((P.INCIDENT_ESCALATION, W.ABUSE_REPORT), (P.DSAR_FULFILLMENT, W.DATA_SUBJECT_REQUEST)):
        role = R.TRUST_AND_SAFETY if path is P.INCIDENT_ESCALATION else R.LEGAL
        asks += [_ask(path, reason, role, sensitive=True, approvers=three[:count]) for count in range(4)]
        asks += [_ask(path, reason, role, sensitive=False, approvers=(Approver("a", by),)) for by in R]
    return [inspection_gate.verdict(ask) for ask in asks]


def moves() -> object:
    found = []
    for before, after in product(S, S):
        try:
            inspection_moves.require_transition(before, after)
        except InspectionTransitionError:
            found.append((before, after))
    return found


def grant_contexts() -> object:
    """Look at every kind of matter as the grant of each path would."""
    nothing: Any = SimpleNamespace(consents=lambda now: frozenset({*map(category_consent, SENSITIVE_CATEGORIES)}))
    asked = [freezing._asked(nothing, tenant="t", user="u", path=path, now=NOW) for path in P]
    return [sorted(question.request.contexts) for question in asked]


def time_decisions() -> object:
    """Ask what time alone does, at each side of every limit."""
    step = InspectionStep(at=NOW, state=S.REQUESTED, actor="q")
    waiting = Inspection(
        inspection_id="i", tenant_id="t", person="p", path=P.INCIDENT_ESCALATION, reason=W.ABUSE_REPORT, reference="r",
        target=None, is_sensitive=True, requester="q", requester_role=R.LEGAL, requested_at=NOW, answer_by=NOW,
        grant_minutes=60, state=S.INCIDENT_ESCALATION, trail=(step,),
    )  # fmt: skip
    grant = InspectionGrant(granted_at=NOW, expires_at=NOW + timedelta(days=1), entries=0, withheld={})
    granted = waiting.model_copy(update={"state": S.GRANTED, "grant": grant})
    back = [timedelta(seconds=second) for second in (-62, -61, -60, -59, -58)]
    wanted = [
        CarveOut(
            ground=CarveOutGround.LEGAL_ORDER, reference="r", placed_by="q", placed_at=NOW,
            until=NOW + timedelta(days=90, seconds=second),
        )
        for second in (-1, 0, 1)
    ]  # fmt: skip
    return (
        [inspection_moves.lapsed(granted, now=NOW + by).state for by in back],
        [inspection_moves.fits_carve_out(None, each, now=NOW) for each in wanted],
        inspection_moves.notice_due(waiting, NOW),
    )


def inspectors() -> Iterator[Flip]:
    gate, rule = "iris_memory.gates.inspection", "iris_memory.rules.inspection"
    for role, row in INSPECTORS.items():
        for path in P:
            for cell, changed in (
                ("ordinary", {"ordinary": row.ordinary ^ {path}}),
                ("sensitive", {"sensitive": row.sensitive ^ {path}}),
            ):
                if (cell, path) == ("sensitive", P.ROUTINE_REVIEW):
                    continue  # the gate objects before it looks at roles
                table = with_row(INSPECTORS, role, **changed)
                yield Flip(f"{role}.{cell}-{path}", {f"{gate}.INSPECTORS": table}, inspection_decisions)
        table = with_row(INSPECTORS, role, approves=not row.approves)
        yield Flip(f"{role}.approves", {f"{gate}.INSPECTORS": table}, inspection_decisions)
    for reason, path in REASONS.items():
        for other in sorted(set(P) - {path}):
            yield Flip(f"{reason}.{other}", {f"{gate}.REASONS": {**REASONS, reason: other}}, inspection_decisions)
    for count in (SENSITIVE_APPROVERS - 1, SENSITIVE_APPROVERS + 1):
        yield Flip(f"approvers-{count}", {f"{gate}.SENSITIVE_APPROVERS": count}, inspection_decisions)
    for before, after in product(S, S):
        turned = {**TRANSITIONS, before: TRANSITIONS[before] ^ {after}}
        yield Flip(f"{before}-{after}", {f"{rule}.TRANSITIONS": turned}, moves)
    for path, context in product(P, Context):
        contexts = {**PATH_CONTEXTS, path: PATH_CONTEXTS[path] ^ {context}}
        yield Flip(f"{path}.{context}", {"iris_memory.flows.freezing.PATH_CONTEXTS": contexts}, grant_contexts)
    for name, number in (
        ("CLOCK_SKEW", CLOCK_SKEW),
        ("CARVE_OUT_MOST", CARVE_OUT_MOST),
        ("NOTICE_WINDOW", NOTICE_WINDOW),
    ):
        for by in (-1, 1):
            yield Flip(f"{name}{by:+}s", {f"{rule}.{name}": number + timedelta(seconds=by)}, time_decisions)


FLIPS = [
    flip
    for group in (categories, scopes, surfaces, origins, adapters, envelopes, trust, consumers, inspectors)
    for flip in group()
]


@cache
def unchanged(decisions: Decisions) -> object:
    """Return what is decided with the tables as they are."""
    return decisions()


@pytest.mark.parametrize("flip", FLIPS, ids=[flip.cell for flip in FLIPS])
def test_cell_matters(flip: Flip, monkeypatch: pytest.MonkeyPatch) -> None:
    before = unchanged(flip.decisions)
    for name, table in flip.stand_ins.items():
        monkeypatch.setattr(name, table)
    assert flip.decisions() != before, "no decision reads this cell"
