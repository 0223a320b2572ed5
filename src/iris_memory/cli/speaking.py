"""The Model Context Protocol on standard input and output."""

from __future__ import annotations

from iris_memory.cli.commands import Place
from iris_memory.cli.failures import UsageError


def mcp(place: Place) -> None:
    """Serve the person's memory to one MCP client.

    It speaks on standard input and output until the client hangs up; the person is the one this command names, and no
    message of the client can name another.
    """
    try:
        from iris_memory.mcp.speaking import speak
        from iris_memory.mcp.tools import Asker
        from iris_memory.wiring.placing import require_placement
    except ModuleNotFoundError as problem:
        if problem.name not in {"mcp", "mcp_types", "anyio"}:
            raise
        raise UsageError("the protocol is not installed; install iris-memory[mcp]") from None
    with place.opened(create=True) as iris:
        require_placement(iris.opened)
        asker = Asker(place.bound(iris), place.tenant, place.user)
        speak(lambda context: asker)
