"""The memory a process keeps of people is bounded, also for those who are only written to or asked about once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from iris_memory import Iris
from iris_memory.flows.instruments import Caller
from iris_memory.flows.people import People
from iris_memory.front.person import PersonMemory
from iris_memory.storage.keys import FixedKey


def test_people_beyond_the_bound_are_let_go(tmp_path: Path) -> None:
    with Iris.open(tmp_path / "store", key=FixedKey(b"\x05" * 32), tended=False) as iris:
        for number in range(12):
            me = iris.for_user(tenant="acme", user=f"person-{number}")
            me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
            me.remember(f"Likes tea number {number}")
        instruments = iris.instruments
        people = People(instruments.vault, instruments.ids.secret, most_bytes=1)
        bounded = replace(instruments, people=people)
        for number in range(12):
            me = PersonMemory(bounded, Caller("acme", f"person-{number}"))
            assert [hit.entry.body for hit in me.recall("tea").hits] == [f"Likes tea number {number}"]
            assert len(people.known()) <= 2
