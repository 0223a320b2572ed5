"""Remember and revise."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import present, typed_instant
from iris_memory.cli.wording import outcome_lines
from iris_memory.contracts.category import Category

if TYPE_CHECKING:
    from iris_memory.contracts.scope import Scope
    from iris_memory.contracts.write import ActorMention, WriteOutcome

CATEGORIES_WORDS = ", ".join(Category)

Expires = Annotated[
    str | None,
    typer.Option("--expires", metavar="INSTANT", help="when it ends, such as 2027-01-31T12:00:00Z"),
]
ScopeText = Annotated[
    str | None,
    typer.Option(
        "--scope", metavar="SCOPE", help="where, in text form such as session:me:trip; by default the profile"
    ),
]
AdapterScopeName = Annotated[
    str | None,
    typer.Option("--adapter-scope", metavar="NAME", help="the policy layer over the scope; by default after its kind"),
]
Subject = Annotated[
    str | None,
    typer.Option("--subject", metavar="SLOT", help="the slot it fills; a new value for the same slot is a conflict"),
]


def remember(
    place: Place,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="the words, 1 to 4,000; - reads them from stdin")],
    category: Annotated[
        str, typer.Option("--category", metavar="NAME", help=f"what it is about: {CATEGORIES_WORDS}")
    ] = Category.FACT.value,
    subject: Subject = None,
    origin: Annotated[
        str,
        typer.Option(
            "--origin",
            metavar="NAME",
            help="how it came to be: user-stated, user-confirmed, model-inferred, operator-copilot,"
            " summarized-from-session, imported",
        ),
    ] = "user-stated",
    label: Annotated[
        str,
        typer.Option(
            "--label",
            metavar="NAME",
            help="who wrote the words: user-typed, user-pasted, assistant, tool, web, file, import, operator",
        ),
    ] = "user-typed",
    scope: ScopeText = None,
    adapter_scope: AdapterScopeName = None,
    expires: Expires = None,
    again: Annotated[bool, typer.Option("--again", help="remember it although it was forgotten before")] = False,
    about: Annotated[
        str | None,
        typer.Option("--about", metavar="NAME", help="somebody else it is about; the name is turned into a handle"),
    ] = None,
    relation: Annotated[
        str | None, typer.Option("--relation", metavar="TEXT", help="what they are to the person, such as my partner")
    ] = None,
    sensitive_interaction: Annotated[
        bool, typer.Option("--sensitive-interaction", help="it is about a sensitive interaction with them")
    ] = False,
    as_said: Annotated[
        str | None,
        typer.Option("--as-said", metavar="DIGEST", help="keep the category that was asked about, by its question"),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="the same key and words get the same answer again"),
    ] = None,
) -> Told:
    """Remember something.

    It is remembered when consent and policy allow, becomes a question when it differs from what is known, or is
    refused with the reason and what would be needed.
    """
    expires_at = typed_instant(expires, option="--expires")
    words = spoken(text)
    with place.person() as me:
        outcome = me.remember(
            words,
            category=category,
            subject=subject,
            scope=typed_scope(scope),
            adapter_scope=adapter_scope,
            origin=origin,
            label=label,
            expires_at=expires_at,
            actor=_mention(about, relation, sensitive_interaction=sensitive_interaction),
            again=again,
            as_said=as_said,
            idempotency_key=idempotency_key,
        )
    return told_outcome(outcome)


def revise(
    place: Place,
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="the id of the memory")],
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="the new words; - reads them from stdin; left out, they stay")
    ] = None,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help="the new category; left out, it stays")
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="SLOT", help="the new slot; left out, it stays")
    ] = None,
    expires: Expires = None,
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="REVISION", help="the revision that was seen; refused when another holds"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would come of it; write nothing")] = False,
) -> Told:
    """Correct a memory.

    The correction is the next revision, in the person's own words; the one before stays in the history.
    """
    expires_at = typed_instant(expires, option="--expires")
    words = spoken(text) if text is not None else None
    with place.person() as me:
        outcome = (me.preview_revise if dry_run else me.revise)(
            memory,
            words,
            category=category,
            subject=subject,
            expires_at=expires_at,
            expected=expected,
        )
    return told_outcome(outcome)


def _mention(about: str | None, relation: str | None, *, sensitive_interaction: bool) -> ActorMention | None:
    from iris_memory.contracts.write import ActorMention

    if about is None:
        if relation is not None or sensitive_interaction:
            raise UsageError("--relation and --sensitive-interaction say more of somebody: name them with --about")
        return None
    return ActorMention(name=about, relationship_note=relation, sensitive_interaction=sensitive_interaction)


def told_outcome(outcome: WriteOutcome) -> Told:
    """Return what to say of a write."""
    code = ExitCode.REFUSED if outcome.outcome == "refused" else ExitCode.OK
    return Told(outcome, outcome_lines(outcome, present()), code)


def spoken(text: str) -> str:
    """Return the words of an argument; `-` stands for stdin, without its last line ends."""
    return sys.stdin.read().rstrip("\r\n") if text == "-" else text


def typed_scope(text: str | None) -> Scope | None:
    """Return the scope of a canonical text form.

    Raises:
        ContractError: it is not one.
    """
    from iris_memory.contracts.scope import parse_scope

    return parse_scope(text) if text is not None else None
