"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.assistants_and_webhooks import (
    AssistantBody,
    AssistantList,
    RemoveWebhookBody,
    RetireBody,
    WebhookBody,
    WebhookList,
    WebhookRemoved,
)
from iris_memory.contracts.category import Surface
from iris_memory.contracts.events import EventName
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.webhook import WebhookRegistered

_LIST_ASSISTANTS: Final[Operation[AssistantList]] = Operation("GET", "/v1/assistants", AssistantList)
_REGISTER_ASSISTANT: Final[Operation[AssistantIdentity]] = Operation("POST", "/v1/assistants", AssistantIdentity)
_RETIRE_ASSISTANT: Final[Operation[AssistantIdentity]] = Operation("POST", "/v1/assistants/retire", AssistantIdentity)
_LIST_WEBHOOKS: Final[Operation[WebhookList]] = Operation("GET", "/v1/webhooks", WebhookList)
_REGISTER_WEBHOOK: Final[Operation[WebhookRegistered]] = Operation("POST", "/v1/webhooks", WebhookRegistered)
_REMOVE_WEBHOOK: Final[Operation[WebhookRemoved]] = Operation("POST", "/v1/webhooks/remove", WebhookRemoved)


class AssistantsAndWebhooksCalls(Calls):
    """Calls of `assistants_and_webhooks`."""

    def list_assistants(self) -> AssistantList:
        """List the tenant's assistants."""
        return self._call(_LIST_ASSISTANTS)

    def register_assistant(
        self,
        *,
        assistant_id: str,
        display_name: str,
        persona_ref: str,
        surfaces: frozenset[Surface],
        scopes: frozenset[AdapterScope],
    ) -> AssistantIdentity:
        """Register or change an assistant."""
        return self._call(
            _REGISTER_ASSISTANT,
            body=AssistantBody.of(
                assistant_id=assistant_id,
                display_name=display_name,
                persona_ref=persona_ref,
                surfaces=surfaces,
                scopes=scopes,
            ),
        )

    def retire_assistant(self, *, assistant_id: str) -> AssistantIdentity:
        """Retire an assistant."""
        return self._call(_RETIRE_ASSISTANT, body=RetireBody.of(assistant_id=assistant_id))

    def list_webhooks(self) -> WebhookList:
        """List the tenant's webhooks."""
        return self._call(_LIST_WEBHOOKS)

    def register_webhook(self, *, url: str, events: frozenset[EventName] | Unset = UNSET) -> WebhookRegistered:
        """Register a webhook."""
        return self._call(_REGISTER_WEBHOOK, body=WebhookBody.of(url=url, events=events))

    def remove_webhook(self, *, webhook_id: str) -> WebhookRemoved:
        """Remove a webhook."""
        return self._call(_REMOVE_WEBHOOK, body=RemoveWebhookBody.of(webhook_id=webhook_id))


class AsyncAssistantsAndWebhooksCalls(AsyncCalls):
    """Calls of `assistants_and_webhooks`, awaited."""

    async def list_assistants(self) -> AssistantList:
        """List the tenant's assistants."""
        return await self._call(_LIST_ASSISTANTS)

    async def register_assistant(
        self,
        *,
        assistant_id: str,
        display_name: str,
        persona_ref: str,
        surfaces: frozenset[Surface],
        scopes: frozenset[AdapterScope],
    ) -> AssistantIdentity:
        """Register or change an assistant."""
        return await self._call(
            _REGISTER_ASSISTANT,
            body=AssistantBody.of(
                assistant_id=assistant_id,
                display_name=display_name,
                persona_ref=persona_ref,
                surfaces=surfaces,
                scopes=scopes,
            ),
        )

    async def retire_assistant(self, *, assistant_id: str) -> AssistantIdentity:
        """Retire an assistant."""
        return await self._call(_RETIRE_ASSISTANT, body=RetireBody.of(assistant_id=assistant_id))

    async def list_webhooks(self) -> WebhookList:
        """List the tenant's webhooks."""
        return await self._call(_LIST_WEBHOOKS)

    async def register_webhook(self, *, url: str, events: frozenset[EventName] | Unset = UNSET) -> WebhookRegistered:
        """Register a webhook."""
        return await self._call(_REGISTER_WEBHOOK, body=WebhookBody.of(url=url, events=events))

    async def remove_webhook(self, *, webhook_id: str) -> WebhookRemoved:
        """Remove a webhook."""
        return await self._call(_REMOVE_WEBHOOK, body=RemoveWebhookBody.of(webhook_id=webhook_id))
