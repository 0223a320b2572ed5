"""The front door to PostgreSQL by the command line: prepared, opened, moved, served; its address is never shown."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from flows.stores import ROOT_KEY
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

SECRET = "hunter2-very-secret"
IRIS = "from iris_memory.cli.application import main; main()"


class Shell:
    """Runs commands in a folder of their own; what they print holds no secret."""

    def __init__(self, folder: Path, commands: Path) -> None:
        self.folder = folder
        self.iris = commands / "iris"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "IRIS_ROOT_KEY": ROOT_KEY.hex()}

    def __call__(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            [self.iris, *words],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment,
            timeout=120,
        )
        assert SECRET not in done.stdout + done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def shell(tmp_path: Path, commands: Path) -> Shell:
    return Shell(tmp_path, commands)


@pytest.fixture
def addresses(server: Server) -> tuple[str, str]:
    """Addresses with passwords of an empty database: the owner's and the service's."""
    name = server.new_database()
    return tuple(make_conninfo(server.at(name, role), password=SECRET) for role in (OWNER, SERVICE))  # type: ignore[return-value]


def test_from_an_empty_database_to_a_store(shell: Shell, addresses: tuple[str, str]) -> None:
    owner, service = addresses
    assert "let its owner prepare it" in shell("init", "--database", service, code=5)
    assert "nothing" not in shell("database", "prepare", owner, "--service", SERVICE)
    document = json.loads(shell("database", "prepare", owner, "--json"))
    assert document["prepared"] is True
    told = shell("init", "--database", service)
    assert "PostgreSQL at a local socket" in told
    shell.environment["IRIS_DATABASE_URL"] = service
    shell("consent", "grant", "data_processing", "data_storage", "--terms", "Words")
    shell("remember", "Prefers a window seat")
    assert "window seat" in shell("recall", "seat")
    assert json.loads(shell("doctor", "--json"))["ok"] is True
    shell("keys", "rotate", "root", "--to", "next.key")
    del shell.environment["IRIS_ROOT_KEY"]
    shell.environment["IRIS_KEY_FILE"] = "next.key"
    assert "window seat" in shell("recall", "seat")
    del shell.environment["IRIS_DATABASE_URL"]
    assert "lies in PostgreSQL" in shell("recall", "seat", code=2)
    with psycopg.connect(owner) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'iris'").fetchone() is not None


def test_a_store_is_moved_there_and_back(shell: Shell, addresses: tuple[str, str]) -> None:
    owner, service = addresses
    shell("init")
    shell("consent", "grant", "data_processing", "data_storage", "--terms", "Words")
    shell("remember", "Prefers a window seat")
    assert "prepare it" in shell("migrate", "--from", ".iris", "--to", service, code=5)
    shell("database", "prepare", owner, "--service", SERVICE)
    told = shell("migrate", "--from", ".iris", "--to", service)
    assert "the same bytes" in told
    assert "window seat" in shell("recall", "seat", "--database", service)
    assert "left behind by a move" in shell("doctor", "--database", service)
    shell("remember", "Prefers tea", "--database", service)
    shell("migrate", "--from", service, "--to", "sqlite:.iris", "--json")
    assert "Prefers tea" in shell("recall", "tea")
    assert "nothing is due" in shell("restore")


def test_the_service_serves_from_a_database(shell: Shell, addresses: tuple[str, str]) -> None:
    pytest.importorskip("uvicorn", reason="the server extra is not installed")
    owner, service = addresses
    shell("database", "prepare", owner, "--service", SERVICE)
    words = ["serve", "--port", "0", "--database", service]
    with subprocess.Popen(
        [sys.executable, "-c", IRIS, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=shell.folder,
        env=shell.environment,
    ) as process:
        assert process.stdout is not None
        greeting = [process.stdout.readline() for _ in range(4)]
        try:
            assert "Iris is at" in greeting[0]
            address = next(word for word in greeting[0].split() if word.startswith("http"))
            for _ in range(100):  # it greets before it listens to signals
                with suppress(httpx.TransportError):
                    httpx.get(f"{address}/health", timeout=10)
                    break
                time.sleep(0.1)
            assert "another process has the store open" in shell("migrate", "--from", service, "--to", ".iris", code=8)
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert SECRET not in "".join(greeting) + out + err
    assert not (shell.folder / ".iris" / "data").exists()


def test_a_wrong_address_is_told_without_it(shell: Shell) -> None:
    shell("init")
    bad = f"postgresql://eve:{SECRET}@127.0.0.1:1/iris"
    shell("migrate", "--from", ".iris", "--to", bad, code=8)
    shell("migrate", "--from", bad, "--to", ".iris", code=2)
    shell("database", "prepare", bad, code=8)
    shell("database", "prepare", f"eve:{SECRET}", code=2)
    shell("init", "--store", "other", "--database", f"eve:{SECRET}", code=2)
    shell("init", "--database", bad, "--no-such-option", SECRET[:3], code=2)
    shell.environment["IRIS_DATABASE_URL"] = f"host=127.0.0.1 port=1 user=eve password={SECRET}"
    shell("init", "--store", "third", code=8)
    assert not (shell.folder / "third").exists()
    shell("init", "--store", "third", "--database", "")
    assert SECRET not in shell("init", "--help")
