"""The floors are held by import-linter: the real tree keeps every contract, and each kind of sabotage is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tracked import ROOT

LINTER = Path(sys.executable).with_name("lint-imports")
SABOTAGE = {
    "a gate that calls a flow": ("gates/tenant.py", "from iris_memory.flows import recall", "floors"),
    "a room without a floor": ("gossip/__init__.py", '"""A room nobody drew."""', "floors"),
    "strangers on one floor": ("chain/merkle.py", "from iris_memory.rules import conflict", "floors"),
    "a pure room that reads a clock": ("rules/retention.py", "import time", "pure rooms"),
    "a pure room that reaches a file by way of another": ("errors.py", "import pathlib", "pure rooms"),
    "a flow that picks its engine": ("flows/doctor.py", "from iris_memory.storage.sqlite import SqliteStore", ""),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over the package that lies in a folder's `src`."""
    return subprocess.run(
        [str(LINTER), "--no-cache", "--config", "pyproject.toml"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package with the rules of the project."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", ".*"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_real_tree_keeps_every_contract() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout
    assert " 0 broken" in done.stdout


@pytest.mark.parametrize("deed", SABOTAGE)
def test_a_violation_is_seen(deed: str, copy: Path) -> None:
    name, line, contract = SABOTAGE[deed]
    target = copy / "src" / "iris_memory" / name
    target.parent.mkdir(exist_ok=True)
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    target.write_text(f"{before}\n{line}\n", encoding="utf-8")
    done = lint(copy)
    assert done.returncode != 0, done.stdout
    assert any("BROKEN" in row and contract in row for row in done.stdout.splitlines()), done.stdout


def test_every_room_has_a_floor_and_every_pure_room_is_named() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers, pure = (
        next(rule for rule in rules["contracts"] if rule["type"] == kind) for kind in ("layers", "forbidden")
    )
    assert layers["exhaustive"] is True
    floors = {room.strip(" ()") for floor in layers["layers"] for room in floor.split("|")}
    package = ROOT / "src" / "iris_memory"
    rooms = {path.parent.name for path in package.glob("*/__init__.py")} | {"errors"}
    assert rooms <= floors
    above = {"cli", "http", "evals", "bench", "front", "wiring", "flows", "storage", "conformance", "sources"}
    above |= {"formats", "ports", "web", "mcp", "guards", "adapters", "client", "embedding", "access"}
    assert {name.removeprefix("iris_memory.") for name in pure["source_modules"]} == rooms - above
