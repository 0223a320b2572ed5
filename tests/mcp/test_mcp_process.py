"""`iris mcp` as a process: the real client over standard input and output, and a store that outlives it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from iris_memory.front.iris import Iris
from mcp import Client, StdioServerParameters

ENTRY = [sys.executable, "-c", "from iris_memory.cli import main; main()"]


def test_a_client_talks_to_the_command(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("IRIS_")}
    environment = {**kept, "XDG_CONFIG_HOME": str(tmp_path / "config"), "IRIS_ROOT_KEY": "7" * 64}
    store = str(tmp_path / "store")
    os.environ["IRIS_ROOT_KEY"] = "7" * 64
    try:
        with Iris.open(store, tended=False) as iris:
            iris.for_user(tenant="local", user="me").consent.grant("data_processing", "data_storage", terms="Words")
        target = StdioServerParameters(command=ENTRY[0], args=[*ENTRY[1:], "mcp", "--store", store], env=environment)

        async def run() -> None:
            async with Client(target) as client:
                answer = await client.call_tool("remember", {"body": "Prefers the window seat"})
                assert answer.structured_content["ok"], answer.structured_content

        asyncio.run(run())
        with Iris.open(store, tended=False) as iris:
            listing = iris.for_user(tenant="local", user="me").list()
            assert [entry.body for entry in listing.entries] == ["Prefers the window seat"]
    finally:
        del os.environ["IRIS_ROOT_KEY"]
