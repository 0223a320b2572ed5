"""Import: exports of other products, with a report of what became of every row; and the rows that are held."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, head, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.wording import count, counted, need_words

if TYPE_CHECKING:
    from iris_memory.flows.import_ import Held, ImportReport, ImportWish

SHOWN_MOST = 20
"""Held rows shown to a person after an import; `iris held` lists them all."""


def import_file(
    place: Place,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="the export, packed or not")
    ],
    format: Annotated[
        str,
        typer.Option("--format", metavar="NAME", help="chatgpt, claude, mem0, mcp-memory, letta, jsonl or iris-export"),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only tell what would become of each row")] = False,
    into: Annotated[
        str, typer.Option("--into", metavar="PLACE", help="profile, or each in the conversation it came from")
    ] = "profile",
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="AUTHOR",
            help="only what this author said, once or more often: user, assistant, tool, system, unknown;"
            " by default user, assistant and unknown",
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="REF", help="take in this held row as it is, once or more often"),
    ] = None,
) -> Told:
    """Take in an export of another product.

    What looks sensitive or like an instruction is held, counted and listed. Running it again takes in only what is new
    or has become allowed, so it may be interrupted.
    """
    with place.person() as me, _progress(quiet=place.json) as progress:
        report = me.import_file(file, format=format, wish=_wish(dry_run, into, only, accept, progress))
        refs = frozenset(report.held_refs)
        held = [] if dry_run else [row for row in me.held() if row.ref in refs]
    code = ExitCode.REFUSED if report.refused is not None else ExitCode.OK
    return Told({"report": report, "held": held}, _report_lines(report, held), code)


def held(place: Place) -> Told:
    """List the imported rows that wait.

    Each says why it waits and what would let it in.
    """
    with place.person() as me:
        rows = me.held()
    lines = [line for row in rows for line in _held_lines(row)]
    return Told({"held": rows}, [*lines, dim(f"{count(len(rows), 'row')} waiting")])


def _wish(
    dry_run: bool, into: str, only: Sequence[str] | None, accept: Sequence[str] | None, progress: Callable[[int], None]
) -> ImportWish:
    from iris_memory.errors import ContractError
    from iris_memory.flows.import_ import ImportWish, Into
    from iris_memory.formats import Author

    usual = ImportWish()
    try:
        place = Into(into)
        authors = frozenset(Author(name) for name in only) if only else usual.authors
    except ValueError:
        raise ContractError(f"--into is one of {', '.join(Into)}; --only is one of {', '.join(Author)}") from None
    return ImportWish(dry_run=dry_run, into=place, authors=authors, accept=frozenset(accept or ()), progress=progress)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Give what is called with the rows read so far; it draws on stderr, on a terminal alone."""
    if quiet or not sys.stderr.isatty():
        yield lambda rows: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("reading"), BarColumn(), TextColumn("{task.completed:,} rows"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda rows: bar.update(task, completed=rows)


def _report_lines(report: ImportReport, held: Sequence[Held]) -> list[Words]:
    if report.refused is not None:
        needs = ", ".join(report.refused.needs)
        return [bad(f"Not imported: {report.refused.reason.value}"), f"  {report.refused.rule}", f"  needs {needs}"]
    would = " (a dry run: nothing was written)" if report.dry_run else ""
    lines: list[Words] = [
        head(f"{count(report.read, 'row')} read{would}"),
        good(f"  taken in    {report.taken:,}"),
        f"  already in  {report.already:,}",
        f"  merged      {report.merged:,} said what was known",
        f"  held        {counted(report.held) or 'none'}",
        f"  left out    {counted(report.left_out) or 'none'}",
        f"  unreadable  {counted(report.unreadable) or 'none'}",
    ]
    if report.without_time:
        lines.append(dim(f"  {report.without_time:,} taken in without a time of their own"))
    if held:
        lines.append(warn("Held, until you let them in:"))
        lines += [line for row in held[:SHOWN_MOST] for line in _held_lines(row)]
    if len(held) > SHOWN_MOST:
        lines.append(dim(f"  and {len(held) - SHOWN_MOST:,} more: `iris held` lists them"))
    return lines


def _held_lines(row: Held) -> list[Words]:
    from iris_memory.contracts.decision import HoldReason

    word = f"your word: --accept {row.ref}" if row.reason is HoldReason.INSTRUCTION_LIKE else row.rule
    needs = ", ".join(need_words(need) for need in row.needs) or word
    return [f"  {row.ref}: {row.reason.value}", dim(f"    needs {needs}")]
