"""The world of the proxy tests: applications that are served on loopback, and the command as a process."""

from __future__ import annotations

import os
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from guard_world import ADDRESS, EMAIL, HANDLE, NAME, PHONE, SECRET, Owner

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).with_name("proxied_server.py")
CANARIES = (EMAIL, PHONE, "7946", ADDRESS, "Thornfield", HANDLE, NAME, "Varga", SECRET, "Teapot", "quillworks")
"""What must stand in no log, no error and no row."""


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def without_canaries(text: str) -> None:
    """Require that nothing of the owner is in a text. When it was written says nothing of them, whatever its digits."""
    words = _INSTANT.sub("", text).lower()
    assert [word for word in CANARIES if word.lower() in words] == []


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an application on a free port of loopback; give its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the application did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


def environment_of(folder: Path) -> dict[str, str]:
    """Return the environment of a proxy and its server: nothing of ours, and where the server notes what it got."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("IRIS_")}
    return {**kept, "SEEN": str(folder / "seen.jsonl"), "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1"}


def command_of(owner: Owner, mode: str, *more: str, server: tuple[str, ...] | None = None) -> list[str]:
    """Return the command line of `iris guard mcp` over a server."""
    command = [sys.executable, "-c", "from iris_memory.cli import main; main()", "guard", "mcp", "--mode", mode]
    command += ["--identity", str(owner.folder), "--log", str(owner.file), "--name", "mail", *more]
    return [*command, "--", *(server or (sys.executable, str(SERVER)))]


def seen(folder: Path) -> str:
    """Return what reached the server, as text."""
    path = folder / "seen.jsonl"
    return path.read_text(encoding="utf-8") if path.exists() else ""
