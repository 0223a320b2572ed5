"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
from iris_memory.contracts.category import Surface
from iris_memory.contracts.events import EventName
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.webhook import Webhook


class AssistantBody(Shape):
    """An assistant, whole: registering it again changes it."""

    assistant_id: str
    display_name: str
    persona_ref: str
    surfaces: frozenset[Surface]
    scopes: frozenset[AdapterScope]


class AssistantList(Shape):
    """The tenant's assistants by id, retired ones included."""

    assistants: tuple[AssistantIdentity, ...]


class RemoveWebhookBody(Shape):
    """Which webhook goes."""

    webhook_id: str


class RetireBody(Shape):
    """Which assistant is retired."""

    assistant_id: str


class WebhookBody(Shape):
    """Where to send which events."""

    url: str
    events: frozenset[EventName] | None = None


class WebhookList(Shape):
    """The tenant's webhooks, oldest first, without secrets."""

    webhooks: tuple[Webhook, ...]


class WebhookRemoved(Shape):
    """Whether it was there."""

    removed: bool
