"""REL-1: killed at a random moment a hundred times, a store has every acknowledged write and nothing half-written.

The death of a process loses nothing of the page cache, so the store lies in memory where it can: more acts a life.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.stores import open_store, person, sound
from reliability.lives import said
from reliability.nursery import Nursery

ROUNDS = 100


class Expected:
    """What must be there, and what may be: the one act that was begun and not acknowledged."""

    def __init__(self) -> None:
        self.wordings: dict[str, list[str]] = {}
        self.gone: set[str] = set()

    def take(self, lines: list[list[Any]]) -> list[Any] | None:
        """Take in what a life acknowledged; return the act that was in flight when it ended."""
        pending: list[Any] | None = None
        for when, act, name, words in lines:
            if when == "try":
                pending = [act, name, words]
                continue
            pending = None
            if act == "remember":
                self.wordings[name] = [words]
            elif act == "batch":
                self.wordings.update({one: [text] for one, text in zip(name, words, strict=True)})
            elif act == "revise":
                self.wordings[name].append(words)
            else:
                del self.wordings[name]
                self.gone.add(name)
        return pending

    def settle(self, pending: list[Any] | None, found: dict[str, list[str]]) -> None:
        """Accept what the unacknowledged act may have done, wholly or not at all."""
        if pending is None:
            return
        act, name, words = pending
        if act in {"remember", "batch"}:
            wanted = [words] if act == "remember" else words
            new = {one: texts for one, texts in found.items() if one not in self.wordings}
            assert sorted(texts[0] for texts in new.values()) in ([], sorted(wanted)), "a batch is all or nothing"
            self.wordings.update(new)
        elif act == "revise" and found.get(name) == [*self.wordings[name], words]:
            self.wordings[name].append(words)
        elif act == "forget" and name not in found:
            del self.wordings[name]
            self.gone.add(name)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder on the quickest disk there is."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_a_hundred_deaths(place: Path) -> None:
    folder, chance, expected = place / "memory", random.Random(20260301), Expected()
    with open_store(folder) as iris:
        person(iris)
    acknowledged = deaths = 0
    with Nursery() as nursery:
        for number in range(ROUNDS):
            log = place / f"log-{number}"
            names = sorted(expected.wordings)
            given = {"folder": str(folder), "log": str(log), "seed": number, "names": names}
            # one in ten dies while it opens the store, the others in the middle of their work
            work = 0 if number % 10 == 3 else chance.randrange(1, 28)
            code = nursery.run("lives:live", kill_after=chance.uniform(0, 0.012), lines=work, **given)
            deaths += code == -9
            lines = said(log)
            acknowledged += sum(line[0] == "done" for line in lines)
            pending = expected.take(lines)
            with open_store(folder) as iris:
                me = iris.for_user(tenant="acme", user="ada")
                listed = me.list(limit=100_000).entries
                found = {
                    entry.logical_id: [entry.body]
                    if entry.revision == 1
                    else [one.body for one in me.history(entry.logical_id)]
                    for entry in listed
                }
                expected.settle(pending, found)
                assert found == expected.wordings, f"after death {number}"
                assert not expected.gone & set(found)
                if number % 20 == 19:
                    sound(iris)
    assert deaths == ROUNDS
    assert acknowledged > 5 * ROUNDS
    with open_store(folder) as iris:
        sound(iris)
        with iris.instruments.store.read() as reading:
            subject = iris.instruments.people.get("acme", "ada").person
            stones = {stone.logical_id for stone in reading.tombstones("acme", subject)}
        assert stones == expected.gone
