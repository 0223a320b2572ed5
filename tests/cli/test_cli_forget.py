"""Forget: its reach is shown first, its receipt is checked by anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_lines import Filled, RunIris

from iris_memory.cli.exit_codes import ExitCode


def test_a_dry_run_counts_and_changes_nothing(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    ran = iris("forget", "--category", "preference", "--dry-run", "--json")
    assert ran.document["preview"]["memories"] == 2
    assert ran.document["receipt"] is None
    assert iris("list", "--json").document["total"] == 4


def test_the_reach_is_shown_before_the_question(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    declined = iris("forget", ids.medical, stdin="n\n")
    assert declined.code == ExitCode.DECLINED
    assert "This reaches 1 memory, 1 revision" in declined.out
    assert "What stays:" in declined.out
    assert iris("list", "--json").document["total"] == 4
    agreed = iris("forget", ids.medical, stdin="y\n")
    assert agreed.code == ExitCode.OK
    assert "nothing left" in agreed.out
    assert iris("show", ids.medical).code == ExitCode.NOT_FOUND


def test_json_never_asks(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    ran = iris("forget", ids.medical, "--json", stdin="y\n")
    assert ran.code == ExitCode.USAGE
    assert "--yes" in ran.document["error"]["message"]
    assert iris("list", "--json").document["total"] == 4


def test_the_scan_is_made_unless_it_is_not_wanted(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    scanned = iris("forget", ids.medical, "--yes", "--json").document["receipt"]
    assert scanned["residue"]["found"] == {}
    assert scanned["residue"]["patterns"] >= 3
    assert iris("forget", ids.seat, "--yes", "--no-scan", "--json").document["receipt"]["residue"] is None


def test_everything_goes_and_the_consents_stay(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    assert iris("forget", "--everything", "--yes", "--json").document["receipt"]["memories"] == 4
    told = iris("status", "--json").document
    assert (told["memories"], told["held"], len(told["consents"])) == (0, 0, 3)


def test_the_person_goes_whole(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    ran = iris("forget", "--person", "--yes", "--json")
    assert ran.document["receipt"]["memories"] == 4
    told = iris("status", "--json").document
    assert told == {"memories": 0, "questions": 0, "held": 0, "consents": [], "pauses": []}
    assert iris("forget", "--person", "--yes").code == ExitCode.NOT_FOUND
    assert iris("audit", "verify").code == ExitCode.OK


def test_forgotten_words_come_back_only_with_again(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    iris("forget", ids.medical, "--yes")
    words = ["remember", "ALLERGIC to penicillin", "--category", "medical", "--json"]
    assert iris(*words).document["reason"] == "forgotten-before"
    assert iris(*words, "--again").document["outcome"] == "written"


def test_a_receipt_that_cannot_be_kept_stops_the_forgetting(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    Path("receipt.json").write_text("an older one")
    taken = iris("forget", ids.medical, "--yes", "--receipt", "receipt.json")
    nowhere = iris("forget", ids.medical, "--yes", "--receipt", "no/such/folder/receipt.json")
    assert (taken.code, nowhere.code) == (ExitCode.USAGE, ExitCode.STORAGE)
    assert Path("receipt.json").read_text() == "an older one"
    assert iris("list", "--json").document["total"] == 4


@pytest.fixture
def receipted(filled: tuple[RunIris, Filled]) -> tuple[RunIris, str]:
    """A receipt and an export in files; and the key of the tenant."""
    iris, ids = filled
    iris("forget", ids.medical, "--yes", "--receipt", "receipt.json")
    iris("remember", "Something that came later")
    iris("audit", "export", "export.jsonl")
    return iris, iris("audit", "keys", "--json").document["keys"][0]["vkey"]


def test_a_receipt_verifies_by_key_and_by_export_without_a_store(receipted: tuple[RunIris, str]) -> None:
    iris, vkey = receipted
    Path(".iris").rename("gone")
    by_key = iris("receipt", "verify", "receipt.json", "--key", vkey, "--json")
    assert (by_key.code, by_key.document) == (0, {"ok": True, "genuine": True, "in_chain": None})
    by_export = iris("receipt", "verify", "receipt.json", "--export", "export.jsonl", "--json")
    assert (by_export.code, by_export.document) == (0, {"ok": True, "genuine": True, "in_chain": True})


@pytest.mark.parametrize("field", ["memories", "keys_destroyed", "audit_size", "vault_backup_days"])
def test_a_changed_receipt_is_told(field: str, receipted: tuple[RunIris, str]) -> None:
    iris, vkey = receipted
    receipt = json.loads(Path("receipt.json").read_text())
    receipt[field] += 1
    Path("receipt.json").write_text(json.dumps(receipt))
    ran = iris("receipt", "verify", "receipt.json", "--key", vkey, "--json")
    assert ran.code == ExitCode.CHECK_FAILED
    assert ran.document["genuine"] is False


def test_a_receipt_of_another_chain_is_told(receipted: tuple[RunIris, str], iris: RunIris) -> None:
    run, vkey = receipted
    lines = Path("export.jsonl").read_bytes().splitlines(keepends=True)
    Path("export.jsonl").write_bytes(b"".join([lines[0], *lines[2:]]))
    ran = run("receipt", "verify", "receipt.json", "--key", vkey, "--export", "export.jsonl", "--json")
    assert ran.code == ExitCode.CHECK_FAILED
    assert ran.document == {"ok": False, "genuine": True, "in_chain": False}
