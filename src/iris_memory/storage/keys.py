"""Where the root key comes from. A file of mode 0600 by default, the environment, or a key that is handed over.

A root key is 32 random bytes, written as base64 or as hexadecimal digits.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from iris_memory.errors import KeyMissingError, KeyWrongError, SettingError

KEY_LENGTH: Final = 32
ROOT_KEY_VARIABLE: Final = "IRIS_ROOT_KEY"


class KeyFile:
    """The root key in a file that only its owner may read. It belongs outside the folders of store and vault."""

    def __init__(
        self, path: Path, *, create: bool = False, secret: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        """Name the file. With `create` it is made where there is none; ask for that only while the vault is new."""
        self._path = path
        self._create = create
        self._secret = secret

    def root_key(self) -> bytes:
        """Return the root key.

        Raises:
            KeyMissingError: there is no such file.
            KeyWrongError: the file does not hold a root key.
            SettingError: others than the owner may read or write it.
        """
        try:
            return self._read()
        except FileNotFoundError:
            if not self._create:
                raise KeyMissingError("the root key file is not there; restore it, nothing opens without it") from None
        self._make()
        return self._read()

    def describe(self) -> str:
        """Say where the key comes from."""
        return "a key file of its owner"

    def _read(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                    raise SettingError("the root key file may be read by others; it accepts mode 0600 only")
                return decode(file.read(4 * KEY_LENGTH))
        except FileNotFoundError:
            raise
        except OSError:
            raise KeyMissingError("the root key file cannot be read; check its owner and mode") from None

    def _make(self) -> None:
        """Write a new key aside and link it into place: whoever links first has made the key for all."""
        text = base64.b64encode(self._secret(KEY_LENGTH)) + b"\n"
        aside = self._path.with_name(f".{self._path.name}.{self._secret(8).hex()}")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(aside, self._path)
            except FileExistsError:
                pass
            finally:
                aside.unlink()
            _sync_folder(self._path.parent)
        except OSError:
            raise KeyMissingError("the root key file cannot be made; check its folder") from None


class EnvironmentKey:
    """The root key in an environment variable."""

    def __init__(self, name: str = ROOT_KEY_VARIABLE, *, environment: Mapping[str, str] | None = None) -> None:
        self._name = name
        self._environment = os.environ if environment is None else environment

    def root_key(self) -> bytes:
        """Return the root key.

        Raises:
            KeyMissingError: the variable is not set.
            KeyWrongError: it does not hold a root key.
        """
        text = self._environment.get(self._name, "")
        if not text.strip():
            raise KeyMissingError(f"the environment variable {self._name} holds no root key; set it")
        return decode(text.encode())

    def describe(self) -> str:
        """Say where the key comes from."""
        return f"the environment variable {self._name}"


class FixedKey:
    """A root key that is handed over by the caller, such as a test or a key service's client."""

    def __init__(self, key: bytes, *, source: str = "the caller") -> None:
        if len(key) != KEY_LENGTH:
            raise KeyWrongError(f"a root key has {KEY_LENGTH} bytes")
        self._key = key
        self._source = source

    def root_key(self) -> bytes:
        """Return the root key."""
        return self._key

    def describe(self) -> str:
        """Say where the key comes from."""
        return self._source


def decode(text: bytes) -> bytes:
    """Read a root key written as 64 hexadecimal digits or as base64, the URL alphabet included.

    Raises:
        KeyWrongError: it is neither, or not 32 bytes.
    """
    stripped = text.strip()
    try:
        if len(stripped) == 2 * KEY_LENGTH:
            key = binascii.unhexlify(stripped)
        else:
            padded = stripped.rstrip(b"=") + b"=" * (-len(stripped.rstrip(b"=")) % 4)
            key = base64.b64decode(padded.translate(bytes.maketrans(b"-_", b"+/")), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_LENGTH:
        raise KeyWrongError(f"a root key is {KEY_LENGTH} bytes in base64 or hexadecimal; this is none")
    return key


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
