"""LOG-7, LOG-9: an old copy put back is noticed, and no copy of the data gives back what was forgotten."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.stores import OpenIris, asked, chain, open_store, person, remembered, sound, written
from iris_memory.errors import CheckpointError, StorageError, StoreRolledBackError, UnknownMemoryError
from reliability.searching import search, spellings

CANARY = "Zanzibar quokka"


def put_back(copy: Path, folder: Path, *parts: str) -> None:
    """Replace parts of a store by those of a copy."""
    for part in parts:
        shutil.rmtree(folder / part)
        shutil.copytree(copy / part, folder / part)


def test_an_old_copy_of_the_data_is_refused(tmp_path: Path) -> None:
    folder, copy = tmp_path / "memory", tmp_path / "copy"
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    shutil.copytree(folder, copy)
    with open_store(folder) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Likes gin")
    newest = tmp_path / "newest"
    shutil.copytree(folder, newest)
    put_back(copy, folder, "data")
    for _ in range(2):
        with pytest.raises(StoreRolledBackError, match="restore the newest copy"):
            open_store(folder)
    put_back(newest, folder, "data")
    with open_store(folder) as iris:
        assert remembered(iris.for_user(tenant="acme", user="ada")) == {"Likes tea", "Likes gin"}
        sound(iris)


def test_an_old_copy_of_the_whole_folder_is_refused_where_heads_lie_elsewhere(tmp_path: Path) -> None:
    """Heads are there to be copied elsewhere; with them, an old copy of everything else does not open."""
    folder, copy = tmp_path / "memory", tmp_path / "copy"
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    shutil.copytree(folder, copy)
    with open_store(folder) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Likes gin")
    put_back(copy, folder, "data", "vault")
    with pytest.raises(StoreRolledBackError):
        open_store(folder)


def test_another_history_of_the_same_length_is_refused(tmp_path: Path) -> None:
    folder, copy = tmp_path / "memory", tmp_path / "copy"
    with open_store(folder) as iris:
        person(iris)
    shutil.copytree(folder, copy)
    for place, words in ((folder, "Likes tea"), (copy, "Likes gin")):
        with open_store(place) as iris:
            iris.for_user(tenant="acme", user="ada").remember(words)
    put_back(copy, folder, "data", "vault")
    with pytest.raises(StoreRolledBackError):
        open_store(folder)


def test_data_that_vanished_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    shutil.rmtree(folder / "data")
    with pytest.raises(StorageError):
        open_store(folder)


def test_a_head_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    (note,) = (folder / "heads").glob("*.note")
    lines = note.read_text().split("\n")
    for changed in (["x", *lines[1:]], [lines[0], "1", *lines[2:]], [""], [*lines[:4], "— x AAAA", ""]):
        note.write_text("\n".join(changed))
        with pytest.raises((CheckpointError, StoreRolledBackError)):
            open_store(folder)
    note.write_text("\n".join(lines))
    with open_store(folder) as iris:
        sound(iris)


def test_the_newest_copy_opens(open_iris: OpenIris, folder: Path, tmp_path: Path) -> None:
    """A copy of a store that was closed is a store like the first."""
    iris = open_iris()
    person(iris).remember("Likes tea")
    iris.close()
    shutil.copytree(folder, tmp_path / "copy")
    with open_store(tmp_path / "copy") as copied:
        assert remembered(copied.for_user(tenant="acme", user="ada")) == {"Likes tea"}
        sound(copied)


@pytest.mark.parametrize("act", ["one", "everything", "erase", "keep"])
def test_a_backup_does_not_give_back_what_was_forgotten(act: str, tmp_path: Path) -> None:
    """The keys are gone from the living vault: the backup's bytes are noise, questions about the words included."""
    folder, backup = tmp_path / "memory", tmp_path / "backup"
    with open_store(folder) as iris:
        me = person(iris)
        me.remember("Likes tea")
        entry = written(me.remember(f"{CANARY} one", subject="animal")).entry
        me.revise(entry.logical_id, f"{CANARY} two")
        draft = asked(me.remember(f"{CANARY} three", subject="animal")).entry
        me.recall("quokka")
    shutil.copytree(folder, backup)
    with open_store(folder) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        (question,) = me.questions()
        if act == "keep":
            me.answer(question.question_id, "keep", digest=question.digest)
            me.forget(entry.logical_id)
        elif act == "one":
            me.forget(draft.logical_id)
            me.forget(entry.logical_id)
        elif act == "everything":
            me.forget(everything=True)
        else:
            me.erase()
    put_back(backup, folder, "data")
    shutil.rmtree(folder / "heads")  # whoever puts it back knows what would give them away
    with open_store(folder) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        expected = {"one": {"Likes tea"}, "keep": {"Likes tea"}, "everything": set(), "erase": set()}
        assert {entry.body for entry in me.list(limit=100).entries} == expected[act]
        assert {hit.entry.body for hit in me.recall("quokka").hits} == expected[act]
        assert [one for one in me.questions() if "quokka" in one.prompt] == []
        for name in (entry.logical_id, draft.logical_id):
            for verb in (me.history, me.show, me.explain):
                with pytest.raises(UnknownMemoryError):
                    verb(name)
        subject = iris.instruments.people.find("acme", "ada")
        assert (subject is None) is (act == "erase")
        told = "".join(map(str, chain(iris)))
        assert "quokka" not in told
    assert search(tmp_path, {"text": spellings(CANARY)}) == {}
