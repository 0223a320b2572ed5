"""The journal: audit events, linked into the tenant's chain in the same transaction as what they tell of.

An event holds ids, codes, counts and keyed commitments; never content, and no unkeyed hash of anything guessable.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.shape import to_micros
from iris_memory.ports.linking import head_of
from iris_memory.ports.unit_of_work import Transaction


def write_event(
    tx: Transaction,
    tenant: str,
    *,
    action: AuditAction,
    policy: str,
    person: str,
    now: datetime,
    severity: Severity = Severity.INFO,
    facts: Mapping[str, JsonValue] | None = None,
) -> None:
    """Append one event to a tenant's chain; who needs the head that follows asks for it (`head_of`)."""
    body = event_body(action=action, policy=policy, person=person, severity=severity, facts=facts)
    tx.append_event(tenant, body, at=to_micros(now))


def event_body(
    *,
    action: AuditAction,
    policy: str,
    person: str,
    severity: Severity = Severity.INFO,
    facts: Mapping[str, JsonValue] | None = None,
) -> dict[str, JsonValue]:
    """Return what a line of the chain says besides the fields that link it."""
    return {
        "action": action.value,
        "policy_id": policy,
        "severity": severity.value,
        "person": person,
        **(facts or {}),
    }


__all__ = ["event_body", "head_of", "write_event"]
