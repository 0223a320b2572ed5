"""Service tokens: what an assistant shows to get a short-lived token of one person. No secret is in any of these."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.shape import Contract, Identifier, Instant, Storable

TokenName = Annotated[str, Field(min_length=1, max_length=100), Storable]


class ServiceToken(Contract):
    """One service token as those who look after a tenant see it: never its secret, nor the digest that is kept."""

    token_id: Identifier
    tenant_id: Identifier
    name: TokenName
    consumer: Consumer
    assistant_id: Identifier | None = None
    created_by: Identifier
    created_at: Instant
    expires_at: Instant
    revoked_by: Identifier | None = None
    revoked_at: Instant | None = None


class MintedToken(Contract):
    """A service token at its birth. `secret` is told this once and kept nowhere."""

    token: ServiceToken
    secret: Annotated[str, Field(min_length=1, max_length=2_000)]


class PersonToken(Contract):
    """A token of one person, for one consumer. The requests that carry it name nobody."""

    access_token: Annotated[str, Field(min_length=1, max_length=4_000)]
    expires_at: Instant
    consumer: Consumer
