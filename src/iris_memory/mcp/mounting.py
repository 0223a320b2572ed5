"""Speaking the protocol over HTTP: an application to mount behind whatever checks credentials."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from iris_memory.mcp.speaking import Whose, create_server

BODY_MOST: Final = 1 << 20


class Mounted(NamedTuple):
    """The application, and the context it runs in: entered when the process starts to serve, left when it stops."""

    app: ASGIApp
    running: AbstractAsyncContextManager[None]


def mounted(whose: Whose, *, hosts: list[str]) -> Mounted:
    """Return the tools as an application without sessions: each request stands for itself, under its own credential.

    Args:
        whose: the person behind a request; the context's `request` is the HTTP request.
        hosts: the values of `Host` that are answered, such as `127.0.0.1:8765`; a page elsewhere cannot rebind a name
            to this address.
    """
    manager = StreamableHTTPSessionManager(
        create_server(whose),
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts),
        max_request_body_size=BODY_MOST,
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await manager.handle_request(scope, receive, send)

    return Mounted(app, manager.run())
