"""A person's consents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from iris_memory.contracts.consent import (
    CaptureMethod,
    ConsentDue,
    ConsentEvent,
    ConsentStatus,
    LegalBasis,
    RevocationPreview,
    Withdrawal,
)
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.flows import cascade, consent
from iris_memory.flows.consent import Asking
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.formats.consent_record import consent_record
from iris_memory.front.given import instant, member

WITHDRAWAL = "withdrawal"
"""The text that stands for the terms of a withdrawal, where none was shown."""


class Consents:
    """Grants, denials and withdrawals of one person. Each is an event of an append-only ledger."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller; use `Iris.for_user(...).consent`."""
        self._instruments = instruments
        self._caller = caller

    def grant(
        self,
        *names: str,
        terms: str,
        terms_language: str = "en",
        legal_basis: LegalBasis | str = LegalBasis.CONSENT,
        capture_method: CaptureMethod | str = CaptureMethod.API,
        witness: str = "api",
        jurisdiction: str = "unspecified",
        note: str | None = None,
        expires_at: datetime | None = None,
    ) -> Sequence[ConsentEvent]:
        """Record that the person agreed to each named consent.

        Args:
            names: such as `data_processing`, `data_storage`, or `category:medical`.
            terms: the exact text the person was shown; its hash is kept.
            terms_language: the language of the text.
            legal_basis: one of the six of GDPR Art. 6(1); sensitive consents take `consent` alone.
            capture_method: how the answer was taken.
            witness: who or what saw it given.
            jurisdiction: whose law applies.
            note: free text, sealed.
            expires_at: until when it holds.

        Raises:
            ContractError: there is no such consent, or its legal basis is not allowed.
            StoreCorruptError: a decision of the person is missing from the data; nothing is added to what is left.
        """
        asking = Asking(
            terms=terms,
            terms_language=terms_language,
            legal_basis=member(LegalBasis, legal_basis),
            capture_method=member(CaptureMethod, capture_method),
            witness=witness,
            jurisdiction=jurisdiction,
            note=note,
            expires_at=instant(expires_at, what="expires_at") if expires_at is not None else None,
        )
        try:
            return consent.record_consents(self._instruments, self._caller, names, ConsentStatus.GRANTED, asking)
        except ValidationError as problem:
            refuse_invalid(problem, what="consent")

    def deny(
        self,
        *names: str,
        terms: str,
        terms_language: str = "en",
        capture_method: CaptureMethod | str = CaptureMethod.API,
        witness: str = "api",
        jurisdiction: str = "unspecified",
        note: str | None = None,
    ) -> Sequence[ConsentEvent]:
        """Record that the person said no. Refusals are kept too; a no to what was agreed to before withdraws it."""
        asking = _asked(terms, terms_language, capture_method, witness, jurisdiction, note)
        return self._withdraw(names, ConsentStatus.DENIED, asking, scan=True).events

    def revoke(self, *names: str, scan: bool = True, **how: Any) -> Sequence[ConsentEvent]:
        """Record that the person took consents back; it takes effect at once. See `withdraw` for all it does."""
        return self.withdraw(*names, scan=scan, **how).events

    def withdraw(
        self,
        *names: str,
        terms: str = WITHDRAWAL,
        terms_language: str = "en",
        capture_method: CaptureMethod | str = CaptureMethod.API,
        witness: str = "api",
        jurisdiction: str = "unspecified",
        note: str | None = None,
        scan: bool = True,
    ) -> Withdrawal:
        """Take consents back and return the events and, where memory went with them, the signed receipt.

        With `category:<name>`, `sensitive_data` or `multi_actor_sensitive` the memories it is about go for good, and
        all that was made from them. With `sensitive_data` the consent of every sensitive category ends as well. Other
        consents close the scopes that need them: what is stored there stays, unread. `preview_revoke` tells beforehand.
        """
        asking = _asked(terms, terms_language, capture_method, witness, jurisdiction, note)
        return self._withdraw(names, ConsentStatus.REVOKED, asking, scan=scan)

    def preview_revoke(self, *names: str) -> RevocationPreview:
        """Count what stops when consents are withdrawn, and say what becomes of each scope; change nothing."""
        return cascade.preview(self._instruments, self._caller, names)

    def active(self) -> frozenset[str]:
        """Return the names of the consents in force."""
        return consent.active_consents(self._instruments, self._caller)

    def due(self) -> Sequence[ConsentDue]:
        """Return the consents to be asked for again: expired, given under other terms, or given long ago."""
        return consent.due(self._instruments, self._caller)

    def trail(self) -> Sequence[ConsentEvent]:
        """Return the whole ledger, oldest first."""
        return consent.consent_trail(self._instruments, self._caller)

    def records(self) -> Sequence[dict[str, Any]]:
        """Return each event as a consent record shaped after ISO/IEC TS 27560, in JSON-LD with W3C DPV terms."""
        return [consent_record(event) for event in self.trail()]

    def check(self) -> Sequence[str]:
        """Recompute the ledger's chain; return what is wrong, nothing when all is well."""
        return consent.check_ledger(self._instruments, self._caller)

    def _withdraw(self, names: Sequence[str], status: ConsentStatus, asking: Asking, *, scan: bool) -> Withdrawal:
        try:
            return cascade.withdraw(self._instruments, self._caller, names, status, asking, scan=scan)
        except ValidationError as problem:
            refuse_invalid(problem, what="consent")


def _asked(
    terms: str, language: str, capture: CaptureMethod | str, witness: str, jurisdiction: str, note: str | None
) -> Asking:
    return Asking(
        terms=terms,
        terms_language=language,
        capture_method=member(CaptureMethod, capture),
        witness=witness,
        jurisdiction=jurisdiction,
        note=note,
    )
