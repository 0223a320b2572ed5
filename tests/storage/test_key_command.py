"""The root key behind a program: wrapped on this machine, unwrapped elsewhere, refused whenever in doubt."""

from __future__ import annotations

import base64
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from iris_memory.conformance.key_providers import KeyPlace
from iris_memory.conformance.suites import KEY_CHECKS
from iris_memory.errors import IrisError, KeyMissingError, KeyWrongError
from iris_memory.front.iris import Iris
from iris_memory.storage.key_command import CommandKey
from iris_memory.storage.keys import EnvironmentKey, KeyFile

SERVICE = """
import base64, pathlib, sys
pad = pathlib.Path(sys.argv[1])
if not pad.exists():
    sys.exit("the service refuses, and says so with the secret 0123456789abcdef")
mask, given = pad.read_bytes(), base64.b64decode(sys.stdin.readline())
turned = bytes(one ^ other for one, other in zip(given, mask, strict=True))
print(base64.b64encode(turned).decode())
"""
"""A key service for tests: what leaves it is worth nothing without the pad it keeps."""


def service(folder: Path) -> list[str]:
    (folder / "service.py").write_text(SERVICE, encoding="utf-8")
    (folder / "pad").write_bytes(bytes(range(200, 232)))
    return [sys.executable, str(folder / "service.py"), str(folder / "pad")]


def program(folder: Path, text: str) -> list[str]:
    (folder / "program.py").write_text(text, encoding="utf-8")
    return [sys.executable, str(folder / "program.py")]


def _file(folder: Path) -> KeyPlace:
    path = folder / "root.key"

    def lose() -> None:
        path.unlink()
        made.clear()

    made = [True]
    return KeyPlace(lambda: KeyFile(path, create=bool(made)), lose)


def _environment(folder: Path) -> KeyPlace:
    held = {"IRIS_ROOT_KEY": bytes(range(32)).hex()}
    return KeyPlace(lambda: EnvironmentKey(environment=held), held.clear)


def _command(folder: Path) -> KeyPlace:
    open_it = partial(CommandKey, service(folder), folder / "root.wrapped", create=True)
    return KeyPlace(open_it, (folder / "pad").unlink)


@pytest.mark.parametrize("check", KEY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("place", [_file, _environment, _command])
def test_a_provider_keeps_its_promise(
    place: Callable[[Path], KeyPlace], check: Callable[[KeyPlace], None], tmp_path: Path
) -> None:
    check(place(tmp_path))


def test_the_key_lies_wrapped_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "root.wrapped"
    key = CommandKey(service(tmp_path), path, create=True).root_key()
    held = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert base64.b64encode(key) not in held
    assert key.hex().encode() not in held
    assert [one.name for one in path.parent.iterdir()] == ["root.wrapped"]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("import sys; sys.exit(3)", KeyMissingError, "ended with 3"),
        ("", KeyWrongError, "not one line"),
        ("print('two words')", KeyWrongError, "not one line"),
        ("print('\\u00e9')", KeyWrongError, "not one line"),
        ("print('short')", KeyWrongError, "root key is 32 bytes"),
        ("import time; time.sleep(30)", KeyMissingError, "in time"),
        ("import os; os.kill(os.getpid(), 9)", KeyMissingError, "ended with -9"),
    ],
)
def test_a_program_that_fails_opens_nothing(
    tmp_path: Path, text: str, error: type[IrisError], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "root.wrapped").write_text("wrapped\n", encoding="ascii")
    (tmp_path / "root.wrapped").chmod(0o600)
    provider = CommandKey(program(tmp_path, text), tmp_path / "root.wrapped", seconds=2)
    with pytest.raises(error, match=message):
        provider.root_key()
    assert capfd.readouterr() == ("", "")


def test_what_a_program_says_is_not_repeated(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = service(tmp_path)
    CommandKey(command, tmp_path / "root.wrapped", create=True).root_key()
    (tmp_path / "pad").unlink()
    with pytest.raises(KeyMissingError) as caught:
        CommandKey(command, tmp_path / "root.wrapped").root_key()
    assert "0123456789abcdef" not in str(caught.value) + "".join(capfd.readouterr())


def test_a_program_that_wraps_nothing_is_refused(tmp_path: Path) -> None:
    echo = program(tmp_path, "import sys; sys.stdout.write(sys.stdin.readline())")
    with pytest.raises(KeyWrongError, match="itself"):
        CommandKey(echo, tmp_path / "root.wrapped", create=True).root_key()
    other = program(tmp_path, "import sys; print('wrapped' if sys.argv[1] == 'wrap' else '00' * 32)")
    with pytest.raises(KeyWrongError, match="does not give back"):
        CommandKey(other, tmp_path / "root.wrapped", create=True).root_key()
    with pytest.raises(KeyMissingError, match="cannot be run"):
        CommandKey([str(tmp_path / "nowhere")], tmp_path / "root.wrapped", create=True).root_key()
    with pytest.raises(KeyMissingError, match="is not there"):
        CommandKey(service(tmp_path), tmp_path / "root.wrapped").root_key()
    assert not (tmp_path / "root.wrapped").exists()


def test_a_store_opens_behind_a_key_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("IRIS_KMS_COMMAND", " ".join(service(tmp_path)))
    with Iris.open(tmp_path / "memory", tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
        me.remember("Likes tea")
        kept = tmp_path / "config" / "iris" / "keys" / f"{iris.store_id}.wrapped"
        assert kept.exists()
        assert "a key service" in str(iris.doctor())
    with Iris.open(tmp_path / "memory", tended=False) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total == 1
    (tmp_path / "pad").unlink()
    with pytest.raises(KeyMissingError, match="refuses"):
        Iris.open(tmp_path / "memory", tended=False)
