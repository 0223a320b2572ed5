"""How memory ages: what waits for a decision at the end of its envelope, and what a memory was made from."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body
from fastapi.openapi.models import Example

from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.retaining import Expansion, Review, ReviewDecision
from iris_memory.contracts.shape import Contract, Identifier
from iris_memory.contracts.write import Refused, Written
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented
from iris_memory.http.routes.memories import LogicalId

router = APIRouter(prefix="/v1", tags=["retention"])


class Reviews(Contract):
    """Memories that wait for a decision, those that end first coming first."""

    reviews: tuple[Review, ...]


class ReviewBody(Contract):
    """The decision; with `expected` it counts for the revision that was seen alone."""

    decision: ReviewDecision
    expected: Identifier | None = None
    scan: bool = True


class Decided(Contract):
    """What became of it: the revision that is kept on, or the receipt of what was ended."""

    kept: Written | None = None
    receipt: ForgetReceipt | None = None


_DECIDE: Final[dict[str, Example]] = {
    "extend": {"summary": "Keep it one more window of its scope", "value": {"decision": "extend"}},
    "end": {"summary": "Forget it now", "value": {"decision": "end"}},
}


@router.get("/reviews", summary="List what waits for a decision", responses=documented())
def list_reviews(caller: Caller) -> Reviews:
    """It is recalled no more. Without a decision it is ended 30 days after it began to wait."""
    return Reviews(reviews=tuple(caller.memory().reviews()))


@router.post(
    "/reviews/{logical_id}/decision",
    summary="Decide a memory in review",
    responses=documented(403, 404, 409, 415, 507),
)
def decide_review(
    caller: Caller,
    logical_id: LogicalId,
    wish: Annotated[ReviewBody, as_json(ReviewBody), Body(openapi_examples=_DECIDE)],
) -> Decided:
    """`extend` is admitted like any statement, with the consents and the approval its scope needs; `end` forgets it."""
    memory = caller.memory()
    outcome = memory.retention.decide(logical_id, wish.decision, expected=wish.expected, scan=wish.scan)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    if isinstance(outcome, ForgetReceipt):
        return Decided(receipt=outcome)
    return Decided(kept=outcome)


@router.get("/memories/{logical_id}/sources", summary="Show what a memory was made from", responses=documented(404))
def expand_memory(caller: Caller, logical_id: LogicalId) -> Expansion:
    """Sources that are still there with their words, those that went with when and why, turns by their reference."""
    return caller.memory().expand(logical_id)
