"""The application: the one list of commands, their groups, and the way in and out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from iris_memory.cli import (
    asking,
    assistants,
    auditing,
    auditing_events,
    consenting,
    demo,
    describing,
    devices,
    exporting,
    forgetting,
    generating,
    governing,
    guard,
    guarding,
    importing,
    inbox,
    inspecting,
    masking,
    measuring,
    migrating,
    moving,
    noting,
    others,
    pausing,
    reading,
    recalling,
    remembering,
    rights,
    rights_desk,
    speaking,
    storing,
    sweeping,
    tokens,
)
from iris_memory.cli.answers import bad, print_document, print_lines
from iris_memory.cli.commands import Command, Shares, runnable
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import failure_of

_STORE, _MEMORY, _PERSON, _AUDIT, _WORK = "Store", "Memory", "Person", "Audit and keys", "Quality and reference"

COMMANDS: Final = (
    Command("init", storing.init, Shares.STORE, _STORE),
    Command("serve", storing.serve, Shares.STORE, _STORE),
    Command("mcp", speaking.mcp, Shares.SESSION, _STORE),
    Command("demo", demo.demo, Shares.ANSWER, _STORE),
    Command("doctor", storing.doctor, Shares.STORE, _STORE),
    Command("sweep", sweeping.sweep, Shares.STORE, _STORE),
    Command("migrate", migrating.migrate, Shares.STORE, _STORE),
    Command("restore", migrating.restore, Shares.STORE, _STORE),
    Command("database prepare", migrating.prepare, Shares.ANSWER, _STORE),
    Command("remember", remembering.remember, Shares.SESSION, _MEMORY),
    Command("recall", recalling.recall, Shares.SESSION, _MEMORY),
    Command("explain", recalling.explain, Shares.SESSION, _MEMORY),
    Command("list", reading.list_memories, Shares.PERSON, _MEMORY),
    Command("show", reading.show, Shares.PERSON, _MEMORY),
    Command("history", reading.history, Shares.PERSON, _MEMORY),
    Command("revise", remembering.revise, Shares.SESSION, _MEMORY),
    Command("expand", sweeping.expand, Shares.PERSON, _MEMORY),
    Command("forget", forgetting.forget, Shares.PERSON, _MEMORY),
    Command("forget-source", inbox.forget_source, Shares.PERSON, _MEMORY),
    Command("roll-back", inbox.roll_back, Shares.PERSON, _MEMORY),
    Command("promote", inbox.promote, Shares.SESSION, _MEMORY),
    Command("receipt verify", forgetting.verify_receipt, Shares.ANSWER, _MEMORY),
    Command("move", moving.move, Shares.SESSION, _MEMORY),
    Command("rights submit", rights.submit, Shares.PERSON, _PERSON),
    Command("rights list", rights.list_requests, Shares.PERSON, _PERSON),
    Command("rights show", rights.show, Shares.PERSON, _PERSON),
    Command("rights identify", rights.identify, Shares.PERSON, _PERSON),
    Command("rights cancel", rights.cancel, Shares.PERSON, _PERSON),
    Command("rights reactivate", rights.reactivate, Shares.PERSON, _PERSON),
    Command("rights appeal", rights.appeal, Shares.PERSON, _PERSON),
    Command("rights lift", rights.lift, Shares.PERSON, _PERSON),
    Command("rights answer", rights.answer, Shares.PERSON, _PERSON),
    Command("rights holds", rights.own_holds, Shares.PERSON, _PERSON),
    Command("rights export", exporting.export, Shares.PERSON, _PERSON),
    Command("rights discard", exporting.discard, Shares.PERSON, _PERSON),
    Command("rights verify", exporting.verify, Shares.ANSWER, _PERSON),
    Command("rights unlock", exporting.unlock, Shares.ANSWER, _PERSON),
    Command("desk list", rights_desk.list_desk, Shares.TENANT, _AUDIT),
    Command("desk challenge", rights_desk.challenge, Shares.TENANT, _AUDIT),
    Command("desk sign-off", rights_desk.sign_off, Shares.TENANT, _AUDIT),
    Command("desk start", rights_desk.start, Shares.TENANT, _AUDIT),
    Command("desk extend", rights_desk.extend, Shares.TENANT, _AUDIT),
    Command("desk wait", rights_desk.wait, Shares.TENANT, _AUDIT),
    Command("desk resume", rights_desk.resume, Shares.TENANT, _AUDIT),
    Command("desk deny", rights_desk.deny, Shares.TENANT, _AUDIT),
    Command("desk fulfil", rights_desk.fulfil, Shares.TENANT, _AUDIT),
    Command("desk complete", rights_desk.complete, Shares.TENANT, _AUDIT),
    Command("desk decide", rights_desk.decide, Shares.TENANT, _AUDIT),
    Command("hold place", rights_desk.place_hold, Shares.PERSON, _AUDIT),
    Command("hold confirm", rights_desk.confirm_hold, Shares.TENANT, _AUDIT),
    Command("hold release", rights_desk.release_hold, Shares.TENANT, _AUDIT),
    Command("hold list", rights_desk.list_holds, Shares.TENANT, _AUDIT),
    Command("others list", others.list_others, Shares.PERSON, _PERSON),
    Command("others forget", others.forget_others, Shares.PERSON, _PERSON),
    Command("devices list", devices.list_devices, Shares.PERSON, _PERSON),
    Command("devices name", devices.name_device, Shares.PERSON, _PERSON),
    Command("devices remove", devices.remove_device, Shares.PERSON, _PERSON),
    Command("continuation list", devices.list_places, Shares.PERSON, _PERSON),
    Command("continuation drop", devices.drop_place, Shares.PERSON, _PERSON),
    Command("import", importing.import_file, Shares.PERSON, _MEMORY),
    Command("held", importing.held, Shares.PERSON, _MEMORY),
    Command("status", reading.status, Shares.PERSON, _PERSON),
    Command("questions", asking.questions, Shares.PERSON, _PERSON),
    Command("answer", asking.answer, Shares.PERSON, _PERSON),
    Command("inbox", inbox.inbox, Shares.PERSON, _PERSON),
    Command("ask", inbox.ask, Shares.PERSON, _PERSON),
    Command("review list", sweeping.reviews, Shares.PERSON, _PERSON),
    Command("review decide", sweeping.decide, Shares.PERSON, _PERSON),
    Command("pause", pausing.pause, Shares.SESSION, _PERSON),
    Command("resume", pausing.resume, Shares.SESSION, _PERSON),
    Command("consent grant", consenting.grant, Shares.PERSON, _PERSON),
    Command("consent deny", consenting.deny, Shares.PERSON, _PERSON),
    Command("consent revoke", consenting.revoke, Shares.PERSON, _PERSON),
    Command("consent active", consenting.active, Shares.PERSON, _PERSON),
    Command("consent trail", consenting.trail, Shares.PERSON, _PERSON),
    Command("consent check", consenting.check, Shares.PERSON, _PERSON),
    Command("consent due", consenting.due, Shares.PERSON, _PERSON),
    Command("consent records", consenting.records, Shares.PERSON, _PERSON),
    Command("consent opt-out", consenting.opt_out, Shares.PERSON, _PERSON),
    Command("consent policies", consenting.policies, Shares.PERSON, _PERSON),
    Command("audit verify", auditing.verify, Shares.STORE, _AUDIT),
    Command("audit export", auditing.export, Shares.TENANT, _AUDIT),
    Command("audit keys", auditing.keys, Shares.TENANT, _AUDIT),
    Command("audit head", auditing.show_head, Shares.TENANT, _AUDIT),
    Command("audit events", auditing_events.list_events, Shares.TENANT, _AUDIT),
    Command("audit prove", auditing_events.prove, Shares.TENANT, _AUDIT),
    Command("audit check-proof", auditing_events.check_proof, Shares.ANSWER, _AUDIT),
    Command("keys rotate root", governing.rotate_root, Shares.STORE, _AUDIT),
    Command("keys rotate tenant", governing.rotate_tenant, Shares.TENANT, _AUDIT),
    Command("keys rotate signing", governing.rotate_signing, Shares.TENANT, _AUDIT),
    Command("approve", governing.approve, Shares.TENANT, _AUDIT),
    Command("approval ask", governing.ask_approval, Shares.TENANT, _AUDIT),
    Command("approval grant", governing.grant_approval, Shares.TENANT, _AUDIT),
    Command("approval withdraw", governing.withdraw_approval, Shares.TENANT, _AUDIT),
    Command("approval list", governing.list_approvals, Shares.TENANT, _AUDIT),
    Command("token mint", tokens.mint, Shares.TENANT, _AUDIT),
    Command("token list", tokens.list_tokens, Shares.TENANT, _AUDIT),
    Command("token revoke", tokens.revoke, Shares.TENANT, _AUDIT),
    Command("notice publish", governing.publish_notice, Shares.TENANT, _AUDIT),
    Command("contract", sweeping.contract, Shares.TENANT, _AUDIT),
    Command("governance pii-shadow", guarding.pii_shadow, Shares.PERSON, _AUDIT),
    Command("governance state", guarding.governance_state, Shares.ANSWER, _AUDIT),
    Command("inspect request", inspecting.request, Shares.TENANT, _AUDIT),
    Command("inspect approve", inspecting.approve, Shares.TENANT, _AUDIT),
    Command("inspect deny", inspecting.deny, Shares.TENANT, _AUDIT),
    Command("inspect close", inspecting.close, Shares.TENANT, _AUDIT),
    Command("inspect show", inspecting.show, Shares.TENANT, _AUDIT),
    Command("inspect list", inspecting.list_inspections, Shares.TENANT, _AUDIT),
    Command("inspect read", inspecting.read, Shares.TENANT, _AUDIT),
    Command("inspect replay", inspecting.replay, Shares.TENANT, _AUDIT),
    Command("inspect review", inspecting.review, Shares.TENANT, _AUDIT),
    Command("inspect carve-out", inspecting.carve_out, Shares.TENANT, _AUDIT),
    Command("inspect pending", inspecting.pending, Shares.TENANT, _AUDIT),
    Command("inspect given", inspecting.given, Shares.TENANT, _AUDIT),
    Command("inspect report", inspecting.report, Shares.TENANT, _AUDIT),
    Command("inspect kill-switch", inspecting.kill_switch, Shares.TENANT, _AUDIT),
    Command("inspect consent-snapshot", inspecting.consent_snapshot, Shares.TENANT, _AUDIT),
    Command("inspect lines", inspecting.lines, Shares.TENANT, _AUDIT),
    Command("inspect canaries", inspecting.canaries, Shares.TENANT, _AUDIT),
    Command("inspect key list", inspecting.list_keys, Shares.TENANT, _AUDIT),
    Command("inspect key register", inspecting.register_key, Shares.TENANT, _AUDIT),
    Command("inspect key revoke", inspecting.revoke_key, Shares.TENANT, _AUDIT),
    Command("looked", inspecting.looked, Shares.PERSON, _PERSON),
    Command("notes list", noting.list_notes, Shares.TENANT, _AUDIT),
    Command("notes confirm", noting.confirm, Shares.TENANT, _AUDIT),
    Command("notes correct", noting.correct, Shares.TENANT, _AUDIT),
    Command("notes forget", noting.forget, Shares.TENANT, _AUDIT),
    Command("notes report", noting.report, Shares.TENANT, _AUDIT),
    Command("guard mcp", guard.mcp, Shares.ANSWER, _WORK),
    Command("guard llm", guard.llm, Shares.ANSWER, _WORK),
    Command("assistants list", assistants.list_assistants, Shares.TENANT, _AUDIT),
    Command("assistants register", assistants.register_assistant, Shares.TENANT, _AUDIT),
    Command("assistants retire", assistants.retire_assistant, Shares.TENANT, _AUDIT),
    Command("webhooks list", assistants.list_webhooks, Shares.TENANT, _AUDIT),
    Command("webhooks register", assistants.register_webhook, Shares.TENANT, _AUDIT),
    Command("webhooks remove", assistants.remove_webhook, Shares.TENANT, _AUDIT),
    Command("mask", masking.mask, Shares.ANSWER, _WORK),
    Command("bench", measuring.bench, Shares.ANSWER, _WORK),
    Command("eval", measuring.evaluate, Shares.ANSWER, _WORK),
    Command("schema", describing.schema, Shares.ANSWER, _WORK),
    Command("docs", describing.docs, Shares.ANSWER, _WORK),
    Command("client generate", generating.generate_client, Shares.ANSWER, _WORK),
)

GROUPS: Final = {
    "database": "The PostgreSQL database that holds the data.",
    "receipt": "Receipts of what was forgotten.",
    "rights": "Data rights: what the person asked for, and what came of it.",
    "desk": "The operators' desk: data-rights requests of the tenant, without content.",
    "hold": "Legal holds: what may not be destroyed for now.",
    "others": "Other people in memory: who was mentioned, and forgetting them.",
    "devices": "Devices the person goes on with: seen, named, removed.",
    "continuation": "Where the person stopped: references and posture, no content.",
    "review": "What waits for a decision at the end of its envelope.",
    "approval": "Approvals of reviewed scopes: asked for, granted by another.",
    "notice": "The notices that consents are asked with.",
    "token": "Service tokens of assistants: made, listed, revoked.",
    "consent": "Consents: granted, denied, taken back, and what they make of each scope.",
    "guard": "Guards of the owner's identity, in front of an MCP server or a model.",
    "governance": "The owner's identity: what guards saw, and how they are set.",
    "assistants": "The tenant's assistants, and the most each may reach.",
    "webhooks": "Where the tenant's events are sent.",
    "inspect": "Operator inspection: asked for, granted by others, read frozen.",
    "inspect key": "Keys whose signature vouches for incidents.",
    "notes": "Notes of operators, for the admin assistant.",
    "audit": "The audit chain: verified, exported, its keys and its signed head.",
    "client": "The typed Python client of the service.",
    "keys": "The keys of the store.",
    "keys rotate": "New keys. What is sealed stays; old heads still verify.",
}

_SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


class IrisGroup(TyperGroup):
    """The root group: help in sections, and every way out of a command with its code and one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in their sections."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            assert command is not None
            panel = str(getattr(command, "rich_help_panel", None) or _STORE)
            sections.setdefault(panel, []).append((name, command.get_short_help_str(limit=formatter.width)))
        for panel in (_STORE, _MEMORY, _PERSON, _AUDIT, _WORK):
            with formatter.section(panel):
                formatter.write_dl(sections.pop(panel, []))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and leave with its code."""
        del prog_name, standalone_mode
        words = list(sys.argv[1:] if args is None else args)
        try:
            code = super().main(words, "iris", complete_var, False, windows_expand_args, **extra)
            if code == ExitCode.INTERRUPTED:
                raise KeyboardInterrupt
        except (Exception, KeyboardInterrupt) as problem:
            code = _fail(problem, as_json=_wants_json(words))
        sys.exit(int(code or 0))


def build() -> typer.Typer:
    """Return the application with every command in its group."""
    root = typer.Typer(
        cls=IrisGroup,
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings=_SETTINGS,
        pretty_exceptions_enable=False,
    )
    root.callback()(_iris)
    groups = {"": root}
    for path, text in GROUPS.items():
        parent, _, name = path.rpartition(" ")
        panel = next(command.panel for command in COMMANDS if command.name.startswith(path + " "))
        groups[path] = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=text)
        groups[parent].add_typer(groups[path], name=name, rich_help_panel=panel, context_settings=_SETTINGS)
    for command in COMMANDS:
        parent, _, name = command.name.rpartition(" ")
        groups[parent].command(name, rich_help_panel=command.panel, context_settings=_SETTINGS)(runnable(command))
    return root


def main() -> None:
    """Run the command line of this process."""
    build()()


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"iris-memory {version('iris-memory')}")
        raise typer.Exit


def _iris(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="show the version and leave")
    ] = False,
) -> None:
    """Governed memory for AI assistants: consented writes, gated recall, provable forgetting."""


def _wants_json(words: Sequence[str]) -> bool:
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _fail(problem: BaseException, *, as_json: bool) -> int:
    if type(problem).__name__ == "NoArgsIsHelpError":
        problem.show()  # type: ignore[attr-defined]
        return ExitCode.USAGE
    if type(problem).__name__ == "ValidationError":
        problem = _as_contract_error(problem)
    failure = failure_of(problem)
    if as_json:
        print_document({"error": {"code": failure.name, "message": failure.message}})
    else:
        print_lines([bad(f"iris: {failure.message}")], to_errors=True)
    return failure.code


def _as_contract_error(problem: BaseException) -> BaseException:
    """Return what pydantic says of a value, without the value."""
    from pydantic import ValidationError

    from iris_memory.contracts.shape import refuse_invalid
    from iris_memory.errors import ContractError

    try:
        if isinstance(problem, ValidationError):
            refuse_invalid(problem, what="request")
    except ContractError as told:
        return told
    return problem
