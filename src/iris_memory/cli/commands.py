"""Commands: what every command shares, written once: where it works, how it answers, and how it fails."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from iris_memory.cli.answers import Told, Words, print_document, print_lines
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import DeclinedError
from iris_memory.contracts.category import Consumer

if TYPE_CHECKING:
    from iris_memory.front.iris import Iris
    from iris_memory.front.person import PersonMemory


class Shares(IntEnum):
    """Which of the shared options a command takes; each includes those before it."""

    ANSWER = 0
    STORE = 1
    TENANT = 2
    PERSON = 3
    SESSION = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command works, and how it answers."""

    json: bool
    store: Path = Path(".iris")
    tenant: str = "local"
    user: str = "me"
    consumer: str = Consumer.ASSISTANT.value
    session: str | None = None
    database: str | None = field(default=None, repr=False)

    @contextmanager
    def opened(self, *, create: bool = False) -> Iterator[Iris]:
        """Open the store for the time of a command."""
        from iris_memory.front.iris import Iris

        with Iris.open(self.store, create=create, tended=False, database=self.database) as iris:
            yield iris

    @contextmanager
    def person(self) -> Iterator[PersonMemory]:
        """Open the store and bind the person."""
        with self.opened() as iris:
            yield self.bound(iris)

    def bound(self, iris: Iris) -> PersonMemory:
        """Bind the person to an open store."""
        return iris.for_user(tenant=self.tenant, user=self.user, consumer=self.consumer, session=self.session)

    def say(self, *lines: Words) -> None:
        """Tell a person something before the end of a command; a program is told at its end."""
        if not self.json:
            print_lines(lines)

    def require_yes(self, question: str) -> None:
        """Go on only when a person says yes.

        Raises:
            DeclinedError: the answer is no, or nobody answers.
        """
        sys.stderr.write(f"{question} [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise DeclinedError


_SHARED: Final[tuple[tuple[str, Shares, object, Any], ...]] = (
    (
        "store",
        Shares.STORE,
        Path(".iris"),
        Annotated[Path, typer.Option("--store", envvar="IRIS_STORE", metavar="FOLDER", help="the folder of the store")],
    ),
    (
        "database",
        Shares.STORE,
        None,
        Annotated[
            str | None,
            typer.Option(
                "--database", metavar="ADDRESS", help="the database that holds the data; by default IRIS_DATABASE_URL"
            ),
        ],
    ),
    (
        "tenant",
        Shares.TENANT,
        "local",
        Annotated[str, typer.Option("--tenant", metavar="ID", help="the tenant the person belongs to")],
    ),
    (
        "user",
        Shares.PERSON,
        "me",
        Annotated[str, typer.Option("--user", metavar="ID", help="the person whose memory it is")],
    ),
    (
        "consumer",
        Shares.PERSON,
        Consumer.ASSISTANT.value,
        Annotated[
            str, typer.Option("--consumer", metavar="NAME", help=f"the subsystem that asks: {', '.join(Consumer)}")
        ],
    ),
    (
        "session",
        Shares.SESSION,
        None,
        Annotated[str | None, typer.Option("--session", metavar="ID", help="the session it belongs to")],
    ),
    (
        "json",
        Shares.ANSWER,
        False,
        Annotated[bool, typer.Option("--json", help="answer with one JSON document and nothing else")],
    ),
)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name (with its group before it), what it does, the options it shares, and its place in help."""

    name: str
    act: Callable[..., Told | None]
    shares: Shares
    panel: str


def runnable(command: Command) -> Callable[..., int]:
    """Return the function behind a command, with its shared options; it prints the answer and returns the exit code.

    `None` for an answer means that the command has written to stdout itself.
    """
    shared = [row for row in _SHARED if row[1] <= command.shares]
    own = list(inspect.signature(command.act, eval_str=True).parameters.values())[1:]

    def run(**given: Any) -> int:
        place = Place(**{name: given.pop(name) for name, *_ in shared})
        try:
            told = command.act(place, **given)
            if told is None:
                return ExitCode.OK
            if place.json:
                print_document(told.document)
            else:
                print_lines(told.lines)
        except BrokenPipeError:
            return leave_pipe()
        return told.code

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, _, default, annotation in shared
    ]
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own] + options
    )
    run.__name__ = command.name.replace(" ", "_").replace("-", "_")
    run.__doc__ = command.act.__doc__
    return run


def leave_pipe() -> int:
    """Let go of a stdout nobody reads, so that the interpreter does not complain at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.BROKEN_PIPE
