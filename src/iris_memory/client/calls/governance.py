"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final, Literal

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.governance import Approvals, AskApprovalBody, DecideApprovalBody, NoticeBody, Notices
from iris_memory.contracts.consent import ApprovalRequest
from iris_memory.contracts.guarding import GovernanceState, ShadowReport
from iris_memory.contracts.scope import AdapterScope

_PII_SHADOW: Final[Operation[ShadowReport]] = Operation("GET", "/v1/governance/pii-shadow", ShadowReport)
_GOVERNANCE_STATE: Final[Operation[GovernanceState]] = Operation("GET", "/v1/governance/state", GovernanceState)
_LIST_APPROVALS: Final[Operation[Approvals]] = Operation("GET", "/v1/approvals", Approvals)
_ASK_APPROVAL: Final[Operation[ApprovalRequest]] = Operation("POST", "/v1/approvals", ApprovalRequest)
_DECIDE_APPROVAL: Final[Operation[ApprovalRequest]] = Operation("POST", "/v1/approvals/{request_id}", ApprovalRequest)
_LIST_NOTICES: Final[Operation[Notices]] = Operation("GET", "/v1/notices", Notices)
_PUT_NOTICES: Final[Operation[Notices]] = Operation("PUT", "/v1/notices", Notices)


class GovernanceCalls(Calls):
    """Calls of `governance`."""

    def pii_shadow(self, *, days: int | Unset = UNSET) -> ShadowReport:
        """Sum up what guards saw."""
        return self._call(_PII_SHADOW, query={"days": days})

    def governance_state(self) -> GovernanceState:
        """Show how the owner's identity is guarded."""
        return self._call(_GOVERNANCE_STATE)

    def list_approvals(self) -> Approvals:
        """List approvals and requests for them."""
        return self._call(_LIST_APPROVALS)

    def ask_approval(
        self, *, adapter_scope: AdapterScope, reason: str, for_days: int, idempotency_key: str | Unset | None = UNSET
    ) -> ApprovalRequest:
        """Ask for an approval."""
        return self._call(
            _ASK_APPROVAL,
            headers={"Idempotency-Key": idempotency_key},
            body=AskApprovalBody.of(adapter_scope=adapter_scope, reason=reason, for_days=for_days),
        )

    def decide_approval(self, request_id: str, *, decision: Literal["grant", "withdraw"]) -> ApprovalRequest:
        """Decide a request."""
        return self._call(
            _DECIDE_APPROVAL, path={"request_id": request_id}, body=DecideApprovalBody.of(decision=decision)
        )

    def list_notices(self) -> Notices:
        """List the notices that are shown."""
        return self._call(_LIST_NOTICES)

    def put_notices(self, *, names: tuple[str, ...], terms: str, terms_language: str | Unset = UNSET) -> Notices:
        """Change the notice of some consents."""
        return self._call(_PUT_NOTICES, body=NoticeBody.of(names=names, terms=terms, terms_language=terms_language))


class AsyncGovernanceCalls(AsyncCalls):
    """Calls of `governance`, awaited."""

    async def pii_shadow(self, *, days: int | Unset = UNSET) -> ShadowReport:
        """Sum up what guards saw."""
        return await self._call(_PII_SHADOW, query={"days": days})

    async def governance_state(self) -> GovernanceState:
        """Show how the owner's identity is guarded."""
        return await self._call(_GOVERNANCE_STATE)

    async def list_approvals(self) -> Approvals:
        """List approvals and requests for them."""
        return await self._call(_LIST_APPROVALS)

    async def ask_approval(
        self, *, adapter_scope: AdapterScope, reason: str, for_days: int, idempotency_key: str | Unset | None = UNSET
    ) -> ApprovalRequest:
        """Ask for an approval."""
        return await self._call(
            _ASK_APPROVAL,
            headers={"Idempotency-Key": idempotency_key},
            body=AskApprovalBody.of(adapter_scope=adapter_scope, reason=reason, for_days=for_days),
        )

    async def decide_approval(self, request_id: str, *, decision: Literal["grant", "withdraw"]) -> ApprovalRequest:
        """Decide a request."""
        return await self._call(
            _DECIDE_APPROVAL, path={"request_id": request_id}, body=DecideApprovalBody.of(decision=decision)
        )

    async def list_notices(self) -> Notices:
        """List the notices that are shown."""
        return await self._call(_LIST_NOTICES)

    async def put_notices(self, *, names: tuple[str, ...], terms: str, terms_language: str | Unset = UNSET) -> Notices:
        """Change the notice of some consents."""
        return await self._call(
            _PUT_NOTICES, body=NoticeBody.of(names=names, terms=terms, terms_language=terms_language)
        )
