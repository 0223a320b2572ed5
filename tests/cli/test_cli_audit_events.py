"""Audit events on the command line: listed, proved, and a proof checked without a store."""

from __future__ import annotations

import json
from pathlib import Path

from command_lines import Filled, RunIris

from iris_memory.cli.exit_codes import ExitCode


def test_events_are_listed_a_page_at_a_time(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    first = iris("audit", "events", "--limit", "1", "--json").document
    assert [line["sequence"] for line in first["lines"]] == [first["size"]]
    older = iris("audit", "events", "--before", str(first["next_before"]), "--json").document
    assert older["lines"][0]["sequence"] == first["size"] - 1
    written = iris("audit", "events", "--action", "memory.written", "--json").document["lines"]
    assert written
    assert {line["action"] for line in written} == {"memory.written"}
    assert iris("audit", "events", "--action", "nothing").code == ExitCode.USAGE
    assert iris("audit", "events", "--tenant", "third").code == ExitCode.NOT_FOUND


def test_a_proof_is_checked_without_a_store(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    assert iris("audit", "prove", "1", "proof.json").code == ExitCode.OK
    assert iris("audit", "prove", "99999", "other.json").code == ExitCode.NOT_FOUND
    vkey = iris("audit", "keys", "--json").document["keys"][0]["vkey"]
    Path(".iris").rename("gone")
    assert "vouches for itself" in iris("audit", "check-proof", "proof.json").out
    trusted = iris("audit", "check-proof", "proof.json", "--trusted-key", vkey, "--json")
    assert (trusted.code, trusted.document) == (ExitCode.OK, {"ok": True, "self_declared": False})
    proof = json.loads(Path("proof.json").read_text("utf-8"))
    Path("proof.json").write_text(json.dumps({**proof, "line": proof["line"].replace("granted", "revoked")}))
    assert iris("audit", "check-proof", "proof.json").code == ExitCode.CHECK_FAILED
    Path("proof.json").write_text("nothing of the kind")
    assert iris("audit", "check-proof", "proof.json").code == ExitCode.CHECK_FAILED
