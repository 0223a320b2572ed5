"""No file is longer than 500 lines, unless it is written down why and until when."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

from tracked import ROOT, named, tracked

LINES_MOST = 500
ALLOWED = tomllib.loads((Path(__file__).parent / "allowed_sizes.toml").read_text(encoding="utf-8"))["file"]


def lengths() -> dict[str, int]:
    return {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in tracked(".py")}


def test_no_file_is_too_long() -> None:
    allowed = {row["path"] for row in ALLOWED}
    assert {name: lines for name, lines in lengths().items() if lines > LINES_MOST and name not in allowed} == {}


def test_every_exception_has_a_reason_and_an_end() -> None:
    for row in ALLOWED:  # none is the best answer
        assert set(row) == {"path", "reason", "expires"}
        assert len(row["reason"].split()) >= 4
        assert isinstance(row["expires"], date)


def test_no_exception_has_run_out() -> None:
    today = datetime.now(UTC).date()
    assert [row["path"] for row in ALLOWED if row["expires"] < today] == []


def test_no_exception_is_left_over() -> None:
    found = lengths()
    assert [row["path"] for row in ALLOWED if found.get(row["path"], 0) <= LINES_MOST] == []


def test_the_exceptions_are_files() -> None:
    assert [row["path"] for row in ALLOWED if not (ROOT / row["path"]).is_file()] == []
