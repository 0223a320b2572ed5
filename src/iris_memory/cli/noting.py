"""Operator notes: what the admin assistant remembers for one operator."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import NotFoundError, UsageError
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.operator_note import NoteMarker, NoteScope, OperatorNote
from iris_memory.contracts.write import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iris_memory.front.operator_notes import OperatorNotes

Operator = Annotated[str, typer.Option("--operator", metavar="SUB", help="whose notes: the operator's sub")]
IssuerName = Annotated[str, typer.Option("--issuer", metavar="NAME", help="who vouches for the operator")]
Category = Annotated[str, typer.Argument(metavar="CATEGORY", help="what the note is about")]
Slot = Annotated[str, typer.Argument(metavar="SLOT", help="which note of the category")]
Value = Annotated[str, typer.Argument(metavar="VALUE", help="the exact words")]


@contextmanager
def _notes(place: Place, operator: str, issuer: str) -> Iterator[OperatorNotes]:
    with place.opened() as iris:
        yield iris.operator_notes(tenant=place.tenant, issuer=issuer, sub=operator)


def list_notes(place: Place, operator: Operator, issuer: IssuerName = "local") -> Told:
    """List an operator's notes.

    With source, confirmation, update and last use. Listing marks no use.
    """
    with _notes(place, operator, issuer) as notes:
        listing = notes.list()
    if listing.scope is NoteScope.SESSION_ONLY:
        return Told(listing, [bad("Nothing can be kept just now; what is said lives in the session alone.")])
    lines: list[Words] = [_line(note) for note in listing.notes] or [dim("There is no note.")]
    return Told(listing, [*lines, dim(f"Erase them in {listing.erasure_location}; kept {listing.retention}.")])


def confirm(
    place: Place, category: Category, slot: Slot, value: Value, operator: Operator, issuer: IssuerName = "local"
) -> Told:
    """Keep a note the operator confirmed.

    A note of the same category and slot is superseded and stays in its history.
    """
    with _notes(place, operator, issuer) as notes:
        kept = notes.confirm(category=category, slot=slot, value=value, marker=NoteMarker.CONFIRM_ENTRY)
    return _told(kept)


def correct(
    place: Place, category: Category, slot: Slot, value: Value, operator: Operator, issuer: IssuerName = "local"
) -> Told:
    """Correct a note.

    Its last use is none again, since the new value has not been in a prompt.
    """
    with _notes(place, operator, issuer) as notes:
        kept = notes.correct(category=category, slot=slot, value=value, marker=NoteMarker.SAVE_CORRECTION)
    return _told(kept)


def forget(
    place: Place,
    operator: Operator,
    category: Annotated[str | None, typer.Argument(metavar="CATEGORY", help="what the note is about")] = None,
    slot: Annotated[str | None, typer.Argument(metavar="SLOT", help="which note of the category")] = None,
    issuer: IssuerName = "local",
    everything: Annotated[bool, typer.Option("--everything", help="every note of the operator")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
) -> Told:
    """Forget exactly one note, or with --everything all of the operator's.

    The keys are destroyed first. One name alone is never widened to more.
    """
    if everything is (category is not None or slot is not None) or (category is None) is not (slot is None):
        raise UsageError("name a note by CATEGORY and SLOT, or give --everything")
    if not yes:
        place.require_yes("Forget every note of the operator?" if everything else "Forget this note?")
    with _notes(place, operator, issuer) as notes:
        if category is None or slot is None:
            gone = notes.forget_all(marker=NoteMarker.FORGET_ALL)
        else:
            gone = notes.forget(category=category, slot=slot, marker=NoteMarker.FORGET_ENTRY)
    if isinstance(gone, Refused):
        return _refused(gone)
    return Told(gone, [good(f"{gone.notes} forgotten; {gone.keys_destroyed} keys destroyed.")])


def report(
    place: Place, days: Annotated[int, typer.Option("--days", min=1, metavar="N", help="how far back")] = 7
) -> Told:
    """Report what operator notes did.

    Counts of the tenant over the last days, from its audit chain: no note and no operator.
    """
    with place.opened() as iris:
        found = iris.notes_report(tenant=place.tenant, days=days)
    lines: list[Words] = [
        f"Notes are {found.rollout.value}; the last {found.days} days:",
        f"  {found.lookups} lookups by {found.operators} operators looked at {found.evaluated} notes",
        f"  {found.found} fitted, {found.given} were given out",
        f"  {found.confirmed} confirmed, {found.corrected} corrected, {found.forgotten} times forgotten,"
        f" {found.quarantined} set aside",
    ]
    return Told(found, lines)


def _line(note: OperatorNote) -> Words:
    used = f"last used {note.last_used_at:%Y-%m-%d %H:%M}" if note.last_used_at else "not used in a prompt yet"
    aside = f"; set aside, {note.quarantine.reason.value}" if note.quarantine else ""
    return f"{note.category} / {note.slot}: {note.value}  ({note.source.value}, {used}{aside})"


def _told(kept: OperatorNote | Refused) -> Told:
    return _refused(kept) if isinstance(kept, Refused) else Told(kept, [good("The note is kept."), _line(kept)])


def _refused(refusal: Refused) -> Told:
    if refusal.reason is RefusalReason.UNKNOWN_MEMORY:
        raise NotFoundError(refusal.rule)
    return Told(refusal, [bad(f"Refused ({refusal.reason.value}): {refusal.rule}.")], ExitCode.REFUSED)
