"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Final, Literal

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.data_rights import (
    AppealStep,
    CancelStep,
    ChallengeBody,
    CompleteStep,
    DecideStep,
    DenyStep,
    Desk,
    DeskHolds,
    Discarded,
    ExtendStep,
    FailStep,
    Holds,
    HoldStep,
    LiftStep,
    MakeBody,
    PlaceHoldBody,
    PlainStep,
    ReactivateStep,
    Requests,
    SealBody,
    SignOffStep,
    SubmitBody,
    VerifyStep,
    WaitStep,
)
from iris_memory.contracts.bundle import StoredExport
from iris_memory.contracts.category import Category
from iris_memory.contracts.disclosure import Disclosure
from iris_memory.contracts.erasure import ForgetPreview
from iris_memory.contracts.rights import (
    AccessPayload,
    DeletePayload,
    DeskRow,
    ExportPayload,
    IdentityChallenge,
    LegalHold,
    ObjectPayload,
    RectifyPayload,
    Regime,
    RestrictPayload,
    RightsRequest,
    WithdrawPayload,
)
from iris_memory.contracts.scope import AdapterScope

_SUBMIT_RIGHTS_REQUEST: Final[Operation[RightsRequest]] = Operation("POST", "/v1/rights", RightsRequest)
_LIST_RIGHTS_REQUESTS: Final[Operation[Requests]] = Operation("GET", "/v1/rights", Requests)
_SHOW_RIGHTS_REQUEST: Final[Operation[RightsRequest]] = Operation("GET", "/v1/rights/{request_id}", RightsRequest)
_SHOW_RIGHTS_REACH: Final[Operation[ForgetPreview]] = Operation("GET", "/v1/rights/{request_id}/reach", ForgetPreview)
_STEP_RIGHTS_REQUEST: Final[Operation[RightsRequest]] = Operation(
    "POST", "/v1/rights/{request_id}/steps", RightsRequest
)
_READ_RIGHTS_ANSWER: Final[Operation[Disclosure]] = Operation("GET", "/v1/rights/{request_id}/answer", Disclosure)
_LIST_OWN_HOLDS: Final[Operation[Holds]] = Operation("GET", "/v1/legal-holds", Holds)
_LIST_DESK: Final[Operation[Desk]] = Operation("GET", "/v1/desk/rights", Desk)
_MAKE_CHALLENGE: Final[Operation[IdentityChallenge]] = Operation(
    "POST", "/v1/desk/rights/{request_id}/challenges", IdentityChallenge
)
_STEP_DESK: Final[Operation[DeskRow]] = Operation("POST", "/v1/desk/rights/{request_id}/steps", DeskRow)
_LIST_DESK_HOLDS: Final[Operation[DeskHolds]] = Operation("GET", "/v1/desk/legal-holds", DeskHolds)
_PLACE_HOLD: Final[Operation[LegalHold]] = Operation("POST", "/v1/desk/legal-holds", LegalHold)
_STEP_HOLD: Final[Operation[LegalHold]] = Operation("POST", "/v1/desk/legal-holds/{hold_id}/steps", LegalHold)
_MAKE_EXPORT: Final[Operation[StoredExport]] = Operation("POST", "/v1/exports", StoredExport)
_SHOW_EXPORT: Final[Operation[StoredExport]] = Operation("GET", "/v1/exports/{request_id}", StoredExport)
_DISCARD_EXPORT: Final[Operation[Discarded]] = Operation("DELETE", "/v1/exports/{request_id}", Discarded)
_DOWNLOAD_EXPORT: Final[Operation[bytes]] = Operation("GET", "/v1/exports/{request_id}/file", bytes)
_DOWNLOAD_SEALED: Final[Operation[bytes]] = Operation("POST", "/v1/exports/{request_id}/file", bytes)


