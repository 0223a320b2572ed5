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
    request: str = "no-such-request"
    asked: str = "no-such-request"
    hold: str = "no-such-hold"
    inspection: str = "no-such-inspection"
    granted: str = "no-such-inspection"
    incident_key: str = "no-such-key"


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
    "restore": CommandLine("", OK, OK),
    "remember": CommandLine("Walks-to-work", REFUSED, OK),
    "recall": CommandLine("seat", OK, OK),
    "explain": CommandLine("{seat} seat", NOT_FOUND, OK),
    "list": CommandLine("", OK, OK),
    "show": CommandLine("{seat}", NOT_FOUND, OK),
    "history": CommandLine("{seat}", NOT_FOUND, OK),
    "revise": CommandLine("{medical} Allergic-to-nuts", NOT_FOUND, OK),
    "sweep": CommandLine("", OK, OK),
    "devices list": CommandLine("", OK, OK),
    "devices name": CommandLine("phone My-phone", REFUSED, OK),
    "devices remove": CommandLine("no-such-device", NOT_FOUND, NOT_FOUND),
    "continuation list": CommandLine("", OK, OK),
    "continuation drop": CommandLine("no-such-place", NOT_FOUND, NOT_FOUND),
    "assistants list": CommandLine("", OK, OK),
    "assistants register": CommandLine(
        "nova --persona personas/nova --name Nova --surface assistant --scope session", OK, OK
    ),
    "assistants retire": CommandLine("nobody", NOT_FOUND, NOT_FOUND),
    "webhooks list": CommandLine("", OK, OK),
    "webhooks register": CommandLine("https://audit.example/iris", OK, OK),
    "webhooks remove": CommandLine("no-such-webhook", NOT_FOUND, NOT_FOUND),
    "expand": CommandLine("{seat}", NOT_FOUND, OK),
    "review list": CommandLine("", OK, OK),
    "review decide": CommandLine("{seat} extend", NOT_FOUND, REFUSED),
    "contract": CommandLine("--ends 2030-01-31T12:00:00Z", OK, OK),
    "forget": CommandLine("{medical} --yes", NOT_FOUND, OK),
    "receipt verify": CommandLine("receipt.json --key {vkey}", OK, OK),
    "import": CommandLine("export.jsonl --format jsonl", REFUSED, OK),
    "held": CommandLine("", OK, OK),
    "move": CommandLine("{seat} notebook:me:trips", NOT_FOUND, OK),
    "others list": CommandLine("", OK, OK),
    "others forget": CommandLine("Anna --yes", NOT_FOUND, OK),
    "status": CommandLine("", OK, OK),
    "questions": CommandLine("", OK, OK),
    "answer": CommandLine("{question} keep --digest {digest}", NOT_FOUND, OK),
    "inbox": CommandLine("", OK, OK),
    "ask": CommandLine("{seat}", NOT_FOUND, REFUSED),
    "promote": CommandLine("{seat}", NOT_FOUND, REFUSED),
    "forget-source": CommandLine("direct --yes", NOT_FOUND, OK),
    "roll-back": CommandLine("2020-01-01T00:00:00Z --yes", NOT_FOUND, OK),
    "pause": CommandLine("", OK, OK),
    "resume": CommandLine("", OK, OK),
    "consent grant": CommandLine("personalization --terms Words", OK, OK),
    "consent deny": CommandLine("personalization --terms Words", OK, OK),
    "consent revoke": CommandLine("data_storage", OK, OK),
    "consent active": CommandLine("", OK, OK),
    "consent trail": CommandLine("", OK, OK),
    "consent check": CommandLine("", OK, OK),
    "consent due": CommandLine("", OK, OK),
    "consent records": CommandLine("", OK, OK),
    "consent opt-out": CommandLine("notebooks", OK, OK),
    "consent policies": CommandLine("", OK, OK),
    "audit verify": CommandLine("", OK, OK),
    "audit export": CommandLine("out.jsonl", NOT_FOUND, OK),
    "audit keys": CommandLine("", NOT_FOUND, OK),
    "audit head": CommandLine("", NOT_FOUND, OK),
    "audit events": CommandLine("", NOT_FOUND, OK),
    "audit prove": CommandLine("1 proof.json", NOT_FOUND, OK),
    "audit check-proof": CommandLine("event.json", OK, OK),
    "keys rotate root": CommandLine("--to next.key", OK, OK),
    "keys rotate tenant": CommandLine("", NOT_FOUND, OK),
    "keys rotate signing": CommandLine("", NOT_FOUND, OK),
    "approval ask": CommandLine("pose --by ada --reason Trial --until 2027-06-01T00:00:00Z", OK, OK),
    "approval grant": CommandLine("{request} --by ops", NOT_FOUND, OK),
    "approval withdraw": CommandLine("{request} --by ops", NOT_FOUND, OK),
    "approval list": CommandLine("", OK, OK),
    "notice publish": CommandLine("data_storage --terms-file note.txt", OK, OK),
    "approve": CommandLine("pose --by ops --reason Trial --until 2999-01-01T00:00:00Z", OK, OK),
    "rights submit": CommandLine("access --regime gdpr", OK, OK),
    "rights list": CommandLine("", OK, OK),
    "rights show": CommandLine("{asked}", NOT_FOUND, OK),
    "rights identify": CommandLine("{asked} --just-signed-in", NOT_FOUND, OK),
    "rights cancel": CommandLine("{asked}", NOT_FOUND, OK),
    "rights reactivate": CommandLine("{asked}", NOT_FOUND, REFUSED),
    "rights appeal": CommandLine("{asked} --reason Wrong", NOT_FOUND, REFUSED),
    "rights lift": CommandLine("{asked}", NOT_FOUND, REFUSED),
    "rights answer": CommandLine("{asked}", NOT_FOUND, REFUSED),
    "rights holds": CommandLine("", OK, OK),
    "rights export": CommandLine("{asked} out.zip", NOT_FOUND, REFUSED),
    "rights discard": CommandLine("{asked}", OK, OK),
    "rights verify": CommandLine("receipt.json --key {vkey}", OK, OK),
    "rights unlock": CommandLine("receipt.json copy.json", OK, OK),
    "token mint": CommandLine("bot --by ops", OK, OK),
    "token list": CommandLine("", OK, OK),
    "client generate": CommandLine("client", OK, OK),
    "notes list": CommandLine("--operator dana", OK, OK),
    "notes confirm": CommandLine("style tone Short-answers --operator dana", OK, OK),
    "notes correct": CommandLine("style tone Long-answers --operator dana", NOT_FOUND, OK),
    "notes forget": CommandLine("style tone --operator dana --yes", NOT_FOUND, OK),
    "notes report": CommandLine("", OK, OK),
    "desk list": CommandLine("", OK, OK),
    "desk challenge": CommandLine("{asked} --method email-link", NOT_FOUND, OK),
    "desk sign-off": CommandLine("{asked} --by ops", NOT_FOUND, OK),
    "desk start": CommandLine("{asked} --by ops", NOT_FOUND, REFUSED),
    "desk extend": CommandLine("{asked} --by ops --reason Much-to-do", NOT_FOUND, OK),
    "desk wait": CommandLine("{asked} --by ops --reason Which-account", NOT_FOUND, OK),
    "desk resume": CommandLine("{asked} --by ops", NOT_FOUND, REFUSED),
    "desk deny": CommandLine("{asked} --by ops --ground excessive --law Art-12", NOT_FOUND, REFUSED),
    "desk fulfil": CommandLine("{asked} --by ops", NOT_FOUND, REFUSED),
    "desk complete": CommandLine("{asked} --by ops", NOT_FOUND, REFUSED),
    "desk decide": CommandLine("{asked} --by ops --reason Looked", NOT_FOUND, REFUSED),
    "inspect request": CommandLine(
        "--actor sam --role support --of me --path routine-review --reason support-case --reference C --category work",
        NOT_FOUND,
        OK,
    ),
    "inspect approve": CommandLine("{inspection} --actor ann --role admin", NOT_FOUND, OK),
    "inspect deny": CommandLine("{inspection} --actor ann --role admin", NOT_FOUND, REFUSED),
    "inspect close": CommandLine("{granted} --actor sam --role support", NOT_FOUND, OK),
    "inspect show": CommandLine("{granted} --actor ann --role admin", NOT_FOUND, OK),
    "inspect list": CommandLine("--actor ann --role admin", OK, OK),
    "inspect read": CommandLine("{granted} --actor sam --role support", NOT_FOUND, OK),
    "inspect replay": CommandLine("{granted} --actor ann --role admin", NOT_FOUND, OK),
    "inspect review": CommandLine("{granted} --actor ann --role admin --verdict justified", NOT_FOUND, REFUSED),
    "inspect carve-out": CommandLine(
        "{granted} --actor lea --role legal --ground legal-order --reference C --until 2999-01-01T00:00:00Z",
        NOT_FOUND,
        REFUSED,
    ),
    "inspect pending": CommandLine("--actor ann --role admin", OK, OK),
    "inspect given": CommandLine("--days 7 --actor ann --role admin", OK, OK),
    "inspect report": CommandLine("--actor ann --role admin", OK, OK),
    "inspect kill-switch": CommandLine("on --actor ann --role admin", OK, OK),
    "inspect consent-snapshot": CommandLine("--of me --actor ann --role admin", NOT_FOUND, OK),
    "inspect lines": CommandLine("ann=north --actor ann --role admin", OK, OK),
    "inspect canaries": CommandLine("--plant x --actor sam --role support", REFUSED, REFUSED),
    "inspect key list": CommandLine("--actor ann --role admin", OK, OK),
    "inspect key register": CommandLine(
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a --label desk --actor ann --role admin", OK, OK
    ),
    "inspect key revoke": CommandLine("{incident_key} --actor ann --role admin", NOT_FOUND, OK),
    "looked": CommandLine("", OK, OK),
    "hold place": CommandLine("--by ops --reference Case --reason Court --until 2999-01-01T00:00:00Z", NOT_FOUND, OK),
    "hold confirm": CommandLine("{hold} --by other", NOT_FOUND, OK),
    "hold release": CommandLine("{hold} --by other", NOT_FOUND, OK),
    "hold list": CommandLine("", OK, OK),
    "governance pii-shadow": CommandLine("", OK, OK),
    "governance state": CommandLine("", OK, OK),
    "mask": CommandLine("note.txt", OK, OK),
    "eval": CommandLine("decay", OK, OK),
    "bench": CommandLine("load --quick", OK, OK),
    "schema": CommandLine("", OK, OK),
    "docs": CommandLine("pages", OK, OK),
}
"""`serve` runs until it is stopped; `test_cli_process` runs it. `migrate` and `database prepare` need a server:
`test_migrate_cli` runs them."""
