"""Appending events to a tenant's chain: what an engine without a way of its own does, inside its own transaction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from iris_memory.chain.canonical import JsonValue
from iris_memory.chain.link import Head, genesis, head_from_bytes, head_to_bytes, link
from iris_memory.errors import ChainError, StoreCorruptError
from iris_memory.ports.rows import AuditRow, SubjectState


class HasHead(Protocol):
    """Knows where a tenant's chain ends."""

    def audit_head(self, tenant: str) -> bytes | None:
        """Return the stored head of the tenant's chain."""
        ...


class Appends(HasHead, Protocol):
    """Also appends lines that are linked already, and knows a person's counters."""

    def state(self, tenant: str, person: str) -> SubjectState:
        """Return the counters of a person."""
        ...

    def append_audit(self, tenant: str, rows: list[AuditRow], head: bytes) -> None:
        """Append events and replace the head."""
        ...


def head_of(reading: HasHead, tenant: str) -> Head:
    """Return the head of a tenant's chain.

    Raises:
        StoreCorruptError: what is stored is no head.
    """
    stored = reading.audit_head(tenant)
    return genesis(tenant) if stored is None else _head(stored)


def append_linked(tx: Appends, tenant: str, body: Mapping[str, JsonValue], *, at: int) -> None:
    """Link one event to the end of the tenant's chain and append it."""
    line, head = link(head_of(tx, tenant), body, at=at)
    tx.append_audit(tenant, [AuditRow(head.size, line)], head_to_bytes(head))


def append_unless_changed(
    tx: Appends, tenant: str, person: str, state: SubjectState, body: Mapping[str, JsonValue], *, at: int
) -> bool:
    """Append one event if a person's counters are still these; say whether they are."""
    if tx.state(tenant, person) != state:
        return False
    append_linked(tx, tenant, body, at=at)
    return True


@lru_cache(maxsize=1_024)
def _head(stored: bytes) -> Head:
    # the head a process wrote last is the one it reads next
    try:
        return head_from_bytes(stored)
    except ChainError:
        raise StoreCorruptError("the head of an audit chain cannot be read; keep the files, restore a backup") from None
