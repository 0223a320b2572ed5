"""Drift is kept run by run, and a run that is worse than the first of its file fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iris_memory.evals import drift
from iris_memory.evals.registry import run


def test_runs_are_kept_and_compared_with_the_first(tmp_path: Path) -> None:
    file = tmp_path / "drift.jsonl"
    for _ in range(2):
        assert run(["drift"], history=file)["ok"]
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1], "the same code gives the same rates"
    first = json.loads(lines[0])
    assert set(first) == {"at", "summarizer", "accuracy", "false_recall", "leakage"}
    assert first["leakage"] == 0


@pytest.mark.parametrize(
    ("name", "first", "worse"),
    [("accuracy", 900_000, 899_999), ("false_recall", 10, 11), ("leakage", 0, 1)],
)
def test_worse_is_lower_for_accuracy_and_higher_for_the_rest(name: str, first: int, worse: int) -> None:
    assert drift.is_worse(name, worse, first)
    assert not drift.is_worse(name, first, first)
    assert not drift.is_worse(name, first + (first - worse), first)


def test_a_run_that_is_worse_than_the_first_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "drift.jsonl"
    file.write_text(json.dumps({"accuracy": 1_000_000, "false_recall": 0, "leakage": 0}) + "\n")
    monkeypatch.setattr(drift, "BASELINE", {"accuracy": 0, "false_recall": 1_000_000, "leakage": 1_000_000})
    monkeypatch.setattr(drift, "FIRST_FEW", 0)
    (suite,) = run(["drift"], history=file)["suites"]
    assert "against the first run" in suite["detail"]
    assert len(file.read_text().splitlines()) == 2, "a run that fails is kept too"


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Buy milk\n")
    (suite,) = run(["drift"], history=file)["suites"]
    assert suite["failed"]
    assert file.read_text() == "Buy milk\n"
