"""REL-4: no room, no rights, no file: a clear error, no loss, and work goes on when the trouble is over."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.stores import KEY, SteppingClock, open_store, person, sound
from iris_memory.errors import StoreMissingError, StoreReadOnlyError
from iris_memory.front.iris import Iris
from reliability.lives import said
from reliability.nursery import Nursery


@pytest.mark.parametrize("room", [0, 4_096, 40_000, 300_000])
def test_a_full_disk(room: int, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that is full: what was acknowledged is there, the rest is not."""
    folder, log = tmp_path / "memory", tmp_path / "log"
    with open_store(folder, clock=SteppingClock()) as iris:
        person(iris).remember("first of all")
    with Nursery() as nursery:
        assert nursery.run("lives:fill_up", folder=str(folder), log=str(log), room=room) == 0
    lines = said(log)
    full = [line for line in lines if line[0] == "full"]
    assert len(full) >= 3
    assert {kind for _, kind, _ in full} == {"StoreFullError"}
    assert all("free some space" in message for _, _, message in full)
    done = {name: words for what, name, words in (line for line in lines if line[0] == "done")}
    with open_store(folder) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        found = {entry.logical_id: entry.body for entry in me.list(limit=10_000).entries}
        assert {name: found[name] for name in done} == done
        assert len(found) == len(done) + 1, "nothing that failed is there in part"
        sound(iris)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that everybody may walk to."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o777)
    yield place
    for path in [place, *place.rglob("*")]:
        path.chmod(0o700)
    shutil.rmtree(place)


def test_a_folder_that_cannot_be_written(open_place: Path) -> None:
    folder, log = open_place / "memory", open_place / "log"
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    every = [folder, *folder.rglob("*")]
    for path in every:
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
        path.chmod(0o500 if path.is_dir() else 0o400)
    with Nursery() as nursery:
        assert nursery.run("lives:open_without_rights", folder=str(folder), log=str(log)) == 0
    assert [kind for kind, _ in said(log)] == ["StoreReadOnlyError", "StoreReadOnlyError"]
    assert all("check its owner and mode" in message for _, message in said(log))
    for path in every:
        path.chmod(0o700 if path.is_dir() else 0o600)
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total == 1
        sound(iris)


def test_a_new_store_where_nothing_can_be_made(open_place: Path) -> None:
    locked, log = open_place / "locked", open_place / "log"
    locked.mkdir()
    locked.chmod(0o555)
    with Nursery() as nursery:
        assert nursery.run("lives:open_without_rights", folder=str(locked / "memory"), log=str(log)) == 0
    assert [kind for kind, _ in said(log)] == ["StoreMissingError", "StoreReadOnlyError"]


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a store")
    for place in (tmp_path / "file", tmp_path / "file" / "deeper"):
        for create in (False, True):
            with pytest.raises(StoreReadOnlyError):
                Iris.open(place, key=KEY, create=create, tended=False)


def test_nothing_is_made_where_nothing_may_be(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match="iris init"):
        Iris.open(tmp_path / "memory", key=KEY, create=False, tended=False)
    assert list(tmp_path.iterdir()) == []
