"""Audit events: listed a page at a time, proved one by one, and a proof checked by anybody without a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.auditing import require_chain
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.wording import count
from iris_memory.errors import ContractError

if TYPE_CHECKING:
    from iris_memory.contracts.audit_trail import TrailLine


def list_events(
    place: Place,
    action: Annotated[str | None, typer.Option("--action", metavar="NAME", help="one kind of event")] = None,
    person: Annotated[str | None, typer.Option("--person", metavar="ID", help="of one pseudonym")] = None,
    object_id: Annotated[str | None, typer.Option("--object", metavar="ID", help="that name this id")] = None,
    before: Annotated[int | None, typer.Option("--before", min=1, metavar="NUMBER", help="older than this one")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, metavar="COUNT", help="how many at most")] = 50,
) -> Told:
    """List events of a tenant, newest first.

    Ids, codes and counts; no event holds words.
    """
    with place.opened() as iris:
        require_chain(iris, place.tenant)
        page = iris.audit_trail(tenant=place.tenant).events(
            action=action, person=person, object_id=object_id, before=before, limit=limit
        )
    lines: list[Words] = [_line(line) for line in page.lines] or [dim("No event fits.")]
    if page.next_before is not None:
        lines.append(dim(f"older ones: --before {page.next_before}"))
    lines.append(dim(f"{count(page.looked_at, 'event')} looked at of {page.size:,}"))
    return Told(page, lines)


def prove(
    place: Place,
    sequence: Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="the event's number")],
    file: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, help="where to write the proof")],
) -> Told:
    """Write the proof that one event is part of the chain.

    Anybody can check it: `iris audit check-proof FILE`.
    """
    with place.opened() as iris:
        require_chain(iris, place.tenant)
        proof = iris.audit_trail(tenant=place.tenant).proof(sequence)
    file.write_text(proof.model_dump_json(indent=2) + "\n", encoding="utf-8")
    document = {"file": file, "tenant_id": place.tenant, "sequence": sequence}
    return Told(document, [good("The proof is written."), dim(f"check it with: iris audit check-proof {file}")])


def check_proof(
    place: Place,
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="a proof")],
    trusted_key: Annotated[
        list[str] | None,
        typer.Option("--trusted-key", metavar="VKEY", help="a key known from elsewhere, in place of the proof's own"),
    ] = None,
) -> Told:
    """Check the proof of an event, without a store.

    Ends with 1 when it does not hold. Without a key from elsewhere a proof only vouches for itself.
    """
    from iris_memory.front.audit_trail import is_event_proved

    del place
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError("a proof is JSON in UTF-8") from None
    try:
        holds = is_event_proved(text, vkeys=tuple(trusted_key) if trusted_key else None)
    except ContractError:  # it is no proof at all
        holds = False
    lines: list[Words] = [good("The proof holds.") if holds else bad("The proof does NOT hold.")]
    if holds and not trusted_key:
        lines.append(dim("It vouches for itself: name a key from elsewhere with --trusted-key."))
    document = {"ok": holds, "self_declared": not trusted_key}
    return Told(document, lines, ExitCode.OK if holds else ExitCode.CHECK_FAILED)


def _line(line: TrailLine) -> str:
    whose = line.person[:12] or "the organisation"
    return f"{line.sequence:>8}  {line.at:%Y-%m-%d %H:%M:%S}  {line.action}  {whose}"
