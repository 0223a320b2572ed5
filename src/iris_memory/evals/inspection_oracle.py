"""The oracle of operator inspection: the policy once more, written from its specification, with no table of the gate.

It takes plain facts and answers with a word. It shares no line with `gates.inspection`; where the two differ, one of
them is wrong (AUT-5).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from iris_memory.contracts.inspection import InspectionPath, InspectionReason, OperatorRole
from iris_memory.contracts.scope import (
    NotebookScope,
    OperatorCopilotScope,
    ProfileScope,
    Scope,
    SessionScope,
    TenantScope,
)
from iris_memory.evals.stage import Draws
from iris_memory.gates.inspection import Approver, InspectionAsk

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def judge(facts: Mapping[str, Any]) -> str:
    """Return `granted`, or the code of the first objection."""
    for objection in (_tenant, _bounds, _interest, _consent, _routine, _role, _width, _time, _independence, _count):
        code = objection(facts)
        if code:
            return code
    return "granted"


def _tenant(facts: Mapping[str, Any]) -> str:
    if facts["operator_tenant"] != facts["target_tenant"]:
        return "cross-tenant"
    named = facts["scope"].get("tenant_id")
    return "cross-tenant" if named is not None and named != facts["target_tenant"] else ""


def _bounds(facts: Mapping[str, Any]) -> str:
    scope = facts["scope"]
    if not scope:
        return ""
    owner = scope["operator_id"] if scope["kind"] == "operator-copilot" else scope["user_id"]
    return "" if owner == facts["target_user"] else "scope-out-of-bounds"


def _interest(facts: Mapping[str, Any]) -> str:
    path, reason = facts["path"], facts["reason"]
    if path == "dsar-fulfillment":
        stands = reason == "data-subject-request" and facts["request_open"]
    elif path == "incident-escalation":
        stands = reason in ("safety-incident", "security-incident", "abuse-report") and facts["incident_verified"]
    else:
        stands = reason in ("support-case", "quality-review")
    if facts["break_glass"]:
        stands = stands and path == "incident-escalation" and facts["is_safety_critical"]
    return "" if stands else "no-legitimate-interest"


def _consent(facts: Mapping[str, Any]) -> str:
    if not facts["is_sensitive"]:
        return ""
    named = facts["consent_snapshot_id"]
    return "" if named is not None and named == facts["consent_head"] else "consent-not-current"


def _routine(facts: Mapping[str, Any]) -> str:
    return "sensitive-routine-review" if facts["is_sensitive"] and facts["path"] == "routine-review" else ""


def _role(facts: Mapping[str, Any]) -> str:
    role, path = facts["role"], facts["path"]
    if facts["is_sensitive"]:
        allowed = (role, path) in (("legal", "dsar-fulfillment"), ("t&s", "incident-escalation"))
    elif role == "support":
        allowed = path == "routine-review"
    elif role == "legal":
        allowed = True
    else:
        allowed = path != "dsar-fulfillment"
    return "" if allowed else "role-not-permitted"


def _width(facts: Mapping[str, Any]) -> str:
    return "scope-too-wide" if facts["matched"] > facts["most"] else ""


def _time(facts: Mapping[str, Any]) -> str:
    return "" if facts["now"] < facts["answer_by"] else "grant-expired"


def _independence(facts: Mapping[str, Any]) -> str:
    for actor, role, line in facts["approvers"]:
        same_line = line is not None and facts["line"] is not None and line == facts["line"]
        if _spelt(actor) == _spelt(facts["requester"]) or role == "support" or same_line:
            return "self-approval"
    return ""


def _count(facts: Mapping[str, Any]) -> str:
    needed = 0 if facts["break_glass"] else 2 if facts["is_sensitive"] else 1
    people = {_spelt(actor) for actor, _, _ in facts["approvers"]}
    return "second-approver-missing" if len(people) < needed else ""


def _spelt(actor: str) -> str:
    """Return a name without what only its spelling adds."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", actor).casefold())
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Cf").strip()


def facts_of(ask: InspectionAsk) -> dict[str, Any]:
    """Return the plain facts of what the gate is asked."""
    facts = {name: getattr(ask, name) for name in InspectionAsk.__slots__}
    facts["scope"] = {} if ask.scope is None else {name: str(value) for name, value in dict(ask.scope).items()}
    for name in ("path", "reason", "role"):
        facts[name] = facts[name].value
    facts["approvers"] = [(approver.actor, approver.role.value, approver.line) for approver in ask.approvers]
    return facts


def random_ask(draws: Draws) -> InspectionAsk:
    """Return a request that is sound in most of its parts, so that every objection gets its turn."""
    path = draws.one(list(InspectionPath))
    fitting = {
        InspectionPath.DSAR_FULFILLMENT: [InspectionReason.DATA_SUBJECT_REQUEST],
        InspectionPath.INCIDENT_ESCALATION: [
            InspectionReason.SAFETY_INCIDENT,
            InspectionReason.SECURITY_INCIDENT,
            InspectionReason.ABUSE_REPORT,
        ],
        InspectionPath.ROUTINE_REVIEW: [InspectionReason.SUPPORT_CASE, InspectionReason.QUALITY_REVIEW],
    }[path]
    head = draws.one(["h1", "h1", "h1", None])
    return InspectionAsk(
        operator_tenant=_mostly(draws, "acme", "rival"),
        target_tenant=_mostly(draws, "acme", "rival"),
        target_user=_mostly(draws, "ada", "bob"),
        scope=_scope(draws),
        path=path,
        reason=draws.one(list(InspectionReason)) if draws.chance(8) else draws.one(fitting),
        requester=draws.one(["op1", "op2"]),
        role=draws.one(list(OperatorRole)),
        line=draws.one([None, "north", "south"]),
        is_sensitive=draws.chance(2),
        is_safety_critical=draws.chance(2),
        break_glass=draws.chance(6),
        incident_verified=not draws.chance(6),
        request_open=not draws.chance(6),
        consent_snapshot_id=draws.one([head, head, head, None, "h0"]),
        consent_head=head,
        matched=draws.below(12),
        most=draws.one([5, 10, 20]),
        approvers=tuple(_approver(draws) for _ in range(draws.below(4))),
        now=NOON + timedelta(seconds=draws.one([-2, -1, -1, -1, 0, 1])),
        answer_by=NOON,
    )


def _approver(draws: Draws) -> Approver:
    roles = [OperatorRole.ADMIN, OperatorRole.LEGAL, OperatorRole.TRUST_AND_SAFETY]
    role = OperatorRole.SUPPORT if draws.chance(12) else draws.one(roles)
    line = draws.one(["north", "south"]) if draws.chance(4) else None
    return Approver(draws.one(["op2", "op3", "op4", "op5", "OP5", "\uff4f\uff502", "o\u200bp4"]), role, line)


def _scope(draws: Draws) -> Scope | None:
    user, tenant = _mostly(draws, "ada", "bob"), _mostly(draws, "acme", "rival")
    choices: list[Scope | None] = [
        None,
        None,
        ProfileScope(user_id=user),
        SessionScope(user_id=user, session_id="s"),
        NotebookScope(user_id=user, notebook_id="n"),
        TenantScope(tenant_id=tenant, user_id=user),
        OperatorCopilotScope(tenant_id=tenant, operator_id=user),
    ]
    return draws.one(choices)


def _mostly(draws: Draws, usual: str, other: str) -> str:
    return other if draws.chance(16) else usual
