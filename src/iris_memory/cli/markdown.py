"""Markdown of the reference pages: headings, tables, and a note that they are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

MADE = "<!-- Made by `iris docs`. Edit the source it names, not this page. -->"


def page(title: str, lead: str, *parts: str) -> str:
    """Return a page of parts, with one empty line between them and one newline at the end."""
    return "\n\n".join([f"# {title}", MADE, lead, *(part for part in parts if part)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a bar inside a cell is kept from ending it."""
    lines = [_row(heads), _row(["---"] * len(heads)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def code(text: str) -> str:
    """Return text as code."""
    return f"`{text}`"


def codes(names: Iterable[str], *, otherwise: str = "none") -> str:
    """Return names as code, in the order given, or an honest blank."""
    return ", ".join(code(name) for name in names) or otherwise


def yes(value: bool) -> str:
    """Return yes or no."""
    return "yes" if value else "no"


def span(length: timedelta | None, *, otherwise: str) -> str:
    """Return a length of time in days."""
    if length is None:
        return otherwise
    return f"{length.days} day" if length.days == 1 else f"{length.days} days"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
