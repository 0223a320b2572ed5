"""`iris mask`: pseudonyms in the place of the owner, nothing else changed, whole and streamed alike."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_lines import RunIris

from iris_memory.cli.exit_codes import ExitCode
from iris_memory.sources import extra

USER = """---
identity:
  names: [Ottoline Varga]
  emails: [otto@quill.example]
---
"""
NOTE = "Hi, this is ottoline varga\r\n<OTTO@quill.example>, not [owner:name#7]\x1b[0m.\tBye"
MASKED = "Hi, this is [owner:name#1]\r\n<[owner:email#1]>, not [owner~:name#7]\x1b[0m.\tBye"


@pytest.fixture(autouse=True)
def _documents(tmp_path: Path) -> None:
    (tmp_path / "USER.md").write_text(USER)
    (tmp_path / "note.txt").write_bytes(NOTE.encode())


@pytest.mark.parametrize("more", [[], ["--stream"]], ids=["whole", "stream"])
def test_the_text_differs_inside_spans_alone_byte_by_byte(iris: RunIris, more: list[str]) -> None:
    for words, stdin in (("note.txt", None), ("-", NOTE.encode())):
        ran = iris("mask", words, *more, stdin=stdin)
        assert (ran.code, ran.out.encode(), ran.err) == (ExitCode.OK, MASKED.encode(), "")


def test_the_document_names_spans_and_no_literal(iris: RunIris) -> None:
    ran = iris("mask", "note.txt", "--json")
    assert ran.document == {
        "text": MASKED,
        "personal": True,
        "spans": [
            {"start": 12, "end": 26, "kinds": ["name"], "action": "mask"},
            {"start": 29, "end": 47, "kinds": ["email"], "action": "mask"},
        ],
        "charges": [],
    }
    assert "ottoline" not in ran.out.lower()


def test_the_column_decides(iris: RunIris) -> None:
    assert "ottoline varga" in iris("mask", "note.txt", "--guard", "egress").out
    assert "OTTO@" not in iris("mask", "note.txt", "--guard", "egress").out
    assert "OTTO@" in iris("mask", "note.txt", "--audience", "owner").out


def test_the_table_of_the_deployment_is_followed_and_closed_with_a_word(iris: RunIris, tmp_path: Path) -> None:
    config = tmp_path / "identity.yaml"
    config.write_text("guards: {name: {answer_other: pass}}\n")
    assert "ottoline varga" in iris("mask", "note.txt", "--config", "identity.yaml").out
    config.write_text("guards: {name: {answer_other: nonsense}}\n")
    ran = iris("mask", "note.txt", "--config", "identity.yaml", "--audience", "owner")
    assert (ran.code, ran.out.encode()) == (ExitCode.OK, MASKED.encode())
    assert "the guard table is not used, everything is masked: config-invalid" in ran.err
    assert "nonsense" not in ran.err


def test_the_first_identity_document_is_the_owners_whatever_its_name(iris: RunIris, tmp_path: Path) -> None:
    (tmp_path / "USER.md").rename(tmp_path / "me.md")
    (tmp_path / "soul.md").write_text("the door says plum-Teapot-4471-green")
    (tmp_path / "note.txt").write_text("Ottoline Varga: plum-Teapot-4471-green")
    ran = iris("mask", "note.txt", "--identity", "me.md", "--identity", "soul.md")
    assert ran.out == "[owner:name#1]: [owner:secret#1]"


def test_what_is_too_weak_is_told_without_it(iris: RunIris, tmp_path: Path) -> None:
    (tmp_path / "USER.md").write_text(USER.replace("[Ottoline Varga]", "[Ottoline Varga, Q]"))
    ran = iris("mask", "note.txt")
    assert ran.err == "iris: 1 literal not used: too-weak\n"


FAULTS = {
    "no document": (None, "there is no USER.md here"),
    "an empty one": ("nothing here", "say nothing of their owner"),
    "a mistyped one": (USER.replace("names", "nmaes"), "identity block"),
}


@pytest.mark.parametrize(("text", "told"), FAULTS.values(), ids=FAULTS)
def test_nothing_is_written_where_nothing_would_be_protected(
    iris: RunIris, tmp_path: Path, text: str | None, told: str
) -> None:
    (tmp_path / "USER.md").unlink()
    if text is not None:
        (tmp_path / "USER.md").write_text(text)
    for more in ([], ["--stream"]):
        ran = iris("mask", "note.txt", *more)
        assert (ran.code, ran.out) == (ExitCode.USAGE, "")
        assert told in ran.err


def test_a_file_that_is_not_there_or_no_text_is_refused(iris: RunIris, tmp_path: Path) -> None:
    assert iris("mask", "none.txt").code == ExitCode.STORAGE
    (tmp_path / "note.txt").write_bytes(b"\xff\xfe")
    assert iris("mask", "note.txt").code == ExitCode.USAGE
    assert iris("mask", "note.txt", "--stream").code == ExitCode.USAGE


def test_a_stream_is_no_document(iris: RunIris) -> None:
    assert iris("mask", "note.txt", "--stream", "--json").document["error"]["code"] == "usage"


def test_a_missing_extra_is_named(iris: RunIris, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", (*extra.PACKAGES, "no_such_package_of_iris"))
    ran = iris("mask", "note.txt")
    assert (ran.code, ran.out) == (ExitCode.USAGE, "")
    assert "install iris-memory[masking]" in ran.err


def test_a_stream_writes_before_its_end(tmp_path: Path) -> None:
    """PII-8: what is decided comes out while the writer still holds the pipe open."""
    script = "from iris_memory.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", script, "mask", "-", "--stream"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"Ottoline Varga was here. " + b"Nothing else is said. " * 2_000)
        running.stdin.flush()
        assert os.read(running.stdout.fileno(), 15) == b"[owner:name#1] "
        running.stdin.close()
        rest = running.stdout.read()
        assert running.wait() == 0
    assert rest.endswith(b"Nothing else is said. ")
