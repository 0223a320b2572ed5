"""Webhooks: where a tenant has events sent, and how far the sending has come."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from iris_memory.contracts.events import EventName
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Unordered

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def _sendable(address: str) -> str:
    if not address.isascii() or not address.isprintable() or " " in address:
        raise ValueError("an address is plain ASCII without spaces")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise ValueError("an address has a host and, where one is named, a port") from None
    if not parts.hostname or parts.username or parts.password or parts.fragment or port == 0:
        raise ValueError("an address has a host, and no credentials or fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ValueError("an address is https; http is for this machine alone")
    return address


WebhookAddress = Annotated[str, Field(min_length=8, max_length=500), AfterValidator(_sendable)]


class Webhook(Contract):
    """A webhook of a tenant. `delivered` is the sequence of the audit chain up to which everything was taken."""

    webhook_id: Identifier
    url: WebhookAddress
    events: Annotated[frozenset[EventName], *Unordered]
    registered_at: Instant
    delivered: Count
    failures: Count = 0
    next_attempt_at: Instant
    last_status: Annotated[int, Field(ge=0, le=999)] | None = None
    """The HTTP status of the last attempt; 0 where there was no answer."""


class WebhookRegistered(Contract):
    """A new webhook with the secret its payloads are signed with. The secret is told once."""

    webhook: Webhook
    secret: Annotated[str, Field(pattern=r"^whsec_[A-Za-z0-9+/]{43}=$")]
