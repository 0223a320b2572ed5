"""The reference pages are those that the tables, contracts, settings, reason codes and commands give."""

from __future__ import annotations

import inspect
import re
from enum import StrEnum
from pathlib import Path

import pytest
import typer.main
from command_lines import RunIris

from iris_memory.chain.findings import Finding
from iris_memory.cli.application import COMMANDS, build
from iris_memory.cli.describing import all_schemas
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.reference import pages
from iris_memory.cli.reference_contracts import public_contracts
from iris_memory.cli.reference_reasons import REASONS, ReasonSet, words_of
from iris_memory.contracts import audit, decision, scope
from iris_memory.contracts.consent import CaptureMethod, LegalBasis, OptOut
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.write import Answer
from iris_memory.errors import TableError
from iris_memory.flows.import_ import Into
from iris_memory.formats import Author, Format
from iris_memory.wiring.settings import SETTINGS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = pages(typer.main.get_command(build()))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    file = REFERENCE / name
    assert file.is_file(), f"write it with: iris docs {REFERENCE.relative_to(REFERENCE.parents[1])}"
    assert file.read_text(encoding="utf-8") == PAGES[name], "write it anew with: iris docs docs/reference"


def test_every_command_is_documented() -> None:
    headings = re.findall(r"^### iris (.+)$", PAGES["cli.md"], re.MULTILINE)
    assert sorted(headings) == sorted(command.name for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_is_documented_and_every_command_answers_with_json(command: object, iris: RunIris) -> None:
    name = command.name  # type: ignore[attr-defined]
    helped = iris(*name.split(), "--help")
    assert helped.code == ExitCode.OK
    section = PAGES["cli.md"].partition(f"### iris {name}\n")[2].partition("\n### ")[0]
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", helped.out)) - {"--help"}
    assert "--json" in options
    assert options <= set(re.findall(r"--[a-z][a-z-]*", section))
    assert len(section.split("\n\n")) > 2


def test_every_exit_code_is_documented() -> None:
    for one in ExitCode:
        assert f"| {int(one)} | " in PAGES["cli.md"]


def test_every_setting_is_documented() -> None:
    for row in SETTINGS:
        assert f"| `{row.name}` | " in PAGES["settings.md"]


def test_every_reason_code_is_documented() -> None:
    documented = {held.kind for held in REASONS}
    kinds = [kind for _, kind in inspect.getmembers(decision, inspect.isclass) if issubclass(kind, StrEnum)]
    assert {kind for kind in kinds if kind is not StrEnum} | {Finding, audit.AuditAction} <= documented
    for held in REASONS:
        for member, words in words_of(held).items():
            assert f"| `{member.value}` | {words} |" in PAGES["reason-codes.md"]


def test_a_code_without_words_stops_the_page() -> None:
    with pytest.raises(TableError, match="tenant-mismatch"):
        words_of(ReasonSet(decision.DropReason, "Withheld"))


def test_every_scope_and_contract_is_documented() -> None:
    for kind in (*scope.ScopeKind, *scope.AdapterScope):
        assert f"| `{kind.value}` | " in PAGES["scopes.md"]
    for contract in public_contracts():
        section = PAGES["contracts.md"].partition(f"### {contract.__name__}\n")[2].partition("\n### ")[0]
        for field in contract.model_fields:
            assert f"| `{field}` | " in section


NAMED_IN_HELP = [
    ("remember", "--origin", Origin),
    ("remember", "--label", Label),
    ("answer", "DECISION", Answer),
    ("import", "--format", Format),
    ("import", "--into", Into),
    ("import", "--only", Author),
    ("consent grant", "--basis", LegalBasis),
    ("consent grant", "--capture", CaptureMethod),
    ("consent opt-out", "[NAME...]", OptOut),
]


@pytest.mark.parametrize(("command", "option", "kind"), NAMED_IN_HELP)
def test_help_names_every_value_that_is_taken(command: str, option: str, kind: type[StrEnum]) -> None:
    section = PAGES["cli.md"].partition(f"### iris {command}\n")[2].partition("\n### ")[0]
    (row,) = [line for line in section.splitlines() if line.startswith(f"| `{option}")]
    assert {member.value for member in kind} <= set(re.findall(r"[a-z][a-z0-9_-]*", row))


def test_docs_writes_checks_and_leaves_other_pages_alone(iris: RunIris) -> None:
    Path("pages").mkdir()
    Path("pages/performance.md").write_text("by hand\n")
    assert iris("docs", "pages", "--check").code == ExitCode.CHECK_FAILED
    assert iris("docs", "pages", "--json").document["changed"] == sorted(PAGES)
    assert iris("docs", "pages", "--check").code == ExitCode.OK
    assert iris("docs", "pages", "--json").document["changed"] == []
    Path("pages/scopes.md").write_text("changed\n")
    checked = iris("docs", "pages", "--check", "--json")
    assert (checked.code, checked.document) == (ExitCode.CHECK_FAILED, {"ok": False, "differ": ["scopes.md"]})
    assert Path("pages/performance.md").read_text() == "by hand\n"


def test_schemas_are_of_every_public_contract(iris: RunIris) -> None:
    schemas = all_schemas()
    assert {"MemoryEntry", "RecallRequest", "RecallResult", "ConsentEvent", "ForgetReceipt", "Statement"} <= set(
        schemas
    )
    assert iris("schema", "--json").document == schemas
    written = iris("schema", "schemas", "--json").document["written"]
    assert len(written) == len(schemas)
    assert all(Path(file).name.removesuffix(".schema.json") in schemas for file in written)


def test_the_help_of_the_whole_lists_every_command(iris: RunIris) -> None:
    helped = iris("--help").out
    for command in COMMANDS:
        assert re.search(rf"^  {command.name.split()[0]} ", helped, re.MULTILINE)
    assert "..." not in helped.replace("[ARGS]...", "")
    assert build().registered_callback is not None
