"""How a SQLite file of Iris is made, recognised, brought up to date and opened, for the store and the vault alike.

Nothing here opens the file by other means than SQLite: closing a plain file handle would drop the POSIX locks that
SQLite holds on the same file for the whole process.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import apsw

from iris_memory.errors import (
    StorageError,
    StoreBusyError,
    StoreCorruptError,
    StoreFullError,
    StoreMissingError,
    StoreReadOnlyError,
    StoreVersionError,
)
from iris_memory.storage.sqlite.faults import translate

PAGE_SIZE: Final = 4096
STATEMENTS: Final = 128

_PRAGMAS: Final = """
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cell_size_check = ON;
PRAGMA cache_size = -16000;
"""

_making = threading.Lock()
"""Held while a file is made: the handle that makes it must be closed before SQLite of this process opens it."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What tells one kind of Iris file from another, and how it is written.

    `migrations` are scripts; the file's `user_version` says how many of them it has seen.
    """

    noun: str
    application_id: int
    journal: str
    synchronous: str
    migrations: tuple[str, ...]


def open_file(path: Path, kind: FileKind, *, create: bool, busy_seconds: float) -> apsw.Connection:
    """Open a file for writing: make it if asked, refuse what is not ours or newer, bring older ones up to date.

    Raises:
        StoreMissingError: there is no file and `create` is not set.
        StoreVersionError: a newer Iris wrote it; not a byte of it was changed.
        StoreCorruptError: it is not a file of this kind, or it is damaged.
        StoreReadOnlyError: its folder or file cannot be written.
    """
    if create:
        _make(path)
    elif not path.exists():
        raise StoreMissingError(f"there is no {kind.noun} at the place named; create one with `iris init`")
    had_bytes, had_log = _size(path) > 0, _size(path.with_name(path.name + "-wal")) > 0
    connection = connect(path, busy_seconds=busy_seconds)
    try:
        _recognise(connection, kind, create=create, had_bytes=had_bytes, had_log=had_log)
        _migrate(connection, kind, busy_seconds=busy_seconds)
        connection.execute(f"PRAGMA synchronous = {kind.synchronous}")
    except apsw.Error as error:
        failure = translate(error, connection)
        connection.close()
        raise failure from error
    except StorageError:
        connection.close()
        raise
    return connection


def connect(path: Path, *, busy_seconds: float, read_only: bool = False) -> apsw.Connection:
    """Open one connection to a file that is there. A busy file is waited for, `busy_seconds` at the most."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=STATEMENTS)
    except apsw.Error as error:
        raise translate(error) from error
    connection.set_busy_handler(patience(busy_seconds))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    try:
        run_script(connection, _PRAGMAS)
        if read_only:
            connection.execute("PRAGMA query_only = ON")
    except apsw.Error as error:
        failure = translate(error, connection)
        connection.close()
        raise failure from error
    return connection


def open_in_memory(kind: FileKind) -> apsw.Connection:
    """Open a fresh database of a kind that lives as long as the connection."""
    connection = apsw.Connection(":memory:", statementcachesize=STATEMENTS)
    for script in ("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY", *kind.migrations):
        run_script(connection, script)
    return connection


def run_script(connection: apsw.Connection, script: str) -> None:
    """Run several statements to the end: apsw stops at the first row until it is asked for the next."""
    for _ in connection.execute(script):
        pass


def rows_of(connection: apsw.Connection, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every row of a statement; what types they have is the schema's word (STRICT tables)."""
    return connection.execute(sql, values).fetchall()


def patience(seconds: float) -> Callable[[int], bool]:
    """Return a busy handler that waits in short, uneven steps until `seconds` have passed.

    SQLite's own timeout backs off to a tenth of a second, which starves a writer among many processes.
    """
    deadline = 0.0
    step = 0.0005 * (1 + os.getpid() % 3)

    def wait(tries: int) -> bool:
        nonlocal deadline
        if tries == 0:
            deadline = monotonic() + seconds
        elif monotonic() >= deadline:
            return False
        sleep(step * (1 + tries % 5))
        return True

    return wait


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _making:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
            os.close(handle)
    except FileExistsError:
        if path.is_dir() or not path.parent.is_dir():
            raise StorageError("the place named is a folder where a file should be, or the reverse") from None
    except OSError as error:
        if error.errno in (28, 122):
            raise StoreFullError("there is no room left to make the store; free some space and retry") from None
        raise StoreReadOnlyError("the store's folder cannot be written; check its owner and mode") from None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _recognise(connection: apsw.Connection, kind: FileKind, *, create: bool, had_bytes: bool, had_log: bool) -> None:
    # all in one view: another process may be making the file at this moment, and half of that is nobody's
    connection.execute("BEGIN")
    try:
        empty = not connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").get
        application_id = connection.pragma("application_id")
        version = connection.pragma("user_version")
        pages = connection.pragma("page_count")
    finally:
        connection.execute("COMMIT")
    if had_bytes and pages == 0:
        # SQLite takes a file of less than one page for an empty database and would write over it.
        raise _foreign(kind)
    if empty and application_id == 0 and version == 0:
        if not create:
            raise StoreMissingError(f"there is only an empty file; create the {kind.noun} with `iris init`")
        return
    if application_id != kind.application_id:
        raise _foreign(kind)
    if version > len(kind.migrations):
        if had_log:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        raise StoreVersionError(
            f"the {kind.noun} has version {version} and this Iris knows versions up to {len(kind.migrations)};"
            " upgrade Iris, nothing was touched"
        )


def _foreign(kind: FileKind) -> StoreCorruptError:
    return StoreCorruptError(f"the file is not an Iris {kind.noun}; name the right file or restore a backup")


def _migrate(connection: apsw.Connection, kind: FileKind, *, busy_seconds: float) -> None:
    """Set the journal mode and run what scripts are missing, all of them in one transaction."""
    if not connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").get:
        run_script(connection, f"PRAGMA page_size = {PAGE_SIZE}; PRAGMA auto_vacuum = NONE")
    _set_journal(connection, kind, busy_seconds=busy_seconds)
    if connection.pragma("user_version") == len(kind.migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = connection.pragma("user_version")
        for script in kind.migrations[done:]:
            run_script(connection, script)
        connection.execute(f"PRAGMA application_id = {kind.application_id}")
        connection.execute(f"PRAGMA user_version = {len(kind.migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _set_journal(connection: apsw.Connection, kind: FileKind, *, busy_seconds: float) -> None:
    deadline = monotonic() + busy_seconds
    while True:
        try:
            mode = connection.pragma("journal_mode", kind.journal)
        except apsw.BusyError:
            if monotonic() >= deadline:
                raise
            sleep(0.005)
            continue
        if mode == kind.journal:
            return
        if monotonic() >= deadline:
            raise StoreBusyError(f"the {kind.noun}'s journal could not be set up; move it to a local disk or retry")
        sleep(0.005)