class DataRightsCalls(Calls):
    """Calls of `data_rights`."""

    def submit_rights_request(
        self,
        *,
        payload: AccessPayload
        | ExportPayload
        | DeletePayload
        | RectifyPayload
        | RestrictPayload
        | ObjectPayload
        | WithdrawPayload,
        idempotency_key: str | Unset | None = UNSET,
        regime: Regime | Unset = UNSET,
    ) -> RightsRequest:
        """Submit a data-rights request."""
        return self._call(
            _SUBMIT_RIGHTS_REQUEST,
            headers={"Idempotency-Key": idempotency_key},
            body=SubmitBody.of(payload=payload, regime=regime),
        )

    def list_rights_requests(self) -> Requests:
        """List the person's requests."""
        return self._call(_LIST_RIGHTS_REQUESTS)

    def show_rights_request(self, request_id: str) -> RightsRequest:
        """Show one request."""
        return self._call(_SHOW_RIGHTS_REQUEST, path={"request_id": request_id})

    def show_rights_reach(self, request_id: str) -> ForgetPreview:
        """Count what a deletion would reach."""
        return self._call(_SHOW_RIGHTS_REACH, path={"request_id": request_id})

    def step_rights_request(
        self, request_id: str, *, wish: VerifyStep | CancelStep | ReactivateStep | LiftStep | AppealStep
    ) -> RightsRequest:
        """Take a step of one's own."""
        return self._call(_STEP_RIGHTS_REQUEST, path={"request_id": request_id}, body=wish)

    def read_rights_answer(self, request_id: str) -> Disclosure:
        """Read the answer to an access request."""
        return self._call(_READ_RIGHTS_ANSWER, path={"request_id": request_id})

    def list_own_holds(self) -> Holds:
        """List the legal holds on the person's memory."""
        return self._call(_LIST_OWN_HOLDS)

    def list_desk(
        self, *, open_only: bool | Unset = UNSET, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET
    ) -> Desk:
        """List the tenant's requests."""
        return self._call(_LIST_DESK, query={"open_only": open_only, "limit": limit, "cursor": cursor})

    def make_challenge(self, request_id: str, *, method: Literal["email-link", "phone-otp"]) -> IdentityChallenge:
        """Make a challenge to be sent to the person."""
        return self._call(_MAKE_CHALLENGE, path={"request_id": request_id}, body=ChallengeBody.of(method=method))

    def step_desk(
        self,
        request_id: str,
        *,
        wish: SignOffStep | PlainStep | ExtendStep | WaitStep | DenyStep | CompleteStep | FailStep | DecideStep,
    ) -> DeskRow:
        """Take a step of a request."""
        return self._call(_STEP_DESK, path={"request_id": request_id}, body=wish)

    def list_desk_holds(self, *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET) -> DeskHolds:
        """List the tenant's legal holds."""
        return self._call(_LIST_DESK_HOLDS, query={"limit": limit, "cursor": cursor})

    def place_hold(
        self,
        *,
        of_user: str,
        reference: str,
        reason: str,
        expires_at: datetime,
        idempotency_key: str | Unset | None = UNSET,
        review_at: datetime | Unset | None = UNSET,
        scopes: tuple[AdapterScope, ...] | Unset = UNSET,
        categories: tuple[Category, ...] | Unset = UNSET,
        logical_ids: tuple[str, ...] | Unset = UNSET,
        is_sealed: bool | Unset = UNSET,
    ) -> LegalHold:
        """Place a legal hold."""
        return self._call(
            _PLACE_HOLD,
            headers={"Idempotency-Key": idempotency_key},
            body=PlaceHoldBody.of(
                of_user=of_user,
                reference=reference,
                reason=reason,
                expires_at=expires_at,
                review_at=review_at,
                scopes=scopes,
                categories=categories,
                logical_ids=logical_ids,
                is_sealed=is_sealed,
            ),
        )

    def step_hold(
        self, hold_id: str, *, step: Literal["confirm", "review", "release"], review_at: datetime | Unset | None = UNSET
    ) -> LegalHold:
        """Take a step of a hold."""
        return self._call(_STEP_HOLD, path={"hold_id": hold_id}, body=HoldStep.of(step=step, review_at=review_at))

    def make_export(self, *, request_id: str) -> StoredExport:
        """Make the export of a request."""
        return self._call(_MAKE_EXPORT, body=MakeBody.of(request_id=request_id))

    def show_export(self, request_id: str) -> StoredExport:
        """See where an export stands."""
        return self._call(_SHOW_EXPORT, path={"request_id": request_id})

    def discard_export(self, request_id: str) -> Discarded:
        """Drop an export before its time."""
        return self._call(_DISCARD_EXPORT, path={"request_id": request_id})

    def download_export(self, request_id: str) -> Iterator[bytes]:
        """Download an export."""
        return self._stream(_DOWNLOAD_EXPORT, path={"request_id": request_id})

    def download_sealed(
        self, request_id: str, *, passphrase: str | Unset | None = UNSET, recipient: str | Unset | None = UNSET
    ) -> Iterator[bytes]:
        """Download an export encrypted."""
        return self._stream(
            _DOWNLOAD_SEALED,
            path={"request_id": request_id},
            body=SealBody.of(passphrase=passphrase, recipient=recipient),
        )


