"""Objects of frameworks taken apart, masked and put together again, without knowing their classes."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from guard_world import EMAIL, PHONE, owner_of
from pydantic import BaseModel

from iris_memory.contracts.masking import Mode
from iris_memory.errors import GuardStoppedError
from iris_memory.guards.hooks.guarded_run import GuardedRun
from iris_memory.guards.hooks.shapes import apart, mended, together

Pair = namedtuple("Pair", "left right")


class Kind(StrEnum):
    """A word of the framework's own."""

    USER = "user"


class Part(BaseModel):
    """A model."""

    text: str
    number: int | str = 1


@dataclass(frozen=True)
class Message:
    """A frozen dataclass."""

    parts: list[Any]
    kind: Kind = Kind.USER
    made: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    blob: bytes = b""
    extra: dict[str, Any] = field(default_factory=dict)
    derived: str = field(default="x", init=False)


def message(text: str, number: int = 1) -> Message:
    return Message(
        [Part(text=text, number=number), Pair(text, None)],
        blob=b"\xff" + text.encode(),
        extra={"a": (text,), "b": object},
    )


def test_what_is_put_together_unchanged_is_the_very_same_object() -> None:
    one = message("hello")
    assert together(apart(one), original=one) is one
    assert mended(one, lambda text, name: text) is one
    assert apart(Part) is None


def test_texts_are_masked_where_they_stand_and_turned_back(tmp_path: Path) -> None:
    run = GuardedRun(owner_of(tmp_path).guard())
    one = message(f"to {EMAIL}", 442079460958)
    asked = run.asked([one])
    masked = asked.prompt[0]
    assert isinstance(masked, Message)
    assert masked.parts == [Part(text="to [owner:email#1]", number="[owner:phone#1]"), Pair("to [owner:email#1]", None)]
    assert (masked.blob, masked.extra["a"]) == (b"\xffto [owner:email#1]", ("to [owner:email#1]",))
    assert (masked.kind, masked.made, masked.extra["b"]) == (one.kind, one.made, object)
    back = asked.turned_back(masked)
    assert back.parts[1] == Pair(f"to {EMAIL}", None)
    assert asked.turned_back("[owner:email#2]") == "[owner:email#2]"


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
def test_off_and_shadow_give_back_what_was_given(tmp_path: Path, mode: Mode) -> None:
    run = GuardedRun(owner_of(tmp_path).guard(mode))
    given = {"to": EMAIL}
    assert run.asked(given).prompt is given
    assert run.called("t", given) is given
    assert run.returned("t", given) is given
    assert run.answered(given).value is given


def test_what_is_too_deep_is_stopped_without_a_word_of_it(tmp_path: Path) -> None:
    run = GuardedRun(owner_of(tmp_path).guard())
    deep: Any = EMAIL
    for _ in range(300):
        deep = [deep]
    with pytest.raises(GuardStoppedError, match=r"^stopped by the owner's guard: not-observed$"):
        run.asked(deep)
    with pytest.raises(GuardStoppedError, match=r"owner-pii-denied \(phone\)$"):
        run.called("t", {"to": PHONE})
