"""The floor of the service: a bare FastAPI application that answers as many bytes, on loopback.

Run as `python -m iris_memory.bench.echo BYTES`; it prints its port.
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from fastapi import FastAPI, Request, Response


def build(size: int) -> FastAPI:
    """Return the application: it reads a body and answers `size` bytes of JSON."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    answer = b'"' + b"x" * max(0, size - 2) + b'"'

    @app.post("/echo")
    async def echo(request: Request) -> Response:
        await request.body()
        return Response(answer, media_type="application/json")

    return app


def run(size: int) -> None:
    """Serve until the process is ended."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        config = uvicorn.Config(
            build(size), loop="asyncio", http="h11", ws="none", lifespan="off", log_config=None, access_log=False
        )
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    run(int(sys.argv[1]))
