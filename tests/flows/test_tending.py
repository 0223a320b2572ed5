"""The small chores: done by the keeper without being asked, done at the end, and done at once in the strict profile."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.stores import DAY, SteppingClock, actions, asked, open_store, person, remembered, sound, written
from iris_memory.errors import StorageError
from iris_memory.flows.tend import hourly, overdue
from iris_memory.storage.sqlite.transaction import SqliteTransaction

PATIENCE = 30.0


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until something holds; say whether it came to hold at all."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def test_the_keeper_tends_the_store(folder: Path) -> None:
    """Within a second or so: marks are written, commits made durable, heads signed and copied outside."""
    with open_store(folder, tended=True) as iris:
        me = person(iris)
        entry = written(me.remember("Likes tea")).entry
        me.recall("tea")
        assert eventually(lambda: me.list().entries[0].reference_count == 1)
        assert eventually(lambda: not iris.instruments.store.is_unsynced())
        assert eventually(lambda: iris.instruments.heads.kept("acme") is not None)
        assert entry.reference_count == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "iris-keeper"]


def test_the_keeper_outlives_a_failure(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), open_store(folder, tended=True) as iris:
        me = person(iris)
        store = iris.instruments.store
        plain, failures = store.sync, []

        def broken() -> None:
            failures.append(True)
            if len(failures) > 1:
                del store.sync  # type: ignore[attr-defined]
            raise StorageError("the words of somebody")

        store.sync = broken  # type: ignore[method-assign]
        me.recall("tea")
        assert eventually(lambda: len(failures) > 1 and not store.is_unsynced())
        assert plain
    assert "StorageError" in caplog.text
    assert "somebody" not in caplog.text


UNCLOSED = """
import sys, pathlib
from flows.stores import open_store, person
iris = open_store(pathlib.Path(sys.argv[1]), tended=True)
me = person(iris)
me.remember("Likes tea")
me.recall("tea")
"""


def test_a_program_that_ends_without_closing_closes(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNCLOSED, str(folder)], cwd=Path(__file__).parents[1], check=False, timeout=120
    )
    assert done.returncode == 0
    (note,) = [path.read_text() for path in (folder / "heads").glob("*.note")]
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").list().entries[0].reference_count == 1
        assert int(note.split("\n")[1]) == len(actions(iris)) - 1, "the head covers all but what was read just now"
        sound(iris)


@pytest.mark.parametrize("durability", ["default", "strict"])
def test_when_a_recall_answers(durability: str, folder: Path) -> None:
    """By default once its event is committed; strict, once it is on the disk."""
    with open_store(folder, audit_durability=durability) as iris:
        me = person(iris)
        me.remember("Likes tea")
        assert not iris.instruments.store.is_unsynced()
        me.recall("tea")
        assert iris.instruments.store.is_unsynced() is (durability == "default")
        assert actions(iris)[-1] == "memory.recall.resolved"


def test_what_is_due_is_done_at_opening(folder: Path) -> None:
    """A store that was closed for a month: the draft nobody answered for has gone, the old answers too."""
    clock = SteppingClock()
    with open_store(folder, clock=clock) as iris:
        me = person(iris)
        me.remember("Prefers a window seat", subject="seat", idempotency_key="k")
        asked(me.remember("Prefers an aisle seat", subject="seat"))
        assert overdue(iris.instruments) == 0
    clock.step(30 * DAY)
    with open_store(folder, clock=clock) as iris:
        assert remembered(iris.for_user(tenant="acme", user="ada")) == {"Prefers a window seat"}
        assert hourly(iris.instruments) == 0
        sound(iris)


def test_a_chain_that_fails_fails_the_call(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LOG-8: what cannot be told is not done and not answered; afterwards nothing of it is there."""
    with open_store(folder) as iris:
        me = person(iris)
        entry = written(me.remember("Likes tea", subject="drink")).entry
        asked(me.remember("Likes gin", subject="drink"))
        (question,) = me.questions()

        def refuse(*given: object) -> None:
            raise StorageError("the chain cannot be written")

        before = actions(iris)
        with monkeypatch.context() as broken:
            broken.setattr(SqliteTransaction, "append_audit", refuse)
            for call in (
                lambda: me.remember("Likes rum"),
                lambda: me.recall("tea"),
                lambda: iris.for_user(tenant="acme", user="nobody").recall("tea"),
                lambda: me.list(),
                lambda: me.show(entry.logical_id),
                lambda: me.history(entry.logical_id),
                lambda: me.questions(),
                lambda: me.revise(entry.logical_id, "Likes rum"),
                lambda: me.answer(question.question_id, "replace", digest=question.digest),
                lambda: me.forget(entry.logical_id, scan=False),
                lambda: me.erase(scan=False),
                lambda: me.consent.grant("personalization", terms="x"),
                lambda: me.consent.revoke("data_storage"),
                lambda: me.opt_out("memory"),
                lambda: me.pause(),
                lambda: iris.set_tenant_policy(tenant="acme", notebook_reaches_tenant=True),
            ):
                with pytest.raises(StorageError):
                    call()
        assert actions(iris) == before
        assert remembered(me) == {"Likes tea", "Likes gin"}
        assert me.history(entry.logical_id)[-1].body == "Likes tea"
        assert me.consent.active() == {"data_processing", "data_storage"}
        assert len(me.questions()) == 1
        assert list(me.pauses()) == []
        sound(iris)
