"""Service tokens of assistants, and their exchange for a short-lived token of one person."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Request
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.access.service_tokens import PersonTokens
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.service_token import MintedToken, PersonToken, ServiceToken, TokenName
from iris_memory.contracts.shape import Contract, Identifier
from iris_memory.front.service_tokens import ServiceTokens
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Caller, FreshCaller
from iris_memory.http.problems import documented
from iris_memory.tables.limits import SERVICE_TOKEN_LIFETIME_MOST

router = APIRouter(prefix="/v1", tags=["service tokens"])

TokenId = Annotated[str, Path(min_length=1, max_length=128, description="The id of a service token.")]


class MintBody(Contract):
    """A service token of one assistant: for one consumer, for a while."""

    name: TokenName
    consumer: Consumer = Consumer.ASSISTANT
    assistant_id: Identifier | None = None
    days: Annotated[int, Field(ge=1, le=SERVICE_TOKEN_LIFETIME_MOST.days)] = 90


class ExchangeBody(Contract):
    """The person the token is for: named here, and in no request that carries it."""

    user: Identifier


class ServiceTokenList(Contract):
    """The service tokens of the tenant, oldest first, those that ended among them."""

    tokens: tuple[ServiceToken, ...]


_MINT: Final[dict[str, Example]] = {
    "assistant": {"summary": "For one assistant", "value": {"name": "the travel assistant", "days": 30}}
}
_EXCHANGE: Final[dict[str, Example]] = {"person": {"summary": "For one person", "value": {"user": "me"}}}


@router.get("/service-tokens", summary="List service tokens", responses=documented(403))
def list_service_tokens(caller: Caller) -> ServiceTokenList:
    """Names, consumers and times; no secret is kept."""
    return ServiceTokenList(tokens=tuple(_of(caller).list()))


@router.post("/service-tokens", status_code=201, summary="Make a service token", responses=documented(403, 415, 507))
def mint_service_token(
    caller: FreshCaller, wish: Annotated[MintBody, as_json(MintBody), Body(openapi_examples=_MINT)]
) -> MintedToken:
    """The secret is in this answer and in no other: what is kept is its digest."""
    return _of(caller).mint(
        wish.name,
        consumer=wish.consumer,
        created_by=caller.holder.user,
        days=wish.days,
        assistant_id=wish.assistant_id,
    )


@router.delete("/service-tokens/{token_id}", summary="Revoke a service token", responses=documented(403, 404, 507))
def revoke_service_token(caller: FreshCaller, token_id: TokenId) -> ServiceToken:
    """Within a minute no token that it was exchanged for is good either."""
    return _of(caller).revoke(token_id, revoked_by=caller.holder.user)


@router.post("/tokens/person", summary="Exchange a service token for a person's", responses=documented(415, 507))
def exchange_service_token(
    request: Request, wish: Annotated[ExchangeBody, as_json(ExchangeBody), Body(openapi_examples=_EXCHANGE)]
) -> PersonToken:
    """Asked with the service token as the bearer. The token lives 15 minutes and opens what an assistant may do."""
    persons: PersonTokens = request.app.state.persons
    return persons.issue(request.state.service, user=wish.user)


def _of(caller: Asking) -> ServiceTokens:
    return caller.iris.service_tokens(tenant=caller.holder.tenant)
