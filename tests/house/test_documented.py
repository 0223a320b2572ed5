"""Every setting, reason code, command, exit code, benchmark and evaluation suite stands in the documentation."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

import pytest
from tracked import ROOT

from iris_memory.bench.registry import BENCHES
from iris_memory.chain.findings import Finding
from iris_memory.cli.application import COMMANDS
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.consent import ConsentStatus, ConsentType, OptOut
from iris_memory.contracts.decision import ConflictOutcome, ConflictRule, DropReason, HoldReason, RefusalReason
from iris_memory.contracts.entry import QuarantineReason, SuppressionReason, TombstoneReason
from iris_memory.evals.registry import SUITES
from iris_memory.formats import UnreadableReason
from iris_memory.http.problems import ProblemCode
from iris_memory.wiring.settings import SETTINGS

REFERENCE = ROOT / "docs" / "reference"
CODES: tuple[type[StrEnum], ...] = (
    DropReason,
    RefusalReason,
    HoldReason,
    ConflictRule,
    ConflictOutcome,
    SuppressionReason,
    QuarantineReason,
    TombstoneReason,
    UnreadableReason,
    Finding,
    AuditAction,
)


@cache
def page(name: str) -> str:
    """Return a reference page; a page that is not there documents nothing."""
    path = REFERENCE / name
    assert path.is_file(), f"docs/reference/{name} is not there; `make docs` writes the generated ones"
    return path.read_text(encoding="utf-8")


@cache
def everything() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda row: row.name)
def test_a_setting_is_documented(setting: object) -> None:
    text = page("settings.md")
    assert f"`{setting.name}`" in text  # type: ignore[attr-defined]
    assert setting.what in text  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", CODES, ids=lambda kind: kind.__name__)
def test_the_codes_of_a_closed_set_are_documented(kind: type[StrEnum]) -> None:
    text = page("reason-codes.md")
    assert [code.value for code in kind if f"`{code.value}`" not in text] == []


def test_the_codes_of_problems_on_the_wire_are_documented() -> None:
    assert [code.value for code in ProblemCode if f"`{code.value}`" not in everything()] == []


@pytest.mark.parametrize("kind", [ConsentType, ConsentStatus, OptOut], ids=lambda kind: kind.__name__)
def test_consents_and_opt_outs_are_documented(kind: type[StrEnum]) -> None:
    assert [member.value for member in kind if f"`{member.value}`" not in everything()] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_is_documented(command: object) -> None:
    assert f"### iris {command.name}\n" in page("cli.md")  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", ExitCode, ids=lambda code: code.name)
def test_an_exit_code_is_documented(code: ExitCode) -> None:
    assert f"| {int(code)} | `{code.name.lower().replace('_', '-')}` |" in page("cli.md")


@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_is_documented(name: str) -> None:
    assert f"| `{name}` |" in page("performance.md")


@pytest.mark.parametrize("name", SUITES)
def test_an_evaluation_suite_is_documented(name: str) -> None:
    assert f"| `{name}` |" in page("evaluation.md")


def named_in_rows(text: str) -> list[str]:
    """Return what the first cells of a page's table rows name."""
    return sorted(line.split("|")[1].strip().strip("`") for line in text.splitlines() if line.startswith("| `"))


def test_no_page_documents_what_is_not_there() -> None:
    assert named_in_rows(page("evaluation.md")) == sorted(SUITES)
    assert named_in_rows(page("performance.md").partition("## Results")[0]) == sorted(BENCHES)
