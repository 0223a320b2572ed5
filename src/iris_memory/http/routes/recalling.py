"""Recall, and why a memory did or did not surface."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response

from iris_memory.contracts.recall import Explanation, RecallResult
from iris_memory.front.asking import wish_of
from iris_memory.http import examples
from iris_memory.http.answering import RecallLine
from iris_memory.http.bodies import RecallBody, as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import documented
from iris_memory.http.routes.memories import LogicalId

router = APIRouter(prefix="/v1", tags=["recall"])

Wish = Annotated[RecallBody, as_json(RecallBody), Body(openapi_examples=examples.RECALL)]


@router.post(
    "/recall",
    response_model=RecallResult,
    summary="Recall what is relevant and allowed",
    responses={
        200: {"description": "The hits, and the account of what was held back"},
        **documented(415),
    },
)
async def recall(request: Request, caller: Caller, wish: Wish) -> Response:
    """Every gate is asked; each hit says why it surfaced, and the envelope counts what was held back, by reason."""
    line: RecallLine = request.app.state.recalls
    return await line.recall(caller.memory().asking(wish_of(wish.text, **wish.wish(caller.holder))))


@router.post("/explain/{logical_id}", summary="Explain one memory for one request", responses=documented(404, 415))
def explain(caller: Caller, logical_id: LogicalId, wish: Wish) -> Explanation:
    """Every gate's verdict on the memory, its score in parts, and what became of it. It marks no use."""
    return caller.memory().explain(logical_id, wish.text, **wish.wish(caller.holder))
