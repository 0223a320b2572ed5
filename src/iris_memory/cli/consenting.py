"""Consent: granted, denied, taken back; what is in force, the whole ledger, and what it makes of each scope."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, head
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import present, typed_instant
from iris_memory.cli.wording import ago, count, listed, receipt_lines

if TYPE_CHECKING:
    from iris_memory.contracts.consent import ConsentEvent, RevocationPreview

_NOUNS: Final = {
    "memories": ("memory", "memories"),
    "made from them": ("memory made from it", "memories made from them"),
    "revisions": ("revision", "revisions"),
}
Names = Annotated[
    list[str],
    typer.Argument(metavar="NAME", help="such as data_processing, data_storage, or category:medical"),
]
Terms = Annotated[str | None, typer.Option("--terms", metavar="TEXT", help="the exact text the person was shown")]
TermsFile = Annotated[
    Path | None,
    typer.Option("--terms-file", metavar="FILE", exists=True, dir_okay=False, help="a file that holds that text"),
]
Language = Annotated[str, typer.Option("--language", metavar="TAG", help="the language of the terms")]
Capture = Annotated[
    str,
    typer.Option(
        "--capture",
        metavar="NAME",
        help="how it was taken: inline_prompt, settings_toggle, dsar_import, voice, guardian, api",
    ),
]
Witness = Annotated[str, typer.Option("--witness", metavar="NAME", help="who or what saw it given")]
Jurisdiction = Annotated[str, typer.Option("--jurisdiction", metavar="NAME", help="whose law applies")]
Note = Annotated[str | None, typer.Option("--note", metavar="TEXT", help="a remark, kept sealed")]


def grant(
    place: Place,
    names: Names,
    terms: Terms = None,
    terms_file: TermsFile = None,
    language: Language = "en",
    basis: Annotated[
        str,
        typer.Option(
            "--basis",
            metavar="NAME",
            help="the legal basis: consent, contract, legal_obligation, vital_interests, public_task,"
            " legitimate_interests",
        ),
    ] = "consent",
    capture: Capture = "inline_prompt",
    witness: Witness = "cli",
    jurisdiction: Jurisdiction = "unspecified",
    note: Note = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="INSTANT", help="until when, such as 2027-01-31T12:00:00Z")
    ] = None,
) -> Told:
    """Record that the person agreed.

    One event for each consent that is named. The hash of the exact text shown is kept.
    """
    expires_at = typed_instant(expires, option="--expires")
    shown = _terms(terms, terms_file)
    with place.person() as me:
        events = me.consent.grant(
            *names,
            terms=shown,
            terms_language=language,
            legal_basis=basis,
            capture_method=capture,
            witness=witness,
            jurisdiction=jurisdiction,
            note=note,
            expires_at=expires_at,
        )
    return _recorded(events)


def deny(
    place: Place,
    names: Names,
    terms: Terms = None,
    terms_file: TermsFile = None,
    language: Language = "en",
    capture: Capture = "inline_prompt",
    witness: Witness = "cli",
    jurisdiction: Jurisdiction = "unspecified",
    note: Note = None,
) -> Told:
    """Record that the person said no.

    Refusals are kept too. A no to what was agreed to before withdraws it.
    """
    shown = _terms(terms, terms_file)
    how = {"terms_language": language, "capture_method": capture, "witness": witness, "jurisdiction": jurisdiction}
    with place.person() as me:
        return _recorded(me.consent.deny(*names, terms=shown, note=note, **how))


def revoke(
    place: Place,
    names: Names,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would stop, and change nothing")] = False,
    scan: Annotated[bool, typer.Option("--scan/--no-scan", help="search every file for what should be gone")] = True,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", metavar="FILE", help="write the receipt of what went to a file")
    ] = None,
    capture: Capture = "inline_prompt",
    witness: Witness = "cli",
    jurisdiction: Jurisdiction = "unspecified",
    note: Note = None,
) -> Told:
    """Record that the person took a consent back.

    It takes effect at once. `category:NAME`, `sensitive_data` and `multi_actor_sensitive` take the memory along that
    they are about, with a receipt; the others close scopes, and what is stored there stays unread.
    """
    with place.person() as me:
        if dry_run:
            return _previewed(me.consent.preview_revoke(*names))
        done = me.consent.withdraw(
            *names, scan=scan, note=note, capture_method=capture, witness=witness, jurisdiction=jurisdiction
        )
    if receipt is not None and done.receipt is not None:
        receipt.write_text(done.receipt.model_dump_json(indent=2) + "\n", encoding="utf-8")
    lines: list[Words] = [good(_event_line(event)) for event in done.events]
    if done.receipt is None:
        return Told(done, lines)
    left = done.receipt.residue.found if done.receipt.residue is not None else {}
    told = receipt_lines(done.receipt)
    is_clean = not left and done.receipt.files_scrubbed
    return Told(done, [*lines, *told], ExitCode.OK if is_clean else ExitCode.CHECK_FAILED)


def due(place: Place) -> Told:
    """Show the consents to be asked for again.

    Expired, given under a notice that changed since, or given long ago.
    """
    with place.person() as me:
        found = me.consent.due()
    lines: list[Words] = [
        f"{one.name}: {one.reason.value} since {one.since.isoformat()}" + ("" if one.in_force else ", not in force")
        for one in found
    ]
    return Told({"due": found}, [*lines, dim(f"{count(len(found), 'consent')} to be asked for again")])


def records(
    place: Place,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="write the records to a file, one JSON document a line")
    ] = None,
) -> Told:
    """Export the ledger as consent records.

    ISO/IEC TS 27560 in JSON-LD, with W3C DPV terms and every fact of each event.
    """
    with place.person() as me:
        found = list(me.consent.records())
    if out is not None:
        lines = (json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in found)
        out.write_text("".join(lines), encoding="utf-8")
    told: list[Words] = [
        f"{record['iris:consent']}: {record['dpv:hasConsentStatus']}  {record['@id']}" for record in found
    ]
    return Told({"records": found}, [*told, dim(count(len(found), "record"))])


def active(place: Place) -> Told:
    """Show the consents in force."""
    with place.person() as me:
        names = me.consent.active()
    return Told({"active": sorted(names)}, [*sorted(names), dim(f"{count(len(names), 'consent')} in force")])


def trail(place: Place) -> Told:
    """Show the whole ledger of consents.

    The oldest comes first; refusals are in it.
    """
    with place.person() as me:
        events = me.consent.trail()
    now = present()
    lines: list[Words] = [_event_line(event) + f", {ago(event.occurred_at, now)}" for event in events]
    return Told({"events": events}, [*lines, dim(count(len(events), "event"))])


def check(place: Place) -> Told:
    """Recompute the chain of the ledger.

    Ends with 1 where something was rewritten, dropped or reordered.
    """
    with place.person() as me:
        problems = me.consent.check()
    lines: list[Words] = [bad(problem) for problem in problems] or [good("The ledger is as it was written.")]
    code = ExitCode.CHECK_FAILED if problems else ExitCode.OK
    return Told({"ok": not problems, "problems": problems}, lines, code)


def opt_out(
    place: Place,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="memory, personalization, embodied, biometric, history, cross_domain, notebooks, operator_copilot,"
            " tenant; left out, what holds is shown",
        ),
    ] = None,
    nothing: Annotated[bool, typer.Option("--nothing", help="opt out of nothing any more")] = False,
) -> Told:
    """Opt out of kinds of memory.

    It replaces what was opted out of before. With no name, what holds is shown.
    """
    if names and nothing:
        raise UsageError("name what to opt out of, or --nothing")
    from iris_memory.flows.consent import opt_outs
    from iris_memory.flows.instruments import Caller

    with place.opened() as iris:
        if names or nothing:
            held = place.bound(iris).opt_out(*names or ())
        else:
            held = opt_outs(iris.instruments, Caller(place.tenant, place.user))
    return Told({"opt_outs": sorted(held)}, [f"opted out of: {listed(held)}"])


def policies(place: Place) -> Told:
    """Show how each scope may be used.

    What consents and opt-outs make of it for the consumer, with every cause in a sentence.
    """
    with place.person() as me:
        held = list(me.scope_policies().values())
    lines: list[Words] = []
    for policy in held:
        lines.append(head(f"{policy.adapter_scope.value}: {policy.mode.value}"))
        lines += [dim(f"  {note}") for note in policy.notes]
    return Told({"policies": held}, lines)


def _previewed(told: RevocationPreview) -> Told:
    lines: list[Words] = [head("This would end: " + ", ".join(told.names))]
    gone = [count(number, *_NOUNS[name]) for name, number in told.deleted.items() if number]
    if gone:
        lines.append("  goes for good: " + ", ".join(gone))
    if told.hidden:
        lines.append(f"  stays, and is not recalled any more: {count(told.hidden, 'memory', 'memories')}")
    if told.ephemeral:
        lines.append(f"  goes with its session: {count(told.ephemeral, 'memory', 'memories')}")
    for change in told.scopes:
        lines.append(dim(f"  {change.adapter_scope.value}: {change.before.value}, then {change.after.value}"))
    return Told(told, [*lines, *(dim(f"  {note}") for note in told.notes)])


def _terms(text: str | None, file: Path | None) -> str:
    if (text is None) == (file is None):
        raise UsageError("give the text the person was shown, with --terms or --terms-file")
    shown = text if file is None else file.read_text(encoding="utf-8")
    if not shown or not shown.strip():
        raise UsageError("the text the person was shown cannot be empty")
    return shown


def _recorded(events: Sequence[ConsentEvent]) -> Told:
    return Told({"events": events}, [good(_event_line(event)) for event in events])


def _event_line(event: ConsentEvent) -> str:
    until = f", until {event.expires_at.isoformat()}" if event.expires_at else ""
    return f"{event.sequence}. {event.type} {event.status.value} ({event.legal_basis.value}){until}"
