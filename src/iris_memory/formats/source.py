"""A file on disk becomes one stream of export bytes, whatever it is packed in, and nothing else of it is touched.

Plain, gzip or zip is told by the first bytes, not by the name. Of a zip only the conversations are read, as a stream;
its names are compared and never used as paths. A file that would unpack to far more than it is, is refused.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from iris_memory.errors import FormatError
from iris_memory.formats.limits import KIB, LIMITS, Limits

_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_BUFFER = 128 * KIB
_CONVERSATIONS = re.compile(r"conversations(?:[-_](\d{1,6}))?\.json", re.IGNORECASE | re.ASCII)
_OWN = re.compile(r"data/(memories|notebooks|session_memory|scene_memory)\.(json|ndjson)", re.ASCII)
_OWN_SIGN = "manifest.json"
_OTHERS = (".json", ".jsonl", ".ndjson", ".af")
_ENCRYPTED = 0x1
_BOMB = "the file would unpack to far more than an export holds: it is refused"


@contextmanager
def open_source(path: str | PathLike[str], *, limits: Limits = LIMITS) -> Iterator[BinaryIO]:
    """The export in this file, unpacked as it is read.

    A zip may be an export of Iris, or hold `conversations.json`, numbered `conversations-000.json` … (read in order, as
    one), or any one JSON, JSON lines or agent file.

    Raises:
        FormatError: the zip is damaged, locked or holds no export; or, while reading, it unpacks without end.
        OSError: the file cannot be opened.
    """
    with ExitStack() as stack:
        file = stack.enter_context(Path(path).open("rb"))
        magic = file.peek(4)[:4]
        if magic.startswith(_GZIP):
            unpacked = gzip.GzipFile(fileobj=file, mode="rb")
            raw = _Unpacked([lambda: unpacked], packed_bytes=file.tell, limits=limits)
            yield stack.enter_context(io.BufferedReader(raw, _BUFFER))
        elif magic.startswith(_ZIP):
            directory = _DirectoryReader(file, limits=limits)
            yield stack.enter_context(_open_zip(directory, stack=stack, limits=limits))
        else:
            yield file


def _open_zip(file: _DirectoryReader, *, stack: ExitStack, limits: Limits) -> io.BufferedReader:
    try:
        archive = stack.enter_context(zipfile.ZipFile(cast(BinaryIO, file)))
    except FormatError:
        raise
    except Exception:  # zipfile answers a hostile directory with errors of many kinds
        raise FormatError("the zip file is damaged") from None
    members = _chosen(archive.infolist())
    for member in members:
        if member.flag_bits & _ENCRYPTED:
            raise FormatError("the zip file is locked with a password: unpack it first")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FormatError("the zip file is packed in an unusual way: unpack it first")
    packed = sum(member.compress_size for member in members)
    _check_size(sum(member.file_size for member in members), packed=packed, limits=limits)
    openers = [_opener(archive, member) for member in members]
    return io.BufferedReader(_Unpacked(openers, packed_bytes=lambda: packed, limits=limits), _BUFFER)


def _opener(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], io.BufferedIOBase]:
    def opened() -> io.BufferedIOBase:
        try:
            return cast(io.BufferedIOBase, archive.open(member))
        except (RuntimeError, ValueError, OSError):
            # The header of the member does not fit the directory.
            raise zipfile.BadZipFile from None

    return opened


def _chosen(infos: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The members that hold the export, in order."""
    own = [info for info in infos if _OWN.fullmatch(info.filename)]
    if own and any(info.filename == _OWN_SIGN for info in infos):
        return own
    files = [(info.filename.split("/"), info) for info in infos]
    files = [(path, info) for path, info in files if "__MACOSX" not in path and not path[-1].startswith(".")]
    named = [
        (len(path), -1 if match[1] is None else int(match[1]), info.filename, info)
        for path, info in files
        if (match := _CONVERSATIONS.fullmatch(path[-1]))
    ]
    if named:
        top = min(depth for depth, _, _, _ in named)
        return [info for depth, _, _, info in sorted(named, key=lambda each: each[:3]) if depth == top]
    others = [info for path, info in files if path[-1].lower().endswith(_OTHERS)]
    if len(others) != 1:
        raise FormatError("the zip file holds no conversations.json, and not just one JSON file")
    return others


def _check_size(unpacked: int, *, packed: int, limits: Limits) -> None:
    if unpacked > limits.unpacked_bytes:
        raise FormatError(_BOMB)
    if unpacked > limits.ratio_from_bytes and unpacked > packed * limits.unpacked_ratio:
        raise FormatError(_BOMB)


class _Unpacked(io.RawIOBase):
    """The members one after another, measured as they unpack."""

    def __init__(
        self, openers: Sequence[Callable[[], io.BufferedIOBase]], *, packed_bytes: Callable[[], int], limits: Limits
    ) -> None:
        super().__init__()
        self._openers = list(reversed(openers))
        self._packed_bytes = packed_bytes
        self._limits = limits
        self._member: io.BufferedIOBase | None = None
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while self._member is not None or self._openers:
            if self._member is None:
                self._member = self._openers.pop()()
            data = self._member.read1(len(buffer))
            if data:
                buffer[: len(data)] = data
                self._count += len(data)
                _check_size(self._count, packed=self._packed_bytes(), limits=self._limits)
                return len(data)
            self._member.close()
            self._member = None
        return 0


class _DirectoryReader(io.RawIOBase):
    """The zip file itself; it refuses the one read that takes a whole directory, when that is absurdly large."""

    def __init__(self, file: BinaryIO, *, limits: Limits) -> None:
        super().__init__()
        self._file = file
        self._most = limits.directory_bytes

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        if size > self._most:
            raise FormatError("the zip file lists too many files: unpack it first")
        return self._file.read(size)
