"""Assistants of a tenant, and the webhooks its events go to."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, head
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.wording import count
from iris_memory.contracts.write import Refused

AssistantId = Annotated[str, typer.Argument(metavar="ID", help="the id of the assistant")]


def list_assistants(place: Place) -> Told:
    """Show the tenant's assistants.

    Each with the surfaces and scopes that are the most it may reach.
    """
    with place.opened() as iris:
        known = iris.assistants(place.tenant).list()
    lines: list[Words] = []
    for one in known:
        lines.append(head(f"{one.display_name} ({one.assistant_id})" + (" · retired" if one.retired_at else "")))
        lines.append(dim(f"  persona {one.persona_ref}; on {', '.join(sorted(one.surfaces))}"))
        lines.append(dim(f"  reaches {', '.join(sorted(one.scopes)) or 'nothing'}"))
    lines.append(dim(count(len(known), "assistant")))
    return Told({"assistants": known}, lines)


def register_assistant(
    place: Place,
    assistant: AssistantId,
    persona: Annotated[str, typer.Option("--persona", metavar="REF", help="the reference of its persona")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="what it is called")],
    surface: Annotated[list[str], typer.Option("--surface", metavar="NAME", help="a surface it may use; repeatable")],
    scope: Annotated[list[str], typer.Option("--scope", metavar="NAME", help="a scope it may reach; repeatable")],
) -> Told:
    """Register an assistant, or change it.

    Surfaces and scopes narrow what it may reach, and widen nothing. Its persona has no part in that.
    """
    with place.opened() as iris:
        kept = iris.assistants(place.tenant).register(
            assistant, display_name=name, persona_ref=persona, surfaces=surface, scopes=scope
        )
    return Told(kept, [good(f"{kept.display_name} reaches {', '.join(sorted(kept.scopes))}.")])


def retire_assistant(place: Place, assistant: AssistantId) -> Told:
    """Retire an assistant: it reaches nothing any more."""
    with place.opened() as iris:
        retired = iris.assistants(place.tenant).retire(assistant)
    if retired is None:
        return _absent("there is no such assistant")
    return Told(retired, [good(f"{retired.display_name} is retired.")])


def list_webhooks(place: Place) -> Told:
    """Show the tenant's webhooks, and how the last attempt went."""
    with place.opened() as iris:
        known = iris.webhooks(place.tenant).list()
    lines: list[Words] = []
    for one in known:
        lines.append(head(one.url))
        last = "not tried yet" if one.last_status is None else f"last answer {one.last_status or 'none'}"
        lines.append(dim(f"  {one.webhook_id} · {last}, {count(one.failures, 'failure')} in a row"))
    lines.append(dim(count(len(known), "webhook")))
    return Told({"webhooks": known}, lines)


def register_webhook(
    place: Place, url: Annotated[str, typer.Argument(metavar="URL", help="https, or http on this machine")]
) -> Told:
    """Register a webhook for every event.

    A served store sends to it. Its secret is told this once.
    """
    with place.opened() as iris:
        kept = iris.webhooks(place.tenant).register(url)
    if isinstance(kept, Refused):
        return Told(kept, [bad(f"Refused ({kept.reason.value}): {kept.rule}.")], ExitCode.REFUSED)
    return Told(kept, [good(f"Registered as {kept.webhook.webhook_id}."), f"secret  {kept.secret}"])


def remove_webhook(
    place: Place, webhook: Annotated[str, typer.Argument(metavar="ID", help="the id of the webhook")]
) -> Told:
    """Remove a webhook."""
    with place.opened() as iris:
        removed = iris.webhooks(place.tenant).remove(webhook)
    return Told({"removed": True}, [good("Removed.")]) if removed else _absent("there is no such webhook")


def _absent(what: str) -> Told:
    document = {"error": {"code": "not-found", "message": what}}
    return Told(document, [bad(f"{what[0].upper()}{what[1:]}.")], ExitCode.NOT_FOUND)
