"""Questions that wait for the person, and their answers."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import NotFoundError, UsageError
from iris_memory.cli.inbox import inbox_lines
from iris_memory.cli.instants import present
from iris_memory.cli.wording import count, entry_lines, outcome_lines, question_lines, refused_lines


def questions(place: Place) -> Told:
    """List the questions that wait for the person."""
    with place.person() as me:
        waiting = me.questions()
    now = present()
    lines: list[Words] = []
    for question in waiting:
        lines += question_lines(question, now)
    lines.append(dim(f"{count(len(waiting), 'question')} waiting"))
    return Told({"questions": waiting}, lines)


def answer(
    place: Place,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="the id of the question")],
    decision: Annotated[
        str,
        typer.Argument(
            metavar="DECISION",
            help="keep (what was there), replace (with the new words) or both; of other questions, a choice they show",
        ),
    ],
    digest: Annotated[
        str | None,
        typer.Option("--digest", metavar="DIGEST", help="of the texts that were shown; left out, they are shown now"),
    ] = None,
    terms: Annotated[
        str | None, typer.Option("--terms", metavar="TEXT", help="the exact text a question of consent was asked with")
    ] = None,
) -> Told:
    """Decide a question.

    An answer counts for the exact texts that were shown: give their digest, or have them shown now.
    """
    if digest is None and place.json:
        raise UsageError("--json asks nothing: give the --digest that `iris inbox` shows")
    from iris_memory.contracts.write import Refused

    with place.person() as me:
        if digest is None:
            shown = next((one for one in me.inbox.questions() if one.question_id == question), None)
            if shown is None:
                raise NotFoundError("there is no such question, or its time is over")
            place.say(*inbox_lines(shown, present()))
            place.require_yes(f"Answer with {decision}?")
            digest = shown.digest
        answered = me.inbox.answer(question, decision, digest=digest, terms=terms)
    if isinstance(answered, Refused):
        return Told(answered, refused_lines(answered), ExitCode.REFUSED)
    if answered.entry is None:
        next_one = outcome_lines(answered.asked, present()) if answered.asked is not None else []
        return Told(answered, [good(f"Answered: {decision}."), *next_one])
    return Told(answered, [good("Decided. What stands now:"), *entry_lines(answered.entry, present())])
