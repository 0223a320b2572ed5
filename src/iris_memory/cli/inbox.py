"""The inbox, promotion, and the ways back: what the person is asked, and what they may undo."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, dim, good, head
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.instants import present, typed_instant
from iris_memory.cli.reading import MemoryId
from iris_memory.cli.wording import ago, count, entry_lines, outcome_lines, receipt_lines, refused_lines

if TYPE_CHECKING:
    from iris_memory.contracts.inference import InboxQuestion


def inbox(place: Place) -> Told:
    """List everything the person is asked.

    Inferences, conflicts, consents and categories: what was, what is new, which rule, from where, and what each answer
    does. Decide one with `iris answer`. The words of an inference wait in the process that made it, unless held.
    """
    with place.person() as me:
        waiting = me.inbox.questions()
    now = present()
    lines: list[Words] = []
    for question in waiting:
        lines += inbox_lines(question, now)
    lines.append(dim(f"{count(len(waiting), 'question')} waiting"))
    return Told({"questions": waiting}, lines)


def inbox_lines(question: InboxQuestion, now: datetime) -> list[Words]:
    """Return one question as it is shown."""
    lines: list[Words] = [
        head(f"{question.question_id} ({question.kind.value}, {ago(question.asked_at, now)}, rule {question.rule})"),
        *(f"  {line}" for line in question.prompt.splitlines()),
    ]
    for source in question.sources[:5]:
        lines.append(dim(f"  from {source.label.value} text, {source.ref}"))
    lines += [dim(f"  {choice.decision}: {choice.effect}") for choice in question.choices]
    lines.append(dim(f"  unanswered by {question.expires_at:%Y-%m-%d}, what was there stays"))
    lines.append(dim(f"  digest {question.digest}"))
    return lines


def ask(place: Place, memory: MemoryId) -> Told:
    """Ask about an inferred memory.

    One that was inferred, imported or quarantined; a yes makes it the person's own, a no forgets it.
    """
    from iris_memory.contracts.write import Refused

    with place.person() as me:
        question = me.inbox.ask(memory)
    if isinstance(question, Refused):
        return Told(question, refused_lines(question), ExitCode.REFUSED)
    return Told(question, inbox_lines(question, present()))


def promote(place: Place, memory: MemoryId) -> Told:
    """Promote a memory of a session to the profile.

    The person asks for it; the label stays what it was, and what the profile says already is met by the ladder.
    """
    from iris_memory.contracts.inference import Promoted

    with place.person() as me:
        outcome = me.inbox.promote(memory, explicit=True)
    if isinstance(outcome, Promoted):
        lines = [good("It is in the profile now:"), *entry_lines(outcome.entry, present())]
        return Told(outcome, lines)
    code = ExitCode.REFUSED if outcome.outcome == "refused" else ExitCode.OK
    return Told(outcome, outcome_lines(outcome, present()), code)


def forget_source(
    place: Place,
    ref: Annotated[
        str, typer.Argument(metavar="SOURCE", help="a source as `iris show` names it: a session, page, file")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    scan: Annotated[bool, typer.Option("--scan/--no-scan", help="search every file afterwards")] = True,
) -> Told:
    """Forget everything that came from one source.

    For good. What the person typed themselves goes only where the source is its own.
    """
    with place.person() as me:
        if not yes:
            place.require_yes("Forget everything from this source?")
        receipt = me.inbox.forget_source(ref, scan=scan)
    return Told(receipt, receipt_lines(receipt))


def roll_back(
    place: Place,
    to: Annotated[str, typer.Argument(metavar="INSTANT", help="the instant to go back to, with its time zone")],
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    scan: Annotated[bool, typer.Option("--scan/--no-scan", help="search every file afterwards")] = True,
) -> Told:
    """Bring the memory back to what it was at an instant.

    What was first written since goes for good; what was changed since says again what it said.
    """
    instant = typed_instant(to, option="INSTANT")
    assert instant is not None
    with place.person() as me:
        if not yes:
            place.require_yes("Forget everything written since?")
        done = me.inbox.roll_back(instant, scan=scan)
    said = good(f"{count(done.restored, 'memory', 'memories')} say again what they said then.")
    return Told(done, [said, *receipt_lines(done.receipt)])
