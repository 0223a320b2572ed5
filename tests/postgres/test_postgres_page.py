"""The page on PostgreSQL does what it says: its roles, its preparing and its opening, block by block."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from iris_memory.storage.postgres.schema import MIGRATIONS
from postgres.server import Server

pytestmark = pytest.mark.enable_socket

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-on-postgresql.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_leads_to_an_open_store(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OWNER_URL", own_server.at("iris", "iris_owner"))
    monkeypatch.setenv("SERVICE_URL", own_server.at("iris", "iris_service"))
    with psycopg.connect(own_server.url, autocommit=True) as connection:
        for statement in "".join(text for language, text in blocks if language == "sql").split(";")[:-1]:
            connection.execute(statement.encode())
    for language, text in blocks:
        if language == "py":
            exec(compile(text, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == f"{len(MIGRATIONS)}\n['I live in Turku.']\n"
