"""What a form of the operators' pages holds: what was typed, what is wrong with it, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from starlette.requests import Request

E = TypeVar("E", bound=StrEnum)


@dataclass
class Filled:
    """A form as it was sent. Each reader notes a mistake beside its field and returns None; what was typed stays."""

    typed: Mapping[str, str] = field(default_factory=dict)
    mistakes: dict[str, str] = field(default_factory=dict)

    def text(self, name: str, *, most: int, missing: str) -> str:
        """Return words that have to be there."""
        words = self.typed.get(name, "").strip()
        if not words:
            self.mistakes[name] = missing
        elif len(words) > most:
            self.mistakes[name] = f"Use {most:,} characters at most; there are {len(words):,}."
        return words

    def choice(self, name: str, kind: type[E], *, missing: str) -> E | None:
        """Return one of a closed set."""
        word = self.typed.get(name, "")
        if word in {member.value for member in kind}:
            return kind(word)
        self.mistakes[name] = missing
        return None

    def day(self, name: str, *, missing: str, after: datetime) -> datetime | None:
        """Return the end of a day (UTC) that lies ahead."""
        ends = day_of(self.typed.get(name, ""))
        if ends is None:
            self.mistakes[name] = missing
            return None
        ends += timedelta(days=1)
        if ends <= after:
            self.mistakes[name] = "Choose a day that is not over."
        return ends

    def is_ticked(self, name: str, *, missing: str = "") -> bool:
        """Say whether a box is ticked; with `missing`, it has to be."""
        ticked = self.typed.get(name, "") == "yes"
        if missing and not ticked:
            self.mistakes[name] = missing
        return ticked

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.mistakes


def day_of(word: str) -> datetime | None:
    """Return the start of a day (UTC) that is written `2026-03-31`; None for anything else."""
    try:
        return datetime.combine(date.fromisoformat(word), datetime.min.time(), tzinfo=UTC)
    except ValueError:
        return None


async def filled(request: Request) -> Filled:
    """Return the form of a request; files are none of ours, and the last of two equal names counts."""
    form = await request.form(max_files=0, max_fields=200)
    return Filled({name: value for name, value in form.multi_items() if isinstance(value, str)})
