"""Guards in front of what cannot be changed: an MCP server, or a model behind the OpenAI protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO
from urllib.parse import urlsplit

import typer

from iris_memory.cli.answers import dim, print_lines
from iris_memory.cli.commands import Place
from iris_memory.cli.failures import UsageError
from iris_memory.contracts.guarding import SendsTo, Tier
from iris_memory.contracts.masking import OWNER_PII_KINDS, PiiKind

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from iris_memory.guards.kernel import OwnerGuard
    from iris_memory.guards.proxies.mcp_conversation import McpConversation

_PACKAGES = frozenset({"anyio", "httpx", "httpx2", "mcp", "mcp_types", "starlette", "uvicorn"})
_KINDS = ", ".join(sorted(kind.value for kind in OWNER_PII_KINDS))

Identity = Annotated[
    Path | None,
    typer.Option(
        "--identity",
        metavar="FOLDER",
        exists=True,
        file_okay=False,
        help="where USER.md, SOUL.md and AGENTS.md lie; by default IRIS_IDENTITY_FOLDER",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", exists=True, dir_okay=False, help="the guard table: identity.yaml"),
]
HowFar = Annotated[
    str | None,
    typer.Option("--mode", metavar="MODE", help="off, shadow or enforce; by default IRIS_GOVERNANCE_OWNER_PII"),
]
Log = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", dir_okay=False, help="one row per message; by default IRIS_GUARD_LOG"),
]
Port = Annotated[
    int | None, typer.Option("--listen", metavar="PORT", min=0, max=65535, help="serve on this port of 127.0.0.1")
]


def mcp(
    place: Place,
    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND…", help="starts the server")] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="a server over streamable HTTP")] = None,
    listen: Port = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="what destinations call it: mcp_NAME_TOOL")
    ] = None,
    client: Annotated[str, typer.Option("--client", metavar="NAME", help="who reads the results")] = "mcp-client",
    unmask: Annotated[
        list[str] | None,
        typer.Option("--unmask", metavar="KIND", help=f"a kind that the client sees as it is: {_KINDS}"),
    ] = None,
    restore: Annotated[
        list[str] | None,
        typer.Option("--restore", metavar="KIND", help="a kind that is turned back in what goes to this server again"),
    ] = None,
    sends_to: Annotated[
        list[str] | None,
        typer.Option("--sends-to", metavar="[TOOL=]WHERE", help="where a tool sends its arguments: search_engine"),
    ] = None,
    authorization: Annotated[
        str | None,
        typer.Option(
            "--authorization-from", metavar="VARIABLE", help="the environment variable with the server's Authorization"
        ),
    ] = None,
    identity: Identity = None,
    config: Config = None,
    mode: HowFar = None,
    log: Log = None,
) -> None:
    """Stand between an MCP client and an MCP server.

    What goes to the server is masked or denied, what comes from it is written with pseudonyms. It speaks on standard
    input and output, as the server would.
    """
    del place
    if (url is None) == (not command):
        raise UsageError("give either the command of a server behind --, or --url")
    if listen is not None and url is None:
        raise UsageError("--listen is for a server behind --url")
    named = name or _named(command or [], url)
    lifted = {"capabilities": {"uses": [{f"mcp_{named}": {"unmask": sorted(_kinds(unmask))}}]}}
    guard = _guard(identity, config, mode, log, manifests={client: lifted})
    destinations = _where(sends_to)
    with _extra():
        from iris_memory.guards.proxies.mcp_conversation import McpConversation

    def opened(conversation: str) -> McpConversation:
        return McpConversation(
            guard,
            server=named,
            client=client,
            conversation=conversation,
            restore=_kinds(restore),
            sends_to=destinations,
        )

    if url is None:
        from iris_memory.guards.proxies.mcp_stdio import stand_between

        code = stand_between(
            command or [], opened(""), source=_stdin(), sink=sys.stdout.buffer, errors=sys.stderr.buffer
        )
        raise typer.Exit(code if 0 <= code < 126 else 1)
    with _extra():
        if listen is not None:
            from iris_memory.guards.proxies.mcp_http import mcp_proxy

            _served(mcp_proxy(opened, url=url), port=listen, path="/mcp")
        else:
            _bridged(url, opened(""), authorization=authorization)


def llm(
    place: Place,
    upstream: Annotated[str, typer.Option("--upstream", metavar="URL", help="the model's API, such as https://…/v1")],
    listen: Port = 8787,
    tier: Annotated[
        int | None,
        typer.Option(
            "--tier", metavar="N", min=1, max=3, help="3 leaves the machine; by default 3, and 1 for loopback"
        ),
    ] = None,
    restore: Annotated[
        list[str] | None,
        typer.Option("--restore", metavar="KIND", help=f"a kind turned back in answers; by default all: {_KINDS}"),
    ] = None,
    identity: Identity = None,
    config: Config = None,
    mode: HowFar = None,
    log: Log = None,
) -> None:
    """Stand between an application and a model that speaks the OpenAI protocol.

    Prompts are masked, and in answers, streams and tool calls the pseudonyms of that very request are turned back.
    """
    del place
    if urlsplit(upstream).scheme not in {"http", "https"} or not urlsplit(upstream).hostname:
        raise UsageError("--upstream is an http or https address")
    guard = _guard(identity, config, mode, log)
    with _extra():
        from iris_memory.guards.proxies.forwarding import is_local
        from iris_memory.guards.proxies.llm_application import llm_proxy

        kinds = OWNER_PII_KINDS if restore is None else _kinds(restore)
        given = tier if tier is not None else 1 if is_local(upstream) else 3
        app = llm_proxy(guard, upstream=upstream, tier=Tier(f"tier_{given}"), restore=kinds)
        _served(app, port=listen or 0, path="/v1")


def _guard(
    folder: Path | None,
    config: Path | None,
    mode: str | None,
    log: Path | None,
    *,
    manifests: dict[str, object] | None = None,
) -> OwnerGuard:
    from iris_memory.guards.opening import open_guard

    return open_guard(folder=folder, config=config, mode=mode, log=log, manifests=manifests)


def _kinds(given: Sequence[str] | None) -> frozenset[PiiKind]:
    found = {kind for kind in OWNER_PII_KINDS if kind.value in (given or ())}
    if len(found) != len(set(given or ())):
        raise UsageError(f"a kind that can be granted is one of: {_KINDS}")
    return frozenset(found)


def _where(given: Sequence[str] | None) -> dict[str, frozenset[SendsTo]]:
    found: dict[str, frozenset[SendsTo]] = {}
    for word in given or ():
        tool, _, where = word.rpartition("=")
        if where not in set(SendsTo):
            raise UsageError(f"--sends-to knows: {', '.join(SendsTo)}")
        found[tool or "*"] = found.get(tool or "*", frozenset()) | {SendsTo(where)}
    return found


def _named(command: Sequence[str], url: str | None) -> str:
    if url is not None:
        return urlsplit(url).hostname or "server"
    return Path(command[0]).name


def _served(app: Starlette, *, port: int, path: str) -> None:
    from iris_memory.guards.proxies.serving import HOST, serve

    serve(
        app,
        port=port,
        told=lambda found: print_lines([dim(f"guarding at http://{HOST}:{found}{path}")], to_errors=True),
    )


def _bridged(url: str, conversation: McpConversation, *, authorization: str | None) -> None:
    import anyio

    from iris_memory.guards.proxies.mcp_bridge import stand_before

    headers = {}
    if authorization is not None:
        if not os.environ.get(authorization):
            raise UsageError("the variable that --authorization-from names is not set")
        headers["authorization"] = os.environ[authorization]

    async def run() -> None:
        await stand_before(url, conversation, source=_stdin(), sink=sys.stdout.buffer, headers=headers)

    anyio.run(run)


def _stdin() -> BinaryIO:
    """Open standard input anew: a thread that still waits for it must not hold up the interpreter's end."""
    return open(sys.stdin.fileno(), "rb", closefd=False)


@contextmanager
def _extra() -> Iterator[None]:
    """Tell what to install where a package is missing."""
    try:
        yield
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise UsageError("the proxies are not installed; install iris-memory[proxy,masking]") from None
