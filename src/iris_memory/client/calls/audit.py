"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shapes.audit import AuditCheck, SigningKeys

_VERIFY_AUDIT: Final[Operation[AuditCheck]] = Operation("GET", "/v1/audit/verify", AuditCheck)
_EXPORT_AUDIT: Final[Operation[bytes]] = Operation("GET", "/v1/audit/export", bytes)
_LIST_AUDIT_KEYS: Final[Operation[SigningKeys]] = Operation("GET", "/v1/audit/keys", SigningKeys)


class AuditCalls(Calls):
    """Calls of `audit`."""

    def verify_audit(self) -> AuditCheck:
        """Check the tenant's audit chain."""
        return self._call(_VERIFY_AUDIT)

    def export_audit(self) -> Iterator[bytes]:
        """Export the tenant's audit chain."""
        return self._stream(_EXPORT_AUDIT)

    def list_audit_keys(self) -> SigningKeys:
        """List the keys of checkpoints and receipts."""
        return self._call(_LIST_AUDIT_KEYS)


class AsyncAuditCalls(AsyncCalls):
    """Calls of `audit`, awaited."""

    async def verify_audit(self) -> AuditCheck:
        """Check the tenant's audit chain."""
        return await self._call(_VERIFY_AUDIT)

    def export_audit(self) -> AsyncIterator[bytes]:
        """Export the tenant's audit chain."""
        return self._stream(_EXPORT_AUDIT)

    async def list_audit_keys(self) -> SigningKeys:
        """List the keys of checkpoints and receipts."""
        return await self._call(_LIST_AUDIT_KEYS)
