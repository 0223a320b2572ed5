"""The stage of a suite: a folder of its own, a clock that stands still until it is moved, ids that come by count."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import blake2b, shake_256
from pathlib import Path
from typing import Final, TypeVar

from iris_memory.contracts.category import Surface
from iris_memory.contracts.shape import to_micros
from iris_memory.flows.instruments import CrisisFrame
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.recall.options import RecallOptions
from iris_memory.storage.keys import FixedKey

T = TypeVar("T")

DAWN: Final = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
BASE: Final = ("data_processing", "data_storage")
TERMS: Final = "We keep what you tell us."
ROOMY: Final[Mapping[Surface, int]] = dict.fromkeys(Surface, 1_000)
"""Budgets that hide nothing: what is not returned was held back by a gate."""


@dataclass(slots=True)
class StageClock:
    """Tells the instant it was set to."""

    instant: datetime = DAWN

    def now(self) -> datetime:
        """Return the instant."""
        return self.instant

    def advance(self, **amount: float) -> None:
        """Move on by an amount of time, spelt as for `timedelta`."""
        self.instant += timedelta(**amount)


@dataclass(slots=True)
class StageIds:
    """Makes ids and secrets from a seed and a count: the same again in the next run. Fit for a stage alone."""

    seed: str = "stage"
    _count: int = field(default=0)

    def entry_id(self, now: datetime) -> str:
        """Return the next UUIDv7, greater than every one before while the clock does not step back."""
        self._count += 1
        value = (to_micros(now) // 1000 << 80) | (0x7 << 76) | (0b10 << 62) | self._count
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def secret(self, length: int) -> bytes:
        """Return the next bytes."""
        self._count += 1
        return shake_256(f"{self.seed}:{self._count}".encode()).digest(length)


@dataclass(slots=True)
class Stage:
    """A folder with room for stores, and the clock and ids they are opened with."""

    folder: Path
    clock: StageClock = field(default_factory=StageClock)
    ids: StageIds = field(default_factory=StageIds)

    def open(
        self, name: str = "store", *, options: RecallOptions | None = None, crisis: CrisisFrame | None = None
    ) -> Iris:
        """Open a store of the stage, making it on first use."""
        return Iris.open(
            self.folder / name,
            key=FixedKey(bytes(range(32))),
            clock=self.clock,
            ids=self.ids,
            options=options or RecallOptions(budgets=ROOMY),
            audit_durability="default",
            crisis=crisis,
            tended=False,
            database="",
        )


@contextmanager
def stage() -> Iterator[Stage]:
    """Set up a stage and take it down afterwards."""
    with tempfile.TemporaryDirectory(prefix="iris-eval-") as folder:
        yield Stage(Path(folder))


@dataclass(slots=True)
class Draws:
    """A stream of choices, the same for the same seed on every machine."""

    seed: str
    _count: int = field(default=0)

    def below(self, most: int) -> int:
        """Return a number from 0 to below `most`."""
        self._count += 1
        return int.from_bytes(blake2b(f"{self.seed}:{self._count}".encode(), digest_size=8).digest(), "big") % most

    def one(self, choices: Sequence[T]) -> T:
        """Return one of several."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], *, of: int) -> frozenset[T]:
        """Return each choice with a chance of one in `of`."""
        return frozenset(choice for choice in choices if self.below(of) == 0)

    def chance(self, of: int) -> bool:
        """Return yes once in `of` times."""
        return self.below(of) == 0

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        """Return all of them in another order."""
        rest = list(choices)
        return [rest.pop(self.below(len(rest))) for _ in choices]


def raises(kind: type[Exception], act: Callable[..., object], *given: object, **named: object) -> bool:
    """Say whether an act ends in an error of a kind."""
    try:
        act(*given, **named)
    except kind:
        return True
    return False


def acts_on(memory: PersonMemory, logical_id: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield everything that can be done to a memory by its id: the verb, and the act."""
    yield "show", partial(memory.show, logical_id)
    yield "history", partial(memory.history, logical_id)
    yield "explain", partial(memory.explain, logical_id)
    yield "revise", partial(memory.revise, logical_id, "taken over")
    yield "preview", partial(memory.preview_forget, logical_id)
    yield "forget", partial(memory.forget, logical_id, scan=False)
