"""Every command, on an empty and on a filled store, for people and for programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_lines import COMMAND_LINES, ROOT_KEY, Filled, RunIris

from iris_memory.chain.checkpoint import Checkpoint, Signer, sign_checkpoint, tenant_origin
from iris_memory.chain.merkle import leaf_hash
from iris_memory.cli.application import COMMANDS
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.contracts.audit_trail import EventProof
from iris_memory.flows.seal import key_periods
from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey

STORELESS = {
    "rights verify",
    "rights unlock",
    "init",
    "demo",
    "receipt verify",
    "audit check-proof",
    "schema",
    "docs",
    "bench",
    "eval",
    "mask",
    "governance state",
    "client generate",
}
"""Commands that need no store, or make one."""


def _proof() -> str:
    """Return a proof of the one event of a log that signs for itself."""
    signer = Signer(tenant_origin("t"), bytes(32))
    note = sign_checkpoint(Checkpoint(tenant_origin("t"), 1, leaf_hash(b"{}")), signer=signer)
    vkey = signer.verifier.vkey
    proof = EventProof(tenant_id="t", sequence=1, line="{}", hashes=(), checkpoint=note, vkeys=(vkey,))
    return proof.model_dump_json()


EXPORT = '{"text":"Keeps two bee hives","author":"user"}\n'


@pytest.fixture(scope="session")
def receipt(filled_store: tuple[Path, Filled], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A receipt of something forgotten, and the key that signed it."""
    folder, ids = filled_store
    copy = tmp_path_factory.mktemp("forgetful") / ".iris"
    shutil.copytree(folder, copy)
    with Iris.open(copy, key=FixedKey(bytes.fromhex(ROOT_KEY)), tended=False) as iris:
        done = iris.for_user(tenant="local", user="me").forget(ids.medical)
        (period,) = key_periods(iris.instruments, "local")
    return done.model_dump_json(), period.key.vkey


def words_of(name: str, ids: Filled, receipt: tuple[str, str]) -> list[str]:
    """Write the files a line names; return its words."""
    Path("export.jsonl").write_text(EXPORT)
    Path("receipt.json").write_text(receipt[0])
    Path("event.json").write_text(_proof())
    Path("USER.md").write_text("---\nidentity:\n  names: [Ottoline Varga]\n---\n")
    Path("note.txt").write_text("Ottoline Varga was here")
    line = COMMAND_LINES[name].words
    filled_in = line.format(
        seat=ids.seat,
        medical=ids.medical,
        question=ids.question,
        digest=ids.digest,
        vkey=receipt[1],
        request=ids.request,
        asked=ids.asked,
        hold=ids.hold,
        inspection=ids.inspection,
        granted=ids.granted,
        incident_key=ids.incident_key,
    )
    return [*name.split(), *filled_in.split()]


def test_every_command_has_its_line() -> None:
    elsewhere = {"serve", "mcp", "token revoke", "guard mcp", "guard llm", "migrate", "database prepare"}
    assert {command.name for command in COMMANDS} - elsewhere == set(COMMAND_LINES)


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_json_on_an_empty_store(name: str, empty: RunIris, receipt: tuple[str, str]) -> None:
    nobody = Filled("no-such-memory", "no-such-memory", "no-such-question", "0" * 64)
    ran = empty(*words_of(name, nobody, receipt), "--json")
    assert ran.code == COMMAND_LINES[name].on_empty
    assert ran.document is not None
    assert ran.err == ""
    assert ("error" in ran.document) == (ran.code not in {ExitCode.OK, ExitCode.REFUSED})


@pytest.mark.parametrize("name", [name for name in COMMAND_LINES if name not in {"bench", "eval"}])
def test_json_on_a_filled_store(name: str, filled: tuple[RunIris, Filled], receipt: tuple[str, str]) -> None:
    iris, ids = filled
    ran = iris(*words_of(name, ids, receipt), "--json")
    assert ran.code == COMMAND_LINES[name].on_filled
    assert ran.document is not None
    assert ran.err == ""


@pytest.mark.parametrize("name", [name for name in COMMAND_LINES if name not in {"bench", "eval"}])
def test_words_for_people(name: str, filled: tuple[RunIris, Filled], receipt: tuple[str, str]) -> None:
    iris, ids = filled
    ran = iris(*words_of(name, ids, receipt))
    assert ran.code == COMMAND_LINES[name].on_filled
    assert ran.out.strip()
    assert ran.err == ""
    if name != "schema":
        assert not ran.out.lstrip().startswith("{")


@pytest.mark.parametrize("name", [name for name in COMMAND_LINES if name not in STORELESS])
def test_no_store_is_told_plainly(name: str, iris: RunIris, receipt: tuple[str, str]) -> None:
    nobody = Filled("m", "m", "q", "0" * 64)
    ran = iris(*words_of(name, nobody, receipt), "--json")
    assert ran.code == ExitCode.STORAGE
    assert ran.document["error"]["code"] == "store-missing"
    assert "iris init" in ran.document["error"]["message"]
    assert not Path(".iris").exists()


def test_the_same_place_by_option_and_by_environment(empty: RunIris, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".iris").rename("elsewhere")
    assert empty("list").code == ExitCode.STORAGE
    assert empty("list", "--store", "elsewhere").code == ExitCode.OK
    monkeypatch.setenv("IRIS_STORE", "elsewhere")
    assert empty("list").code == ExitCode.OK
