"""Which of Iris's errors an SQLite failure is. Messages say what to do, without SQLite's text, a path or a value."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Final, TypeAlias

import apsw

from iris_memory.errors import (
    StorageError,
    StoreBusyError,
    StoreCorruptError,
    StoreFullError,
    StoreReadOnlyError,
)

FAILURES: Final = (apsw.Error, UnicodeDecodeError)
"""What a broken file or disk can make a statement raise: SQLite does not check that stored text is UTF-8."""

Failure: TypeAlias = apsw.Error | UnicodeDecodeError

_FULL: Final = (
    StoreFullError,
    "there is no room left for the store; free some space and retry, nothing was half-written",
)
_READ_ONLY: Final = (StoreReadOnlyError, "the store's folder or file cannot be written; check its owner and mode")
_CORRUPT: Final = (StoreCorruptError, "the store is damaged; keep its files as they are and restore a backup")
_BUSY: Final = (StoreBusyError, "another process holds the store for too long; retry")

_BY_RESULT: Final[Mapping[int, tuple[type[StorageError], str]]] = {
    apsw.SQLITE_FULL: _FULL,
    apsw.SQLITE_READONLY: _READ_ONLY,
    apsw.SQLITE_PERM: _READ_ONLY,
    apsw.SQLITE_AUTH: _READ_ONLY,
    apsw.SQLITE_CANTOPEN: _READ_ONLY,
    apsw.SQLITE_CORRUPT: _CORRUPT,
    apsw.SQLITE_NOTADB: _CORRUPT,
    apsw.SQLITE_BUSY: _BUSY,
    apsw.SQLITE_LOCKED: _BUSY,
    apsw.SQLITE_PROTOCOL: _BUSY,
    apsw.SQLITE_CONSTRAINT: (StorageError, "the row breaks a rule of the store; nothing of it was kept"),
    apsw.SQLITE_NOMEM: (StorageError, "there is not enough memory for the store; nothing was half-written"),
}

_BY_ERRNO: Final[Mapping[int, tuple[type[StorageError], str]]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
}

_CORRUPT_READS: Final = frozenset({apsw.SQLITE_IOERR_SHORT_READ, apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA})


def closed() -> StorageError:
    """The error of a store, view or transaction that is used after its end."""
    return StorageError("the store is closed; open it again")


def translate(error: Failure, connection: apsw.Connection | None = None) -> StorageError:
    """Return the error to raise for an SQLite failure, or for text that is not text any more.

    An input-output failure hides its cause in the operating system's error number, which the connection still knows:
    a file size limit, a quota and a full disk all mean that there is no room.
    """
    if isinstance(error, UnicodeDecodeError):
        return StoreCorruptError(_CORRUPT[1])
    if isinstance(error, apsw.ConnectionClosedError):
        return closed()
    result = getattr(error, "result", 0)
    found = _BY_RESULT.get(result)
    if result == apsw.SQLITE_IOERR:
        if getattr(error, "extendedresult", 0) in _CORRUPT_READS:
            found = _CORRUPT
        elif connection is not None:
            found = _BY_ERRNO.get(connection.system_errno)
        if found is None:
            return StorageError("the disk refused to read or write the store; check the disk, nothing was half-written")
    if result == apsw.SQLITE_CANTOPEN and connection is not None:
        found = _BY_ERRNO.get(connection.system_errno, _READ_ONLY)
    if found is None:
        return StorageError(f"the store failed (SQLite result {result}); nothing was half-written")
    kind, message = found
    return kind(message)
