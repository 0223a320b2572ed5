"""What the tests of commands share: how a command line ends, what the filled store holds, one line per command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from iris_memory.cli.exit_codes import ExitCode

ROOT_KEY = "7" * 64


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command line ended with."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


RunIris = Callable[..., Ran]


@dataclass(frozen=True, slots=True)
class Filled:
    """Ids of what the filled store holds."""

    seat: str
    medical: str
    question: str
    digest: str


class CommandLine(NamedTuple):
    """A line that runs a command, with the codes it ends with on an empty and on the filled store."""

    words: str
    on_empty: ExitCode
    on_filled: ExitCode


OK, NOT_FOUND, REFUSED = ExitCode.OK, ExitCode.NOT_FOUND, ExitCode.REFUSED

COMMAND_LINES = {
    "init": CommandLine("", OK, OK),
    "demo": CommandLine("", OK, OK),
    "doctor": CommandLine("", OK, OK),
    "remember": CommandLine("Walks-to-work", REFUSED, OK),
    "recall": CommandLine("seat", OK, OK),
    "explain": CommandLine("{seat} seat", NOT_FOUND, OK),
    "list": CommandLine("", OK, OK),
    "show": CommandLine("{seat}", NOT_FOUND, OK),
    "history": CommandLine("{seat}", NOT_FOUND, OK),
    "revise": CommandLine("{medical} Allergic-to-nuts", NOT_FOUND, OK),
    "forget": CommandLine("{medical} --yes", NOT_FOUND, OK),
    "receipt verify": CommandLine("receipt.json --key {vkey}", OK, OK),
    "import": CommandLine("export.jsonl --format jsonl", REFUSED, OK),
    "held": CommandLine("", OK, OK),
    "status": CommandLine("", OK, OK),
    "questions": CommandLine("", OK, OK),
    "answer": CommandLine("{question} keep --digest {digest}", NOT_FOUND, OK),
    "pause": CommandLine("", OK, OK),
    "resume": CommandLine("", OK, OK),
    "consent grant": CommandLine("personalization --terms Words", OK, OK),
    "consent deny": CommandLine("personalization --terms Words", OK, OK),
    "consent revoke": CommandLine("data_storage", OK, OK),
    "consent active": CommandLine("", OK, OK),
    "consent trail": CommandLine("", OK, OK),
    "consent check": CommandLine("", OK, OK),
    "consent opt-out": CommandLine("notebooks", OK, OK),
    "consent policies": CommandLine("", OK, OK),
    "audit verify": CommandLine("", OK, OK),
    "audit export": CommandLine("out.jsonl", NOT_FOUND, OK),
    "audit keys": CommandLine("", NOT_FOUND, OK),
    "audit head": CommandLine("", NOT_FOUND, OK),
    "keys rotate root": CommandLine("--to next.key", OK, OK),
    "keys rotate tenant": CommandLine("", NOT_FOUND, OK),
    "keys rotate signing": CommandLine("", NOT_FOUND, OK),
    "approve": CommandLine("pose --by ops --reason Trial --until 2999-01-01T00:00:00Z", OK, OK),
    "mask": CommandLine("note.txt", OK, OK),
    "eval": CommandLine("decay", OK, OK),
    "bench": CommandLine("load --quick", OK, OK),
    "schema": CommandLine("", OK, OK),
    "docs": CommandLine("pages", OK, OK),
}
"""`serve` runs until it is stopped; `test_cli_process` runs it."""
