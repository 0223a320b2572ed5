"""The policy explainer: may a role by a path read a scope of a sensitive target, and which rule decides.

The answer is the gate's own: every check is asked in its order, with everything else a request depends on as it should
be, and the first that objects decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from iris_memory.contracts.inspection import InspectionDenial, InspectionPath, OperatorRole
from iris_memory.contracts.scope import AdapterScope
from iris_memory.gates.inspection import ORDER, Approver, InspectionAsk, needed_approvers
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.inspectors import GRANT_MINUTES, INSPECTORS, REASONS, SENSITIVE_APPROVERS
from iris_memory.web.doors import Door, opened
from iris_memory.web.inspection_words import DENIALS, INSPECTOR_ROLES, PATHS
from iris_memory.web.rendering import render
from iris_memory.web.visitor import Visits
from iris_memory.web.wording import SCOPES

router = APIRouter(prefix="/operators/policy")

Short = Annotated[str, Query(max_length=100)]
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the answer: the code, the rule, and what came of it."""

    code: str
    rule: str
    objects: bool
    decides: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer to one question."""

    may: bool
    checks: tuple[Check, ...]
    needed: str
    approvers: int


@router.get("")
def explainer(
    request: Request, visitor: Visits, role: Short = "", path: Short = "", scope: Short = "", sensitive: Short = ""
) -> Response:
    """Answer a question, and show the whole table it comes from."""
    opened(visitor, Door.POLICY)
    is_asked = role in set(OperatorRole) and path in set(InspectionPath) and scope in set(AdapterScope)
    answer = (
        explained(OperatorRole(role), InspectionPath(path), AdapterScope(scope), is_sensitive=sensitive == "yes")
        if is_asked
        else None
    )
    return render(
        request,
        "operators/policy.html",
        visitor,
        typed={"role": role, "path": path, "scope": scope, "sensitive": sensitive},
        answer=answer,
        is_partial=bool(role or path or scope) and not is_asked,
        roles=INSPECTOR_ROLES,
        paths=PATHS,
        scopes=SCOPES,
        table=INSPECTORS,
        sensitive_approvers=SENSITIVE_APPROVERS,
        grant_minutes=GRANT_MINUTES,
    )


def explained(role: OperatorRole, path: InspectionPath, scope: AdapterScope, *, is_sensitive: bool) -> Explained:
    """Return whether a role may read a scope by a path, with every check in the order in which it is asked."""
    is_open = path is InspectionPath.DSAR_FULFILLMENT or ADAPTER_SCOPES[scope].admin_reviewable
    ask = _ask(role, path, is_sensitive=is_sensitive)
    objections: list[tuple[str, str, bool]] = [
        (reason.value, DENIALS[reason].rule, objects(ask)) for reason, objects in ORDER
    ]
    rule = f"“{SCOPES[scope]}” is a scope that operators may review, or the path is a data-rights request."
    objections.append(("scope-not-inspectable", rule, not is_open))
    deciding = next((code for code, _, objects in objections if objects), None)
    checks = tuple(Check(code, rule, objects, code == deciding) for code, rule, objects in objections)
    if deciding is None:
        needed = ""
    elif deciding in set(InspectionDenial):
        needed = DENIALS[InspectionDenial(deciding)].needed
    else:
        needed = "A data-rights request of the person; what lies in this scope is withheld from every other path."
    return Explained(deciding is None, checks, needed, needed_approvers(ask))


def _ask(role: OperatorRole, path: InspectionPath, *, is_sensitive: bool) -> InspectionAsk:
    reason = next(reason for reason, of in REASONS.items() if of is path)
    approvers = tuple(Approver(f"approver-{place}", OperatorRole.ADMIN) for place in range(SENSITIVE_APPROVERS))
    return InspectionAsk(
        operator_tenant="tenant",
        target_tenant="tenant",
        target_user="person",
        scope=None,
        path=path,
        reason=reason,
        requester="requester",
        role=role,
        line=None,
        is_sensitive=is_sensitive,
        is_safety_critical=False,
        break_glass=False,
        incident_verified=True,
        request_open=True,
        consent_snapshot_id="head",
        consent_head="head",
        matched=1,
        most=1,
        approvers=approvers,
        now=_NOW,
        answer_by=_NOW + timedelta(days=1),
    )
