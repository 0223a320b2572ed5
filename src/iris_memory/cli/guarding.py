"""What guards saw: the report from which an owner picks the next kind to enforce, and how guarding is set here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from iris_memory.cli.answers import Told, Words, dim, good, head, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.wording import count

if TYPE_CHECKING:
    from iris_memory.contracts.guarding import ShadowCell, ShadowChoice, ShadowReport
    from iris_memory.contracts.masking import PiiKind

BAR: Final = 20
"""How long the bar of a share of 100 % is."""


def pii_shadow(
    place: Place,
    days: Annotated[int, typer.Option("--days", metavar="N", help="how many days to look back")] = 7,
    log: Annotated[
        Path | None,
        typer.Option(
            "--log", metavar="FILE", exists=True, dir_okay=False, help="a log of guards that run without a store"
        ),
    ] = None,
) -> Told:
    """Show what guards saw of the owner's identity.

    Per point, guard, kind and action: how often, in how many calls, of how many read; and what could not be observed.
    """
    from iris_memory.front.guarding import governance_state

    enforced = governance_state().enforced
    report = _of_file(log, days, enforced) if log is not None else _of_store(place, days, enforced)
    return Told(report, [*_lines(report)])


def governance_state(place: Place) -> Told:
    """Show how the owner's identity is guarded here.

    The flag with its value, the kinds that are enforced, and whether the guard table is in use.
    """
    del place
    from iris_memory.front.guarding import governance_state as state_of

    state = state_of()
    lines: list[Words] = []
    for flag in state.flags:
        lines += [head(f"{flag.name}={flag.value}"), dim(f"accepts {flag.accepts}")]
        lines += [warn(flag.warning)] if flag.warning else []
    lines.append(f"guard table: {state.table}")
    lines.append(f"enforced: {', '.join(sorted(state.enforced)) or 'no kind'}")
    lines.append(f"only logged: {', '.join(state.log_only_destinations) or 'no destination'}")
    return Told(state, lines)


def _of_store(place: Place, days: int, enforced: frozenset[PiiKind]) -> ShadowReport:
    with place.person() as me:
        return me.guarding.report(days=days, enforced=enforced)


def _of_file(log: Path, days: int, enforced: frozenset[PiiKind]) -> ShadowReport:
    from iris_memory.front.guarding import span_of_days
    from iris_memory.guards.log_file import FileShadowLog
    from iris_memory.masking.reporting import report_of
    from iris_memory.wiring.clock import SystemClock

    since, until = span_of_days(SystemClock().now(), days=days)
    return report_of(FileShadowLog(log).read(since=since), since=since, until=until, enforced=enforced)


def _lines(report: ShadowReport) -> Iterator[Words]:
    if not report.rows:
        yield "No guard has written a row in this time."
        return
    yield head(f"{count(report.rows, 'firing')} since {report.since:%Y-%m-%d %H:%M} UTC")
    reads = {(reach.point, reach.guard): reach.calls for reach in report.reach}
    yield from (f"  {reach.point:<18} {reach.guard:<13} read {count(reach.calls, 'call')}" for reach in report.reach)
    if report.cells:
        yield head("What was seen")
        yield from (_cell(cell, of=reads[cell.point, cell.guard]) for cell in report.cells)
    if report.disagreements:
        yield head("Where guards disagree; the stricter one acts")
        yield from (
            f"  {one.kind:<8} {one.milder} is milder than {one.stricter} in {count(one.calls, 'call')}"
            for one in report.disagreements
        )
    if report.missed:
        yield head("What could not be observed")
        yield from (
            warn(f"  {miss.point:<18} {miss.why:<10} {miss.failure}: {count(miss.calls, 'call')}")
            for miss in report.missed
        )
    yield head("What enforcing would change, the least first")
    yield from (_choice(choice) for choice in report.choices)
    following = next((choice for choice in report.choices if not choice.enforced), None)
    if following is not None:
        yield dim(f"the next kind that changes least is {following.kind}: add it under `enforce` in identity.yaml")


def _cell(cell: ShadowCell, *, of: int) -> Words:
    share = cell.calls / of if of else 0.0
    distinct = "" if cell.distinct is None else f", {count(cell.distinct, 'different literal')}"
    flags = (" first name alone" if cell.first_name_alone else "") + (" log only" if cell.log_only_destination else "")
    return (
        f"  {cell.guard:<13} {cell.kind:<8} {cell.action:<5} {_bar(share)} {cell.calls:>6} of {of} calls"
        f" ({share:.1%}), {count(cell.occurrences, 'time')}{distinct}{flags}"
    )


def _choice(choice: ShadowChoice) -> Words:
    share = choice.share / 1_000_000
    text = (
        f"  {choice.kind:<8} {_bar(share)} {share:6.1%} of {count(choice.calls, 'call')}:"
        f" {choice.masked} masked, {choice.denied} denied, {choice.halted} halted, {choice.logged} only logged;"
        f" {choice.went_on} went on unchanged"
    )
    return good(f"{text}; enforced") if choice.enforced else text


def _bar(share: float) -> str:
    full = min(BAR, round(share * BAR))
    # a share that is there is seen
    full = max(full, 1) if share > 0 else 0
    return "#" * full + "." * (BAR - full)
