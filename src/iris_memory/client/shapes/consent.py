"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from iris_memory.client.shape import Shape
from iris_memory.contracts.consent import CaptureMethod, ConsentDue, ConsentEvent, LegalBasis, OptOut, ScopePolicy
from iris_memory.contracts.erasure import ForgetReceipt


class ConsentRecords(Shape):
    """Each event of the ledger as a consent record: ISO/IEC TS 27560 in JSON-LD with W3C DPV terms."""

    records: tuple[dict[str, Any], ...]


class ConsentState(Shape):
    """The consents in force, and what they and the opt-outs make of each scope for the token's consumer."""

    active: tuple[str, ...]
    scopes: tuple[ScopePolicy, ...]


class ConsentTrail(Shape):
    """Events of the consent ledger, oldest first."""

    events: tuple[ConsentEvent, ...]


class ConsentsDue(Shape):
    """The consents to be asked for again, by name."""

    due: tuple[ConsentDue, ...]


class ConsentsWithdrawn(Shape):
    """The events of a withdrawal and, where memory went with it, the receipt."""

    events: tuple[ConsentEvent, ...]
    receipt: ForgetReceipt | None


class DenyBody(Shape):
    """The person said no. A no to what was agreed to before withdraws it."""

    names: tuple[str, ...]
    terms: str
    terms_language: str | None = None
    capture_method: CaptureMethod | None = None
    witness: str | None = None
    jurisdiction: str | None = None
    note: str | None = None


class EndSessionBody(Shape):
    """The session that ends."""

    session_id: str


class GrantBody(Shape):
    """The person agreed. `terms` is the exact text they were shown; its hash is kept, the text is not."""

    names: tuple[str, ...]
    terms: str
    terms_language: str | None = None
    legal_basis: LegalBasis | None = None
    capture_method: CaptureMethod | None = None
    witness: str | None = None
    jurisdiction: str | None = None
    note: str | None = None
    expires_at: datetime | None = None


class OptOutBody(Shape):
    """What the person opts out of from now on; an empty list opts out of nothing."""

    names: tuple[OptOut, ...]


class OptOuts(Shape):
    """What the person opted out of."""

    opt_outs: tuple[OptOut, ...]


class PreviewRevokeBody(Shape):
    """What would be taken back; nothing is changed."""

    names: tuple[str, ...]


class RevokeBody(Shape):
    """The person took consents back. With `scan` every file is searched for what should be gone."""

    names: tuple[str, ...]
    terms: str | None = None
    terms_language: str | None = None
    capture_method: CaptureMethod | None = None
    witness: str | None = None
    jurisdiction: str | None = None
    note: str | None = None
    scan: bool | None = None


class SessionEnded(Shape):
    """How many memories lived in the session alone and went with it."""

    forgotten: int
