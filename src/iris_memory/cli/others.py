"""Other people in memory: who was mentioned, and forgetting all mentions of somebody."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, dim, head
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import present
from iris_memory.cli.wording import ago, count, preview_lines, receipt_lines


def list_others(place: Place) -> Told:
    """Show who was mentioned.

    Each is an opaque handle, what they are to the person, and how many memories mention them. No name is kept.
    """
    with place.person() as me:
        people = me.others.mentions()
    now = present()
    lines: list[Words] = []
    for one in people:
        lines.append(head(one.handle))
        notes = ", ".join(one.relationship_notes) or "no note"
        sensitive = f", {one.sensitive} sensitive" if one.sensitive else ""
        lines.append(f"  {notes}: {count(one.memories, 'memory', 'memories')}{sensitive}")
        lines.append(dim(f"  last mentioned {ago(one.last_at or one.since, now)}"))
    lines.append(dim(f"{count(len(people), 'person', 'people')} mentioned"))
    return Told({"mentions": people}, lines)


def forget_others(
    place: Place,
    mention: Annotated[str, typer.Argument(metavar="NAME", help="the name as it was said, or the handle")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only count what would be reached")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    scan: Annotated[
        bool, typer.Option("--scan/--no-scan", help="search every file afterwards for what should be gone")
    ] = True,
) -> Told:
    """Forget all mentions of somebody.

    Every memory tagged with them goes, in all its revisions, and their handle leaves the namespace. Memories that were
    not tagged are not reached: look for the name with `iris list --words`.
    """
    if place.json and not (yes or dry_run):
        raise UsageError("--json asks nothing: add --yes to forget, or --dry-run to count")
    with place.person() as me:
        preview = me.others.preview_forget(mention)
        lines = preview_lines(preview)
        if dry_run:
            return Told({"preview": preview, "receipt": None}, lines)
        place.say(*lines)
        if not yes:
            place.require_yes("Forget for good?")
        done = me.others.forget_mentions(mention, scan=scan)
    clean = done.files_scrubbed and not (done.residue and done.residue.found)
    code = ExitCode.OK if clean else ExitCode.CHECK_FAILED
    return Told({"preview": preview, "receipt": done}, receipt_lines(done), code)
