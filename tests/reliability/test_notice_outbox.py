"""AUT-9: a process dies between a read, its notice and the delivery; the person is told at least once all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from flows.inspecting import as_, bodies, granted_incident
from flows.stores import KEY, person, sound
from iris_memory.contracts.inspection import UserNotice
from iris_memory.front.iris import Iris

TESTS = Path(__file__).parents[1]


def run(script: str, *words: object) -> int:
    """Run a script of the tests in a process of its own; return how it ended."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / script), *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=False,
        timeout=120,
    )
    return done.returncode


def test_a_kill_between_notice_and_delivery_tells_the_person_again(tmp_path: Path) -> None:
    store, mailbox = tmp_path / "store", tmp_path / "mailbox"
    with Iris.open(store, key=KEY, tended=False) as iris:
        me = person(iris, consents=["category:safety"])
        me.remember("Asked for help after threats", category="safety")
        granted = granted_incident(iris)
        assert bodies(as_(iris, "t&s").read(granted.inspection_id))
    for times in (1, 2):
        assert run("notice_lives.py", store, mailbox) == -signal.SIGKILL
        assert mailbox.read_text().split() == [granted.inspection_id] * times, "delivered again, under the same id"
    with Iris.open(store, key=KEY, tended=False) as iris:
        (notice,) = as_(iris, "legal").pending_user_notices()
        assert (notice.notice_id, notice.user_id) == (granted.inspection_id, "ada")
        told: list[object] = []
        assert as_(iris, "legal").deliver_pending(told.append) == 1
        assert isinstance(told[0], UserNotice)
        assert as_(iris, "legal").pending_user_notices() == []
        sound(iris)
