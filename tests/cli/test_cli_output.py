"""Output: one document for programs; for people, text that cannot steer a terminal."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.cli.answers import bad, plain, print_document, print_lines, printable
from iris_memory.cli.wording import ago, count
from iris_memory.contracts.write import RefusalReason, Refused

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@given(st.text())
def test_no_control_character_reaches_a_terminal(text: str) -> None:
    shown = printable(text)
    assert not any(ord(mark) < 32 and mark != "\n" for mark in shown)
    assert not any(mark in shown for mark in "\x7f\x9b\u202e\u2066\u2028")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b]0;title\x07", "\\u001b[31mred\\u001b]0;title\\u0007"),
        ("[bold red]no markup[/]", "[bold red]no markup[/]"),
        ("two\nlines", "two\nlines"),
        ("ab\u202ecd", "ab\\u202ecd"),
        ("👩‍🚀 größer", "👩‍🚀 größer"),
    ],
)
def test_text_is_shown_as_it_is(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_lines([text, bad(text)])
    assert capsys.readouterr().out == f"{shown}\n{shown}\n"


def test_long_lines_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(["word " * 200 + "end"])
    assert capsys.readouterr().out.count("\n") == 1


def test_a_document_is_utf_8_whatever_the_terminal_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    print_document({"body": "größer 👩‍🚀"})
    assert json.loads(raw.getvalue().decode("utf-8")) == {"body": "größer 👩‍🚀"}


def test_every_kind_of_value_has_its_json_form() -> None:
    refused = Refused(reason=RefusalReason.OPTED_OUT, rule="r", needs=("n",))
    value = {
        "contract": refused,
        "set": frozenset({"b", "a"}),
        "counter": Counter({"x": 2}),
        "instant": NOW,
        "path": Path("a"),
        "tuple": (1, None, True),
    }
    assert plain(value) == {
        "contract": {"outcome": "refused", "reason": "opted-out", "rule": "r", "needs": ["n"]},
        "set": ["a", "b"],
        "counter": {"x": 2},
        "instant": "2026-06-15T12:00:00.000000Z",
        "path": "a",
        "tuple": [1, None, True],
    }
    json.dumps(plain(value))


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=60), "on 2026-04-16"),
    ],
)
def test_how_long_ago(passed: timedelta, said: str) -> None:
    assert ago(NOW - passed, NOW) == said


def test_numbers_agree_with_their_nouns() -> None:
    assert [count(number, "memory", "memories") for number in (0, 1, 1200)] == [
        "0 memories",
        "1 memory",
        "1,200 memories",
    ]
