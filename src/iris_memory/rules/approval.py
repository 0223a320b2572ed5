"""Approvals of scopes that need governance review: what may become of a request, and when."""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.consent import ApprovalRequest, ApprovalState, GovernanceApproval
from iris_memory.contracts.decision import RefusalReason
from iris_memory.errors import ContractError


def standing(request: ApprovalRequest, *, now: datetime) -> ApprovalRequest:
    """Return a request as it stands at `now`: what nobody answered in time, and leave whose time is over, expired."""
    ends = {ApprovalState.ASKED: request.answer_by, ApprovalState.GRANTED: request.wanted_until}.get(request.state)
    if ends is None or now < ends:
        return request
    return request.model_copy(update={"state": ApprovalState.EXPIRED})


def why_not_granted(request: ApprovalRequest, *, granted_by: str, now: datetime) -> RefusalReason | None:
    """Return why somebody may not grant a request; None where they may."""
    if standing(request, now=now).state is not ApprovalState.ASKED:
        return RefusalReason.NOT_WAITING
    if granted_by == request.asked_by:
        return RefusalReason.SELF_APPROVAL
    return None


def why_not_withdrawn(request: ApprovalRequest, *, now: datetime) -> RefusalReason | None:
    """Return why a request, or the leave given on it, cannot be taken back; None where it can."""
    if standing(request, now=now).state in {ApprovalState.ASKED, ApprovalState.GRANTED}:
        return None
    return RefusalReason.NOT_WAITING


def granted(request: ApprovalRequest, *, by: str, now: datetime) -> ApprovalRequest:
    """Return a request with leave given."""
    return request.model_copy(update={"state": ApprovalState.GRANTED, "granted_by": by, "granted_at": now})


def withdrawn(request: ApprovalRequest, *, by: str, now: datetime) -> ApprovalRequest:
    """Return a request taken back."""
    return request.model_copy(update={"state": ApprovalState.WITHDRAWN, "withdrawn_by": by, "withdrawn_at": now})


def approval_of(request: ApprovalRequest) -> GovernanceApproval:
    """Return the approval that a granted request is.

    Raises:
        ContractError: it is not granted.
    """
    if request.granted_by is None or request.granted_at is None:
        raise ContractError("only a granted request is an approval")
    return GovernanceApproval(
        tenant_id=request.tenant_id,
        adapter_scope=request.adapter_scope,
        approver=request.granted_by,
        reason=request.reason,
        granted_at=request.granted_at,
        expires_at=request.wanted_until,
    )
