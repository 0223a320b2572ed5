"""The root key behind a key service, asked through a program: the machine keeps it wrapped and never in the clear.

The program is run as `PROGRAM… wrap` and `PROGRAM… unwrap`. Either reads one line from its input and writes one line to
its output: `wrap` is given the root key in base64 and answers with any text without spaces, which is kept in a file;
`unwrap` is given that text and answers with the root key in base64 or hexadecimal. Any other end than 0, an answer that
is none, or none within half a minute, is a refusal: nothing opens. What the program writes to its errors is dropped, so
that no log repeats a secret.
"""

from __future__ import annotations

import base64
import os
import secrets
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from iris_memory.errors import KeyMissingError, KeyWrongError
from iris_memory.storage.keys import KEY_LENGTH, decode

SECONDS: Final = 30.0
_MOST: Final = 64 * 1024


class CommandKey:
    """The root key, unwrapped by a program each time it is asked for."""

    def __init__(
        self,
        command: Sequence[str],
        path: Path,
        *,
        create: bool = False,
        seconds: float = SECONDS,
        secret: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """Name the program with its arguments, and the file of the wrapped key.

        With `create` a key is made, wrapped and kept where there is none; ask for that only while the vault is new.
        """
        self._command = tuple(command)
        self._path = path
        self._create = create
        self._seconds = seconds
        self._secret = secret

    def root_key(self) -> bytes:
        """Return the root key.

        Raises:
            KeyMissingError: there is no wrapped key, or the program does not give the key out.
            KeyWrongError: what the program gives out is no root key.
        """
        try:
            wrapped = self._path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            if not self._create:
                raise KeyMissingError(
                    "the file of the wrapped root key is not there; restore it, nothing opens without it"
                ) from None
            self._make()
            wrapped = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            raise KeyMissingError("the file of the wrapped root key cannot be read; check its owner and mode") from None
        return decode(self._ask("unwrap", wrapped).encode())

    def describe(self) -> str:
        """Say where the key comes from."""
        return "a key service, asked through a program"

    def _make(self) -> None:
        """Make a key, see that it comes back, and keep it wrapped: whoever links first has made it for all."""
        key = self._secret(KEY_LENGTH)
        wrapped = self._ask("wrap", base64.b64encode(key).decode())
        if key in {_plain(wrapped), wrapped.encode()}:
            raise KeyWrongError("the key program answers with the root key itself when asked to wrap it; mend it")
        if decode(self._ask("unwrap", wrapped).encode()) != key:
            raise KeyWrongError("the key program does not give back the key it wrapped; mend it before a store is made")
        aside = self._path.with_name(f".{self._path.name}.{self._secret(8).hex()}")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
                file.write(wrapped + "\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(aside, self._path)
            aside.unlink()
        except OSError:
            raise KeyMissingError("the file of the wrapped root key cannot be made; check its folder") from None

    def _ask(self, deed: str, line: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "IRIS_ROOT_KEY"}
        try:
            done = subprocess.run(
                [*self._command, deed],
                input=line.encode() + b"\n",
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=self._seconds,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            raise KeyMissingError("the key program did not answer in time; nothing opens without it") from None
        except OSError as problem:
            raise KeyMissingError(f"the key program cannot be run ({problem.strerror})") from None
        if done.returncode != 0:
            raise KeyMissingError(f"the key program refuses (it ended with {done.returncode}); nothing opens")
        try:
            answer = done.stdout[:_MOST].decode("ascii").strip()
        except UnicodeDecodeError:
            answer = ""
        if not answer or any(mark.isspace() for mark in answer):
            raise KeyWrongError("the key program answers with something that is not one line of text")
        return answer


def _plain(text: str) -> bytes:
    try:
        return decode(text.encode())
    except KeyWrongError:
        return b""
