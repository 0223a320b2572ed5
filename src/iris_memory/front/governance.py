"""Governance of a tenant: approvals of scopes that need review, and the notices that consents are asked with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from iris_memory.contracts.consent import ApprovalRequest, ConsentNotice, GovernanceApproval
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.contracts.write import Refused
from iris_memory.flows import approving, notices
from iris_memory.flows.instruments import Instruments
from iris_memory.front.given import identifier, instant, known_id, member


class Governance:
    """What a tenant decides for its people. Who acts is named by the caller, who has made sure of it."""

    def __init__(self, instruments: Instruments, tenant: str) -> None:
        """Bind a tenant; use `Iris.governance`."""
        self._instruments = instruments
        self._tenant = identifier(tenant, what="tenant")

    def ask(self, adapter_scope: AdapterScope | str, *, asked_by: str, reason: str, until: datetime) -> ApprovalRequest:
        """Ask for leave to use a scope that needs governance review, until an instant."""
        return approving.ask_approval(
            self._instruments,
            self._tenant,
            member(AdapterScope, adapter_scope),
            asked_by=identifier(asked_by, what="asked_by"),
            reason=reason,
            until=instant(until, what="until"),
        )

    def grant(self, request_id: str, *, granted_by: str) -> ApprovalRequest | Refused:
        """Give the leave that another asked for.

        Raises:
            UnknownMemoryError: there is no such request.
        """
        actor = identifier(granted_by, what="granted_by")
        return approving.grant_approval(self._instruments, self._tenant, known_id(request_id), granted_by=actor)

    def withdraw(self, request_id: str, *, withdrawn_by: str) -> ApprovalRequest | Refused:
        """Take back a request that waits, or the leave that was given on it.

        Raises:
            UnknownMemoryError: there is no such request.
        """
        actor = identifier(withdrawn_by, what="withdrawn_by")
        return approving.withdraw_approval(self._instruments, self._tenant, known_id(request_id), withdrawn_by=actor)

    def requests(self) -> Sequence[ApprovalRequest]:
        """Return every request as it stands now, oldest first."""
        return approving.approval_requests(self._instruments, self._tenant)

    def approvals(self) -> Sequence[GovernanceApproval]:
        """Return the approvals in force."""
        return approving.approvals(self._instruments, self._tenant)

    def publish_notice(self, *names: str, terms: str, language: str = "en") -> Sequence[ConsentNotice]:
        """Make a text the notice that is shown for some consents; whoever agreed to another is due for asking."""
        try:
            return notices.publish_notice(self._instruments, self._tenant, names, terms=terms, language=language)
        except ValidationError as problem:
            refuse_invalid(problem, what="notice")

    def notices(self) -> Sequence[ConsentNotice]:
        """Return the notices that are shown at present."""
        return notices.notices(self._instruments, self._tenant)
