"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.service_tokens import ExchangeBody, MintBody, ServiceTokenList
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.service_token import MintedToken, PersonToken, ServiceToken

_LIST_SERVICE_TOKENS: Final[Operation[ServiceTokenList]] = Operation("GET", "/v1/service-tokens", ServiceTokenList)
_MINT_SERVICE_TOKEN: Final[Operation[MintedToken]] = Operation("POST", "/v1/service-tokens", MintedToken)
_REVOKE_SERVICE_TOKEN: Final[Operation[ServiceToken]] = Operation(
    "DELETE", "/v1/service-tokens/{token_id}", ServiceToken
)
_EXCHANGE_SERVICE_TOKEN: Final[Operation[PersonToken]] = Operation("POST", "/v1/tokens/person", PersonToken)


class ServiceTokensCalls(Calls):
    """Calls of `service_tokens`."""

    def list_service_tokens(self) -> ServiceTokenList:
        """List service tokens."""
        return self._call(_LIST_SERVICE_TOKENS)

    def mint_service_token(
        self,
        *,
        name: str,
        consumer: Consumer | Unset = UNSET,
        assistant_id: str | Unset | None = UNSET,
        days: int | Unset = UNSET,
    ) -> MintedToken:
        """Make a service token."""
        return self._call(
            _MINT_SERVICE_TOKEN, body=MintBody.of(name=name, consumer=consumer, assistant_id=assistant_id, days=days)
        )

    def revoke_service_token(self, token_id: str) -> ServiceToken:
        """Revoke a service token."""
        return self._call(_REVOKE_SERVICE_TOKEN, path={"token_id": token_id})

    def exchange_service_token(self, *, user: str) -> PersonToken:
        """Exchange a service token for a person's."""
        return self._call(_EXCHANGE_SERVICE_TOKEN, body=ExchangeBody.of(user=user))


class AsyncServiceTokensCalls(AsyncCalls):
    """Calls of `service_tokens`, awaited."""

    async def list_service_tokens(self) -> ServiceTokenList:
        """List service tokens."""
        return await self._call(_LIST_SERVICE_TOKENS)

    async def mint_service_token(
        self,
        *,
        name: str,
        consumer: Consumer | Unset = UNSET,
        assistant_id: str | Unset | None = UNSET,
        days: int | Unset = UNSET,
    ) -> MintedToken:
        """Make a service token."""
        return await self._call(
            _MINT_SERVICE_TOKEN, body=MintBody.of(name=name, consumer=consumer, assistant_id=assistant_id, days=days)
        )

    async def revoke_service_token(self, token_id: str) -> ServiceToken:
        """Revoke a service token."""
        return await self._call(_REVOKE_SERVICE_TOKEN, path={"token_id": token_id})

    async def exchange_service_token(self, *, user: str) -> PersonToken:
        """Exchange a service token for a person's."""
        return await self._call(_EXCHANGE_SERVICE_TOKEN, body=ExchangeBody.of(user=user))
