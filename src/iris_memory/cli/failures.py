"""Failures: what a person, or a program, is told when a command did not come to its end. Never personal text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from iris_memory.cli.exit_codes import ExitCode, code_of
from iris_memory.errors import IrisError

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")
_QUOTED_OPTION = re.compile(r"--?[a-z][a-z-]*")


@dataclass(frozen=True, slots=True)
class Failure:
    """`name` is the stable kebab-case name of the failure; `message` one lower-case line that says what to do."""

    code: ExitCode
    name: str
    message: str


class NotFoundError(Exception):
    """What a command was asked for is not there."""


class UsageError(Exception):
    """A command was given something it cannot work with."""


class DeclinedError(Exception):
    """A question was not answered with yes."""


def failure_of(problem: BaseException) -> Failure:
    """Return what to tell about an exception; what is not foreseen is a defect, told by its class alone."""
    match problem:
        case IrisError():
            return Failure(code_of(problem), _kebab(type(problem).__name__), _one_line(str(problem)))
        case NotFoundError():
            return Failure(ExitCode.NOT_FOUND, "not-found", str(problem))
        case UsageError():
            return Failure(ExitCode.USAGE, "usage", str(problem))
        case DeclinedError():
            return Failure(ExitCode.DECLINED, "declined", "nothing was changed")
        case KeyboardInterrupt():
            return Failure(ExitCode.INTERRUPTED, "interrupted", "interrupted; what was acknowledged stays")
        case UnicodeError():
            return Failure(ExitCode.USAGE, "usage", "text is given in UTF-8; this is not")
        case OSError():
            reason = (problem.strerror or type(problem).__name__).lower()
            return Failure(ExitCode.STORAGE, "file", f"a file cannot be read or written ({reason})")
        case _ if hasattr(problem, "format_message"):
            return Failure(ExitCode.USAGE, "usage", _usage(problem))
    what = type(problem).__name__
    return Failure(ExitCode.DEFECT, "defect", f"iris met a defect ({what}); report it with the command that was given")


def _kebab(name: str) -> str:
    return _WORD_START.sub("-", name.removesuffix("Error")).lower()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _usage(problem: BaseException) -> str:
    """Return what is wrong with a command line, without the words that were given."""
    context = getattr(problem, "ctx", None)
    path = context.command_path if context is not None else "iris"
    return f"{_wrong(problem)}; see `{path} --help`"


def _wrong(problem: BaseException) -> str:
    message: str = problem.format_message()  # type: ignore[attr-defined]
    parameter = getattr(problem, "param", None)
    if message.startswith("Got unexpected extra"):
        return "there are more words than the command takes; put a text in quotes"
    if message.startswith("No such command"):
        return "there is no such command"
    if message.startswith("No such option"):
        return "there is no such option"
    if parameter is None:
        option = _QUOTED_OPTION.search(message)
        return f"{option.group()} is not used like this" if option else "the command cannot be understood"
    name = parameter.opts[0] if parameter.param_type_name == "option" else parameter.name.upper()
    missing = type(problem).__name__ == "MissingParameter"
    return f"{name} is missing" if missing else f"{name} has a value it cannot have"