class AsyncDataRightsCalls(AsyncCalls):
    """Calls of `data_rights`, awaited."""

    async def submit_rights_request(
        self,
        *,
        payload: AccessPayload
        | ExportPayload
        | DeletePayload
        | RectifyPayload
        | RestrictPayload
        | ObjectPayload
        | WithdrawPayload,
        idempotency_key: str | Unset | None = UNSET,
        regime: Regime | Unset = UNSET,
    ) -> RightsRequest:
        """Submit a data-rights request."""
        return await self._call(
            _SUBMIT_RIGHTS_REQUEST,
            headers={"Idempotency-Key": idempotency_key},
            body=SubmitBody.of(payload=payload, regime=regime),
        )

    async def list_rights_requests(self) -> Requests:
        """List the person's requests."""
        return await self._call(_LIST_RIGHTS_REQUESTS)

    async def show_rights_request(self, request_id: str) -> RightsRequest:
        """Show one request."""
        return await self._call(_SHOW_RIGHTS_REQUEST, path={"request_id": request_id})

    async def show_rights_reach(self, request_id: str) -> ForgetPreview:
        """Count what a deletion would reach."""
        return await self._call(_SHOW_RIGHTS_REACH, path={"request_id": request_id})

    async def step_rights_request(
        self, request_id: str, *, wish: VerifyStep | CancelStep | ReactivateStep | LiftStep | AppealStep
    ) -> RightsRequest:
        """Take a step of one's own."""
        return await self._call(_STEP_RIGHTS_REQUEST, path={"request_id": request_id}, body=wish)

    async def read_rights_answer(self, request_id: str) -> Disclosure:
        """Read the answer to an access request."""
        return await self._call(_READ_RIGHTS_ANSWER, path={"request_id": request_id})

    async def list_own_holds(self) -> Holds:
        """List the legal holds on the person's memory."""
        return await self._call(_LIST_OWN_HOLDS)

    async def list_desk(
        self, *, open_only: bool | Unset = UNSET, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET
    ) -> Desk:
        """List the tenant's requests."""
        return await self._call(_LIST_DESK, query={"open_only": open_only, "limit": limit, "cursor": cursor})

    async def make_challenge(self, request_id: str, *, method: Literal["email-link", "phone-otp"]) -> IdentityChallenge:
        """Make a challenge to be sent to the person."""
        return await self._call(_MAKE_CHALLENGE, path={"request_id": request_id}, body=ChallengeBody.of(method=method))

    async def step_desk(
        self,
        request_id: str,
        *,
        wish: SignOffStep | PlainStep | ExtendStep | WaitStep | DenyStep | CompleteStep | FailStep | DecideStep,
    ) -> DeskRow:
        """Take a step of a request."""
        return await self._call(_STEP_DESK, path={"request_id": request_id}, body=wish)

    async def list_desk_holds(self, *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET) -> DeskHolds:
        """List the tenant's legal holds."""
        return await self._call(_LIST_DESK_HOLDS, query={"limit": limit, "cursor": cursor})

    async def place_hold(
        self,
        *,
        of_user: str,
        reference: str,
        reason: str,
        expires_at: datetime,
        idempotency_key: str | Unset | None = UNSET,
        review_at: datetime | Unset | None = UNSET,
        scopes: tuple[AdapterScope, ...] | Unset = UNSET,
        categories: tuple[Category, ...] | Unset = UNSET,
        logical_ids: tuple[str, ...] | Unset = UNSET,
        is_sealed: bool | Unset = UNSET,
    ) -> LegalHold:
        """Place a legal hold."""
        return await self._call(
            _PLACE_HOLD,
            headers={"Idempotency-Key": idempotency_key},
            body=PlaceHoldBody.of(
                of_user=of_user,
                reference=reference,
                reason=reason,
                expires_at=expires_at,
                review_at=review_at,
                scopes=scopes,
                categories=categories,
                logical_ids=logical_ids,
                is_sealed=is_sealed,
            ),
        )

    async def step_hold(
        self, hold_id: str, *, step: Literal["confirm", "review", "release"], review_at: datetime | Unset | None = UNSET
    ) -> LegalHold:
        """Take a step of a hold."""
        return await self._call(_STEP_HOLD, path={"hold_id": hold_id}, body=HoldStep.of(step=step, review_at=review_at))

    async def make_export(self, *, request_id: str) -> StoredExport:
        """Make the export of a request."""
        return await self._call(_MAKE_EXPORT, body=MakeBody.of(request_id=request_id))

    async def show_export(self, request_id: str) -> StoredExport:
        """See where an export stands."""
        return await self._call(_SHOW_EXPORT, path={"request_id": request_id})

    async def discard_export(self, request_id: str) -> Discarded:
        """Drop an export before its time."""
        return await self._call(_DISCARD_EXPORT, path={"request_id": request_id})

    def download_export(self, request_id: str) -> AsyncIterator[bytes]:
        """Download an export."""
        return self._stream(_DOWNLOAD_EXPORT, path={"request_id": request_id})

    def download_sealed(
        self, request_id: str, *, passphrase: str | Unset | None = UNSET, recipient: str | Unset | None = UNSET
    ) -> AsyncIterator[bytes]:
        """Download an export encrypted."""
        return self._stream(
            _DOWNLOAD_SEALED,
            path={"request_id": request_id},
            body=SealBody.of(passphrase=passphrase, recipient=recipient),
        )
