"""The assistants of a tenant, and the webhooks its events go to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from iris_memory.contracts.category import Surface
from iris_memory.contracts.events import EventName
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.webhook import Webhook, WebhookRegistered
from iris_memory.contracts.write import Refused
from iris_memory.flows import assistants, webhooks
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.webhooks import Delivered
from iris_memory.front.given import identifier, member
from iris_memory.ports.courier import Courier


class Assistants:
    """Which assistants a tenant has, and the most each may reach."""

    def __init__(self, instruments: Instruments, tenant: str) -> None:
        """Bind a tenant; use `Iris.assistants`."""
        self._instruments = instruments
        self._tenant = tenant

    def register(
        self,
        assistant_id: str,
        *,
        display_name: str,
        persona_ref: str,
        surfaces: Collection[Surface | str],
        scopes: Collection[AdapterScope | str],
    ) -> AssistantIdentity:
        """Register an assistant or change it. Surfaces and scopes narrow what it may reach; the persona does nothing.

        Raises:
            ContractError: a value breaks the contract.
        """
        return assistants.register(
            self._instruments,
            self._tenant,
            assistant_id=identifier(assistant_id, what="assistant_id"),
            display_name=display_name,
            persona_ref=persona_ref,
            surfaces=[member(Surface, surface) for surface in surfaces],
            scopes=[member(AdapterScope, scope) for scope in scopes],
        )

    def retire(self, assistant_id: str) -> AssistantIdentity | None:
        """Retire an assistant: it reaches nothing any more. None where it is not registered."""
        return assistants.retire(self._instruments, self._tenant, identifier(assistant_id, what="assistant_id"))

    def list(self) -> Sequence[AssistantIdentity]:
        """Return the assistants by id, retired ones included."""
        return assistants.assistants(self._instruments, self._tenant)


class Webhooks:
    """Where a tenant's events are sent. None is sent anywhere until one is registered."""

    def __init__(self, instruments: Instruments, tenant: str) -> None:
        """Bind a tenant; use `Iris.webhooks`."""
        self._instruments = instruments
        self._tenant = tenant

    def register(
        self, url: str, *, events: Collection[EventName | str] = tuple(EventName)
    ) -> WebhookRegistered | Refused:
        """Register a webhook at an https address, or http on loopback. Its secret is told this once.

        Raises:
            ContractError: the address or an event is none.
        """
        wanted = [member(EventName, event) for event in events]
        return webhooks.register(self._instruments, self._tenant, url=url, events=wanted)

    def list(self) -> Sequence[Webhook]:
        """Return the webhooks, oldest first, without secrets."""
        return webhooks.webhooks(self._instruments, self._tenant)

    def remove(self, webhook_id: str) -> bool:
        """Remove a webhook; say whether it was there."""
        return webhooks.remove(self._instruments, self._tenant, identifier(webhook_id, what="webhook_id"))

    def deliver(self, courier: Courier) -> Delivered:
        """Send what is due, of every tenant of the store, a turn each."""
        return webhooks.deliver_due(self._instruments, courier)
