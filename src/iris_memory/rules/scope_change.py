"""Scope change: may a memory go from where it is to somewhere else, and as what (`tables.scope_changes`).

Laws:
- what a tenant keeps is never moved; the profile may have a read-only copy, which stays under the tenant's policy;
- nothing leaves an operator's copilot;
- a read-only copy goes nowhere and is not edited: it follows its source.
"""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Lifecycle, MemoryEntry
from iris_memory.contracts.scope import AdapterScope, Scope, ScopeKind
from iris_memory.contracts.write import Refused
from iris_memory.rules import retention
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.scope_changes import SCOPE_CHANGES, Passage, ScopeChangeCell


def decide(entry: MemoryEntry, target: Scope, adapter: AdapterScope, *, read_only: bool) -> ScopeChangeCell | Refused:
    """Return how a memory may go to a scope, or why not.

    Args:
        entry: the revision in force.
        target: where it would go.
        adapter: the policy layer over the target.
        read_only: a copy is asked for, not a move.
    """
    if is_read_only_copy(entry):
        return Refused(reason=RefusalReason.READ_ONLY_COPY, rule="a read-only copy follows its source")
    if (entry.scope, entry.adapter_scope) == (target, adapter):
        return Refused(reason=RefusalReason.SCOPE_UNCHANGED, rule="the memory is in that scope already")
    cell = SCOPE_CHANGES[entry.scope.kind, target.kind]
    if cell.refused is not None:
        return Refused(reason=cell.refused, rule=f"{entry.scope.kind.value} to {target.kind.value}")
    if (cell.passage is Passage.COPY) is not read_only:
        reason = RefusalReason.TENANT_MEMORY_STAYS
        if entry.scope.kind is not ScopeKind.TENANT:
            reason = RefusalReason.SCOPE_CHANGE_NOT_ALLOWED
        return Refused(reason=reason, rule="a tenant's memory is copied, read-only; everything else is moved")
    if entry.lifecycle is not Lifecycle.ACTIVE or entry.quarantine is not None:
        return Refused(reason=RefusalReason.NOT_ACTIVE, rule="only an active memory changes its scope")
    if entry.suppression is not None:  # met by another memory, its words would be recalled under that one
        return Refused(reason=RefusalReason.NOT_ACTIVE, rule="what is held back stays where it is")
    return cell


def is_read_only_copy(entry: MemoryEntry) -> bool:
    """Say whether an entry is a read-only copy: it lies in one kind of scope under the policy of another."""
    return ADAPTER_SCOPES[entry.adapter_scope].kind is not entry.scope.kind


def asked_end(entry: MemoryEntry) -> datetime | None:
    """Return when the person asked a memory to end; None where only the envelope of its scope ends it."""
    envelope = retention.expiry(entry.adapter_scope, entry.origin, created_at=entry.created_at, asked=None)
    return entry.expires_at if entry.expires_at != envelope else None
