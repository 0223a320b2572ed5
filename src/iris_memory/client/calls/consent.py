"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.consent import (
    ConsentRecords,
    ConsentsDue,
    ConsentState,
    ConsentsWithdrawn,
    ConsentTrail,
    DenyBody,
    EndSessionBody,
    GrantBody,
    OptOutBody,
    OptOuts,
    PreviewRevokeBody,
    RevokeBody,
    SessionEnded,
)
from iris_memory.contracts.consent import CaptureMethod, LegalBasis, OptOut, RevocationPreview

_SHOW_CONSENT: Final[Operation[ConsentState]] = Operation("GET", "/v1/consent", ConsentState)
_LIST_CONSENT_TRAIL: Final[Operation[ConsentTrail]] = Operation("GET", "/v1/consent/trail", ConsentTrail)
_LIST_CONSENT_RECORDS: Final[Operation[ConsentRecords]] = Operation("GET", "/v1/consent/records", ConsentRecords)
_LIST_CONSENTS_DUE: Final[Operation[ConsentsDue]] = Operation("GET", "/v1/consent/due", ConsentsDue)
_GRANT_CONSENT: Final[Operation[ConsentTrail]] = Operation("POST", "/v1/consent/grant", ConsentTrail)
_DENY_CONSENT: Final[Operation[ConsentTrail]] = Operation("POST", "/v1/consent/deny", ConsentTrail)
_REVOKE_CONSENT: Final[Operation[ConsentsWithdrawn]] = Operation("POST", "/v1/consent/revoke", ConsentsWithdrawn)
_PREVIEW_REVOKE: Final[Operation[RevocationPreview]] = Operation(
    "POST", "/v1/consent/revoke/preview", RevocationPreview
)
_END_SESSION: Final[Operation[SessionEnded]] = Operation("POST", "/v1/session/end", SessionEnded)
_PUT_OPT_OUTS: Final[Operation[OptOuts]] = Operation("PUT", "/v1/opt-outs", OptOuts)


class ConsentCalls(Calls):
    """Calls of `consent`."""

    def show_consent(self) -> ConsentState:
        """Show the consents in force."""
        return self._call(_SHOW_CONSENT)

    def list_consent_trail(self) -> ConsentTrail:
        """List the consent ledger."""
        return self._call(_LIST_CONSENT_TRAIL)

    def list_consent_records(self) -> ConsentRecords:
        """Export the consent ledger as consent records."""
        return self._call(_LIST_CONSENT_RECORDS)

    def list_consents_due(self) -> ConsentsDue:
        """List the consents to be asked for again."""
        return self._call(_LIST_CONSENTS_DUE)

    def grant_consent(
        self,
        *,
        names: tuple[str, ...],
        terms: str,
        terms_language: str | Unset = UNSET,
        legal_basis: LegalBasis | Unset = UNSET,
        capture_method: CaptureMethod | Unset = UNSET,
        witness: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        note: str | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
    ) -> ConsentTrail:
        """Record that the person agreed."""
        return self._call(
            _GRANT_CONSENT,
            body=GrantBody.of(
                names=names,
                terms=terms,
                terms_language=terms_language,
                legal_basis=legal_basis,
                capture_method=capture_method,
                witness=witness,
                jurisdiction=jurisdiction,
                note=note,
                expires_at=expires_at,
            ),
        )

    def deny_consent(
        self,
        *,
        names: tuple[str, ...],
        terms: str,
        terms_language: str | Unset = UNSET,
        capture_method: CaptureMethod | Unset = UNSET,
        witness: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        note: str | Unset | None = UNSET,
    ) -> ConsentTrail:
        """Record that the person said no."""
        return self._call(
            _DENY_CONSENT,
            body=DenyBody.of(
                names=names,
                terms=terms,
                terms_language=terms_language,
                capture_method=capture_method,
                witness=witness,
                jurisdiction=jurisdiction,
                note=note,
            ),
        )

    def revoke_consent(
        self,
        *,
        names: tuple[str, ...],
        terms: str | Unset = UNSET,
        terms_language: str | Unset = UNSET,
        capture_method: CaptureMethod | Unset = UNSET,
        witness: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        note: str | Unset | None = UNSET,
        scan: bool | Unset = UNSET,
    ) -> ConsentsWithdrawn:
        """Record that the person took a consent back."""
        return self._call(
            _REVOKE_CONSENT,
            body=RevokeBody.of(
                names=names,
                terms=terms,
                terms_language=terms_language,
                capture_method=capture_method,
                witness=witness,
                jurisdiction=jurisdiction,
                note=note,
                scan=scan,
            ),
        )

    def preview_revoke(self, *, names: tuple[str, ...]) -> RevocationPreview:
        """Count what a withdrawal would stop."""
        return self._call(_PREVIEW_REVOKE, body=PreviewRevokeBody.of(names=names))

    def end_session(self, *, session_id: str) -> SessionEnded:
        """End a session."""
        return self._call(_END_SESSION, body=EndSessionBody.of(session_id=session_id))

    def put_opt_outs(self, *, names: tuple[OptOut, ...]) -> OptOuts:
        """Replace what the person opted out of."""
        return self._call(_PUT_OPT_OUTS, body=OptOutBody.of(names=names))


