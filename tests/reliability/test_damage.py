"""REL-5: a damaged file, a wrong key or a foreign part is noticed; what is served is what was written, or nothing."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from flows.stores import KEY, SteppingClock, open_store, person, sound, written
from iris_memory.errors import (
    IrisError,
    KeyMissingError,
    KeyWrongError,
    SettingError,
    StorageError,
    StoreCorruptError,
    StoreVersionError,
)
from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey, KeyFile

FACTS = 60


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store with some memories, corrections, consents and a few forgotten things."""
    folder = tmp_path_factory.mktemp("damage") / "memory"
    with open_store(folder, clock=SteppingClock()) as iris:
        me = person(iris)
        for number in range(FACTS):
            entry = written(me.remember(f"Fact {number} " + "filler " * 20)).entry
            if number % 7 == 0:
                me.revise(entry.logical_id, f"Corrected {number}")
        me.forget(me.list(limit=1).entries[0].logical_id, scan=False)
    return folder


def known(folder: Path) -> tuple[set[str], int]:
    """What a store says: its memories and the length of its chain."""
    with open_store(folder, clock=SteppingClock()) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        facts = {entry.body for entry in me.list(limit=1_000).entries}
        for entry in me.list(limit=1_000).entries:
            me.history(entry.logical_id)
        return facts, iris.verify_audit(tenant="acme").report.size


def examined(folder: Path) -> set[str] | None:
    """Return what a store serves, or None where it says that something is wrong with it."""
    try:
        with open_store(folder, clock=SteppingClock()) as iris:
            me = iris.for_user(tenant="acme", user="ada")
            served = {entry.body for entry in me.list(limit=1_000).entries}
            for entry in me.list(limit=1_000).entries:
                me.history(entry.logical_id)
            if not all(finding.ok for finding in iris.doctor()) or not iris.verify_audit(tenant="acme").ok:
                return None
            return served
    except IrisError:
        return None


@pytest.mark.parametrize("part", ["data/iris.db", "vault/vault.db"])
def test_flipped_bytes_are_never_served(part: str, model: Path, tmp_path: Path) -> None:
    chance = random.Random(f"flip {part}")
    facts, _ = known(shutil.copytree(model, tmp_path / "sound"))
    noticed = 0
    for number in range(40):
        folder = shutil.copytree(model, tmp_path / f"flipped-{number}")
        path = folder / part
        data = bytearray(path.read_bytes())
        for _ in range(chance.choice([1, 1, 16])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        served = examined(folder)
        noticed += served is None
        assert served is None or served == facts, f"flip {number} was served"
        shutil.rmtree(folder)
    assert noticed >= 10


@pytest.mark.parametrize("part", ["data/iris.db", "vault/vault.db"])
def test_a_wiped_page_is_noticed(part: str, model: Path, tmp_path: Path) -> None:
    facts, _ = known(shutil.copytree(model, tmp_path / "sound"))
    pages = (model / part).stat().st_size // 4_096
    noticed = 0
    for page in range(0, pages, max(1, pages // 12)):
        folder = shutil.copytree(model, tmp_path / f"wiped-{page}")
        with (folder / part).open("r+b") as handle:
            handle.seek(page * 4_096)
            handle.write(bytes(4_096))
        served = examined(folder)
        noticed += served is None
        assert served is None or served == facts
        shutil.rmtree(folder)
    assert noticed >= 6


@pytest.mark.parametrize("part", ["data/iris.db", "vault/vault.db"])
@pytest.mark.parametrize("left", [0, 1, 100, 4_096, 10_000])
def test_a_cut_file_is_noticed(part: str, left: int, model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "cut")
    path = folder / part
    path.write_bytes(path.read_bytes()[:left])
    assert examined(folder) is None


def test_a_damaged_page_is_a_clear_error(model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "memory")
    path = folder / "data" / "iris.db"
    path.write_bytes(b"SQLite format 3\x00" + bytes(len(path.read_bytes()) - 16))
    with pytest.raises(StorageError) as caught:
        open_store(folder)
    assert str(tmp_path) not in str(caught.value)


def test_a_wrong_key_opens_nothing_and_changes_nothing(model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "memory")
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for wrong in (FixedKey(bytes(32)), FixedKey(KEY.root_key()[::-1])):
        with pytest.raises(KeyWrongError):
            open_store(folder, key=wrong)
    after = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size}
    assert after == {path: data for path, data in before.items() if data}
    with open_store(folder) as iris:
        sound(iris)


def test_a_missing_key_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "memory"
    Iris.open(folder, tended=False).close()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(KeyMissingError, match="restore"):
        Iris.open(folder, tended=False)
    assert not (tmp_path / "elsewhere").exists(), "no new key is made for a store that has one"
    with pytest.raises(KeyMissingError):
        open_store(folder, key=KeyFile(tmp_path / "nowhere.key"))


def test_a_key_file_of_everybody_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRIS_KEY_FILE", str(tmp_path / "root.key"))
    Iris.open(tmp_path / "memory", tended=False).close()
    (tmp_path / "root.key").chmod(0o644)
    with pytest.raises(SettingError, match="0600"):
        Iris.open(tmp_path / "memory", tended=False)


def test_a_missing_vault_is_a_clear_error(model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "memory")
    shutil.rmtree(folder / "vault")
    with pytest.raises(KeyMissingError, match="vault"):
        open_store(folder)
    assert not (folder / "vault").exists(), "no empty vault is put in its place"


def test_a_foreign_vault_opens_nothing(model: Path, tmp_path: Path) -> None:
    """The vault of another store, under the same root key: nothing of this one is readable and nothing is served."""
    folder = shutil.copytree(model, tmp_path / "memory")
    other = tmp_path / "other"
    with open_store(other, clock=SteppingClock()) as iris:
        person(iris)
    shutil.copy(other / "vault" / "vault.db", folder / "vault" / "vault.db")
    assert examined(folder) is None


def test_a_store_of_the_future_is_left_alone(model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "memory")
    marker = folder / "store.json"
    fields = json.loads(marker.read_text())
    for text, error in (
        (json.dumps({**fields, "layout": 2}), StoreVersionError),
        (json.dumps({**fields, "store_id": "../../x"}), StoreCorruptError),
        (json.dumps({"layout": 1}), StoreCorruptError),
        ("", StoreCorruptError),
        ("[]", StoreCorruptError),
        ("\x00\xff", StoreCorruptError),
    ):
        marker.write_text(text)
        with pytest.raises(error):
            open_store(folder)
    marker.write_text(json.dumps(fields))
    with open_store(folder) as iris:
        sound(iris)
