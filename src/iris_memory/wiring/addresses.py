"""Addresses: where the data of a store lies. An address may hold a password, so it is never shown, only where it leads.

a folder, or sqlite:FOLDER                 one SQLite file in the store's folder
postgresql://…, or host=… dbname=…         a PostgreSQL database
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iris_memory.errors import SettingError

IN_FOLDER: Final = "folder"
IN_POSTGRES: Final = "postgresql"

_SQLITE: Final = "sqlite:"
_URL: Final = re.compile(r"postgres(ql)?://", re.IGNORECASE)
_PARAMETERS: Final = re.compile(r"[a-z_]+ *= *\S")


@dataclass(frozen=True, slots=True)
class Database:
    """A PostgreSQL database.

    `url` is what statements go through; `direct` leads past a transaction pooler, for notices that do not survive one;
    `pooled` says that a pooler stands before the server. None of it is ever shown.
    """

    url: str = field(repr=False)
    direct: str | None = field(default=None, repr=False)
    pooled: bool = False

    def where(self) -> str:
        """Say in words where the database is: server, port and name, without role, password or any other parameter.

        Raises:
            SettingError: the address cannot be read.
        """
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict

        try:
            given = conninfo_to_dict(self.url)
        except (ProgrammingError, ValueError):
            raise SettingError(
                "the address of the database cannot be read; it is postgresql://…, or host=… dbname=…"
            ) from None
        host = str(given.get("host") or given.get("hostaddr") or "")
        server = "a local socket" if not host or host.startswith(("/", "@")) else host
        port = f", port {given['port']}" if given.get("port") else ""
        name = f", database {given['dbname']}" if given.get("dbname") else ""
        return f"PostgreSQL at {server}{port}{name}"


def database_of(address: str, *, direct: str | None = None, pooled: bool = False) -> Database:
    """Return the database an address names.

    Raises:
        SettingError: it is no address of a database. The message does not repeat it.
    """
    if not is_database(address):
        raise SettingError("the address of the database cannot be read; it is postgresql://…, or host=… dbname=…")
    return Database(address, direct, pooled)


def is_database(address: str) -> bool:
    """Say whether an address names a database rather than a folder."""
    return bool(_URL.match(address) or _PARAMETERS.match(address))


def place_of(address: str) -> Path | Database:
    """Return what an address of `iris migrate` names: the folder of a store, or a database.

    Raises:
        SettingError: it names nothing.
    """
    if is_database(address):
        return database_of(address)
    folder = address.removeprefix(_SQLITE)
    if not folder.strip() or "://" in address:
        raise SettingError("an address is a folder, sqlite:FOLDER, postgresql://…, or host=… dbname=…")
    return Path(folder)
