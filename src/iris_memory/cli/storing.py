"""The store: made, served, looked over."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError

_SERVER_ROOMS = frozenset({"fastapi", "starlette", "uvicorn"})


def init(place: Place) -> Told:
    """Make a store and its root key.

    Doing it again changes nothing.
    """
    from iris_memory.wiring.layout import Layout, key_provider
    from iris_memory.wiring.settings import read_settings

    is_new = not (place.store / "store.json").exists()
    with place.opened(create=True) as iris:
        store_id = iris.store_id
    key = key_provider(Layout(place.store, store_id), read_settings(), is_new=False).describe()
    document = {"store": place.store, "store_id": store_id, "created": is_new, "key": key}
    lines: list[Words] = [
        good(f"A store was made in {place.store}.") if is_new else f"There is a store in {place.store} already.",
        f"  id        {store_id}",
        f"  root key  in {key}; without it nothing can be read, so keep a copy apart from the store",
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
) -> Told | None:
    """Serve the store over HTTP.

    The store is made where there is none. It serves until it is stopped, and prints a development token for
    each person.
    """
    try:
        from iris_memory.http.serving import serve as serve_http
    except ModuleNotFoundError as problem:
        if problem.name not in _SERVER_ROOMS:
            raise
        raise UsageError("the server is not installed; install iris-memory[server]") from None
    with redirect_stdout(sys.stderr) if place.json else nullcontext():  # the greeting, with its tokens, is no JSON
        serve_http(place.store, host=host, port=port, people=person or [])
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
