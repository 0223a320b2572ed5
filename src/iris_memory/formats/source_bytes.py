"""A stream of bytes is read once, front to back, and may end in damage.

A gzip or zip member that breaks off, or whose checksum is wrong, ends the stream there and says so in `cut`; what came
before it counts.
"""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from typing import BinaryIO

from iris_memory.formats.limits import KIB

CHUNK = 128 * KIB

# A failing disk is an OSError too, and is not damage of the file: only the one subclass is named.
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, struct.error, NotImplementedError)


class SourceBytes:
    """The bytes of `stream` in chunks, with the first ones to look at before any is taken."""

    def __init__(self, stream: BinaryIO) -> None:
        # `read` of a buffered reader loses what it holds when the next piece is damaged; `read1` hands it out first.
        self._read = getattr(stream, "read1", stream.read)
        self.cut = False
        self.head = self._fetch().removeprefix(b"\xef\xbb\xbf")
        self._given = False

    def take(self) -> bytes:
        """The next bytes; none at the end."""
        if not self._given:
            self._given = True
            if self.head:
                return self.head
        return self._fetch()

    def _fetch(self) -> bytes:
        if self.cut:
            return b""
        try:
            return bytes(self._read(CHUNK) or b"")
        except _DAMAGE:
            self.cut = True
        return b""
