"""Which of Iris's errors a PostgreSQL failure is. Messages say what to do, without the server's text or a value.

The driver's errors quote keys and values of rows, so they are never the cause of what is raised (`from None`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import psycopg

from iris_memory.errors import (
    StorageError,
    StoreBusyError,
    StoreCorruptError,
    StoreFullError,
    StoreMissingError,
)

FAILURES: Final = (psycopg.Error, UnicodeError)
"""What a statement can raise: a lone surrogate has no form in UTF-8."""

Failure: TypeAlias = psycopg.Error | UnicodeError

_LOST: Final = "the connection to the server was lost, nothing was half-written; retry"
_FULL: Final = "there is no room left for the store; free some space and retry, nothing was half-written"
_ABSENT: Final = "there is no store in this database; let its owner prepare it, see the page on PostgreSQL"
_STANDBY: Final = (StoreBusyError, "the server takes no writes now, as a standby does; retry")

_BY_STATE: Final[Mapping[str, tuple[type[StorageError], str]]] = {
    "57014": (StoreBusyError, "the server took too long to answer and was stopped; retry"),
    "55P03": (StoreBusyError, "another process holds the store for too long; retry"),
    "40001": (StoreBusyError, "another process wrote at the same time; retry"),
    "40P01": (StoreBusyError, "another process wrote at the same time; retry"),
    "25006": _STANDBY,
    "53100": (StoreFullError, _FULL),
    "42P01": (StoreMissingError, _ABSENT),
    "42883": (StoreMissingError, _ABSENT),
    "3F000": (StoreMissingError, _ABSENT),
    "3D000": (StoreMissingError, "there is no database of that name on the server; create it and prepare it"),
    "42501": (StorageError, "the role may not do this here; see which roles Iris needs, nothing was kept"),
    "XX001": (StoreCorruptError, "the store is damaged; stop the server, keep its files and restore a backup"),
    "XX002": (StoreCorruptError, "the store is damaged; stop the server, keep its files and restore a backup"),
}

_BY_CLASS: Final[Mapping[str, tuple[type[StorageError], str]]] = {
    "08": (StoreBusyError, _LOST),
    "57": (StoreBusyError, _LOST),
    "25": (StoreBusyError, _LOST),
    "53": (StoreBusyError, "the server has no connection or memory to spare; retry"),
    "23": (StorageError, "the row breaks a rule of the store; nothing of it was kept"),
    "28": (StorageError, "the server refuses this role or its password; check the address of the store"),
}

RETRIED: Final = frozenset({"40001", "40P01"})
"""Serialization failure and deadlock: the same work is tried again by the engine itself."""


def closed() -> StorageError:
    """The error of a store, view or transaction that is used after its end."""
    return StorageError("the store is closed; open it again")


def lost() -> StoreBusyError:
    """The error of a call whose connection went away before anything was committed."""
    return StoreBusyError(_LOST)


def unreachable(error: Failure) -> StorageError:
    """The error of a connection that could not be made; the driver knows no state code then."""
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return StoreBusyError(
            "the server cannot be reached, or refuses this database, role or password; check the address, or retry"
        )
    return translate(error)


def translate(error: Failure) -> StorageError:
    """Return the error to raise for a failure of the driver or the server.

    A state code (SQLSTATE, PostgreSQL documentation, appendix A) decides; without one the connection is gone or could
    not be made.
    """
    state = getattr(error, "sqlstate", None)
    if state is None:
        if isinstance(error, psycopg.OperationalError):
            return lost()
        return StorageError("the store refuses the value; nothing of it was kept")
    found = _BY_STATE.get(state) or _BY_CLASS.get(state[:2])
    if found is None:
        return StorageError(f"the store failed (SQL state {state}); nothing was half-written")
    kind, message = found
    return kind(message)
