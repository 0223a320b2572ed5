"""List, show, history and status: the person's own view. What is listed is all there is."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, dim, head, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.instants import present
from iris_memory.cli.remembering import CATEGORIES_WORDS
from iris_memory.cli.wording import ago, count, detail_lines, entry_lines, listed

MemoryId = Annotated[str, typer.Argument(metavar="MEMORY", help="the id of the memory")]


def list_memories(
    place: Place,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help=f"only this category: {CATEGORIES_WORDS}")
    ] = None,
    adapter_scope: Annotated[
        str | None, typer.Option("--adapter-scope", metavar="NAME", help="only this adapter scope")
    ] = None,
    origin: Annotated[str | None, typer.Option("--origin", metavar="NAME", help="only this origin")] = None,
    words: Annotated[str, typer.Option("--words", metavar="TEXT", help="only memories that hold this text")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="NUMBER", help="how many to a page")] = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="go on where the page before ended; it says where")
    ] = None,
) -> Told:
    """List everything that is remembered.

    The newest change comes first; drafts, paused and quarantined memories are in it. It says how many of how many.
    """
    with place.person() as me:
        page = me.list(
            category=category, adapter_scope=adapter_scope, origin=origin, words=words, limit=limit, cursor=cursor
        )
    now = present()
    lines: list[Words] = []
    for entry in page.entries:
        lines += entry_lines(entry, now)
    of_all = f"{count(page.total, 'thing')} remembered"
    matching = "" if page.matching == page.total else f", {page.matching:,} of them match"
    lines.append(dim(f"{len(page.entries):,} shown · {of_all}{matching}"))
    if page.next_cursor is not None:
        lines.append(dim(f"the next page: --cursor {page.next_cursor}"))
    return Told(page, lines)


def show(place: Place, memory: MemoryId) -> Told:
    """Show one memory and its use.

    What exactly, since when, who said it, where it lives, until when, and when and why it surfaced.
    """
    with place.person() as me:
        entry, usage = me.show(memory)
    return Told({"entry": entry, "usage": usage}, detail_lines(entry, usage, present()))


def history(place: Place, memory: MemoryId) -> Told:
    """Show every revision of one memory.

    The oldest comes first.
    """
    with place.person() as me:
        revisions = me.history(memory)
    now = present()
    lines: list[Words] = []
    for entry in revisions:
        lines += entry_lines(entry, now, f"revision {entry.revision}")
    return Told({"revisions": revisions}, lines)


def status(place: Place) -> Told:
    """Show what there is for the person.

    Memories, questions and held rows that wait, consents in force, pauses.
    """
    with place.person() as me:
        page = me.list(limit=1)
        questions, held, pauses, active = me.questions(), me.held(), me.pauses(), me.consent.active()
    document = {
        "memories": page.total,
        "questions": len(questions),
        "held": len(held),
        "consents": sorted(active),
        "pauses": pauses,
    }
    now = present()
    lines: list[Words] = [
        head(f"{count(page.total, 'thing')} remembered"),
        f"  questions  {len(questions)} wait for an answer",
        f"  held       {count(len(held), 'imported row')} wait",
        f"  consents   {listed(active)}",
    ]
    for pause in pauses:
        where = "everywhere" if pause.session_id == "*" else f"in session {pause.session_id}"
        lines.append(warn(f"  paused     {where}, since {ago(pause.since, now)}: nothing is written or recalled"))
    if not pauses:
        lines.append("  paused     no")
    return Told(document, lines)
