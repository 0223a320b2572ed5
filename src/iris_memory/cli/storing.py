"""The store: made, served, looked over."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError

_SERVER_ROOMS = frozenset(
    {"fastapi", "starlette", "uvicorn", "joserfc", "jinja2", "multipart", "mcp", "mcp_types"}
    | {"structlog", "prometheus_client"}
)


def init(place: Place) -> Told:
    """Make a store and its root key.

    Doing it again changes nothing.
    """
    from iris_memory.wiring.placing import where_data_is, where_key_is

    is_new = not (place.store / "store.json").exists()
    with place.opened(create=True) as iris:
        opened = iris.opened
    store_id, data = iris.store_id, where_data_is(opened)
    key, key_at = opened.provider.describe(), where_key_is(opened.layout, opened.settings)
    document = {
        "store": place.store,
        "store_id": store_id,
        "created": is_new,
        "data": data,
        "key": key,
        "key_at": key_at,
    }
    lines: list[Words] = [
        good(f"A store was made in {place.store}.") if is_new else f"There is a store in {place.store} already.",
        f"  id        {store_id}",
        f"  data      {data}",
        f"  root key  in {key}; without it nothing can be read, so keep a copy apart from the store",
        f"            {key_at}",
        dim("  next      iris consent grant data_processing data_storage --terms TEXT"),
    ]
    return Told(document, lines)


def serve(
    place: Place,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="where to listen")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="NUMBER", help="on which port; 0 takes a free one")
    ] = 8765,
    person: Annotated[
        list[str] | None,
        typer.Option("--person", metavar="TENANT/USER", help="also give this person a token, once or more often"),
    ] = None,
    issuers: Annotated[
        Path | None,
        typer.Option("--issuers", metavar="FILE", help="the OpenID providers whose tokens are good, and no others"),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option("--address", metavar="URL", help="where people reach the service, if not where it listens"),
    ] = None,
) -> Told | None:
    """Serve the API, the pages and the protocol of assistants over HTTP.

    The store is made where there is none. It serves until it is stopped. Without --issuers it is for this machine
    alone: it prints a development token for each person, and anybody can sign in to the pages as one of them.
    """
    try:
        from iris_memory.cli.surfaces import development, with_issuers
        from iris_memory.http.serving import serve as serve_http
    except ModuleNotFoundError as problem:
        if problem.name not in _SERVER_ROOMS:
            raise
        raise UsageError("the server is not installed; install iris-memory[server]") from None
    with redirect_stdout(sys.stderr) if place.json else nullcontext():  # the greeting, with its tokens, is no JSON
        where: dict[str, Any] = {"host": host, "port": port, "database": place.database, "address": address}
        if issuers is None:
            serve_http(place.store, people=person or [], surrounding=development(person or []), **where)
        else:
            tokens, surrounding = with_issuers(issuers)
            serve_http(place.store, tokens=tokens, surrounding=surrounding, **where)
    return Told({"served": place.store, "host": host}) if place.json else None


def doctor(place: Place) -> Told:
    """Look over the data, the vault, the keys and the chains.

    Ends with 1 when something is found.
    """
    with place.opened() as iris:
        findings = iris.doctor()
    lines: list[Words] = [
        (good if found.ok else bad)(f"{'sound' if found.ok else 'FOUND'}  {found.what}: {found.detail}")
        for found in findings
    ]
    ok = all(found.ok for found in findings)
    return Told({"ok": ok, "findings": findings}, lines, ExitCode.OK if ok else ExitCode.CHECK_FAILED)
