"""Where the root key comes from, and every way it can be wrong."""

from __future__ import annotations

import base64
import os
import stat
import threading
from pathlib import Path

import pytest

from iris_memory.errors import IrisError, KeyMissingError, KeyWrongError, SettingError
from iris_memory.storage.keys import EnvironmentKey, FixedKey, KeyFile, decode

KEY = bytes(range(32))
WRITTEN = [
    base64.b64encode(KEY),
    base64.b64encode(KEY) + b"\n",
    base64.urlsafe_b64encode(b"\xfb\xff" * 16),
    base64.b64encode(KEY).rstrip(b"="),
    KEY.hex().encode(),
    b"  " + KEY.hex().upper().encode() + b"\r\n",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_key_is_read_in_each_form(text: bytes) -> None:
    assert decode(text) in (KEY, b"\xfb\xff" * 16)


@pytest.mark.parametrize(
    "text",
    [b"", b"short", KEY.hex().encode()[:-2], KEY.hex().encode() + b"00", base64.b64encode(KEY + b"x"), b"z" * 64, KEY],
)
def test_what_is_no_key_is_refused_without_being_shown(text: bytes) -> None:
    with pytest.raises(KeyWrongError) as caught:
        decode(text)
    assert not text or text.decode("latin-1") not in str(caught.value)


def test_a_key_file_is_made_on_first_run_and_read_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "config" / "root.key"
    key = KeyFile(path, create=True).root_key()
    assert len(key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert KeyFile(path, create=True).root_key() == KeyFile(path).root_key() == key
    assert [one.name for one in path.parent.iterdir()] == ["root.key"]


def test_a_missing_key_file_is_not_made_by_accident(tmp_path: Path) -> None:
    with pytest.raises(KeyMissingError, match="restore it"):
        KeyFile(tmp_path / "root.key").root_key()
    assert list(tmp_path.iterdir()) == []


def test_a_key_file_of_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "root.key"
    KeyFile(path, create=True).root_key()
    for mode in (0o640, 0o604, 0o660, 0o602):
        path.chmod(mode)
        with pytest.raises(SettingError, match="0600"):
            KeyFile(path, create=True).root_key()
    path.chmod(0o400)
    assert len(KeyFile(path).root_key()) == 32


def test_a_damaged_key_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "root.key"
    path.touch(mode=0o600)
    with pytest.raises(KeyWrongError):
        KeyFile(path, create=True).root_key()
    assert path.read_bytes() == b""


def test_a_key_file_that_cannot_be_made_or_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KeyMissingError):
        KeyFile(tmp_path / "file" / "root.key", create=True).root_key()
    with pytest.raises(KeyMissingError):
        KeyFile(tmp_path, create=True).root_key()


def test_all_who_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)
    found: list[bytes] = []

    def start() -> None:
        provider = KeyFile(tmp_path / "root.key", create=True)
        barrier.wait(10)
        found.append(provider.root_key())

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["root.key"]


def test_the_environment_holds_a_key_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IRIS_ROOT_KEY", raising=False)
    for environment in (None, {"IRIS_ROOT_KEY": "  "}):
        with pytest.raises(KeyMissingError, match="IRIS_ROOT_KEY"):
            EnvironmentKey(environment=environment).root_key()
    monkeypatch.setenv("IRIS_ROOT_KEY", KEY.hex())
    assert EnvironmentKey().root_key() == KEY
    assert EnvironmentKey("OTHER", environment={"OTHER": base64.b64encode(KEY).decode()}).root_key() == KEY
    with pytest.raises(KeyWrongError):
        EnvironmentKey(environment={"IRIS_ROOT_KEY": "nonsense"}).root_key()


def test_a_fixed_key_has_the_right_length() -> None:
    assert FixedKey(KEY).root_key() == KEY
    with pytest.raises(KeyWrongError):
        FixedKey(KEY[:31])


def test_descriptions_and_errors_show_neither_key_nor_path(tmp_path: Path) -> None:
    home = tmp_path / "ada-lovelace"
    providers = [KeyFile(home / "root.key"), EnvironmentKey(environment={}), FixedKey(KEY)]
    for provider in providers:
        said = [provider.describe()]
        try:
            provider.root_key()
        except IrisError as error:
            said.append(str(error))
        assert all(word not in str(said) for word in ("lovelace", os.sep, KEY.hex()))
