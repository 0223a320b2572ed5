"""A person's consents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from iris_memory.contracts.consent import CaptureMethod, ConsentEvent, ConsentStatus, LegalBasis
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.flows import consent
from iris_memory.flows.consent import Asking
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.front.given import instant, member


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
        return self._record(names, ConsentStatus.GRANTED, asking)

    def deny(self, *names: str, terms: str, note: str | None = None) -> Sequence[ConsentEvent]:
        """Record that the person said no. Refusals are kept too."""
        return self._record(names, ConsentStatus.DENIED, Asking(terms=terms, note=note))

    def revoke(self, *names: str, note: str | None = None) -> Sequence[ConsentEvent]:
        """Record that the person took a consent back. It takes effect at once."""
        return self._record(names, ConsentStatus.REVOKED, Asking(terms="withdrawal", note=note))

    def active(self) -> frozenset[str]:
        """Return the names of the consents in force."""
        return consent.active_consents(self._instruments, self._caller)

    def trail(self) -> Sequence[ConsentEvent]:
        """Return the whole ledger, oldest first."""
        return consent.consent_trail(self._instruments, self._caller)

    def check(self) -> Sequence[str]:
        """Recompute the ledger's chain; return what is wrong, nothing when all is well."""
        return consent.check_ledger(self._instruments, self._caller)

    def _record(self, names: Sequence[str], status: ConsentStatus, asking: Asking) -> Sequence[ConsentEvent]:
        try:
            return consent.record_consents(self._instruments, self._caller, names, status, asking)
        except ValidationError as problem:
            refuse_invalid(problem, what="consent")
