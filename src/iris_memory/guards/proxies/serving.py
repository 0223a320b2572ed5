"""Serving: a proxy on a port of loopback, until it is told to stop. It writes no line a request."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final

import uvicorn
from starlette.applications import Starlette

HOST: Final = "127.0.0.1"
STOP_SECONDS: Final = 5


def serve(app: Starlette, *, port: int, told: Callable[[int], None]) -> None:
    """Serve an application; `told` is given the port once it answers (0 asks for a free one).

    Raises:
        OSError: the port is taken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(128)
        told(listening.getsockname()[1])
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="critical",
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])
