"""Benches and evaluation suites."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, head
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.wording import count


def bench(
    place: Place,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="recall, recall-many, write, load, forget, audit, mask, sweep, http; by default all"
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="end with 1 when a limit is missed")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="small sizes and few rounds")] = False,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="sqlite, or postgres: recall, write, forget, scale")
    ] = "sqlite",
    server: Annotated[
        str | None,
        typer.Option("--server", metavar="ADDRESS", help="a superuser's PostgreSQL; by default a private one"),
    ] = None,
) -> Told:
    """Measure, beside a floor of the same run."""
    from iris_memory.bench.registry import ALL, benches_of, run

    wanted = len(benches_of(engine)) if not names or ALL in names else len(names)
    with steps(wanted, quiet=place.json) as starting:
        document: Mapping[str, Any] = run(names or [], quick=quick, starting=starting, engine=engine, server=server)
    missed = [row for row in _rows(document) if row.get("ok") is False]
    lines: list[Words] = [line for row in _rows(document) for line in _row_lines(row)]
    lines.append(dim(f"on {_machine(document)}"))
    code = ExitCode.CHECK_FAILED if check and missed else ExitCode.OK
    return Told(document, lines, code)


def evaluate(
    place: Place,
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="SUITE", help="the suites to run; left out, every one")
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            "--history", metavar="FILE", help="keep the rates of drift in this file, and compare with the first run"
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="write the quality of masking to this file, as a page, and end"),
    ] = None,
) -> Told:
    """Run the release-gating suites.

    Ends with 1 when one fails.
    """
    if table is not None:
        return _quality(suites or [], table)
    from iris_memory.evals.registry import SUITES, run

    with steps(len(suites or SUITES), quiet=place.json) as starting:
        document: Mapping[str, Any] = run(suites or [], starting=starting, history=history)
    lines: list[Words] = []
    for suite in document["suites"]:
        failed = suite["failed"]
        verdict = good(f"passed  {suite['name']}") if not failed else bad(f"FAILED  {suite['name']}: {failed:,} failed")
        lines += [verdict, dim(f"        {count(suite['cases'], 'case')}; {suite['detail']}")]
    return Told(document, lines, ExitCode.OK if document["ok"] else ExitCode.CHECK_FAILED)


def _quality(suites: list[str], table: Path) -> Told:
    if suites != ["masking"]:
        raise UsageError("--table is of the masking suite; run: iris eval masking --table FILE")
    from iris_memory.sources.extra import require_masking

    require_masking()
    from iris_memory.evals.masking_quality import measure, page

    quality = measure()
    table.write_text(page(quality), encoding="utf-8")
    short = list(quality.shortfalls())
    lines: list[Words] = [bad(f"falls short: {what}") for what in short] or [good("Nothing falls short.")]
    document = {"ok": not short, "table": str(table), "shortfalls": short}
    return Told(document, lines, ExitCode.CHECK_FAILED if short else ExitCode.OK)


@contextmanager
def steps(total: int, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give what is called with the name of each step as it starts; it draws on stderr, on a terminal alone."""
    if quiet or not sys.stderr.isatty():
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=total)
        started = 0

        def starting(name: str) -> None:
            nonlocal started
            bar.update(task, description=name, completed=started)
            started += 1

        yield starting


def _rows(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(document["results"])


def _row_lines(row: Mapping[str, Any]) -> list[Words]:
    what = f"{row['name']} at {row['size']}" if row["size"] is not None else str(row["name"])
    value = f"{row['value']:,.4g} {row['unit']}"
    bounds = [f"{name} {row[name]:,.4g}" for name in ("floor", "limit") if row.get(name) is not None]
    verdict = {True: "  within its limit", False: "  LIMIT MISSED", None: ""}[row.get("ok")]
    look = bad if row.get("ok") is False else head
    return [look(f"{what}: {value}{verdict}"), dim(f"  {', '.join(bounds)}" if bounds else "  no floor, no limit")]


def _machine(document: Mapping[str, Any]) -> str:
    machine = document["machine"]
    return ", ".join(f"{name} {value}" for name, value in machine.items()) if isinstance(machine, Mapping) else machine
