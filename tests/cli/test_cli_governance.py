"""`iris governance`: what guards saw, from a store and from a file, and how guarding is set."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_lines import ROOT_KEY, RunIris

from iris_memory.cli.exit_codes import ExitCode
from iris_memory.evals.owner import USER_MD
from iris_memory.front.iris import Iris
from iris_memory.guards.opening import open_guard
from iris_memory.storage.keys import FixedKey


@pytest.fixture
def owner(tmp_path: Path) -> Path:
    folder = tmp_path / "owner"
    folder.mkdir()
    (folder / "USER.md").write_text(USER_MD, encoding="utf-8")
    return folder


def test_a_store_tells_what_its_guards_saw(iris: RunIris, owner: Path) -> None:
    with Iris.open(".iris", key=FixedKey(bytes.fromhex(ROOT_KEY)), tended=False) as opened:
        me = opened.for_user(tenant="local", user="me")
        guard = open_guard(memory=me, folder=owner, mode="shadow")
        for _ in range(3):
            guard.pre_tool_use("http_get", {"to": "o_varga@quillworks.example"})
        guard.pre_response("nothing")
    told = iris("governance", "pii-shadow", "--json").document
    assert told["rows"] == 4
    (cell,) = told["cells"]
    assert (cell["guard"], cell["kind"], cell["action"], cell["calls"]) == ("egress", "email", "deny", 3)
    assert {reach["guard"]: reach["calls"] for reach in told["reach"]} == {"egress": 3, "answer_other": 1}
    said = iris("governance", "pii-shadow").out
    for words in ("4 firings since", "3 of 3 calls (100.0%)", "75.0% of 4 calls", "the next kind that changes least"):
        assert words in said
    assert "quillworks" not in said
    assert iris("governance", "pii-shadow", "--user", "bea", "--json").document["rows"] == 0


def test_a_file_tells_what_guards_without_a_store_saw(iris: RunIris, owner: Path) -> None:
    log = owner / "guard.jsonl"
    open_guard(folder=owner, mode="shadow", log=log).pre_llm_call("o_varga@quillworks.example", tier="tier_3")
    told = iris("governance", "pii-shadow", "--log", str(log), "--json").document
    assert [cell["guard"] for cell in told["cells"]] == ["tier3"]
    assert iris("governance", "pii-shadow", "--log", "none").code == ExitCode.USAGE


def test_nothing_seen_is_said(empty: RunIris) -> None:
    assert "No guard has written a row" in empty("governance", "pii-shadow").out
    assert empty("governance", "pii-shadow", "--days", "0").code == ExitCode.USAGE


def test_the_state_tells_the_flag_with_its_value(iris: RunIris, owner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = iris("governance", "state", "--json").document
    assert state["flags"] == [
        {
            "name": "IRIS_GOVERNANCE_OWNER_PII",
            "value": "off",
            "accepts": "off, shadow or enforce",
            "warning": None,
        }
    ]
    assert (state["table"], state["enforced"]) == ("shipped", [])
    (owner / "identity.yaml").write_text("enforce: [phone, email]\nlog_only_destinations: [mcp_*]\n")
    monkeypatch.setenv("IRIS_IDENTITY_FOLDER", str(owner))
    monkeypatch.setenv("IRIS_GOVERNANCE_OWNER_PII", "enforce")
    state = iris("governance", "state", "--json").document
    assert (state["flags"][0]["value"], state["enforced"]) == ("enforce", ["email", "phone"])
    assert (state["table"], state["log_only_destinations"]) == ("configured", ["mcp_*"])
    monkeypatch.setenv("IRIS_GOVERNANCE_OWNER_PII", "enfroce")
    assert "off, shadow or enforce: running shadow" in iris("governance", "state").out
    (owner / "identity.yaml").write_text("guards: {}\nshoe: 43\n")
    state = iris("governance", "state", "--json").document
    assert state["table"] == "config-invalid"
    assert len(state["enforced"]) == 7
    monkeypatch.setenv("IRIS_IDENTITY_CONFIG", str(owner))
    assert iris("governance", "state", "--json").document["table"] == "config-unreadable"
