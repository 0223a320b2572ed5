"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.service_token import ServiceToken


class ExchangeBody(Shape):
    """The person the token is for: named here, and in no request that carries it."""

    user: str


class MintBody(Shape):
    """A service token of one assistant: for one consumer, for a while."""

    name: str
    consumer: Consumer | None = None
    assistant_id: str | None = None
    days: int | None = None


class ServiceTokenList(Shape):
    """The service tokens of the tenant, oldest first, those that ended among them."""

    tokens: tuple[ServiceToken, ...]
