"""Decay: recency against exact values of exp(-age / 30 days), computed here with decimals of 50 digits.

30 days is the time constant: there the value is 1/e. The half-life is 30 ln 2 = 20.794 days. Age runs from the last
use, else from the last change, and is floored to the minute.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from iris_memory.contracts.entry import Origin
from iris_memory.contracts.recall import RecallHit
from iris_memory.contracts.scope import NotebookScope
from iris_memory.evals.entries import entry_of, request_of, sentence_drawn
from iris_memory.evals.expected import Situation
from iris_memory.evals.stage import BASE, DAWN, ROOMY, TERMS, Draws, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_EXACT: Final = Context(prec=50, rounding=ROUND_HALF_UP)
_MINUTES: Final = Decimal(30 * 24 * 60)
_ORIGIN: Final = {
    "user-stated": 1_000_000,
    "user-confirmed": 900_000,
    "summarized-from-session": 750_000,
    "imported": 700_000,
    "model-inferred": 500_000,
    "operator-copilot": 400_000,
}
_KNOWN: Final = (
    (timedelta(0), 1_000_000),
    (timedelta(days=30), 367_879),
    (timedelta(days=60), 135_335),
    (timedelta(days=90), 49_787),
    (timedelta(days=20, hours=19, minutes=4), 500_000),
    (timedelta(days=20.8), 499_907),
    (timedelta(days=41, hours=14, minutes=8), 250_000),
    (timedelta(days=-3), 1_000_000),
    (timedelta(days=435), 1),
    (timedelta(days=436), 0),
    (timedelta(days=4_000), 0),
)
"""Values looked up elsewhere, so that the decimals below are checked too."""

_AGES, _TIMELINES = 1_500, 12


def run(tally: Tally) -> str:
    """Look at known ages, at drawn ones, and at memories of a store that are used now and then."""
    _ages(tally)
    _order(tally)
    with stage() as place, place.open() as iris:
        _timelines(tally, place, iris)
    return f"{_AGES} ages to the minute against decimals, {len(_KNOWN)} known ones; {_TIMELINES} timelines of use"


def exact(age: timedelta) -> int:
    """Return the recency of an age in millionths, rounded half up."""
    minutes = max(age // timedelta(minutes=1), 0)
    value = _EXACT.exp(_EXACT.divide(Decimal(-minutes), _MINUTES))
    return int(_EXACT.multiply(value, Decimal(1_000_000)).to_integral_value(rounding=ROUND_HALF_UP))


def _ages(tally: Tally) -> None:
    pipeline = RecallPipeline(RecallOptions(budgets=dict.fromkeys(ROOMY, 10000)))
    draws, now = Draws("decay"), DAWN + timedelta(days=9_000)
    ages = [age for age, _ in _KNOWN]
    ages += [timedelta(minutes=draws.below(460 * 24 * 60), microseconds=draws.below(60_000_000)) for _ in range(_AGES)]
    used = [draws.chance(2) for _ in ages]
    world = [
        # where it was used, its change lies further back and must not count
        entry_of(
            f"{place:05}",
            updated_at=now - age - timedelta(days=100 if is_used else 0),
            last_referenced_at=now - age if is_used else None,
            reference_count=draws.below(25),
            origin=Origin(draws.one(tuple(_ORIGIN))),
        )
        for place, (age, is_used) in enumerate(zip(ages, used, strict=True))
    ]
    hits = {hit.entry.id: hit for hit in pipeline.resolve(world, request_of(Situation(), now=now)).hits}
    for place, (entry, age) in enumerate(zip(world, ages, strict=True)):
        parts, wanted = hits[entry.id].score_parts, exact(age)
        tally.same(f"{age} old", parts.recency, wanted)
        tenths = min(entry.reference_count, 10) * 100_000
        tally.same(f"used {entry.reference_count} times", parts.reference_count, tenths)
        score = 400 * wanted + 150 * tenths + 100 * _ORIGIN[entry.origin.value]
        tally.same(f"score {place}", hits[entry.id].score, score)
    for age, known in _KNOWN:
        tally.same(f"{age} is known", exact(age), known)


def _order(tally: Tally) -> None:
    """Whatever else is the same, the more recent is never ranked below; ties go by change, then by id."""
    pipeline, draws = RecallPipeline(RecallOptions(budgets=ROOMY)), Draws("order")
    for world in range(20):
        now = DAWN + timedelta(days=600)
        entries = [
            entry_of(
                f"{place:03}",
                body=sentence_drawn(draws),
                updated_at=now - timedelta(minutes=draws.below(200_000)),
                reference_count=draws.below(14),
            )
            for place in range(60)
        ]
        hits = pipeline.resolve(entries, request_of(Situation(), text="violin winter", now=now)).hits
        ranks = [(-hit.score, -hit.entry.updated_at.timestamp(), hit.entry.id) for hit in hits]
        tally.same(f"order {world}", ranks, sorted(ranks))


def _timelines(tally: Tally, place: Stage, iris: Iris) -> None:
    memory = iris.for_user(tenant="acme", user="ada")
    memory.consent.grant(*BASE, terms=TERMS)
    draws = Draws("timelines")
    names = []
    for number in range(_TIMELINES):
        written = memory.remember(f"timeline {number}", scope=_notebook(number))
        assert written.outcome == "written"
        names.append(written.entry.logical_id)
    last = dict.fromkeys(names, place.clock.now())
    uses = dict.fromkeys(names, 0)
    for day in range(1, 100):
        place.clock.advance(days=1, seconds=draws.below(600))
        number = draws.below(_TIMELINES)
        # some are used often, some seldom, the last never
        if number < _TIMELINES - 1 and draws.below(_TIMELINES) >= number:
            found = memory.recall(scope=_notebook(number))
            tally.same(f"day {day}: the one that was asked for", _names(found.hits), [names[number]])
            last[names[number]], uses[names[number]] = place.clock.now(), uses[names[number]] + 1
            iris.flush()
        if day % 9 == 0:
            _compare(tally, place, memory, last, uses, day)
    place.clock.advance(days=20, hours=19, minutes=4)
    _compare(tally, place, memory, last, uses, 120)
    tally.check(
        "some memory was used more than ten times, some never", max(uses.values()) > 10 > min(uses.values()) == 0
    )


def _compare(
    tally: Tally, place: Stage, memory: PersonMemory, last: dict[str, datetime], uses: dict[str, int], day: int
) -> None:
    for name, at in last.items():
        told = memory.explain(name)
        recency, used = exact(place.clock.now() - at), min(uses[name], 10) * 100_000
        parts = (told.score_parts.recency, told.score_parts.reference_count, told.score_parts.origin)
        tally.same(f"day {day}: parts after {uses[name]} uses", parts, (recency, used, _ORIGIN["user-stated"]))
        tally.same(f"day {day}: score", told.score, 400 * recency + 150 * used + 100 * _ORIGIN["user-stated"])
        tally.same(f"day {day}: count", memory.show(name)[1].reference_count, uses[name])


def _notebook(number: int) -> NotebookScope:
    # each lives in a notebook of its own, so that asking there uses it and no other
    return NotebookScope(user_id="ada", notebook_id=f"n{number}")


def _names(hits: tuple[RecallHit, ...]) -> list[str]:
    return [hit.entry.logical_id for hit in hits]
