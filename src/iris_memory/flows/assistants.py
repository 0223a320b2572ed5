"""Assistants of a tenant: registered, changed, retired; and what each may not reach.

An identity is a record of the tenant. A change moves the tenant's version, on which every recall's answer stands, so
that no answer outlives the identity it was given under.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import ValidationError

from iris_memory.contracts.audit import ASSISTANT_POLICY, AuditAction
from iris_memory.contracts.category import Surface
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.tenant_records import open_tenant_record, tenant_record
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.identity import barred_scopes


def register(
    instruments: Instruments,
    tenant: str,
    *,
    assistant_id: str,
    display_name: str,
    persona_ref: str,
    surfaces: Collection[Surface],
    scopes: Collection[AdapterScope],
) -> AssistantIdentity:
    """Register an assistant, or change it; one that was retired is taken back into use.

    Raises:
        ContractError: a value breaks the contract.
    """
    now = instruments.clock.now()

    def work(tx: Transaction) -> AssistantIdentity:
        known = _identities(instruments, tenant, tx).get(assistant_id)
        identity = AssistantIdentity(
            assistant_id=assistant_id,
            display_name=display_name,
            persona_ref=persona_ref,
            surfaces=frozenset(surfaces),
            scopes=frozenset(scopes),
            registered_at=known.registered_at if known is not None else now,
            updated_at=now,
        )
        _put(instruments, tenant, tx, identity, "changed" if known is not None else "registered")
        return identity

    try:
        return instruments.store.write(work, durable=True)
    except ValidationError as problem:
        refuse_invalid(problem, what="assistant")


def retire(instruments: Instruments, tenant: str, assistant_id: str) -> AssistantIdentity | None:
    """Retire an assistant: from now on it reaches nothing. None where it is not registered."""
    now = instruments.clock.now()

    def work(tx: Transaction) -> AssistantIdentity | None:
        known = _identities(instruments, tenant, tx).get(assistant_id)
        if known is None or known.retired_at is not None:
            return known
        identity = known.model_copy(update={"retired_at": now, "updated_at": now})
        _put(instruments, tenant, tx, identity, "retired")
        return identity

    return instruments.store.write(work, durable=True)


def assistants(instruments: Instruments, tenant: str) -> tuple[AssistantIdentity, ...]:
    """Return the assistants of a tenant by id, retired ones included."""
    with instruments.store.read() as reading:
        known = _identities(instruments, tenant, reading)
    return tuple(known[name] for name in sorted(known))


def barred(
    instruments: Instruments, caller: Caller, *, tenant_version: int, surface: Surface | None = None
) -> frozenset[AdapterScope]:
    """Return the scopes the caller's assistant may not reach: none where it names none, or one not registered."""
    if caller.assistant_id is None:
        return frozenset()
    known: dict[str, Any] = instruments.assistants
    held = known.get(caller.tenant)
    if held is None or held[0] < tenant_version:
        with instruments.store.read() as reading:
            version = max(tenant_version, reading.state(caller.tenant, TENANT or "-").tenant_version)
            held = (version, _identities(instruments, caller.tenant, reading))
        known[caller.tenant] = held
    return barred_scopes(held[1].get(caller.assistant_id), surface)


def _identities(instruments: Instruments, tenant: str, reading: Reading) -> dict[str, AssistantIdentity]:
    rows = reading.records(tenant, TENANT, RecordKind.ASSISTANT)
    return {
        row.key: AssistantIdentity.model_validate_json(open_tenant_record(instruments, tenant, row)) for row in rows
    }


def _put(instruments: Instruments, tenant: str, tx: Transaction, identity: AssistantIdentity, what: str) -> None:
    now = identity.updated_at
    seq = tx.bump(tenant, TENANT)
    row = tenant_record(instruments, tenant, RecordKind.ASSISTANT, identity.assistant_id, identity, now=now, seq=seq)
    tx.put_record(tenant, TENANT, row)
    write_event(
        tx,
        tenant,
        action=AuditAction.ASSISTANT_CHANGED,
        policy=ASSISTANT_POLICY,
        person=TENANT,
        now=now,
        facts={"object_ids": [identity.assistant_id], "what": what, "scopes": sorted(identity.scopes)},
    )
