"""Preparing a database for Iris, as its owner."""

from __future__ import annotations

from iris_memory.errors import SettingError
from iris_memory.wiring.addresses import database_of


def prepare_database(address: str, *, service: str | None = None) -> int:
    """Bring a database up to date and return the version of its schema; `service` becomes a member of `iris_app`.

    Raises:
        SettingError: the address cannot be read, or the driver is not installed.
        StorageError, StoreVersionError, StoreBusyError: see `iris_memory.storage.postgres.prepare`.
    """
    place = database_of(address)
    try:
        from iris_memory.storage.postgres import prepare
    except ImportError:
        raise SettingError("the driver of PostgreSQL is not installed; install iris-memory[postgres]") from None
    return prepare(place.url, service=service)
