"""Gate 2, scope reach: only what the request scope reaches, in scopes that the policy of the person leaves open."""

from __future__ import annotations

from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.scope import Scope, owner_of
from iris_memory.gates.facts import Address, Asked, Gate, Trait
from iris_memory.tables.scopes import REACH


def check(address: Address, asked: Asked) -> DropReason | None:
    """Let an entry pass when it is of the same person, within reach, and in a scope that is not suppressed."""
    request = asked.request
    if address.user_id != request.user_id or owner_of(address.scope) != request.user_id:
        return DropReason.SCOPE_MISMATCH
    if not reaches(request.scope, address.scope, tenant_policy=request.tenant_policy):
        return DropReason.SCOPE_MISMATCH
    if address.adapter_scope in (asked.closed_scopes if address.ephemeral else asked.suppressed_scopes):
        return DropReason.SCOPE_SUPPRESSED
    return None


def reaches(request: Scope, entry: Scope, *, tenant_policy: bool) -> bool:
    """Say whether a request scope reaches an entry scope: by kind, and by every identifier that both carry."""
    row = REACH[request.kind]
    if entry.kind not in row.reaches and not (tenant_policy and entry.kind in row.under_tenant_policy):
        return False
    shared = type(request).model_fields.keys() & type(entry).model_fields.keys() - {"kind"}
    return bool(shared) and all(getattr(request, name) == getattr(entry, name) for name in shared)


SCOPE_REACH = Gate("reach", Trait.ADDRESS, "the request's scope reaches the entry's, and policy leaves it open", check)
