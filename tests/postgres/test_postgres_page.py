"""The page on PostgreSQL does what it says: its roles, its preparing and its opening, block by block."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psycopg
import pytest

from docs.doc_blocks import ROOT, blocks_of, commands_of, environment_in, matches
from postgres.server import Server

pytestmark = pytest.mark.enable_socket

PAGE = ROOT / "docs" / "how-to" / "run-on-postgresql.md"


def test_the_page_leads_to_an_open_store(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = blocks_of(PAGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERVICE_URL", own_server.at("iris", "iris_service"))
    with psycopg.connect(own_server.url, autocommit=True) as connection:
        for statement in "".join(block.source for block in blocks if block.language == "sql").split(";")[:-1]:
            connection.execute(statement.encode())
    environment = {**environment_in(tmp_path), "OWNER_URL": own_server.at("iris", "iris_owner")}
    commands = [one for block in blocks if block.language == "sh" for one in commands_of(block)]
    for command, code, shown in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (code, "")
        assert matches(done.stdout, shown), f"{command} prints\n{done.stdout}\nand the page shows\n{shown}"
    assert len(commands) == 1
    for block in blocks:
        if block.language == "py":
            exec(compile(block.source, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == "['I live in Turku.']\n"
