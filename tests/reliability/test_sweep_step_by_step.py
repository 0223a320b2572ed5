"""A kill between every two steps of a sweep, and at some moment within them: run again, it ends where it would have."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.stores import SteppingClock, open_store, person, sound, written
from iris_memory.contracts.entry import Origin
from iris_memory.contracts.scope import CrisisScope, SessionScope
from iris_memory.front.iris import Iris
from reliability.nursery import Nursery
from reliability.searching import search, spellings
from reliability.sweep_lives import LATER

CANARY = "Zanzibar quokka"
USERS = ("ada", "bob")
SAID = 8


def prepare(folder: Path) -> None:
    """Make a store with two people, sessions that are due, a canary that was asked to end, and what is to be kept."""
    clock = SteppingClock()
    with open_store(folder, clock=clock) as iris:
        for user in USERS:
            me = person(iris, user)
            for number in range(SAID):
                scope = SessionScope(user_id=user, session_id=f"s{number // 4}")
                written(me.remember(f"Counted {number} lamps for {user}.", scope=scope))
            session = SessionScope(user_id=user, session_id="s9")
            written(me.remember(f"{CANARY} of {user}", scope=session, expires_at=LATER - (LATER - clock.now()) / 2))
            written(me.remember("Likes tea"))
            written(me.remember("Call number 4.", scope=CrisisScope(user_id=user, session_id="s")))


def check_swept(folder: Path) -> None:
    """Open a store that was swept in part, sweep it to the end, and look at what is there."""
    with open_store(folder, clock=SteppingClock(LATER)) as iris:
        sound(iris)
        iris.sweep()
        _check(iris)
        again = iris.sweep()
        assert (again.summaries, again.ended, again.files_scrubbed) == (0, 0, True)
        sound(iris)
        assert iris.instruments.store.problems() == []
    assert search(folder, {"text": spellings(CANARY)}) == {}


def _check(iris: Iris) -> None:
    for user in USERS:
        entries = iris.for_user(tenant="acme", user=user).list(limit=100).entries
        condensed = [one for one in entries if one.origin is Origin.SUMMARIZED_FROM_SESSION]
        rest = sorted(one.body for one in entries if one not in condensed)
        assert rest == ["Call number 4.", "Likes tea"]
        lines = sorted(line for one in condensed for line in one.body.splitlines())
        assert lines == sorted(f"Counted {number} lamps for {user}." for number in range(SAID)), "each once, none lost"


def test_killed_at_every_step(tmp_path: Path) -> None:
    model = tmp_path / "model"
    prepare(model)
    tried = 0
    with Nursery() as nursery:
        for step in range(1, 200):
            folder = tmp_path / f"step-{step}"
            shutil.copytree(model, folder)
            code = nursery.run("sweep_lives:sweep_in_step", folder=str(folder), end_at=step)
            assert code in {0, 9}
            check_swept(folder)
            shutil.rmtree(folder)
            if code == 0:
                break
            tried += 1
        else:
            raise AssertionError("it never came to its end")
    assert tried >= 20, "too few steps were tried"


@pytest.mark.parametrize("after", [0.0, 0.002, 0.005, 0.01, 0.02])
def test_killed_from_outside_at_some_moment(after: float, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    prepare(folder)
    log = tmp_path / "log"
    with Nursery() as nursery:
        code = nursery.run(
            "sweep_lives:sweep_until_killed", kill_after=after, lines=2, folder=str(folder), log=str(log)
        )
    assert code in {0, -9}
    check_swept(folder)
