"""Approving: leave to use a reviewed scope is asked for, granted by another, ends by itself, and can be withdrawn.

A request waits for a while. The one who asked never grants it. A granted one is in force until its end or until anybody
who governs withdraws it, and takes effect for everybody in the tenant with the transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pydantic import ValidationError

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction
from iris_memory.contracts.consent import ApprovalRequest, ApprovalState, GovernanceApproval
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.tenant_records import open_tenant_record, tenant_record
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.approval import approval_of, granted, standing, why_not_granted, why_not_withdrawn, withdrawn
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.limits import APPROVAL_ANSWER_WITHIN, APPROVAL_LIFETIME_MOST


def ask_approval(
    instruments: Instruments,
    tenant: str,
    adapter_scope: AdapterScope,
    *,
    asked_by: str,
    reason: str,
    until: datetime,
) -> ApprovalRequest:
    """Ask for leave to use a scope that needs governance review.

    Raises:
        ContractError: the scope needs no review, or the time asked for is over before it begins or too long.
    """
    now = instruments.clock.now()
    if not ADAPTER_SCOPES[adapter_scope].needs_governance_review:
        raise ContractError(f"the scope {adapter_scope.value} needs no governance approval")
    if until <= now:
        raise ContractError("an approval ends after it begins")
    if until > now + APPROVAL_LIFETIME_MOST:
        raise ContractError(f"an approval is asked for {APPROVAL_LIFETIME_MOST.days} days at most")
    try:
        request = ApprovalRequest(
            request_id=instruments.ids.entry_id(now),
            tenant_id=tenant,
            adapter_scope=adapter_scope,
            asked_by=asked_by,
            reason=reason,
            asked_at=now,
            answer_by=min(now + APPROVAL_ANSWER_WITHIN, until),
            wanted_until=until,
        )
    except ValidationError as problem:
        refuse_invalid(problem, what="approval")

    def work(tx: Transaction) -> ApprovalRequest:
        _keep(instruments, tx, request, now)
        _tell(tx, request, AuditAction.APPROVAL_ASKED, by=asked_by, now=now)
        return request

    return instruments.store.write(work, durable=True)


def grant_approval(
    instruments: Instruments, tenant: str, request_id: str, *, granted_by: str
) -> ApprovalRequest | Refused:
    """Give the leave that was asked for; it is in force from then on.

    Refused as `self-approval` to the one who asked, and as `not-waiting` where it was answered or is over.

    Raises:
        UnknownMemoryError: the tenant has no such request.
    """
    now = instruments.clock.now()

    def change(tx: Transaction, request: ApprovalRequest) -> ApprovalRequest | Refused:
        why = why_not_granted(request, granted_by=granted_by, now=now)
        if why is not None:
            return _refused(why)
        done = granted(request, by=granted_by, now=now)
        seq = tx.bump(tenant, TENANT)
        row = tenant_record(instruments, tenant, RecordKind.APPROVAL, _key(done), approval_of(done), now=now, seq=seq)
        tx.put_record(tenant, TENANT, row)
        _tell(tx, done, AuditAction.APPROVAL_GRANTED, by=granted_by, now=now)
        return done

    return _change(instruments, tenant, request_id, change, now)


def withdraw_approval(
    instruments: Instruments, tenant: str, request_id: str, *, withdrawn_by: str
) -> ApprovalRequest | Refused:
    """Take back a request that waits, or the leave that was given on it; the scope is closed from then on.

    Raises:
        UnknownMemoryError: the tenant has no such request.
    """
    now = instruments.clock.now()

    def change(tx: Transaction, request: ApprovalRequest) -> ApprovalRequest | Refused:
        why = why_not_withdrawn(request, now=now)
        if why is not None:
            return _refused(why)
        if request.state is ApprovalState.GRANTED:
            tx.bump(tenant, TENANT)
            tx.drop_records(tenant, TENANT, RecordKind.APPROVAL, [_key(request)])
        done = withdrawn(request, by=withdrawn_by, now=now)
        _tell(tx, done, AuditAction.APPROVAL_WITHDRAWN, by=withdrawn_by, now=now)
        return done

    return _change(instruments, tenant, request_id, change, now)


def approval_requests(instruments: Instruments, tenant: str) -> list[ApprovalRequest]:
    """Return a tenant's requests as they stand now, oldest first."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        rows = reading.records(tenant, TENANT, RecordKind.APPROVAL_REQUEST)
    found = [_opened(open_tenant_record(instruments, tenant, row)) for row in rows]
    return sorted((standing(one, now=now) for one in found), key=lambda one: (one.asked_at, one.request_id))


def approvals(instruments: Instruments, tenant: str) -> list[GovernanceApproval]:
    """Return the approvals in force, by the end of their time."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        rows = reading.records(tenant, TENANT, RecordKind.APPROVAL)
    found = [GovernanceApproval.model_validate_json(open_tenant_record(instruments, tenant, row)) for row in rows]
    return sorted(
        (one for one in found if one.granted_at <= now < one.expires_at),
        key=lambda one: (one.expires_at, one.adapter_scope.value),
    )


def _change(
    instruments: Instruments,
    tenant: str,
    request_id: str,
    change: Callable[[Transaction, ApprovalRequest], ApprovalRequest | Refused],
    now: datetime,
) -> ApprovalRequest | Refused:
    def work(tx: Transaction) -> ApprovalRequest | Refused:
        outcome = change(tx, _request(instruments, tx, tenant, request_id))
        if isinstance(outcome, ApprovalRequest):
            _keep(instruments, tx, outcome, now)
        return outcome

    return instruments.store.write(work, durable=True)


def _request(instruments: Instruments, reading: Reading, tenant: str, request_id: str) -> ApprovalRequest:
    row = reading.record(tenant, TENANT, RecordKind.APPROVAL_REQUEST, request_id)
    if row is None:
        raise UnknownMemoryError("there is no such request")
    return _opened(open_tenant_record(instruments, tenant, row))


def _keep(instruments: Instruments, tx: Transaction, request: ApprovalRequest, now: datetime) -> None:
    row = tenant_record(
        instruments, request.tenant_id, RecordKind.APPROVAL_REQUEST, request.request_id, request, now=now
    )
    tx.put_record(request.tenant_id, TENANT, row)


def _tell(tx: Transaction, request: ApprovalRequest, action: AuditAction, *, by: str, now: datetime) -> None:
    write_event(
        tx,
        request.tenant_id,
        action=action,
        policy=CONSENT_POLICY,
        person=TENANT,
        now=now,
        facts={"object_ids": [request.request_id], "adapter_scope": request.adapter_scope.value, "by": by},
    )


def _key(request: ApprovalRequest) -> str:
    return f"{request.adapter_scope.value}:{request.request_id}"


def _opened(plain: bytes) -> ApprovalRequest:
    return ApprovalRequest.model_validate_json(plain)


def _refused(reason: RefusalReason) -> Refused:
    if reason is RefusalReason.SELF_APPROVAL:
        return Refused(reason=reason, rule="an approval is granted by somebody other than the one who asks")
    return Refused(reason=reason, rule="the request was answered before, or its time is over")
