"""Assistants and webhooks of a tenant: for admins alone."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Depends
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.access.issuers import Role
from iris_memory.contracts.category import Surface
from iris_memory.contracts.continuity import Reference
from iris_memory.contracts.events import EventName
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Identifier, Storable, Unordered
from iris_memory.contracts.webhook import Webhook, WebhookAddress, WebhookRegistered
from iris_memory.contracts.write import Refused
from iris_memory.flows.reading import unknown
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Caller
from iris_memory.http.problems import NotPermittedError, RefusedError, documented

router = APIRouter(prefix="/v1", tags=["assistants and webhooks"])


class AssistantBody(Contract):
    """An assistant, whole: registering it again changes it."""

    assistant_id: Identifier
    display_name: Annotated[str, Field(min_length=1, max_length=120), Storable]
    persona_ref: Reference
    surfaces: Annotated[frozenset[Surface], *Unordered]
    scopes: Annotated[frozenset[AdapterScope], *Unordered]


class RetireBody(Contract):
    """Which assistant is retired."""

    assistant_id: Identifier


class AssistantList(Contract):
    """The tenant's assistants by id, retired ones included."""

    assistants: tuple[AssistantIdentity, ...]


class WebhookBody(Contract):
    """Where to send which events."""

    url: WebhookAddress
    events: Annotated[frozenset[EventName], *Unordered] = frozenset(EventName)


class RemoveWebhookBody(Contract):
    """Which webhook goes."""

    webhook_id: Identifier


class WebhookRemoved(Contract):
    """Whether it was there."""

    removed: bool


class WebhookList(Contract):
    """The tenant's webhooks, oldest first, without secrets."""

    webhooks: tuple[Webhook, ...]


def _one(summary: str, **value: object) -> dict[str, Example]:
    return {"one": {"summary": summary, "value": value}}


_ASSISTANT: Final = _one(
    "An assistant that sees the profile and the session",
    assistant_id="nova",
    display_name="Nova",
    persona_ref="personas/nova-2",
    surfaces=["assistant", "shell"],
    scopes=["assistant_profile", "session"],
)
_RETIRE: Final = _one("An assistant", assistant_id="nova")
_WEBHOOK: Final = _one("Recalls alone", url="https://audit.example/iris", events=["recall.completed"])
_REMOVE: Final = _one("A webhook", webhook_id="0195f2b0-0000-7000-8000-000000000000")


def _asking(caller: Caller) -> Asking:
    if Role.ADMIN not in caller.holder.roles:
        raise NotPermittedError
    return caller


Admin = Annotated[Asking, Depends(_asking)]


@router.get("/assistants", summary="List the tenant's assistants", responses=documented(403))
def list_assistants(admin: Admin) -> AssistantList:
    """With the surfaces and scopes that are the most each may reach."""
    return AssistantList(assistants=tuple(admin.iris.assistants(admin.holder.tenant).list()))


@router.post("/assistants", summary="Register or change an assistant", responses=documented(403, 415, 507))
def register_assistant(
    admin: Admin, wish: Annotated[AssistantBody, as_json(AssistantBody), Body(openapi_examples=_ASSISTANT)]
) -> AssistantIdentity:
    """Scopes and surfaces narrow what it may reach, and widen nothing; its persona has no part in it."""
    fields = {name: getattr(wish, name) for name in type(wish).model_fields}
    return admin.iris.assistants(admin.holder.tenant).register(**fields)


@router.post("/assistants/retire", summary="Retire an assistant", responses=documented(403, 404, 415, 507))
def retire_assistant(
    admin: Admin, wish: Annotated[RetireBody, as_json(RetireBody), Body(openapi_examples=_RETIRE)]
) -> AssistantIdentity:
    """From now on it reaches nothing."""
    retired = admin.iris.assistants(admin.holder.tenant).retire(wish.assistant_id)
    if retired is None:
        raise unknown()
    return retired


@router.get("/webhooks", summary="List the tenant's webhooks", responses=documented(403))
def list_webhooks(admin: Admin) -> WebhookList:
    """How far each was taken, and how the last attempt went."""
    return WebhookList(webhooks=tuple(admin.iris.webhooks(admin.holder.tenant).list()))


@router.post("/webhooks", summary="Register a webhook", responses=documented(403, 415, 507))
def register_webhook(
    admin: Admin, wish: Annotated[WebhookBody, as_json(WebhookBody), Body(openapi_examples=_WEBHOOK)]
) -> WebhookRegistered:
    """It is sent what happens from now on. The secret is told this once."""
    registered = admin.iris.webhooks(admin.holder.tenant).register(wish.url, events=sorted(wish.events))
    if isinstance(registered, Refused):
        raise RefusedError(registered)
    return registered


@router.post("/webhooks/remove", summary="Remove a webhook", responses=documented(403, 415, 507))
def remove_webhook(
    admin: Admin, wish: Annotated[RemoveWebhookBody, as_json(RemoveWebhookBody), Body(openapi_examples=_REMOVE)]
) -> WebhookRemoved:
    """What was not sent is not sent any more."""
    return WebhookRemoved(removed=admin.iris.webhooks(admin.holder.tenant).remove(wish.webhook_id))
