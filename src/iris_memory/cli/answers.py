"""Answers: what a command says, as one document for programs and as lines for people. Printing happens here alone."""

from __future__ import annotations

import dataclasses
import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from iris_memory.cli.exit_codes import ExitCode

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Look(StrEnum):
    """How a line looks where colours are shown; the words say the same without."""

    PLAIN = ""
    HEAD = "bold"
    DIM = "dim"
    GOOD = "green"
    WARN = "yellow"
    BAD = "bold red"


class Line(NamedTuple):
    """One line for people."""

    text: str
    look: Look = Look.PLAIN


Words = str | Line


@dataclasses.dataclass(frozen=True, slots=True)
class Told:
    """What a command says: the document, the lines that say the same to a person, and the code it ends with."""

    document: object
    lines: Sequence[Words] = ()
    code: ExitCode = ExitCode.OK


def head(text: str) -> Line:
    """Return a heading."""
    return Line(text, Look.HEAD)


def dim(text: str) -> Line:
    """Return a line of detail."""
    return Line(text, Look.DIM)


def good(text: str) -> Line:
    """Return a line that says all is well."""
    return Line(text, Look.GOOD)


def warn(text: str) -> Line:
    """Return a line that wants attention."""
    return Line(text, Look.WARN)


def bad(text: str) -> Line:
    """Return a line that says something is wrong."""
    return Line(text, Look.BAD)


def plain(value: object) -> Any:
    """Return the JSON form of contracts, tuples with names, mappings and the like."""
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, Set):
        return sorted(plain(part) for part in value)
    if isinstance(value, datetime):
        from iris_memory.contracts.shape import format_instant

        return format_instant(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(part) for part in value]
    if isinstance(value, Path):
        return str(value)
    return value


def printable(text: str) -> str:
    """Return text that cannot steer a terminal: control and direction characters are shown, not obeyed."""
    return "".join(_shown(mark) for mark in text)


def _shown(mark: str) -> str:
    if mark == "\n" or (mark not in _BIDI and unicodedata.category(mark) not in {"Cc", "Cs", "Zl", "Zp"}):
        return mark
    return f"\\u{ord(mark):04x}"


def print_document(document: object) -> None:
    """Print one JSON document, in UTF-8 and nothing else."""
    text = json.dumps(plain(document), ensure_ascii=False, indent=2) + "\n"
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        stream.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()


def print_lines(lines: Iterable[Words], *, to_errors: bool = False) -> None:
    """Print lines for people; styled on a terminal, bare anywhere else, never wrapped."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=to_errors, highlight=False, soft_wrap=True)
    for line in lines:
        text, look = (line, Look.PLAIN) if isinstance(line, str) else line
        console.print(Text(printable(text), style=look.value))
    console.file.flush()
