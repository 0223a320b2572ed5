"""Audit and keys: online and offline verification, tampering, anchors, rotation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_lines import Filled, RunIris

from iris_memory.cli.exit_codes import ExitCode


def test_every_tenant_is_verified_online(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    iris("consent", "grant", "data_storage", "--terms", "W", "--tenant", "second")
    told = iris("audit", "verify", "--json").document
    assert told["ok"]
    assert sorted(row["tenant_id"] for row in told["tenants"]) == ["local", "second"]
    one = iris("audit", "verify", "--tenant", "second", "--json").document
    assert [row["tenant_id"] for row in one["tenants"]] == ["second"]
    assert iris("audit", "verify", "--tenant", "third").code == ExitCode.NOT_FOUND


def test_looking_for_a_tenant_does_not_make_one(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    for words in ("audit keys", "audit head", "audit export x", "keys rotate tenant", "keys rotate signing"):
        assert iris(*words.split(), "--tenant", "third").code == ExitCode.NOT_FOUND
    assert not Path("x").exists()
    assert len(iris("audit", "verify", "--json").document["tenants"]) == 1


def test_an_export_verifies_offline_without_a_store(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    written = iris("audit", "export", "export.jsonl", "--json").document
    vkey = iris("audit", "keys", "--json").document["keys"][0]["vkey"]
    Path(".iris").rename("gone")
    alone = iris("audit", "verify", "export.jsonl", "--json")
    assert alone.code == ExitCode.OK
    assert alone.document["size"] == written["events"] == len(Path("export.jsonl").read_bytes().splitlines()) - 1
    assert alone.document["self_declared"] is True
    assert "vouches for itself" in iris("audit", "verify", "export.jsonl").out
    trusted = iris("audit", "verify", "export.jsonl", "--trusted-key", vkey, "--json")
    assert (trusted.code, trusted.document["self_declared"]) == (ExitCode.OK, False)


@pytest.mark.parametrize("line", [1, 3])
def test_a_changed_export_is_told(line: int, filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    iris("audit", "export", "export.jsonl")
    lines = Path("export.jsonl").read_bytes().splitlines(keepends=True)
    event = json.loads(lines[line])
    event["severity"] = "other"
    lines[line] = json.dumps(event, separators=(",", ":"), sort_keys=True).encode() + b"\n"
    Path("export.jsonl").write_bytes(b"".join(lines))
    ran = iris("audit", "verify", "export.jsonl", "--json")
    assert ran.code == ExitCode.CHECK_FAILED
    assert "edited-line" in [problem["code"] for problem in ran.document["problems"]]
    assert "NOT SOUND" in iris("audit", "verify", "export.jsonl").out


def test_a_file_that_is_no_export_is_told(iris: RunIris) -> None:
    Path("other.jsonl").write_text("nothing of the kind\n")
    ran = iris("audit", "verify", "other.jsonl", "--json")
    assert ran.code == ExitCode.CHECK_FAILED
    assert [problem["code"] for problem in ran.document["problems"]] == ["bad-header"]


def test_an_anchor_catches_another_history(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    Path("head.note").write_text(iris("audit", "head", "--json").document["head"])
    iris("remember", "Something that came later")
    iris("audit", "export", "export.jsonl")
    assert iris("audit", "verify", "export.jsonl", "--anchor", "head.note").code == ExitCode.OK
    lines = Path("export.jsonl").read_bytes().splitlines(keepends=True)
    Path("export.jsonl").write_bytes(b"".join(lines[:3]))
    ran = iris("audit", "verify", "export.jsonl", "--anchor", "head.note", "--json")
    assert ran.code == ExitCode.CHECK_FAILED
    assert "truncated-tail" in [problem["code"] for problem in ran.document["problems"]]


def test_an_export_goes_to_stdout(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    ran = iris("audit", "export", "-")
    assert json.loads(ran.out.splitlines()[0])["format"] == "iris-audit-export"
    assert iris("audit", "export", "-", "--json").code == ExitCode.USAGE


def test_the_export_holds_no_words(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    out = iris("audit", "export", "-").out
    for words in ("window", "aisle", "penicillin", "tea in the morning", "category:medical"):
        assert words not in out


def test_old_heads_verify_after_a_signing_key_is_rotated(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    Path("head.note").write_text(iris("audit", "head", "--json").document["head"])
    assert iris("keys", "rotate", "signing").code == ExitCode.OK
    assert iris("keys", "rotate", "tenant").code == ExitCode.OK
    assert len(iris("audit", "keys", "--json").document["keys"]) == 2
    iris("audit", "export", "export.jsonl")
    assert iris("audit", "verify", "export.jsonl", "--anchor", "head.note").code == ExitCode.OK
    assert iris("list", "--json").document["total"] == 4


@pytest.fixture
def by_file(iris: RunIris, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[RunIris, Path]:
    """A store whose root key lies in the usual key file."""
    monkeypatch.delenv("IRIS_ROOT_KEY")
    made = iris("init", "--json").document
    iris("consent", "grant", "data_processing", "data_storage", "--terms", "Words")
    iris("remember", "Likes tea")
    return iris, tmp_path / "config" / "iris" / "keys" / f"{made['store_id']}.key"


def test_a_new_root_key_takes_the_place_of_the_old(by_file: tuple[RunIris, Path]) -> None:
    iris, key = by_file
    before = key.read_bytes()
    assert iris("keys", "rotate", "root").code == ExitCode.OK
    assert key.read_bytes() != before
    assert key.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in key.parent.iterdir()] == [key.name]
    assert iris("list", "--json").document["total"] == 1
    key.write_bytes(before)
    assert iris("list").code == ExitCode.KEY


def test_a_rotation_that_was_interrupted_is_finished_by_the_next(by_file: tuple[RunIris, Path]) -> None:
    iris, key = by_file
    before, waiting = key.read_bytes(), key.with_name(key.name + ".next")
    iris("keys", "rotate", "root")
    key.rename(waiting)  # as it is when the process died after the vault took the new key
    key.write_bytes(before)
    key.chmod(0o600)
    assert iris("list").code == ExitCode.KEY
    assert iris("keys", "rotate", "root").code == ExitCode.OK
    assert not waiting.exists()
    assert iris("list", "--json").document["total"] == 1


def test_a_rotation_that_never_took_place_is_made_anew(by_file: tuple[RunIris, Path]) -> None:
    iris, key = by_file
    waiting = key.with_name(key.name + ".next")
    waiting.write_bytes(key.read_bytes()[::-1])
    waiting.chmod(0o600)
    assert iris("keys", "rotate", "root").code == ExitCode.OK
    assert not waiting.exists()
    assert iris("list", "--json").document["total"] == 1


def test_a_new_root_key_in_a_file_of_its_own(by_file: tuple[RunIris, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    iris, _ = by_file
    assert iris("keys", "rotate", "root", "--to", "new.key").code == ExitCode.OK
    assert iris("list").code == ExitCode.KEY
    monkeypatch.setenv("IRIS_KEY_FILE", "new.key")
    assert iris("list", "--json").document["total"] == 1


def test_doctor_says_what_it_looked_at(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    told = iris("doctor", "--json").document
    assert told["ok"]
    assert {"the data file", "the vault file", "the root key"} <= {found["what"] for found in told["findings"]}


def test_doctor_finds_a_damaged_page(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    iris("status")
    data = Path(".iris/data/iris.db")
    content = bytearray(data.read_bytes())
    content[-3000:-1000] = b"\x55" * 2000
    data.write_bytes(bytes(content))
    ran = iris("doctor", "--json")
    assert ran.code in {ExitCode.CHECK_FAILED, ExitCode.STORAGE}
    assert ran.code == ExitCode.STORAGE or not ran.document["ok"]
