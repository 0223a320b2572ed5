"""The shadow log as a file of its own: one JSON object a line, for guards that run without a store.

It holds the rows that a store holds. There is no audit key, so no row of it has digests.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iris_memory.contracts.guarding import Firing

MODE: Final = 0o600


class FileShadowLog:
    """A shadow log in a file that many processes may append to: each row is one write of a whole line."""

    def __init__(self, path: Path) -> None:
        """Take the file; it is made, for its owner alone, with the first row."""
        self._path = path
        self._lock = threading.Lock()

    def write(self, firing: Firing) -> None:
        """Append one firing. Raises OSError where it cannot be kept."""
        line = firing.model_dump_json().encode() + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        with self._lock:
            number = os.open(self._path, flags, MODE)
            try:
                if os.write(number, line) != len(line):
                    # what is left of a torn row is ended, so that the next one is read
                    os.write(number, b"\n")
                    raise OSError("a row of the shadow log was not written whole")
            finally:
                os.close(number)

    def read(self, *, since: datetime) -> Iterator[Firing]:
        """Yield the firings since an instant in the order of the file. A line that is no row is passed over."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            for line in file:
                try:
                    firing = Firing.model_validate_json(line)
                except ValidationError:
                    continue
                if firing.at >= since:
                    yield firing

    def key(self) -> bytes | None:
        """Return None: without a store there is no audit key."""
        return None
