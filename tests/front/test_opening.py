"""Opening a store: where its parts lie, who may read them, where the key comes from."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from flows.stores import KEY, open_store, person, sound
from iris_memory.errors import KeyWrongError, SettingError
from iris_memory.flows.instruments import Durability
from iris_memory.front.iris import Iris
from iris_memory.wiring.settings import SETTINGS, read_settings


def test_only_its_owner_may_read_a_store(folder: Path) -> None:
    iris = open_store(folder)
    person(iris).remember("Likes tea")
    iris.flush()
    for path in [folder, *folder.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path.name
    iris.close()


def test_the_key_lies_outside(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with Iris.open(folder, tended=False) as iris:
        key = tmp_path / "config" / "iris" / "keys" / f"{iris.store_id}.key"
        secret = base64.b64decode(key.read_bytes())
    assert len(secret) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for path in folder.rglob("*"):
        assert path.is_dir() or secret not in path.read_bytes()
    with Iris.open(folder, tended=False) as iris:
        assert iris.store_id == key.stem


def test_the_key_from_the_environment_wins(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("IRIS_ROOT_KEY", KEY.root_key().hex())
    with Iris.open(folder, tended=False) as iris:
        person(iris).remember("Likes tea")
    assert not (tmp_path / "config").exists()
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total == 1
    for bad in ("0" * 63, "not a key"):
        monkeypatch.setenv("IRIS_ROOT_KEY", bad)
        with pytest.raises(KeyWrongError) as caught:
            Iris.open(folder, tended=False)
        assert bad not in str(caught.value)


def test_a_path_may_be_words(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "a" / "b c" / "Zo\u00eb")) as iris:  # type: ignore[arg-type]
        person(iris)
        sound(iris)


def test_settings() -> None:
    plain = read_settings({})
    assert (plain.store, plain.key_file, plain.root_key_in_environment) == (".iris", None, False)
    assert (plain.durability, plain.vault_backup_days) == (Durability.DEFAULT, 14)
    given = read_settings(
        {
            "IRIS_STORE": " here ",
            "IRIS_KEY_FILE": "there",
            "IRIS_ROOT_KEY": "x",
            "IRIS_AUDIT_DURABILITY": "strict",
            "IRIS_VAULT_BACKUP_DAYS": "0",
        }
    )
    assert (given.store, given.key_file, given.root_key_in_environment) == ("here", "there", True)
    assert (given.durability, given.vault_backup_days) == (Durability.STRICT, 0)
    for name, value in (("IRIS_AUDIT_DURABILITY", "Strict"), ("IRIS_VAULT_BACKUP_DAYS", "\u0664")):
        with pytest.raises(SettingError, match=name):
            read_settings({name: value})
    assert len({row.name for row in SETTINGS}) == len(SETTINGS)


def test_a_receipt_states_how_long_vault_backups_live(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRIS_VAULT_BACKUP_DAYS", "90")
    with open_store(folder) as iris:
        me = person(iris)
        me.remember("Likes tea")
        assert me.forget(everything=True, scan=False).vault_backup_days == 90


def test_two_instances_share_a_store(folder: Path) -> None:
    with open_store(folder) as one, open_store(folder) as two:
        assert one.store_id == two.store_id
        person(one).remember("Likes tea")
        assert two.for_user(tenant="acme", user="ada").list(limit=0).total == 1
        sound(two)
