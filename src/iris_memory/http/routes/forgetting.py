"""Forgetting: the reach before, the receipt after."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt
from iris_memory.http import examples
from iris_memory.http.answers import Erased
from iris_memory.http.bodies import EraseBody, ForgetBody, as_json
from iris_memory.http.caller import Caller, FreshCaller
from iris_memory.http.problems import documented
from iris_memory.http.routes.memories import LogicalId

router = APIRouter(prefix="/v1", tags=["forgetting"])

Wish = Annotated[ForgetBody, as_json(ForgetBody), Body(openapi_examples=examples.FORGET)]


@router.post("/forget/preview", summary="Count what a forget would reach", responses=documented(404, 415))
def preview_forget(caller: Caller, wish: Wish) -> ForgetPreview:
    """Nothing is changed."""
    return caller.memory().preview_forget(**wish.target())


@router.post("/forget", summary="Forget a memory, a category or everything", responses=documented(404, 415, 507))
def forget(caller: FreshCaller, wish: Wish) -> ForgetReceipt:
    """For good: keys first, then rows. The signed receipt says what was reached and what a search found."""
    return caller.memory().forget(**wish.target(), scan=wish.scan)


@router.delete("/memories/{logical_id}", summary="Forget one memory", responses=documented(404, 507))
def forget_memory(caller: FreshCaller, logical_id: LogicalId, scan: bool = True) -> ForgetReceipt:
    """For good; answers with the signed receipt."""
    return caller.memory().forget(logical_id, scan=scan)


@router.post("/erase", summary="Erase the person whole", responses=documented(415, 507))
def erase(
    caller: FreshCaller, wish: Annotated[EraseBody, as_json(EraseBody), Body(openapi_examples=examples.ERASE)]
) -> Erased:
    """Every row, every key and the link to the user. What stays leads nowhere."""
    return Erased(receipt=caller.memory().erase(scan=wish.scan))
