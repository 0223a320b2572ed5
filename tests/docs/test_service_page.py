"""The page about the service, run against a service that runs."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_blocks import ROOT, blocks_of, environment_in, run_page

from iris_memory.http.problems import FAILURES

PAGE = ROOT / "docs" / "how-to" / "run-the-service.md"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Serve a new store; give the environment that the page asks its reader for."""
    environment = environment_in(tmp_path)
    command = [str(Path(sys.executable).with_name("iris")), "serve", "--port", "0"]
    with (tmp_path / "errors.txt").open("w") as errors:
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        try:
            assert process.stdout is not None
            greeting = "".join(process.stdout.readline() for _ in range(4))
            where, token = re.search(r"at (http://\S+)", greeting), re.search(r"token +(\S+)", greeting)
            assert where, greeting
            assert token, greeting
            yield {**environment, "IRIS": where.group(1), "TOKEN": token.group(1)}
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
    assert process.returncode == 0
    assert (tmp_path / "errors.txt").read_text() == ""


@pytest.mark.enable_socket
@pytest.mark.skipif(shutil.which("curl") is None, reason="the page talks to the service with curl, which is not here")
@pytest.mark.parametrize("page", [PAGE, PAGE.with_name("call-it-from-python.md")], ids=lambda page: page.stem)
def test_the_blocks_of_the_page_print_what_it_shows(page: Path, served: dict[str, str], tmp_path: Path) -> None:
    assert run_page(page, folder=tmp_path, environment=served) > 0


def test_the_page_shows_what_the_service_says_when_it_starts() -> None:
    shown = next(block.source for block in blocks_of(PAGE) if block.language == "text")
    assert shown.splitlines()[0].startswith("Iris is at http://127.0.0.1:8765")
    assert "for local/me" in shown


def test_every_problem_stands_on_the_page_with_its_status() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [code for code, row in FAILURES.items() if f"| `{code.value}` | {row.status} |" not in text] == []
