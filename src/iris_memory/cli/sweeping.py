"""How memory ages: the sweep of a store, what waits for a decision, what a summary was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, head, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.instants import present, typed_instant
from iris_memory.cli.wording import count, entry_lines, refused_lines

if TYPE_CHECKING:
    from iris_memory.contracts.retaining import ExpandedSource, SweepReport


def sweep(
    place: Place,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what is due and change nothing")] = False,
) -> Told:
    """End what has outlived its envelope.

    Everybody's memory, with summaries where scopes keep them. The server does it by itself once an hour. It may be
    stopped at any point and run again. Ends with 1 when somebody's memory could not be read.
    """
    with place.opened() as iris:
        report = iris.sweep(dry_run=dry_run)
    code = ExitCode.CHECK_FAILED if report.unreadable else ExitCode.OK
    return Told(report, _report_lines(report), code)


def reviews(place: Place) -> Told:
    """List what waits for a decision at the end of its envelope.

    It is recalled no more. Without a decision it is ended 30 days after it began to wait.
    """
    with place.person() as me:
        waiting = me.reviews()
    now = present()
    lines: list[Words] = []
    for review in waiting:
        lines += entry_lines(review.entry, now)
        until = f"may be kept until {review.extends_to.date()}" if review.extends_to else "cannot be kept any longer"
        lines.append(dim(f"  ends {review.ends_at.date()}; {until}"))
    lines.append(dim(f"{count(len(waiting), 'memory', 'memories')} in review"))
    return Told({"reviews": waiting}, lines)


def decide(
    place: Place,
    memory: Annotated[str, typer.Argument(metavar="ID", help="the memory in review")],
    decision: Annotated[
        str, typer.Argument(metavar="DECISION", help="extend (keep it one more window) or end (forget it)")
    ],
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="ID", help="the revision that was seen; refused when another is in force"),
    ] = None,
) -> Told:
    """Decide a memory in review.

    An extension needs the consents of its scope and, where the scope is reviewed, an approval in force.
    """
    from iris_memory.contracts.erasure import ForgetReceipt
    from iris_memory.contracts.write import Refused

    with place.person() as me:
        outcome = me.decide_review(memory, decision, expected=expected)
    if isinstance(outcome, Refused):
        return Told(outcome, refused_lines(outcome), ExitCode.REFUSED)
    if isinstance(outcome, ForgetReceipt):
        return Told(outcome, [good("It is forgotten."), dim(f"receipt {outcome.receipt_id}")])
    assert outcome.entry.expires_at is not None
    kept = good(f"Kept until {outcome.entry.expires_at.date()}.")
    return Told(outcome, [kept, *entry_lines(outcome.entry, present())])


def expand(place: Place, memory: Annotated[str, typer.Argument(metavar="ID", help="the memory to expand")]) -> Told:
    """Show what a memory was made from.

    Sources that are still there with their words, those that went with the reason, turns by their reference.
    """
    with place.person() as me:
        expansion = me.expand(memory)
    lines: list[Words] = list(entry_lines(expansion.entry, present()))
    if expansion.made_by:
        lines.append(dim(f"made by {expansion.made_by}"))
    lines += [_source_line(source) for source in expansion.sources]
    return Told(expansion, lines)


def contract(
    place: Place,
    ends: Annotated[
        str | None,
        typer.Option("--ends", metavar="INSTANT", help="when it ends, such as 2027-01-31T12:00:00Z; left out, unknown"),
    ] = None,
) -> Told:
    """Say when the tenant's contract ends.

    What the tenant keeps about people is recalled no more from then on, and the next sweep ends it.
    """
    ends_at = typed_instant(ends, option="--ends")
    with place.opened() as iris:
        iris.set_tenant_contract(tenant=place.tenant, ends_at=ends_at)
    told = f"ends {ends_at.isoformat()}" if ends_at else "has no known end"
    return Told({"tenant": place.tenant, "contract_ends_at": ends_at}, [good(f"The tenant's contract {told}.")])


def _report_lines(report: SweepReport) -> list[Words]:
    tense = "would be" if report.dry_run else "were"
    lines: list[Words] = [
        head(f"{count(report.due, 'memory', 'memories')} due, of {count(report.people, 'person', 'people')}"),
        f"{report.summarized:,} {tense} condensed, {report.aggregated:,} aggregated, into"
        f" {count(report.summaries, 'summary', 'summaries')}",
        f"{report.ended:,} {tense} ended, {report.in_review:,} in review",
    ]
    waiting = [("off the record", report.postponed), ("kept by a legal hold", report.held), ("changed", report.again)]
    lines += [dim(f"{number:,} left: {why}") for why, number in waiting if number]
    if report.expired_records:
        lines.append(dim(f"{count(report.expired_records, 'record')} past their time"))
    if report.unreadable:
        lines.append(bad(f"{count(report.unreadable, 'person', 'people')} could not be read; see iris doctor"))
    if not report.files_scrubbed:
        lines.append(warn("a reader was in the way of the scrub; the next sweep does it"))
    return lines


def _source_line(source: ExpandedSource) -> Words:
    at = source.captured_at.date()
    if source.entry is not None:
        return f"  {source.state.value}: {source.entry.body}"
    if source.gone_because is not None and source.gone_at is not None:
        return dim(f"  gone {source.gone_at.date()} ({source.gone_because.value}): {source.logical_id}")
    return dim(f"  {source.kind.value} {source.ref}, {at}")
