"""The policy gate of operator inspection: whether somebody may look, from facts alone. What is not known denies.

The checks run in the order of `ORDER`; the first that objects is the verdict. Two of them, `self-approval` and
`second-approver-missing`, say that somebody else's word is still missing; every other one ends the request.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from iris_memory.contracts.inspection import InspectionDenial, InspectionPath, InspectionReason, OperatorRole
from iris_memory.contracts.scope import OperatorCopilotScope, Scope, TenantScope, owner_of
from iris_memory.tables.inspectors import INSPECTORS, REASONS, SENSITIVE_APPROVERS

D = InspectionDenial


@dataclass(frozen=True, slots=True)
class Approver:
    """Who said yes. `line` is their reporting line, where the deployment told it."""

    actor: str
    role: OperatorRole
    line: str | None = None


@dataclass(frozen=True, slots=True)
class InspectionAsk:
    """Everything the verdict depends on.

    `incident_verified`: the signed incident reference verifies, now, for this tenant and person. `request_open`: the
    reference names a data-rights request of this person that is in progress. `is_safety_critical`: what is asked for
    is safety-critical memory and nothing else. `matched`: memories in the set, `most` its cap.
    """

    operator_tenant: str
    target_tenant: str
    target_user: str
    scope: Scope | None
    path: InspectionPath
    reason: InspectionReason
    requester: str
    role: OperatorRole
    line: str | None
    is_sensitive: bool
    is_safety_critical: bool
    break_glass: bool
    incident_verified: bool
    request_open: bool
    consent_snapshot_id: str | None
    consent_head: str | None
    matched: int
    most: int
    approvers: tuple[Approver, ...]
    now: datetime
    answer_by: datetime


def verdict(ask: InspectionAsk) -> InspectionDenial | None:
    """Return why an inspection is not granted; None grants it."""
    return next((reason for reason, objects in ORDER if objects(ask)), None)


def needed_approvers(ask: InspectionAsk) -> int:
    """Return how many other people must say yes."""
    if ask.break_glass:
        return 0
    return SENSITIVE_APPROVERS if ask.is_sensitive else 1


def is_independent(approver: Approver, *, requester: str, line: str | None) -> bool:
    """Say whether somebody may approve for another: not themself, and not out of the same reporting line if known."""
    if is_same_actor(approver.actor, requester):
        return False
    return approver.line is None or line is None or approver.line != line


def folded_actor(actor: str) -> str:
    """Return an operator's name as it is compared where two must be two: a spelling never makes another person.

    Width, case, what has no glyph and space at the ends say nothing (Unicode NFKC, case folding, category Cf).
    """
    if actor.isascii():
        return actor.casefold().strip()
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", actor) if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", seen.casefold()).strip()


def is_same_actor(one: str, other: str) -> bool:
    """Say whether two names may be one operator's."""
    return folded_actor(one) == folded_actor(other)


def _crosses_tenants(ask: InspectionAsk) -> bool:
    scope = ask.scope
    named = scope.tenant_id if isinstance(scope, TenantScope | OperatorCopilotScope) else ask.target_tenant
    return not ask.operator_tenant == ask.target_tenant == named


def _is_out_of_bounds(ask: InspectionAsk) -> bool:
    return ask.scope is not None and owner_of(ask.scope) != ask.target_user


def _has_no_interest(ask: InspectionAsk) -> bool:
    if REASONS[ask.reason] is not ask.path:
        return True
    if ask.path is InspectionPath.DSAR_FULFILLMENT and not ask.request_open:
        return True
    if ask.path is InspectionPath.INCIDENT_ESCALATION and not ask.incident_verified:
        return True
    return ask.break_glass and not (ask.path is InspectionPath.INCIDENT_ESCALATION and ask.is_safety_critical)


def _lacks_consent(ask: InspectionAsk) -> bool:
    return ask.is_sensitive and (ask.consent_snapshot_id is None or ask.consent_snapshot_id != ask.consent_head)


def _is_sensitive_routine(ask: InspectionAsk) -> bool:
    return ask.is_sensitive and ask.path is InspectionPath.ROUTINE_REVIEW


def _is_role_wrong(ask: InspectionAsk) -> bool:
    row = INSPECTORS[ask.role]
    return ask.path not in (row.sensitive if ask.is_sensitive else row.ordinary)


def _is_too_wide(ask: InspectionAsk) -> bool:
    return ask.matched > ask.most


def _is_over(ask: InspectionAsk) -> bool:
    return ask.now >= ask.answer_by


def _is_self_approved(ask: InspectionAsk) -> bool:
    return any(
        not is_independent(approver, requester=ask.requester, line=ask.line) or not INSPECTORS[approver.role].approves
        for approver in ask.approvers
    )


def _lacks_approvers(ask: InspectionAsk) -> bool:
    return len({folded_actor(approver.actor) for approver in ask.approvers}) < needed_approvers(ask)


ORDER: Final[tuple[tuple[InspectionDenial, Callable[[InspectionAsk], bool]], ...]] = (
    (D.CROSS_TENANT, _crosses_tenants),
    (D.SCOPE_OUT_OF_BOUNDS, _is_out_of_bounds),
    (D.NO_LEGITIMATE_INTEREST, _has_no_interest),
    (D.CONSENT_NOT_CURRENT, _lacks_consent),
    (D.SENSITIVE_ROUTINE_REVIEW, _is_sensitive_routine),
    (D.ROLE_NOT_PERMITTED, _is_role_wrong),
    (D.SCOPE_TOO_WIDE, _is_too_wide),
    (D.GRANT_EXPIRED, _is_over),
    (D.SELF_APPROVAL, _is_self_approved),
    (D.SECOND_APPROVER_MISSING, _lacks_approvers),
)

STILL_MISSING: Final = frozenset({D.SELF_APPROVAL, D.SECOND_APPROVER_MISSING})
"""Verdicts that leave a request waiting."""
