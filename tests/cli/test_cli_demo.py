"""The demo tells the whole story, keeps nothing of its own, and leaves a given store's people alone."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from command_lines import Filled, RunIris

STEPS = [
    "refused",
    "remembered",
    "sensitive",
    "conflict",
    "recall",
    "explain",
    "history",
    "pause",
    "import",
    "forget",
    "forgotten-before",
    "audit",
]


def test_the_story_is_told_and_leaves_nothing(iris: RunIris, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("IRIS_ROOT_KEY")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    told = iris("demo", "--json").document
    assert [(step["step"], step["ok"]) for step in told["steps"]] == [(name, True) for name in STEPS]
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "config").exists()
    assert not Path(".iris").exists()


def test_a_given_store_keeps_its_people_and_the_demo_runs_again(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    before = iris("list", "--json").document
    for _ in range(2):
        assert iris("demo", "--store", ".iris", "--json").document["ok"]
    assert iris("list", "--json").document == before
    assert iris("audit", "verify").code == 0


def test_it_is_narrated(iris: RunIris) -> None:
    said = iris("demo").out
    for number in range(1, len(STEPS) + 1):
        assert f"\n{number}. " in said
    assert "That is the whole story." in said
