"""What requests about consent, sessions and approvals may say, what they are answered, and an example of each."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.contracts.consent import (
    ApprovalRequest,
    CaptureMethod,
    ConsentDue,
    ConsentEvent,
    ConsentNotice,
    GovernanceApproval,
)
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Storable
from iris_memory.http.bodies import ConsentNames, Note, Terms
from iris_memory.tables.limits import APPROVAL_LIFETIME_MOST

_Language = Annotated[str, Field(min_length=2, max_length=35)]
_Witness = Annotated[str, Field(min_length=1, max_length=200), Storable]
_Jurisdiction = Annotated[str, Field(min_length=1, max_length=35)]


class DenyBody(Contract):
    """The person said no. A no to what was agreed to before withdraws it."""

    names: ConsentNames
    terms: Terms
    terms_language: _Language = "en"
    capture_method: CaptureMethod = CaptureMethod.API
    witness: _Witness = "api"
    jurisdiction: _Jurisdiction = "unspecified"
    note: Note | None = None


class RevokeBody(Contract):
    """The person took consents back. With `scan` every file is searched for what should be gone."""

    names: ConsentNames
    terms: Terms = "withdrawal"
    terms_language: _Language = "en"
    capture_method: CaptureMethod = CaptureMethod.API
    witness: _Witness = "api"
    jurisdiction: _Jurisdiction = "unspecified"
    note: Note | None = None
    scan: bool = True


class PreviewRevokeBody(Contract):
    """What would be taken back; nothing is changed."""

    names: ConsentNames


class EndSessionBody(Contract):
    """The session that ends."""

    session_id: Identifier


class AskApprovalBody(Contract):
    """Leave that is asked for: a scope that needs governance review, why, and for how long from now."""

    adapter_scope: AdapterScope
    reason: Annotated[str, Field(min_length=1, max_length=500), Storable]
    for_days: Annotated[int, Field(ge=1, le=APPROVAL_LIFETIME_MOST.days)]


class DecideApprovalBody(Contract):
    """Grant what another asked for, or take back a request or the leave given on it."""

    decision: Literal["grant", "withdraw"]


class NoticeBody(Contract):
    """The text that is shown for some consents from now on; its hash is kept, the text is not."""

    names: ConsentNames
    terms: Terms
    terms_language: _Language = "en"


class ConsentsWithdrawn(Contract):
    """The events of a withdrawal and, where memory went with it, the receipt."""

    events: tuple[ConsentEvent, ...]
    receipt: ForgetReceipt | None


class ConsentsDue(Contract):
    """The consents to be asked for again, by name."""

    due: tuple[ConsentDue, ...]


class ConsentRecords(Contract):
    """Each event of the ledger as a consent record: ISO/IEC TS 27560 in JSON-LD with W3C DPV terms."""

    records: tuple[dict[str, Any], ...]


class SessionEnded(Contract):
    """How many memories lived in the session alone and went with it."""

    forgotten: Count


class Approvals(Contract):
    """Requests as they stand now, oldest first, and the approvals in force."""

    requests: tuple[ApprovalRequest, ...]
    approvals: tuple[GovernanceApproval, ...]


class Notices(Contract):
    """The notices that are shown at present, by consent and language."""

    notices: tuple[ConsentNotice, ...]


def _example(summary: str, value: Any) -> Example:
    return {"summary": summary, "value": value}


DENY: Final[dict[str, Example]] = {
    "training": _example(
        "No to model improvement",
        {
            "names": ["model_improvement"],
            "terms": "May we use what you tell us to improve our models?",
            "witness": "settings page",
            "jurisdiction": "NL",
        },
    )
}
REVOKE: Final[dict[str, Example]] = {
    "medical": _example("A withdrawal that takes memory along", {"names": ["category:medical"], "scan": False})
}
PREVIEW_REVOKE: Final[dict[str, Example]] = {"storage": _example("What stops", {"names": ["data_storage"]})}
END_SESSION: Final[dict[str, Example]] = {"trip": _example("One session", {"session_id": "trip-to-lisbon"})}
ASK_APPROVAL: Final[dict[str, Example]] = {
    "cross_domain": _example(
        "Leave to share between domains",
        {"adapter_scope": "cross_domain", "reason": "pilot, ticket 81", "for_days": 180},
    )
}
DECIDE_APPROVAL: Final[dict[str, Example]] = {"grant": _example("Grant what another asked for", {"decision": "grant"})}
NOTICE: Final[dict[str, Example]] = {
    "storage": _example(
        "A new text for two consents",
        {
            "names": ["data_processing", "data_storage"],
            "terms": "We keep what you tell us until you ask us to forget it.",
        },
    )
}
