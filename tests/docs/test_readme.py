"""The README's example does what the README says."""

from __future__ import annotations

from pathlib import Path

import pytest
from doc_blocks import ROOT, blocks_of, environment_in, run_page

README = ROOT / "README.md"
LINES_MOST = 90


def test_the_example_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = environment_in(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.delenv("IRIS_ROOT_KEY", raising=False)
    monkeypatch.delenv("IRIS_KEY_FILE", raising=False)
    monkeypatch.chdir(tmp_path)
    assert run_page(README, folder=tmp_path, environment=environment) >= 1
    assert (tmp_path / "memory" / "store.json").is_file()


def test_the_example_shows_its_output() -> None:
    examples = [block for block in blocks_of(README) if block.language == "python"]
    assert examples
    assert all(block.shown for block in examples)


def test_it_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LINES_MOST


def test_it_names_the_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert "make run" in text
    assert "make test" in text
