"""The data in another place: a database prepared, a store moved, an older copy accepted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, dim, good, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.wording import count


def prepare(
    place: Place,
    address: Annotated[str, typer.Argument(metavar="URL", help="the database, as its owner")],
    service: Annotated[
        str | None,
        typer.Option("--service", metavar="ROLE", help="the role Iris runs as; it becomes a member of iris_app"),
    ] = None,
) -> Told:
    """Prepare a PostgreSQL database, as its owner, once and again with each release.

    Doing it again changes nothing. The address is not shown.
    """
    del place
    from iris_memory.wiring.preparing import prepare_database

    version = prepare_database(address, service=service)
    lines: list[Words] = [good(f"The database is prepared; its schema has version {version}.")]
    if service is not None:
        lines.append(f"  service  {service} is a member of iris_app")
    return Told({"prepared": True, "version": version, "service": service}, lines)


def migrate(
    place: Place,
    source: Annotated[str, typer.Option("--from", metavar="URL", help="where the data is: FOLDER or postgresql://…")],
    target: Annotated[str, typer.Option("--to", metavar="URL", help="where it shall be; likewise")],
) -> Told:
    """Move the data between the store's folder and PostgreSQL.

    The vault and the heads stay in the folder. Stop every process that has the store open. A move that was
    interrupted is run again and goes on; nothing is taken away from the source.
    """
    from iris_memory.wiring.moving import move

    with _progress(quiet=place.json) as progress:
        moved = move(source, target, home=place.store, progress=progress)
    rows = moved.rows
    total = sum(rows)
    lines: list[Words] = [
        good("The data lies at the target now; both sides were compared and are the same."),
        f"  rows        {total:,}: {rows.entries:,} revisions, {rows.uses:,} uses, {rows.records:,} records,"
        f" {rows.tombstones:,} tombstones",
        f"  audit       {count(moved.events, 'event')} of {count(moved.tenants, 'tenant')}, to the same heads",
        f"  recalls     {moved.recalls_compared:,} asked on both sides, the same bytes",
        dim("  next        what is left at the source is not read any more; delete it when you are content"),
    ]
    return Told(moved, lines)


def restore(
    place: Place,
    accept_older: Annotated[
        bool, typer.Option("--accept-older", help="replay every erasure and accept that what came since is lost")
    ] = False,
) -> Told:
    """Look at data that was restored from a backup, and make it fit to be served.

    Without --accept-older it says what would be done, changes nothing, and ends with 1 when something is due.
    """
    from iris_memory.wiring.restoring import restore as restore_store

    found = restore_store(place.store, accept=accept_older, database=place.database)
    document = {
        "accepted": accept_older,
        "needed": found.is_needed,
        "events_lost": found.events_lost,
        "tenants_behind": len(found.behind),
        "memories": found.memories,
        "people": found.people,
        "records": found.records,
    }
    if not found.is_needed:
        return Told(document, [good("The data is as new as the heads and the vault; nothing is due.")])
    lines: list[Words] = [
        f"  lost        {count(found.events_lost, 'event')} of {count(len(found.behind), 'tenant')}",
        f"  forgotten   {found.memories:,} memories and {found.people:,} people whose keys are destroyed",
    ]
    if not accept_older:
        first = warn("The data is an older copy. Nothing was changed.")
        last = dim("  next        restore a newer copy, or `iris restore --accept-older`")
        return Told(document, [first, *lines, last], ExitCode.CHECK_FAILED)
    first = good("The older copy was accepted, and every erasure was replayed on it.")
    last = dim("  next        ask again for consents that were changed since the copy was made")
    return Told(document, [first, *lines, last])


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Give what is told how far a move is; it draws on stderr, on a terminal alone."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("people"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("people", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
