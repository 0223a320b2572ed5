"""Serving: one process, one store, until it is told to stop. What was acknowledged is on the disk when it ends."""

from __future__ import annotations

import contextlib
import gc
import ipaddress
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

import uvicorn
from starlette.types import ASGIApp

from iris_memory.access.tokens import DevelopmentTokens, Holder, Tokens
from iris_memory.contracts.shape import Contract, Identifier, refuse_invalid
from iris_memory.errors import ServingError
from iris_memory.front.iris import Iris
from iris_memory.http.application import create_app
from iris_memory.http.conduct import PLAIN, Conduct
from iris_memory.http.limits import Rates
from iris_memory.http.observing import RequestLog, open_tracer, request_logger
from iris_memory.wiring.placing import require_placement
from iris_memory.wiring.settings import Settings

DEMO: Final = "local/me"
"""The person, as tenant/user, that always gets a development token."""

_GRACE_SECONDS: Final = 10
_BACKLOG: Final = 512
_GARBAGE: Final = (50_000, 20, 50)


class _Named(Contract):
    tenant: Identifier
    user: Identifier


class Surfaces(NamedTuple):
    """What is served beside the API: applications by the path they stand at, and the context they run in."""

    mounts: Mapping[str, ASGIApp]
    running: AbstractAsyncContextManager[None] | None = None


Surrounding = Callable[[Iris, Tokens, str], Surfaces]
"""Makes the other surfaces for an open store, the tokens that are good, and the address the service is reached at."""


def serve(
    store: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    people: Sequence[str] = (),
    database: str | None = None,
    tokens: Callable[[Iris], Tokens] | None = None,
    surrounding: Surrounding | None = None,
    address: str | None = None,
) -> None:
    """Serve a store over HTTP until SIGINT or SIGTERM; print the address and a development token for each person.

    Args:
        store: the folder of the store, made where there is none.
        host: the address to listen at; loopback alone, as long as there are only development tokens.
        port: the port to listen at; 0 takes a free one.
        people: demo people beside `local/me`, each as `tenant/user`.
        database: the address of the database that holds the data; by default IRIS_DATABASE_URL.
        tokens: makes the tokens that are good; by default development tokens, printed once.
        surrounding: makes the pages and whatever else is served.
        address: where the service is reached from outside; by default where it listens.

    Raises:
        ServingError: the address is beyond loopback, or cannot be had.
        SettingError: the profile is production, and its parts do not lie apart.
        ContractError: a person is not named as `tenant/user`.
    """
    development = DevelopmentTokens()
    names = dict.fromkeys((DEMO, *people)) if tokens is None else {}
    named = {person: development.mint(_holder(person)) for person in names}
    if tokens is None:
        require_fit(host, development)
    with listening(host, port) as listener, Iris.open(store, database=database) as iris:
        require_placement(iris.opened)
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s %(message)s")
        good = development if tokens is None else tokens(iris)
        require_fit(host, good)
        place = address or _place(listener)
        surfaces = surrounding(iris, good, place) if surrounding is not None else Surfaces({})
        _greet(place, store, named)
        _settle_garbage()
        with _stoppable():
            server(iris, good, surfaces, conduct=conduct_of(iris.opened.settings, place)).run(sockets=[listener])


def _settle_garbage() -> None:
    """Let the collector leave what was made to start with alone, and look less often at what answers leave behind.

    An answer leaves no cycles to speak of. By default the collector looks after every 700 objects, and once in a while
    at every object of the process, in the middle of somebody's answer.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)


def conduct_of(settings: Settings, address: str) -> Conduct:
    """Return how a service behaves by its settings, reached at an address.

    Raises:
        SettingError: spans are asked for, and OpenTelemetry is not installed.
    """
    per_holder, per_address = settings.rates
    requests = RequestLog(settings.request_log)
    return Conduct(
        rates=Rates(per_holder=per_holder, per_address=per_address),
        answer_seconds=float(settings.answer_seconds),
        requests=requests,
        log=None if requests is RequestLog.OFF else request_logger(),
        tracer=open_tracer() if settings.is_tracing else None,
        is_https=address.startswith("https:"),
    )


def require_fit(host: str, tokens: Tokens) -> None:
    """Refuse an address that others can reach while tokens are for development.

    Raises:
        ServingError: the address is beyond loopback.
    """
    if tokens.for_development and not _is_loopback(host):
        raise ServingError("development tokens are for this machine alone; listen at 127.0.0.1, ::1 or localhost")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _holder(person: str) -> Holder:
    tenant, _, user = person.partition("/")
    try:
        named = _Named(tenant=tenant, user=user)
    except ValueError as problem:
        refuse_invalid(problem, what="person")  # type: ignore[arg-type]
    return Holder(named.tenant, named.user, may_audit=True, always_fresh=True)


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at an address, and let go of it at the end of the block.

    Raises:
        ServingError: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # connections inherit it; asyncio sets it only on sockets it made itself, and without it an answer in two parts
        # waits 40 ms for the reader's acknowledgement
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise ServingError(f"the address cannot be listened at ({reason}); choose another port") from None
    with listener:
        yield listener


def server(iris: Iris, tokens: Tokens, surfaces: Surfaces | None = None, *, conduct: Conduct = PLAIN) -> uvicorn.Server:
    """Return the server of an open store: no access log, no trust in forwarded headers, ten seconds to end in."""
    beside = surfaces or Surfaces({})
    config = uvicorn.Config(
        create_app(iris, tokens=tokens, mounts=beside.mounts, running=beside.running, conduct=conduct),
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on" if beside.running is not None else "off",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """End without a traceback on SIGINT and SIGTERM, so that what surrounds this still closes the store.

    uvicorn stops gracefully on either and raises it again afterwards, when its default would end the process at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {name: signal.signal(name, _stop) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


def _place(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _greet(place: str, store: Path, named: dict[str, str]) -> None:
    lines = [
        f"Iris is at {place}",
        f"  store  {store.resolve().name}",
        *(f"  token  {token}  for {person}" for person, token in named.items()),
    ]
    if named:
        lines.append("Development tokens end with this process and are good on this machine alone.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
