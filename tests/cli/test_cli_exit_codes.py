"""Exit codes and error lines: every error has its code, every bad input a line that says what to do."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest
from command_lines import Filled, RunIris

from iris_memory import errors
from iris_memory.cli.exit_codes import MEANINGS, ExitCode, code_of
from iris_memory.cli.failures import failure_of

CANARY = "zebra-canary-4711"
ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.IrisError)]


@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_has_a_code_that_is_not_success(kind: type[errors.IrisError]) -> None:
    failure = failure_of(kind("say what to do"))
    assert failure.code is code_of(kind("x"))
    assert failure.code is not ExitCode.OK
    assert failure.message == "say what to do"
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", failure.name)


def test_every_code_has_its_meaning() -> None:
    assert set(MEANINGS) == set(ExitCode)
    assert len(set(MEANINGS.values())) == len(ExitCode)


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (errors.UnknownMemoryError(""), ExitCode.NOT_FOUND),
        (errors.StoreMissingError(""), ExitCode.STORAGE),
        (errors.StoreRolledBackError(""), ExitCode.STORAGE),
        (errors.StoreBusyError(""), ExitCode.BUSY),
        (errors.KeyWrongError(""), ExitCode.KEY),
        (errors.KeyMissingError(""), ExitCode.KEY),
        (errors.IdempotencyConflictError(""), ExitCode.CONFLICT),
        (errors.ContractError(""), ExitCode.USAGE),
        (errors.SettingError(""), ExitCode.USAGE),
        (errors.CheckpointError(""), ExitCode.CHECK_FAILED),
        (errors.ChainError(""), ExitCode.DEFECT),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (RuntimeError(CANARY), ExitCode.DEFECT),
        (PermissionError(13, "Permission denied", CANARY), ExitCode.STORAGE),
    ],
)
def test_codes_of_problems(problem: BaseException, code: ExitCode) -> None:
    failure = failure_of(problem)
    assert failure.code is code
    assert CANARY not in failure.message


BAD_LINES = [
    (["remember", CANARY, "--category", CANARY], "category is one of fact, preference"),
    (["remember", CANARY * 250], "body: string too long"),
    (["remember", ""], "body: string too short"),
    (["remember", CANARY, "--origin", CANARY], "origin is one of user-stated"),
    (["remember", CANARY, "--label", CANARY], "label is one of user-typed"),
    (["remember", CANARY, "--scope", f"planet:{CANARY}"], "a scope starts with one of profile"),
    (["remember", CANARY, "--scope", "session:me"], "a session scope is written session:<user_id>:<session_id>"),
    (["remember", CANARY, "--adapter-scope", CANARY], "is one of assistant_profile"),
    (["remember", CANARY, "--expires", "2999-01-01T12:00:00"], "--expires needs a time zone"),
    (["remember", CANARY, "--expires", "2999-01-01"], "--expires takes a date and time with a zone"),
    (["remember", CANARY, "--expires", CANARY], "--expires takes a date and time with a zone"),
    (["remember", CANARY, "--consumer", CANARY], "consumer is one of assistant"),
    (["remember", CANARY, "--user", CANARY * 9], "too long"),
    (["remember", CANARY, "--tenant", ""], "tenant"),
    (["remember", CANARY, CANARY], "put a text in quotes; see `iris remember --help`"),
    (["remember", CANARY, f"--{CANARY}"], "there is no such option; see `iris remember --help`"),
    (["remember"], "TEXT is missing"),
    (["recall", "--context", CANARY], "context is one of general"),
    (["recall", "--surface", CANARY], "surface is one of assistant"),
    (["recall", "--limit", CANARY], "--limit has a value it cannot have"),
    (["recall", "x" * 20_001], "text is at most 20,000 code points"),
    (["list", "--limit", "0"], "--limit has a value it cannot have"),
    (["consent", "grant", CANARY, "--terms", "Words"], "there is no such consent"),
    (["consent", "grant", "data_storage"], "--terms or --terms-file"),
    (["consent", "grant", "data_storage", "--terms", " "], "cannot be empty"),
    (["consent", "grant", "data_storage", "--terms", "Words", "--basis", CANARY], "is one of consent"),
    (["consent", "grant", "data_storage", "--terms", "Words", "--expires", "2001-01-01T00:00:00Z"], "lies in the past"),
    (["consent", "grant", "category:medical", "--terms", "W", "--basis", "contract"], "legal basis `consent` alone"),
    (["consent", "opt-out", CANARY], "an opt-out is one of memory"),
    (["consent", "opt-out", "memory", "--nothing"], "or --nothing"),
    (["forget"], "name exactly one of: a memory, --category, --everything, --person"),
    (["forget", "x", "--everything"], "name exactly one of"),
    (["forget", "--category", CANARY, "--yes"], "category is one of"),
    (["import", "here.jsonl", "--format", CANARY], "format is one of chatgpt"),
    (["import", "here.jsonl", "--format", "jsonl", "--into", CANARY], "--into is one of profile, conversation"),
    (["import", "here.jsonl", "--format", "jsonl", "--only", CANARY], "--only is one of user, assistant"),
    (["import", "here.jsonl"], "--format is missing"),
    (["import", "gone.jsonl", "--format", "jsonl"], "FILE has a value it cannot have"),
    (["import", "here.jsonl", "--format", "chatgpt"], "jsonl"),
    (["approve", "pose", "--by", "a", "--reason", "r", "--until", "2001-01-01T00:00:00Z"], "ends after it begins"),
    (["approve", "session", "--by", "a", "--reason", "r", "--until", "2999-01-01T00:00:00Z"], "needs no governance"),
    (["receipt", "verify", "here.jsonl"], "name the --key of the tenant"),
    (["receipt", "verify", "here.jsonl", "--key", CANARY], "the file is no receipt"),
    (["audit", "verify", "here.jsonl", "--trusted-key", CANARY], "this is no verifier key"),
    (["audit", "verify", "here.jsonl", "--tenant", "local"], "leave --tenant out"),
    (["audit", "verify", "--trusted-key", CANARY], "name its file"),
    (["keys", "rotate", "root"], "name the file of the new one with --to"),
    (["keys", "rotate", "root", "--to", "here.jsonl"], "name one that is not there"),
    (["answer", "q", "keep", "--digest", "0", "--user", ""], "user"),
    ([CANARY], "there is no such command; see `iris --help`"),
    (["consent", CANARY], "there is no such command; see `iris consent --help`"),
]


@pytest.mark.parametrize(("words", "told"), BAD_LINES)
def test_bad_input_is_told_in_one_line_without_the_words_given(
    words: list[str], told: str, filled: tuple[RunIris, Filled]
) -> None:
    iris, _ = filled
    Path("here.jsonl").write_text(json.dumps({"text": CANARY}) + "\n")
    ran = iris(*words)
    assert ran.code == ExitCode.USAGE
    assert ran.out == ""
    assert ran.err.startswith("iris: ")
    assert ran.err.count("\n") == 1
    assert told in ran.err
    assert CANARY not in ran.err
    as_json = iris(*words, "--json")
    assert as_json.code == ExitCode.USAGE
    assert as_json.err == ""
    assert told in as_json.document["error"]["message"]


def test_the_same_idempotency_key_with_other_words_is_a_conflict(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    first = iris("remember", "Walks to work", "--idempotency-key", "k", "--json")
    again = iris("remember", "Walks to work", "--idempotency-key", "k", "--json")
    other = iris("remember", "Cycles to work", "--idempotency-key", "k", "--json")
    assert first.document["entry"]["id"] == again.document["entry"]["id"]
    assert other.code == ExitCode.CONFLICT
    assert other.document["error"]["code"] == "idempotency-conflict"


def test_a_wrong_key_is_refused_and_changes_nothing(
    filled: tuple[RunIris, Filled], monkeypatch: pytest.MonkeyPatch
) -> None:
    iris, _ = filled
    monkeypatch.setenv("IRIS_ROOT_KEY", "8" * 64)
    ran = iris("list", "--json")
    assert ran.code == ExitCode.KEY
    assert ran.document["error"]["code"] == "key-wrong"
    monkeypatch.setenv("IRIS_ROOT_KEY", "not a key")
    assert iris("list").code == ExitCode.KEY
    monkeypatch.setenv("IRIS_ROOT_KEY", "7" * 64)
    assert iris("list").code == ExitCode.OK


def test_a_setting_with_a_wrong_value_is_told(filled: tuple[RunIris, Filled], monkeypatch: pytest.MonkeyPatch) -> None:
    iris, _ = filled
    monkeypatch.setenv("IRIS_AUDIT_DURABILITY", "sometimes")
    ran = iris("list")
    assert ran.code == ExitCode.USAGE
    assert "IRIS_AUDIT_DURABILITY accepts default or strict" in ran.err


def test_a_store_that_cannot_be_made_is_told(iris: RunIris) -> None:
    Path("taken").write_text("a file")
    ran = iris("init", "--store", "taken/store")
    assert ran.code == ExitCode.STORAGE
    assert ran.err.count("\n") == 1


def test_stdin_that_is_no_utf_8_is_told(empty: RunIris) -> None:
    ran = empty("remember", "-", stdin=b"\xff\xfe\xff")
    assert ran.code == ExitCode.USAGE
    assert "UTF-8" in ran.err
