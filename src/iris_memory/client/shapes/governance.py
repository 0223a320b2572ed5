"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from typing import Literal

from iris_memory.client.shape import Shape
from iris_memory.contracts.consent import ApprovalRequest, ConsentNotice, GovernanceApproval
from iris_memory.contracts.scope import AdapterScope


class Approvals(Shape):
    """Requests as they stand now, oldest first, and the approvals in force."""

    requests: tuple[ApprovalRequest, ...]
    approvals: tuple[GovernanceApproval, ...]


class AskApprovalBody(Shape):
    """Leave that is asked for: a scope that needs governance review, why, and for how long from now."""

    adapter_scope: AdapterScope
    reason: str
    for_days: int


class DecideApprovalBody(Shape):
    """Grant what another asked for, or take back a request or the leave given on it."""

    decision: Literal["grant", "withdraw"]


class NoticeBody(Shape):
    """The text that is shown for some consents from now on; its hash is kept, the text is not."""

    names: tuple[str, ...]
    terms: str
    terms_language: str | None = None


class Notices(Shape):
    """The notices that are shown at present, by consent and language."""

    notices: tuple[ConsentNotice, ...]
