"""A watched source: a value that is read again only when its cheap fingerprint has moved."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Final, Generic, TypeVar

from iris_memory.errors import IdentityConfigError

T = TypeVar("T")

BYTES_MOST: Final = 4_194_304
"""How many bytes an identity document may have; a longer one is not read in part."""


class Watched(Generic[T]):
    """A value with the fingerprint it was read under. Not for two threads at once: its holder takes the lock."""

    def __init__(self, *, fingerprint: Callable[[], Hashable], read: Callable[[], T]) -> None:
        """Read for the first time. Raises what reading raises."""
        self._fingerprint = fingerprint
        self._read = read
        self._seen = fingerprint()
        self._settled = False
        self.value = read()

    def refresh(self, *, anyway: bool = False) -> bool:
        """Read again where the fingerprint has moved, or `anyway`; return whether the value is another one.

        What was just read is read once more at the next refresh: a second write within one tick of the file system's
        clock leaves no trace in a fingerprint. What could not be read is tried again. Raises what reading raises.
        """
        # taken before reading: a write in between is noticed at the next refresh
        seen = self._fingerprint()
        moved = anyway or seen != self._seen
        if not moved and self._settled:
            return False
        self._settled = False
        value = self._read()
        self._settled = not moved
        self._seen = seen
        changed = value != self.value
        self.value = value
        return changed


def watched_file(path: Path) -> Watched[str | None]:
    """Watch the text of a file, by what the file system says of it. None: there is no such file.

    Reading raises OSError, UnicodeError, and IdentityConfigError for what is too long or no plain file.
    """
    return Watched(fingerprint=lambda: _stats(path), read=lambda: _text(path))


def _stats(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _text(path: Path) -> str | None:
    try:
        # without waiting: a named pipe in the place of a document must not hold up a guard
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise IdentityConfigError("an identity file is not a plain file")
        data = file.read(BYTES_MOST + 1)
    if len(data) > BYTES_MOST:
        raise IdentityConfigError("an identity file is longer than is read")
    return data.decode("utf-8")
