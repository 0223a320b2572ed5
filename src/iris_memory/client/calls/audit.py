"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.audit import AuditCheck, SigningKeys
from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.audit_trail import EventProof, TrailLine, TrailPage

_VERIFY_AUDIT: Final[Operation[AuditCheck]] = Operation("GET", "/v1/audit/verify", AuditCheck)
_EXPORT_AUDIT: Final[Operation[bytes]] = Operation("GET", "/v1/audit/export", bytes)
_LIST_AUDIT_EVENTS: Final[Operation[TrailPage]] = Operation("GET", "/v1/audit/events", TrailPage)
_SHOW_AUDIT_EVENT: Final[Operation[TrailLine]] = Operation("GET", "/v1/audit/events/{sequence}", TrailLine)
_PROVE_AUDIT_EVENT: Final[Operation[EventProof]] = Operation("GET", "/v1/audit/events/{sequence}/proof", EventProof)
_LIST_AUDIT_KEYS: Final[Operation[SigningKeys]] = Operation("GET", "/v1/audit/keys", SigningKeys)


class AuditCalls(Calls):
    """Calls of `audit`."""

    def verify_audit(self) -> AuditCheck:
        """Check the tenant's audit chain."""
        return self._call(_VERIFY_AUDIT)

    def export_audit(self) -> Iterator[bytes]:
        """Export the tenant's audit chain."""
        return self._stream(_EXPORT_AUDIT)

    def list_audit_events(
        self,
        *,
        action: AuditAction | Unset | None = UNSET,
        severity: Severity | Unset | None = UNSET,
        person: str | Unset | None = UNSET,
        object_id: str | Unset | None = UNSET,
        since: datetime | Unset | None = UNSET,
        until: datetime | Unset | None = UNSET,
        before: int | Unset | None = UNSET,
        limit: int | Unset = UNSET,
    ) -> TrailPage:
        """List events of the audit chain."""
        return self._call(
            _LIST_AUDIT_EVENTS,
            query={
                "action": action,
                "severity": severity,
                "person": person,
                "object_id": object_id,
                "since": since,
                "until": until,
                "before": before,
                "limit": limit,
            },
        )

    def show_audit_event(self, sequence: int) -> TrailLine:
        """Show one event of the audit chain."""
        return self._call(_SHOW_AUDIT_EVENT, path={"sequence": sequence})

    def prove_audit_event(self, sequence: int) -> EventProof:
        """Prove that an event is in the log."""
        return self._call(_PROVE_AUDIT_EVENT, path={"sequence": sequence})

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

    async def list_audit_events(
        self,
        *,
        action: AuditAction | Unset | None = UNSET,
        severity: Severity | Unset | None = UNSET,
        person: str | Unset | None = UNSET,
        object_id: str | Unset | None = UNSET,
        since: datetime | Unset | None = UNSET,
        until: datetime | Unset | None = UNSET,
        before: int | Unset | None = UNSET,
        limit: int | Unset = UNSET,
    ) -> TrailPage:
        """List events of the audit chain."""
        return await self._call(
            _LIST_AUDIT_EVENTS,
            query={
                "action": action,
                "severity": severity,
                "person": person,
                "object_id": object_id,
                "since": since,
                "until": until,
                "before": before,
                "limit": limit,
            },
        )

    async def show_audit_event(self, sequence: int) -> TrailLine:
        """Show one event of the audit chain."""
        return await self._call(_SHOW_AUDIT_EVENT, path={"sequence": sequence})

    async def prove_audit_event(self, sequence: int) -> EventProof:
        """Prove that an event is in the log."""
        return await self._call(_PROVE_AUDIT_EVENT, path={"sequence": sequence})

    async def list_audit_keys(self) -> SigningKeys:
        """List the keys of checkpoints and receipts."""
        return await self._call(_LIST_AUDIT_KEYS)
