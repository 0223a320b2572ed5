"""Gate 1, tenant boundary: an entry of another tenant is dropped before anything else is looked at."""

from __future__ import annotations

from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.scope import OperatorCopilotScope, TenantScope
from iris_memory.gates.facts import Address, Asked, Gate, Trait


def check(address: Address, asked: Asked) -> DropReason | None:
    """Let an entry pass when its tenant, and its scope's where the scope names one, is the request's."""
    tenant = asked.request.tenant_id
    if address.tenant_id != tenant:
        return DropReason.TENANT_MISMATCH
    if isinstance(address.scope, (TenantScope, OperatorCopilotScope)) and address.scope.tenant_id != tenant:
        return DropReason.TENANT_MISMATCH
    return None


TENANT = Gate("tenant", Trait.ADDRESS, "the tenant of an entry is the tenant of the request", check)
