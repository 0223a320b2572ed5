"""Event streams: server-sent events taken apart into whole events, and put together again.

The format is the one of the HTML standard, section 9.2: fields a line, an event ends with an empty line, lines end with
CR, LF or both.
"""

from __future__ import annotations

import re
from typing import Final

EVENT_MOST: Final = 16 * 1024 * 1024
"""How many bytes an event may have."""

_END: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n")
_LINE: Final = re.compile(rb"\r\n|\n|\r")


class TooLongError(Exception):
    """An event is longer than is read."""


class Events:
    """Cuts a stream of bytes into events, each with the empty line that ends it."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """Take a piece and return the events that are whole by now.

        Raises:
            TooLongError: one of them is not, and longer than is read.
        """
        seen = max(0, len(self._held) - 3)
        self._held += piece
        found = []
        while match := _END.search(self._held, seen):
            if match[0].endswith(b"\r") and match.end() == len(self._held):
                # the LF of it may still come
                break
            found.append(bytes(self._held[: match.end()]))
            del self._held[: match.end()]
            seen = 0
        if len(self._held) > EVENT_MOST:
            raise TooLongError("an event is longer than is read")
        return found

    def finish(self) -> bytes:
        """Return what was begun and never ended."""
        rest, self._held = bytes(self._held), bytearray()
        return rest


def data_of(event: bytes) -> bytes | None:
    """Return the data of an event; None where it has none."""
    lines = [line for line in _LINE.split(event) if line == b"data" or line.startswith(b"data:")]
    if not lines:
        return None
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines)


def with_data(event: bytes, data: bytes) -> bytes:
    """Return an event with other data. Comments, which nobody reads, are left out."""
    kept = [line for line in _LINE.split(event) if line and not line.startswith((b"data:", b":")) and line != b"data"]
    return b"\n".join([*kept, *(b"data: " + line for line in data.split(b"\n")), b"", b""])
