"""Service tokens of a tenant, and what they are exchanged for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.service_token import MintedToken, PersonToken, ServiceToken
from iris_memory.flows import service_tokens as flows
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.service_tokens import Bound
from iris_memory.front.given import identifier, known_id, member


class ServiceTokens:
    """The service tokens of one tenant. Who acts is named by the caller, who has made sure of it."""

    def __init__(self, instruments: Instruments, tenant: str) -> None:
        """Bind a tenant; use `Iris.service_tokens`."""
        self._instruments = instruments
        self._tenant = identifier(tenant, what="tenant")

    def mint(
        self, name: str, *, consumer: Consumer | str, created_by: str, days: int, assistant_id: str | None = None
    ) -> MintedToken:
        """Make a service token for an assistant; its secret is told this once.

        Raises:
            ContractError: a value is not valid, or the tenant has as many as it may.
        """
        return flows.mint_service_token(
            self._instruments,
            self._tenant,
            name=name,
            consumer=member(Consumer, consumer),
            assistant_id=identifier(assistant_id, what="assistant_id") if assistant_id is not None else None,
            created_by=identifier(created_by, what="created_by"),
            lifetime=timedelta(days=days),
        )

    def list(self) -> Sequence[ServiceToken]:
        """Return every service token, oldest first, those that ended among them."""
        return flows.service_tokens(self._instruments, self._tenant)

    def revoke(self, token_id: str, *, revoked_by: str) -> ServiceToken:
        """End a service token, and with it what it was exchanged for.

        Raises:
            UnknownMemoryError: there is no such token.
        """
        actor = identifier(revoked_by, what="revoked_by")
        return flows.revoke_service_token(self._instruments, self._tenant, known_id(token_id), revoked_by=actor)


class Exchange:
    """Reads service tokens and persons' tokens of every tenant, and exchanges the one for the other."""

    def __init__(self, instruments: Instruments) -> None:
        """Take the engines; use `Iris.exchange`."""
        self._instruments = instruments

    def service(self, secret: str) -> ServiceToken | None:
        """Return the service token of a secret; None for one that is not good now."""
        return flows.read_service_token(self._instruments, secret)

    def issue(self, service: ServiceToken, *, user: str) -> PersonToken:
        """Return a token of one person, for a service token that `service` returned in the same request."""
        return flows.issue_person_token(self._instruments, service, user=identifier(user, what="user"))

    def person(self, token: str) -> Bound | None:
        """Return who a person's token stands for; None for one that is not good now."""
        return flows.read_person_token(self._instruments, token)
