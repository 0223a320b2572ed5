"""Govern: what a tenant decides for its people: settings, and approvals of scopes that need governance review."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import ValidationError

from iris_memory.contracts.audit import CONSENT_POLICY, AuditAction
from iris_memory.contracts.consent import GovernanceApproval
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import refuse_invalid, to_micros
from iris_memory.errors import ContractError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT, TenantSettings
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES

_SETTINGS_KEY = "settings"


def approve_scope(
    instruments: Instruments,
    tenant: str,
    adapter_scope: AdapterScope,
    *,
    approver: str,
    reason: str,
    expires_at: datetime,
) -> GovernanceApproval:
    """Record leave to use a scope that needs governance review.

    Raises:
        ContractError: the scope needs no review, or the approval would be over before it begins.
    """
    now = instruments.clock.now()
    if not ADAPTER_SCOPES[adapter_scope].needs_governance_review:
        raise ContractError(f"the scope {adapter_scope.value} needs no governance approval")
    if expires_at <= now:
        raise ContractError("an approval ends after it begins")
    try:
        approval = GovernanceApproval(
            tenant_id=tenant,
            adapter_scope=adapter_scope,
            approver=approver,
            reason=reason,
            granted_at=now,
            expires_at=expires_at,
        )
    except ValidationError as problem:
        refuse_invalid(problem, what="approval")
    key = f"{adapter_scope.value}:{instruments.ids.entry_id(now)}"
    _put(instruments, tenant, RecordKind.APPROVAL, key, approval.model_dump_json(), AuditAction.APPROVAL_GRANTED, now)
    return approval


def set_tenant_policy(instruments: Instruments, tenant: str, *, notebook_reaches_tenant: bool) -> TenantSettings:
    """Say whether notebook requests may reach the tenant's memory of the same person."""
    return _set(instruments, tenant, tenant_policy=notebook_reaches_tenant)


def set_tenant_contract(instruments: Instruments, tenant: str, *, ends_at: datetime | None) -> TenantSettings:
    """Say when the tenant's contract ends: from then on what the tenant keeps about people is recalled no more, and the
    next sweep ends it. None: no end is known.
    """
    return _set(instruments, tenant, contract_ends_at=ends_at)


def tenant_settings(instruments: Instruments, tenant: str) -> TenantSettings:
    """Return what a tenant set for its people."""
    with instruments.store.read() as reading:
        row = reading.record(tenant, TENANT, RecordKind.SETTING, _SETTINGS_KEY)
    if row is None:
        return TenantSettings()
    key = derived(instruments.vault.tenant_key(tenant), "records")
    location = record_location(tenant, TENANT, RecordKind.SETTING.value, _SETTINGS_KEY, 0)
    return TenantSettings.model_validate_json(open_sealed(key, row.blob, location=location))


def _set(instruments: Instruments, tenant: str, **changes: Any) -> TenantSettings:
    known = tenant_settings(instruments, tenant)
    settings = TenantSettings.model_validate({**known.model_dump(), **changes})
    now = instruments.clock.now()
    _put(
        instruments,
        tenant,
        RecordKind.SETTING,
        _SETTINGS_KEY,
        settings.model_dump_json(),
        AuditAction.SETTING_CHANGED,
        now,
    )
    return settings


def _put(
    instruments: Instruments,
    tenant: str,
    kind: RecordKind,
    key: str,
    value: str,
    action: AuditAction,
    now: datetime,
) -> None:
    record_key = derived(instruments.vault.tenant_key(tenant), "records")
    location = record_location(tenant, TENANT, kind.value, key, 0)
    blob = seal(record_key, value.encode(), location=location, nonce=instruments.ids.secret(NONCE_LENGTH))

    def work(tx: Transaction) -> None:
        seq = tx.bump(tenant, TENANT)
        tx.put_record(tenant, TENANT, RecordRow(kind, key, seq, to_micros(now), None, 0, blob))
        write_event(
            tx,
            tenant,
            action=action,
            policy=CONSENT_POLICY,
            person=TENANT,
            now=now,
            facts={"object_ids": [key.partition(":")[0]]},
        )

    instruments.store.write(work, durable=True)
