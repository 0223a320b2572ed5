"""Files that count what SQLite asks of the disk, and fail when told to."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import apsw


class FaultyFiles:
    """While it is entered, every file that SQLite opens goes through it.

    `calls` lists (operation, file name) of every write, sync and truncation; with `fail_at` n, the n-th from then on
    fails with the SQLite result `error`, and with `stays` all later ones too.
    """

    def __init__(self, error: int = apsw.SQLITE_IOERR_WRITE) -> None:
        self.calls: list[tuple[str, str]] = []
        self.error = error
        self.stays = False
        self._fail_at: int | None = None

    def fail_at(self, n: int | None, *, stays: bool = False) -> None:
        """Let the n-th call from now on fail (the first is 1); None lets all go through."""
        self.calls.clear()
        self._fail_at = n
        self.stays = stays

    def syncs(self) -> list[str]:
        """Name the files that were fsynced."""
        return [name for operation, name in self.calls if operation == "sync"]

    def note(self, operation: str, name: str) -> None:
        """Count a call, or fail."""
        self.calls.append((operation, name))
        if self._fail_at is not None:
            n = len(self.calls)
            if n == self._fail_at or (self.stays and n > self._fail_at):
                raise apsw.exception_for(self.error)

    def __enter__(self) -> FaultyFiles:
        self._vfs = _Vfs(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._fail_at = None
        apsw.set_default_vfs("unix")
        self._vfs.unregister()


class _Vfs(apsw.VFS):
    def __init__(self, files: FaultyFiles) -> None:
        super().__init__("faulty", "unix", makedefault=True)
        self._files = files

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802 - SQLite's name
        return _File(name, flags, self._files)


class _File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], files: FaultyFiles) -> None:
        super().__init__("unix", name, flags)
        self._name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name or "temporary").name
        self._files = files

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._files.note("write", self._name)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._files.note("sync", self._name)
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._files.note("truncate", self._name)
        super().xTruncate(size)
