"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.forgetting import (
    EraseBody,
    Erased,
    ForgetBody,
    Receipts,
    RollBackBody,
    RolledBack,
    SourceBody,
    SourcePreviewBody,
)
from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt

_FORGET_MEMORY: Final[Operation[ForgetReceipt]] = Operation("DELETE", "/v1/memories/{logical_id}", ForgetReceipt)
_PREVIEW_FORGET: Final[Operation[ForgetPreview]] = Operation("POST", "/v1/forget/preview", ForgetPreview)
_FORGET: Final[Operation[ForgetReceipt]] = Operation("POST", "/v1/forget", ForgetReceipt)
_ERASE: Final[Operation[Erased]] = Operation("POST", "/v1/erase", Erased)
_LIST_RECEIPTS: Final[Operation[Receipts]] = Operation("GET", "/v1/receipts", Receipts)
_SHOW_RECEIPT: Final[Operation[ForgetReceipt]] = Operation("GET", "/v1/receipts/{receipt_id}", ForgetReceipt)
_PREVIEW_FORGET_SOURCE: Final[Operation[ForgetPreview]] = Operation("POST", "/v1/forget/source/preview", ForgetPreview)
_FORGET_SOURCE: Final[Operation[ForgetReceipt]] = Operation("POST", "/v1/forget/source", ForgetReceipt)
_ROLL_BACK: Final[Operation[RolledBack]] = Operation("POST", "/v1/roll-back", RolledBack)


class ForgettingCalls(Calls):
    """Calls of `forgetting`."""

    def forget_memory(self, logical_id: str, *, scan: bool | Unset = UNSET) -> ForgetReceipt:
        """Forget one memory."""
        return self._call(_FORGET_MEMORY, path={"logical_id": logical_id}, query={"scan": scan})

    def preview_forget(
        self,
        *,
        logical_id: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        everything: bool | Unset = UNSET,
        scan: bool | Unset = UNSET,
    ) -> ForgetPreview:
        """Count what a forget would reach."""
        return self._call(
            _PREVIEW_FORGET,
            body=ForgetBody.of(logical_id=logical_id, category=category, everything=everything, scan=scan),
        )

    def forget(
        self,
        *,
        logical_id: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        everything: bool | Unset = UNSET,
        scan: bool | Unset = UNSET,
    ) -> ForgetReceipt:
        """Forget a memory, a category or everything."""
        return self._call(
            _FORGET, body=ForgetBody.of(logical_id=logical_id, category=category, everything=everything, scan=scan)
        )

    def erase(self, *, erase: Literal["everything-about-me"], scan: bool | Unset = UNSET) -> Erased:
        """Erase the person whole."""
        return self._call(_ERASE, body=EraseBody.of(erase=erase, scan=scan))

    def list_receipts(self) -> Receipts:
        """List receipts of what was forgotten."""
        return self._call(_LIST_RECEIPTS)

    def show_receipt(self, receipt_id: str) -> ForgetReceipt:
        """Show one receipt."""
        return self._call(_SHOW_RECEIPT, path={"receipt_id": receipt_id})

    def preview_forget_source(self, *, ref: str) -> ForgetPreview:
        """Count what forgetting a source would reach."""
        return self._call(_PREVIEW_FORGET_SOURCE, body=SourcePreviewBody.of(ref=ref))

    def forget_source(self, *, ref: str, scan: bool | Unset = UNSET) -> ForgetReceipt:
        """Forget everything from one source."""
        return self._call(_FORGET_SOURCE, body=SourceBody.of(ref=ref, scan=scan))

    def roll_back(self, *, to: datetime, scan: bool | Unset = UNSET) -> RolledBack:
        """Go back to an instant."""
        return self._call(_ROLL_BACK, body=RollBackBody.of(to=to, scan=scan))


class AsyncForgettingCalls(AsyncCalls):
    """Calls of `forgetting`, awaited."""

    async def forget_memory(self, logical_id: str, *, scan: bool | Unset = UNSET) -> ForgetReceipt:
        """Forget one memory."""
        return await self._call(_FORGET_MEMORY, path={"logical_id": logical_id}, query={"scan": scan})

    async def preview_forget(
        self,
        *,
        logical_id: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        everything: bool | Unset = UNSET,
        scan: bool | Unset = UNSET,
    ) -> ForgetPreview:
        """Count what a forget would reach."""
        return await self._call(
            _PREVIEW_FORGET,
            body=ForgetBody.of(logical_id=logical_id, category=category, everything=everything, scan=scan),
        )

    async def forget(
        self,
        *,
        logical_id: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        everything: bool | Unset = UNSET,
        scan: bool | Unset = UNSET,
    ) -> ForgetReceipt:
        """Forget a memory, a category or everything."""
        return await self._call(
            _FORGET, body=ForgetBody.of(logical_id=logical_id, category=category, everything=everything, scan=scan)
        )

    async def erase(self, *, erase: Literal["everything-about-me"], scan: bool | Unset = UNSET) -> Erased:
        """Erase the person whole."""
        return await self._call(_ERASE, body=EraseBody.of(erase=erase, scan=scan))

    async def list_receipts(self) -> Receipts:
        """List receipts of what was forgotten."""
        return await self._call(_LIST_RECEIPTS)

    async def show_receipt(self, receipt_id: str) -> ForgetReceipt:
        """Show one receipt."""
        return await self._call(_SHOW_RECEIPT, path={"receipt_id": receipt_id})

    async def preview_forget_source(self, *, ref: str) -> ForgetPreview:
        """Count what forgetting a source would reach."""
        return await self._call(_PREVIEW_FORGET_SOURCE, body=SourcePreviewBody.of(ref=ref))

    async def forget_source(self, *, ref: str, scan: bool | Unset = UNSET) -> ForgetReceipt:
        """Forget everything from one source."""
        return await self._call(_FORGET_SOURCE, body=SourceBody.of(ref=ref, scan=scan))

    async def roll_back(self, *, to: datetime, scan: bool | Unset = UNSET) -> RolledBack:
        """Go back to an instant."""
        return await self._call(_ROLL_BACK, body=RollBackBody.of(to=to, scan=scan))
