"""The journal: audit events, linked into the tenant's chain in the same transaction as what they tell of.

An event holds ids, codes, counts and keyed commitments; never content, and no unkeyed hash of anything guessable.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from iris_memory.chain.canonical import JsonValue
from iris_memory.chain.link import Head, genesis, head_from_bytes, head_to_bytes, link
from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import ChainError, StoreCorruptError
from iris_memory.ports.rows import AuditRow
from iris_memory.ports.unit_of_work import Reading, Transaction


def head_of(reading: Reading, tenant: str) -> Head:
    """Return the head of a tenant's chain.

    Raises:
        StoreCorruptError: what is stored is no head.
    """
    stored = reading.audit_head(tenant)
    return genesis(tenant) if stored is None else _head(stored)


@lru_cache(maxsize=1_024)
def _head(stored: bytes) -> Head:
    # the head a process wrote last is the one it reads next
    try:
        return head_from_bytes(stored)
    except ChainError:
        raise StoreCorruptError("the head of an audit chain cannot be read; keep the files, restore a backup") from None


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
) -> Head:
    """Append one event to a tenant's chain and return the new head."""
    body: dict[str, JsonValue] = {
        "action": action.value,
        "policy_id": policy,
        "severity": severity.value,
        "person": person,
        **(facts or {}),
    }
    line, head = link(head_of(tx, tenant), body, at=to_micros(now))
    tx.append_audit(tenant, [AuditRow(head.size, line)], head_to_bytes(head))
    return head
