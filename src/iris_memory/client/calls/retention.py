"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.retention import Decided, ReviewBody, Reviews
from iris_memory.contracts.retaining import Expansion, ReviewDecision

_LIST_REVIEWS: Final[Operation[Reviews]] = Operation("GET", "/v1/reviews", Reviews)
_DECIDE_REVIEW: Final[Operation[Decided]] = Operation("POST", "/v1/reviews/{logical_id}/decision", Decided)
_EXPAND_MEMORY: Final[Operation[Expansion]] = Operation("GET", "/v1/memories/{logical_id}/sources", Expansion)


class RetentionCalls(Calls):
    """Calls of `retention`."""

    def list_reviews(self) -> Reviews:
        """List what waits for a decision."""
        return self._call(_LIST_REVIEWS)

    def decide_review(
        self,
        logical_id: str,
        *,
        decision: ReviewDecision,
        expected: str | Unset | None = UNSET,
        scan: bool | Unset = UNSET,
    ) -> Decided:
        """Decide a memory in review."""
        return self._call(
            _DECIDE_REVIEW,
            path={"logical_id": logical_id},
            body=ReviewBody.of(decision=decision, expected=expected, scan=scan),
        )

    def expand_memory(self, logical_id: str) -> Expansion:
        """Show what a memory was made from."""
        return self._call(_EXPAND_MEMORY, path={"logical_id": logical_id})


class AsyncRetentionCalls(AsyncCalls):
    """Calls of `retention`, awaited."""

    async def list_reviews(self) -> Reviews:
        """List what waits for a decision."""
        return await self._call(_LIST_REVIEWS)

    async def decide_review(
        self,
        logical_id: str,
        *,
        decision: ReviewDecision,
        expected: str | Unset | None = UNSET,
        scan: bool | Unset = UNSET,
    ) -> Decided:
        """Decide a memory in review."""
        return await self._call(
            _DECIDE_REVIEW,
            path={"logical_id": logical_id},
            body=ReviewBody.of(decision=decision, expected=expected, scan=scan),
        )

    async def expand_memory(self, logical_id: str) -> Expansion:
        """Show what a memory was made from."""
        return await self._call(_EXPAND_MEMORY, path={"logical_id": logical_id})