class AsyncConsentCalls(AsyncCalls):
    """Calls of `consent`, awaited."""

    async def show_consent(self) -> ConsentState:
        """Show the consents in force."""
        return await self._call(_SHOW_CONSENT)

    async def list_consent_trail(self) -> ConsentTrail:
        """List the consent ledger."""
        return await self._call(_LIST_CONSENT_TRAIL)

    async def list_consent_records(self) -> ConsentRecords:
        """Export the consent ledger as consent records."""
        return await self._call(_LIST_CONSENT_RECORDS)

    async def list_consents_due(self) -> ConsentsDue:
        """List the consents to be asked for again."""
        return await self._call(_LIST_CONSENTS_DUE)

    async def grant_consent(
        self,
        *,
        names: tuple[str, ...],
        terms: str,
        terms_language: str | Unset = UNSET,
        legal_basis: LegalBasis | Unset = UNSET,
        capture_method: CaptureMethod | Unset = UNSET,
        witness: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        note: str | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
    ) -> ConsentTrail:
        """Record that the person agreed."""
        return await self._call(
            _GRANT_CONSENT,
            body=GrantBody.of(
                names=names,
                terms=terms,
                terms_language=terms_language,
                legal_basis=legal_basis,
                capture_method=capture_method,
                witness=witness,
                jurisdiction=jurisdiction,
                note=note,
                expires_at=expires_at,
            ),
        )

    async def deny_consent(
        self,
        *,
        names: tuple[str, ...],
        terms: str,
        terms_language: str | Unset = UNSET,
        capture_method: CaptureMethod | Unset = UNSET,
        witness: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        note: str | Unset | None = UNSET,
    ) -> ConsentTrail:
        """Record that the person said no."""
        return await self._call(
            _DENY_CONSENT,
            body=DenyBody.of(
                names=names,
                terms=terms,
                terms_language=terms_language,
                capture_method=capture_method,
                witness=witness,
                jurisdiction=jurisdiction,
                note=note,
            ),
        )

    async def revoke_consent(
        self,
        *,
        names: tuple[str, ...],
        terms: str | Unset = UNSET,
        terms_language: str | Unset = UNSET,
        capture_method: CaptureMethod | Unset = UNSET,
        witness: str | Unset = UNSET,
        jurisdiction: str | Unset = UNSET,
        note: str | Unset | None = UNSET,
        scan: bool | Unset = UNSET,
    ) -> ConsentsWithdrawn:
        """Record that the person took a consent back."""
        return await self._call(
            _REVOKE_CONSENT,
            body=RevokeBody.of(
                names=names,
                terms=terms,
                terms_language=terms_language,
                capture_method=capture_method,
                witness=witness,
                jurisdiction=jurisdiction,
                note=note,
                scan=scan,
            ),
        )

    async def preview_revoke(self, *, names: tuple[str, ...]) -> RevocationPreview:
        """Count what a withdrawal would stop."""
        return await self._call(_PREVIEW_REVOKE, body=PreviewRevokeBody.of(names=names))

    async def end_session(self, *, session_id: str) -> SessionEnded:
        """End a session."""
        return await self._call(_END_SESSION, body=EndSessionBody.of(session_id=session_id))

    async def put_opt_outs(self, *, names: tuple[OptOut, ...]) -> OptOuts:
        """Replace what the person opted out of."""
        return await self._call(_PUT_OPT_OUTS, body=OptOutBody.of(names=names))
