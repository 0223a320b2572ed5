"""Where the data lies is told; how to get in is not. Settings, addresses, and who holds the folder."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from flows.stores import KEY, open_store, person
from iris_memory.errors import SettingError, StoreBusyError, StoreRolledBackError, StoreVersionError
from iris_memory.wiring.addresses import Database, database_of, is_database, place_of
from iris_memory.wiring.opening import place_of_data
from iris_memory.wiring.presence import Presence
from iris_memory.wiring.settings import Profile, read_settings

SECRET = "hunter2"
URL = f"postgresql://eve:{SECRET}@db.internal:6432/iris?sslmode=verify-full&sslpassword={SECRET}"


def test_an_address_says_where_it_leads_and_not_how_to_get_in() -> None:
    shown = {
        URL: "PostgreSQL at db.internal, port 6432, database iris",
        f"host=/nowhere dbname=iris user=eve password={SECRET}": "PostgreSQL at a local socket, database iris",
        f"postgresql://eve:{SECRET}@/": "PostgreSQL at a local socket",
        f"hostaddr=10.0.0.7 password={SECRET}": "PostgreSQL at 10.0.0.7",
    }
    for address, where in shown.items():
        place = database_of(address, direct=address)
        assert place.where() == where
        assert SECRET not in repr(place) + str(place)
    for bad in (f"postgresql://eve:{SECRET}@[::bad/iris", f"password={SECRET} dbname"):
        with pytest.raises(SettingError) as caught:
            database_of(bad).where()
        assert SECRET not in str(caught.value)
        assert caught.value.__cause__ is None


def test_an_address_names_a_folder_or_a_database() -> None:
    assert place_of("sqlite:elsewhere/iris") == Path("elsewhere/iris")
    assert place_of(".iris") == Path(".iris")
    assert place_of("POSTGRES://db/iris") == Database("POSTGRES://db/iris")
    assert is_database("host=db dbname=iris")
    assert not is_database("/data=1/store")
    for bad in ("", "sqlite:", "mysql://db/iris", "sqlite://x"):
        with pytest.raises(SettingError):
            place_of(bad)
    with pytest.raises(SettingError):
        database_of("a folder")


def test_settings_of_places() -> None:
    plain = read_settings({})
    assert (plain.database, plain.heads, plain.kms_command, plain.profile) == (None, None, (), Profile.DEVELOPMENT)
    given = read_settings(
        {
            "IRIS_DATABASE_URL": URL,
            "IRIS_DATABASE_DIRECT_URL": "host=db.internal port=5432",
            "IRIS_DATABASE_POOLED": "yes",
            "IRIS_HEADS": "elsewhere/heads",
            "IRIS_KMS_COMMAND": "kms --key 'the root'",
            "IRIS_PROFILE": "production",
        }
    )
    assert given.database == Database(URL, "host=db.internal port=5432", pooled=True)
    assert (given.heads, given.kms_command) == ("elsewhere/heads", ("kms", "--key", "the root"))
    assert given.profile is Profile.PRODUCTION
    assert SECRET not in repr(given)
    for name, value in (
        ("IRIS_DATABASE_URL", f"eve:{SECRET}"),
        ("IRIS_DATABASE_POOLED", "maybe"),
        ("IRIS_KMS_COMMAND", f"kms '{SECRET}"),
        ("IRIS_PROFILE", "Production"),
    ):
        with pytest.raises(SettingError) as caught:
            read_settings({name: value})
        assert SECRET not in str(caught.value)


def test_what_is_named_comes_before_the_setting() -> None:
    settings = read_settings({"IRIS_DATABASE_URL": URL, "IRIS_DATABASE_POOLED": "yes"})
    assert place_of_data(None, settings) == Database(URL, pooled=True)
    assert place_of_data("", settings) is None
    assert place_of_data("host=elsewhere", settings) == Database("host=elsewhere", pooled=True)
    assert place_of_data(None, read_settings({})) is None


def test_a_database_that_cannot_be_reached_is_told_without_its_address(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IRIS_DATABASE_URL", f"host=/nowhere dbname=iris user=eve password={SECRET}")
    with pytest.raises(StoreBusyError) as caught:
        open_store(folder)
    assert SECRET not in str(caught.value)
    assert not (folder / "data").exists()
    with open_store(folder.with_name("other"), database="") as iris:
        assert "SQLite" in str(iris.doctor())


def test_a_store_of_a_newer_iris_elsewhere_is_not_touched(folder: Path) -> None:
    open_store(folder).close()
    marker = folder / "store.json"
    marker.write_text(json.dumps({**json.loads(marker.read_text(encoding="utf-8")), "data": "papyrus"}))
    with pytest.raises(StoreVersionError, match="upgrade"):
        open_store(folder)


def test_a_store_from_before_its_place_was_written_down_opens(folder: Path) -> None:
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    marker = folder / "store.json"
    fields = json.loads(marker.read_text(encoding="utf-8"))
    assert fields.pop("data") == "folder"
    marker.write_text(json.dumps(fields), encoding="utf-8")
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total == 1
    with pytest.raises(SettingError, match="lies in its folder"):
        open_store(folder, database="host=/nowhere")


def test_many_may_be_present_and_one_alone(tmp_path: Path) -> None:
    one, two = Presence(tmp_path), Presence(tmp_path)
    with pytest.raises(StoreBusyError, match="stop it first"):
        Presence(tmp_path, alone=True)
    one.release()
    one.release()
    two.release()
    alone = Presence(tmp_path, alone=True)
    for more in (False, True):
        with pytest.raises(StoreBusyError):
            Presence(tmp_path, alone=more)
    alone.release()
    Presence(tmp_path).release()


def test_who_is_killed_is_not_present_any_more(tmp_path: Path) -> None:
    holding = multiprocessing.get_context("spawn").Process(target=_hold, args=(tmp_path,))
    holding.start()
    while not (tmp_path / "held").exists():
        time.sleep(0.01)
    with pytest.raises(StoreBusyError):
        Presence(tmp_path)
    assert holding.pid is not None
    os.kill(holding.pid, signal.SIGKILL)
    holding.join()
    Presence(tmp_path, alone=True).release()


def _hold(folder: Path) -> None:
    held = Presence(folder, alone=True)
    (folder / "held").touch()
    time.sleep(60)
    held.release()


def test_heads_lie_where_they_are_told_to(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    monkeypatch.setenv("IRIS_HEADS", str(outside))
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
        store_id = iris.store_id
    assert list((outside / store_id).glob("*.note"))
    assert not (folder / "heads").exists()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with open_store(folder) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Likes gin")
    for path, held in before.items():
        path.write_bytes(held)
    for extra in (folder / "data").glob("iris.db-*"):
        extra.unlink()
    with pytest.raises(StoreRolledBackError):
        open_store(folder)


def test_heads_from_before_they_moved_are_still_held_to(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    data = {path: path.read_bytes() for path in (folder / "data").iterdir()}
    with open_store(folder) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Likes gin")
    for path, held in data.items():
        path.write_bytes(held)
    monkeypatch.setenv("IRIS_HEADS", str(tmp_path / "outside"))
    with pytest.raises(StoreRolledBackError):
        open_store(folder)
    assert KEY.root_key()
