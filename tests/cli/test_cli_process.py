"""Commands as processes: the real entry point, its streams, its signals, and how fast it answers to --help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

ENTRY = [sys.executable, "-c", "from iris_memory.cli import main; main()"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment of its own, without a root key: the key file lies in the test's folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("IRIS_")}
    return {**kept, "XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path / "home"), "NO_COLOR": "1"}


def run(environment: dict[str, str], *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command line to its end."""
    return subprocess.run(
        [*ENTRY, *words], input=stdin, capture_output=True, text=True, env=environment, timeout=60, check=False
    )


def test_from_a_fresh_folder_to_proof_of_forgetting(environment: dict[str, str], tmp_path: Path) -> None:
    assert run(environment, "init").returncode == 0
    keys = list((tmp_path / "config" / "iris" / "keys").iterdir())
    assert [key.stat().st_mode & 0o777 for key in keys] == [0o600]
    run(environment, "consent", "grant", "data_processing", "data_storage", "--terms", "We keep what you tell us.")
    written = run(environment, "remember", "-", "--json", stdin="Prefers a window seat, größer\n")
    entry = json.loads(written.stdout)["entry"]
    recalled = json.loads(run(environment, "recall", "window seat", "--json").stdout)
    assert [hit["entry"]["body"] for hit in recalled["hits"]] == ["Prefers a window seat, größer"]
    forgotten = run(environment, "forget", entry["logical_id"], "--yes", "--receipt", "receipt.json")
    assert "nothing left" in forgotten.stdout
    run(environment, "audit", "export", "export.jsonl")
    Path(".iris").rename("gone")
    assert run(environment, "receipt", "verify", "receipt.json", "--export", "export.jsonl").returncode == 0
    assert not (tmp_path / "home").exists()


def test_an_error_is_one_line_on_stderr_without_a_traceback(environment: dict[str, str]) -> None:
    ran = run(environment, "list")
    assert (ran.returncode, ran.stdout) == (5, "")
    assert ran.stderr == "iris: there is no store here; make one with `iris init`\n"


def test_people_of_a_pipe_get_no_colours_and_no_progress(environment: dict[str, str]) -> None:
    environment.pop("NO_COLOR")
    ran = run(environment, "demo")
    assert ran.returncode == 0
    assert "\x1b" not in ran.stdout + ran.stderr
    assert ran.stderr == ""


def test_a_reader_that_goes_away_is_no_error(environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [*ENTRY, "schema", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert (process.returncode, told) == (141, b"")


def test_an_interrupt_ends_with_130_and_no_traceback(environment: dict[str, str]) -> None:
    run(environment, "init")
    with subprocess.Popen(
        [*ENTRY, "forget", "--everything"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        assert process.stderr is not None
        asked = b""
        while not asked.endswith(b"[y/N] "):
            asked += process.stderr.read(1)
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
    assert (process.returncode, told) == (130, b"iris: interrupted; what was acknowledged stays\n")


def test_the_version_is_told(environment: dict[str, str]) -> None:
    assert run(environment, "--version").stdout.startswith("iris-memory ")


def test_help_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'fastapi', 'apsw', 'cryptography', 'rich', 'iris_memory.bench', 'iris_memory.evals'}"
    source = (
        "import sys, types, pathlib, importlib.util\n"
        # without the front door of the package, which imports everything: asked is what the command line itself loads
        "found = importlib.util.find_spec('iris_memory')\n"
        "room = types.ModuleType('iris_memory'); room.__path__ = list(found.submodule_search_locations)\n"
        "sys.modules['iris_memory'] = room\n"
        "from iris_memory.cli.application import build\n"
        "try: build()(['--help'])\n"
        "except SystemExit: pass\n"
        f"print(sorted({heavy} & set(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stderr == "[]\n"
    assert "Governed memory" in ran.stdout


@pytest.mark.enable_socket
def test_serve_serves_until_it_is_stopped(environment: dict[str, str]) -> None:
    pytest.importorskip("uvicorn", reason="the server extra is not installed")
    words = ["serve", "--port", "0", "--person", "acme/ada", "--json"]
    with subprocess.Popen(
        [*ENTRY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        greeting = [process.stderr.readline() for _ in range(4)]
        try:
            document = json.loads(_read_when_up(greeting[0].split()[-1] + "/openapi.json"))
        finally:
            process.send_signal(signal.SIGINT)
            answered, _ = process.communicate(timeout=30)
    assert document["openapi"].startswith("3.1")
    assert greeting[3].endswith("for acme/ada\n")
    assert process.returncode == 0
    assert json.loads(answered)["served"] == ".iris"
    assert Path(".iris/store.json").is_file()


def _read_when_up(url: str) -> bytes:
    """Read an address that is served in a moment."""
    for _ in range(300):
        try:
            with urlopen(url, timeout=2) as answer:
                content: bytes = answer.read()
                return content
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server did not come up")
