"""REL-6, LOG-1: eight processes on one person and one tenant lose nothing, fork nothing, and agree on what stands."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from flows.stores import chain, open_store, person, remembered, sound, written
from reliability.lives import said
from reliability.nursery import Nursery

PROCESSES, TIMES = 8, 15


def test_eight_writers(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    with open_store(folder) as iris:
        shared = written(person(iris).remember("shared by nobody yet")).entry
    logs = [tmp_path / f"log-{number}" for number in range(PROCESSES)]
    jobs = [
        ("lives:crowd", {"folder": str(folder), "log": str(log), "number": number, "times": TIMES})
        for number, log in enumerate(logs)
    ]
    with Nursery() as nursery:
        assert nursery.run_all(jobs) == [0] * PROCESSES
    lines = [line for log in logs for line in said(log)]
    with open_store(folder) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        assert {words for act, _, words in lines if act == "remember"} <= remembered(me)
        assert me.list(limit=0).total == PROCESSES * TIMES + 1
        history = me.history(shared.logical_id)
        won = [(seen, words) for act, seen, words in lines if act == "revise"]
        stale = [seen for act, seen, _ in lines if act == "stale"]
        assert len(won) + len(stale) == PROCESSES * TIMES
        assert len(history) == len(won) + 1
        assert [entry.revision for entry in history] == list(range(1, len(history) + 1))
        assert {(before.id, after.body) for before, after in pairwise(history)} == set(won), (
            "each saw what it corrected"
        )
        assert len({seen for seen, _ in won}) == len(won), "no revision has two successors"
        events = chain(iris)
        assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
        told = [name for event in events if event["action"] == "memory.written" for name in event["object_ids"]]
        assert len(told) == len(set(told)) == PROCESSES * TIMES + 1
        assert sum(event["action"] == "memory.revised" for event in events) == len(won)
        assert sum(event["action"] == "memory.refused" for event in events) == len(stale)
        sound(iris)


def test_eight_who_open_a_new_store(tmp_path: Path) -> None:
    """All at once, with no store and no key there: they make one, and each can read what the others wrote."""
    folder, log = tmp_path / "memory", tmp_path / "log"
    with Nursery() as nursery:
        for turn in range(4):
            place, told = Path(f"{folder}-{turn}"), Path(f"{log}-{turn}")
            jobs = [
                ("lives:open_new", {"folder": str(place), "log": str(told), "number": number})
                for number in range(PROCESSES)
            ]
            assert nursery.run_all(jobs) == [0] * PROCESSES
            lines = said(told)
            assert len({store for store, _ in lines}) == 1
            assert len({name for _, name in lines}) == PROCESSES
            keys = list(Path(f"{place}-config").rglob("*.key"))
            assert len(keys) == 1
            assert keys[0].stat().st_mode & 0o777 == 0o600
            assert not list(Path(f"{place}-config").rglob(".*.key.*"))
            assert not list(place.glob(".store-*"))
