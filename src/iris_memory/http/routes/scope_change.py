"""Moving a memory to another scope."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Response
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract
from iris_memory.contracts.write import AskUser, Refused, Written
from iris_memory.front.own_scope import OwnScope
from iris_memory.http.bodies import as_json, scope_for
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented
from iris_memory.http.routes.memories import IfMatch, LogicalId, etag, expected

router = APIRouter(prefix="/v1", tags=["memories"])

Moved = Annotated[Written | AskUser, Field(discriminator="outcome")]


class ScopeBody(Contract):
    """Where a memory goes. With `read_only_copy` a tenant's memory is shown in the profile and stays the tenant's."""

    scope: OwnScope
    adapter_scope: AdapterScope | None = None
    read_only_copy: bool = False


_MOVE: Final[dict[str, Example]] = {
    "notebook": {
        "summary": "From the profile to a notebook",
        "value": {"scope": {"kind": "notebook", "notebook_id": "trips"}},
    },
}


@router.post(
    "/memories/{logical_id}/scope",
    summary="Move a memory to another scope",
    responses={
        202: {"description": "It waits as a draft for the person's answer", "model": AskUser},
        **documented(403, 404, 409, 412, 415, 507),
    },
)
def change_scope(
    caller: Caller,
    logical_id: LogicalId,
    wish: Annotated[ScopeBody, as_json(ScopeBody), Body(openapi_examples=_MOVE)],
    response: Response,
    if_match: IfMatch = None,
) -> Moved:
    """The next revision of the same memory, with where it came from. What is there already is met by the ladder."""
    target = scope_for(wish.scope, caller.holder)
    assert target is not None
    outcome = caller.memory().change_scope(
        logical_id,
        target,
        adapter_scope=wish.adapter_scope,
        read_only_copy=wish.read_only_copy,
        expected=expected(if_match),
    )
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    if isinstance(outcome, AskUser):
        response.status_code = 202
    response.headers["ETag"] = etag(outcome.entry.id)
    return outcome
