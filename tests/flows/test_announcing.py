"""Every way to a memory tells who listens that it was written, or refused, and by which id."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from flows.stores import SteppingClock, asked, confirmed, person, refused, written
from iris_memory.contracts.events import EventName, MemoryEvent
from iris_memory.contracts.scope import NotebookScope
from iris_memory.flows.import_ import ImportWish
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

Act = Callable[[PersonMemory, Path, SteppingClock], str]


def _revised(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    tea = written(me.remember("Likes tea")).entry
    return written(me.revise(tea.logical_id, "Likes green tea")).entry.id


def _imported(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    file = folder / "notes.jsonl"
    file.write_text(json.dumps({"ref": "a", "author": "user", "text": "Likes quiet trains"}) + "\n")
    me.import_file(file, format="jsonl", wish=ImportWish(dry_run=True))
    me.import_file(file, format="jsonl", wish=ImportWish())
    return me.list().entries[0].id


def _answered(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    me.remember("Prefers a window seat", subject="seat")
    asked(me.remember("Prefers an aisle seat", subject="seat"))
    (question,) = me.questions()
    return me.answer(question.question_id, "replace", digest=question.digest).id  # type: ignore[union-attr]


def _confirmed(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    return str(confirmed(me, "Prefers early trains").entry.id)


def _counted(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    seen = [me.inbox.observe("Prefers early trains", label="user-typed", session=f"s{n}") for n in range(3)]
    return written(seen[-1]).entry.id  # type: ignore[arg-type]


def _moved(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    tea = written(me.remember("Likes tea")).entry
    return written(me.change_scope(tea.logical_id, NotebookScope(user_id="ada", notebook_id="n"))).entry.id


def _rolled_back(me: PersonMemory, folder: Path, clock: SteppingClock) -> str:
    tea = written(me.remember("Likes tea")).entry
    then = clock.step(timedelta(minutes=5))
    me.revise(tea.logical_id, "Likes rum")
    clock.step(timedelta(minutes=5))
    me.inbox.roll_back(then)
    return me.list().entries[0].id


@pytest.mark.parametrize("act", [_revised, _imported, _answered, _confirmed, _counted, _moved, _rolled_back])
def test_what_is_written_is_told(act: Act, me: PersonMemory, iris: Iris, tmp_path: Path, clock: SteppingClock) -> None:
    heard = iris.instruments.people.events.subscribe("acme", "ada")
    name = act(me, tmp_path, clock)
    told: list[MemoryEvent] = heard.take()
    last = [event for event in told if event.name is EventName.MEMORY_WRITTEN][-1]
    assert (last.object_ids, last.counts) == ((name,), {"written": 1})


def test_what_is_refused_is_told(me: PersonMemory, iris: Iris) -> None:
    tea = written(me.remember("Likes tea")).entry
    me.pause()
    heard = iris.instruments.people.events.subscribe("acme", "ada")
    refused(me.revise(tea.logical_id, "Likes rum"))
    (event,) = heard.take()
    assert (event.name, event.code, event.counts) == (EventName.MEMORY_REFUSED, "off-the-record", {"off-the-record": 1})


def test_keeping_what_was_there_writes_nothing(me: PersonMemory, iris: Iris) -> None:
    me.remember("Prefers a window seat", subject="seat")
    me.remember("Prefers an aisle seat", subject="seat")
    (question,) = me.questions()
    heard = iris.instruments.people.events.subscribe("acme", "ada")
    me.answer(question.question_id, "keep", digest=question.digest)
    assert heard.take() == []
    assert person(iris).list(limit=0).total == 1
