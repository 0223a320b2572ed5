"""The page on moving to PostgreSQL does what it says, command by command, on a server."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psycopg
import pytest

from docs.doc_blocks import ROOT, blocks_of, commands_of, environment_in, matches
from postgres.server import Server

pytestmark = pytest.mark.enable_socket

PAGE = ROOT / "docs" / "how-to" / "move-to-postgresql.md"
ROLES = (
    "CREATE ROLE iris_owner LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS",
    "CREATE ROLE iris_service LOGIN NOSUPERUSER NOBYPASSRLS",
    "CREATE DATABASE iris OWNER iris_owner TEMPLATE template0",
)


def test_the_page_moves_a_store_there_and_back(own_server: Server, tmp_path: Path, commands: Path) -> None:
    with psycopg.connect(own_server.url, autocommit=True) as connection:
        for statement in ROLES:
            connection.execute(statement.encode())
    environment = {
        **environment_in(tmp_path, commands),
        "OWNER_URL": own_server.at("iris", "iris_owner"),
        "SERVICE_URL": own_server.at("iris", "iris_service"),
    }
    run = 0
    for block in blocks_of(PAGE):
        for command, code, shown in commands_of(block) if block.language in {"sh", "console"} else ():
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=120,
            )
            assert done.returncode == code, f"{command}:\n{done.stdout}"
            assert matches(done.stdout, shown), f"{command} prints\n{done.stdout}\nand the page shows\n{shown}"
            run += 1
    assert run >= 8
