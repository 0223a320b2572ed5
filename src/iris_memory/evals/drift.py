"""Drift: does memory stay true as it ages? Recall accuracy, false recall and sensitive leakage, run beside run.

One person lives through 400 days: statements, corrections, forgets, sensitive matters beside harmless ones, sessions
that are swept into summaries. Now and then every question is asked again.

- accuracy: questions whose answer is known and not past its time, and whose answer is among the first few;
- false recall: what comes back that was corrected, forgotten, or is past its time;
- leakage: sensitive words that come back in a context that is not theirs, in a summary as well.

Rates are in millionths. They are compared with the baseline below, and with the first run of a file that is named: a
rate that is worse fails. The file gets one line of JSON a run, with numbers and names of versions and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from iris_memory.contracts.category import Category, Context
from iris_memory.contracts.scope import ProfileScope, Scope, SessionScope
from iris_memory.contracts.shape import format_instant
from iris_memory.contracts.write import Written
from iris_memory.errors import SettingError
from iris_memory.evals.stage import BASE, TERMS, Draws, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.extracting import EXTRACTIVE_NAME
from iris_memory.tables.limits import MILLION

BASELINE: Final[Mapping[str, int]] = {"accuracy": 1_000_000, "false_recall": 0, "leakage": 0}
"""What a run must not fall behind, in millionths."""

FIRST_FEW: Final = 5
_WORSE_WHEN_LOWER: Final = frozenset({"accuracy"})
_ASKED_ON: Final = (0, 2, 9, 35, 100, 400)
_SLOTS, _SESSIONS, _SECRETS, _FORGOTTEN = 24, 12, 8, 8
_THINGS: Final = "lantern copper violin harbour walnut saddle granite orchid kettle bramble falcon cedar".split()  # noqa: SIM905
_PLACES: Final = "Oslo Porto Lyon Gdansk Turin Cork Bergen Ghent Lugano Tartu Malmo Nantes".split()  # noqa: SIM905
_SECRET: Final = "warfarin lithium psoriasis migraine insulin asthma eczema glaucoma".split()  # noqa: SIM905


@dataclass(slots=True)
class _Known:
    """A question with what answers it, and what must not come back with it. `until`: past it, nothing is expected."""

    question: str
    answer: str
    scope: Scope
    gone: tuple[str, ...] = ()
    until: datetime | None = None


@dataclass(slots=True)
class Rates:
    """Counts of a run, and the rates they make."""

    asked: int = 0
    answered: int = 0
    returned: int = 0
    false: int = 0
    leaked: int = 0
    worst: list[str] = field(default_factory=list)

    def millionths(self) -> dict[str, int]:
        """Return the three rates."""
        return {
            "accuracy": _rate(self.answered, self.asked),
            "false_recall": _rate(self.false, self.returned),
            "leakage": _rate(self.leaked, self.returned),
        }


def run(tally: Tally, *, history: Path | None = None) -> str:
    """Live through the days, ask, and compare; with `history` keep the rates in that file as well."""
    rates = Rates()
    with stage() as place, place.open() as iris:
        _live(tally, place, iris, rates)
        at = place.clock.now()
    found = rates.millionths()
    for name, value in found.items():
        tally.check(f"{name} {value} against the baseline {BASELINE[name]}", not is_worse(name, value, BASELINE[name]))
    if history is not None:
        first = keep(history, {"at": format_instant(at), "summarizer": EXTRACTIVE_NAME, **found})
        for name, value in found.items():
            tally.check(f"{name} {value} against the first run {first[name]}", not is_worse(name, value, first[name]))
    told = ", ".join(f"{name.replace('_', ' ')} {value / MILLION:.4f}" for name, value in found.items())
    return f"{told} over {rates.asked} questions and {rates.returned} answers in {_ASKED_ON[-1]} days"


def is_worse(name: str, value: int, before: int) -> bool:
    """Say whether a rate fell behind another."""
    return value < before if name in _WORSE_WHEN_LOWER else value > before


def keep(file: Path, found: Mapping[str, Any]) -> Mapping[str, int]:
    """Append a run to a file of runs and return the first one there.

    Raises:
        SettingError: the file holds something else.
    """
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    try:
        first = json.loads(lines[0]) if lines else dict(found)
        rates = {name: int(first[name]) for name in BASELINE}
    except (ValueError, KeyError, TypeError):
        raise SettingError("the file of runs holds something else; name another one") from None
    with file.open("a", encoding="utf-8") as runs:
        runs.write(json.dumps(found, sort_keys=True) + "\n")
    return rates


def _rate(part: int, whole: int) -> int:
    return (2 * MILLION * part + whole) // (2 * whole) if whole else 0


def _live(tally: Tally, place: Stage, iris: Iris, rates: Rates) -> None:
    memory = iris.for_user(tenant="acme", user="ada")
    memory.consent.grant(*BASE, "category:medical", terms=TERMS)
    known = [*_slots(memory), *_sessions(place, memory)]
    hidden = _secrets(memory)
    lost = _lost(memory)
    start = place.clock.now()
    draws = Draws("drift")
    for day in _ASKED_ON:
        place.clock.instant = start + timedelta(days=day, minutes=1)
        iris.sweep()
        memory.remember(f"Passing remark {day} about {draws.one(_THINGS)} weather")
        for one in known:
            _ask(tally, memory, one, rates, now=place.clock.now(), hidden=hidden, lost=lost, day=day)
        for word in hidden:
            _ask_in_context(tally, memory, word, day)


def _slots(memory: PersonMemory) -> Iterator[_Known]:
    """Slots that are filled, and corrected: the earlier words must not come back."""
    scope = ProfileScope(user_id="ada")
    for number in range(_SLOTS):
        thing, other = _THINGS[number % len(_THINGS)], _PLACES[(number * 5 + 1) % len(_PLACES)]
        before = f"Keeps the {thing} number {number} in {_PLACES[number % len(_PLACES)]}"
        written = memory.remember(before, subject=f"{thing} {number}")
        assert isinstance(written, Written)
        after = f"Keeps the {thing} number {number} at {other} now, in room {100 + number}"
        memory.revise(written.entry.logical_id, after)
        yield _Known(f"where is the {thing} number {number} room {100 + number}", after, scope, gone=(before,))


def _sessions(place: Stage, memory: PersonMemory) -> Iterator[_Known]:
    """What was said in sessions: raw for a day, in a summary until the thirtieth, then gone."""
    until = place.clock.now() + timedelta(days=30)
    for number in range(_SESSIONS):
        scope = SessionScope(user_id="ada", session_id=f"s{number}")
        place_name, day = _PLACES[number % len(_PLACES)], 3 + number
        said = f"Travels to {place_name} on {day} May with {number + 2} suitcases."
        memory.remember(said, scope=scope)
        memory.remember(f"Dislikes the noise of {_THINGS[number]} fairs.", scope=scope)
        yield _Known(f"travels to {place_name} in May suitcases", said, scope, until=until)


def _secrets(memory: PersonMemory) -> list[str]:
    """Sensitive matters, said in the same sessions."""
    for number, word in enumerate(_SECRET[:_SECRETS]):
        scope = SessionScope(user_id="ada", session_id=f"s{number}")
        memory.remember(f"Has been on {word} since 20{10 + number}.", scope=scope, category=Category.MEDICAL)
        memory.remember(f"The doctor watches the {word}", category=Category.MEDICAL)
    return _SECRET[:_SECRETS]


def _lost(memory: PersonMemory) -> list[str]:
    """Memories that were forgotten: they must never come back."""
    lost = []
    for number in range(_FORGOTTEN):
        said = f"Once lent the {_THINGS[number]} number {number} to a neighbour"
        written = memory.remember(said)
        assert isinstance(written, Written)
        memory.forget(written.entry.logical_id, scan=False)
        lost.append(said)
    return lost


def _ask(
    tally: Tally,
    memory: PersonMemory,
    one: _Known,
    rates: Rates,
    *,
    now: datetime,
    hidden: list[str],
    lost: list[str],
    day: int,
) -> None:
    bodies = [hit.entry.body for hit in memory.recall(one.question, scope=one.scope).hits]
    is_over = one.until is not None and one.until <= now
    if not is_over:
        rates.asked += 1
        rates.answered += any(one.answer in body for body in bodies[:FIRST_FEW])
    false = [body for body in bodies if body in one.gone or body in lost or (is_over and one.answer in body)]
    leaked = [body for body in bodies if any(word in body for word in hidden)]
    rates.returned += len(bodies)
    rates.false += len(false)
    rates.leaked += len(leaked)
    tally.check(f"day {day}: nothing that is gone comes back", not false)
    tally.check(f"day {day}: nothing sensitive outside its context", not leaked)


def _ask_in_context(tally: Tally, memory: PersonMemory, word: str, day: int) -> None:
    """In its own context a sensitive matter is there: an empty memory would leak nothing either."""
    ask = partial(memory.recall, f"what about {word}", contexts=[Context.HEALTH])
    found = any(word in hit.entry.body for hit in ask().hits)
    tally.check(f"day {day}: a sensitive matter is there in its own context", found)
