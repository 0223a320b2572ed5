"""Preparing a database for Iris, by its owner; and recognising one that is prepared, by the service."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.errors import LockNotAvailable

from iris_memory.errors import StorageError, StoreMissingError, StoreVersionError
from iris_memory.storage.postgres.faults import FAILURES, translate, unreachable
from iris_memory.storage.postgres.pauses import Pauses
from iris_memory.storage.postgres.schema import APPLICATION, CENSUS, MIGRATIONS, ROLES, SERVES_FROM, VERSION_FUNCTION

OLDEST_SERVER: Final = 160000
CONNECT_SECONDS: Final = 10
PATIENCE: Final = 60.0
LOCK_MILLISECONDS: Final = 1_000

_LOCK: Final = "SELECT pg_advisory_xact_lock(4919)"
_IS_THERE: Final = "SELECT to_regprocedure('iris.schema_version()') IS NOT NULL"
_VERSION: Final = "SELECT iris.schema_version()"
_MAY_GIVE: Final = "SELECT pg_has_role(current_user, %(census)s, 'SET')"
_SERVES_FROM: Final = "SELECT iris.schema_serves_from()"
_PATIENCE: Final = "SELECT set_config('lock_timeout', %(limit)s, true)"
_STANDING: Final = """
SELECT r.rolsuper OR r.rolbypassrls
    OR EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = to_regnamespace('iris') AND c.relkind IN ('r', 'p')
                AND pg_has_role(current_user, c.relowner, 'MEMBER')),
  pg_has_role(current_user, %(application)s, 'USAGE'),
  current_setting('fsync')::boolean AND current_setting('synchronous_commit') <> 'off'
  FROM pg_roles AS r WHERE r.rolname = current_user
"""


def prepare(url: str, *, service: str | None = None, patience: float = PATIENCE) -> int:
    """Bring the database at `url` up to date as its owner and return the version of its schema.

    The role needs CREATE on the database and, the first time, CREATEROLE (or a superuser made `iris_app` and
    `iris_census` and granted it membership of `iris_census`). `service` names a role to make a member of `iris_app`.
    All of it is one transaction; preparing again changes nothing.

    A store that is in use is prepared while it is: a lock that somebody else holds is waited for a second at most,
    since who comes after waits meanwhile; then all is undone and tried again after a pause, for `patience` seconds.

    Raises:
        StoreVersionError: a newer Iris prepared it; nothing was touched.
        StorageError, StoreBusyError: the server is too old, refuses the role, or cannot be reached.
    """
    until = monotonic() + patience
    pauses = Pauses()
    while True:
        try:
            return _prepare(url, service)
        except LockNotAvailable as error:
            if monotonic() > until:
                raise translate(error) from None
        except FAILURES as error:
            raise unreachable(error) from None
        sleep(pauses.next())


def _prepare(url: str, service: str | None) -> int:
    with psycopg.connect(url, connect_timeout=CONNECT_SECONDS, prepare_threshold=None) as connection:
        _require_server(connection)
        connection.execute(_PATIENCE.encode(), {"limit": str(LOCK_MILLISECONDS)})
        connection.execute(_LOCK)
        done = _seen(connection)
        if done > len(MIGRATIONS):
            raise _newer(done)
        if done < len(MIGRATIONS):
            _migrate(connection, done)
        if service is not None:
            grant = sql.SQL("GRANT {} TO {}").format(sql.Identifier(APPLICATION), sql.Identifier(service))
            connection.execute(grant)
    return len(MIGRATIONS)


def recognise(url: str) -> None:
    """Refuse a database that is not prepared for this Iris, and a role that the walls would not hold.

    Raises:
        StoreMissingError: the database is not prepared.
        StoreVersionError: it was prepared by a newer Iris, in a way that this one cannot work with; or by an older one,
            and must be prepared again.
        StorageError: the role is a superuser, passes row-level security, owns tables, or is no member of `iris_app`; or
            the server acknowledges commits that are not on the disk.
    """
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS, prepare_threshold=None) as connection:
            _require_server(connection)
            done = _seen(connection)
            if done == 0:
                raise StoreMissingError("there is no store in this database; let its owner prepare it")
            if done > len(MIGRATIONS) and int(_one(connection, _SERVES_FROM)[0]) > len(MIGRATIONS):
                raise _newer(done)
            if done < len(MIGRATIONS):
                raise StoreVersionError("the database was prepared by an older Iris; let its owner prepare it again")
            passes, is_member, is_durable = _one(connection, _STANDING, {"application": APPLICATION})
    except FAILURES as error:
        raise unreachable(error) from None
    if passes:
        raise StorageError(
            "the role could pass the walls between tenants; open the store as a plain member of iris_app"
        )
    if not is_member:
        raise StorageError("the role is no member of iris_app; let the owner grant it")
    if not is_durable:
        raise StorageError("the server forgets commits when the power goes; turn fsync and synchronous_commit on")


def _migrate(connection: psycopg.Connection[Any], done: int) -> None:
    _run(connection, ROLES)
    # only to give it functions: who inherits from the census would see what it sees
    if not _one(connection, _MAY_GIVE, {"census": CENSUS})[0]:
        _run(connection, f"GRANT {CENSUS} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE")
    _run(connection, "CREATE SCHEMA IF NOT EXISTS iris")
    for script in MIGRATIONS[done:]:
        _run(connection, script)
    _run(connection, VERSION_FUNCTION.format(version=len(MIGRATIONS), serves_from=SERVES_FROM, role=APPLICATION))


def _run(connection: psycopg.Connection[Any], script: str) -> None:
    connection.execute(script.encode())


def _seen(connection: psycopg.Connection[Any]) -> int:
    return int(_one(connection, _VERSION)[0]) if _one(connection, _IS_THERE)[0] else 0


def _one(connection: psycopg.Connection[Any], query: str, values: dict[str, Any] | None = None) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(query.encode(), values).fetchone()
    assert row is not None
    return row


def _require_server(connection: psycopg.Connection[Any]) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        raise StorageError("the server is older than PostgreSQL 16; upgrade it")


def _newer(version: int) -> StoreVersionError:
    return StoreVersionError(
        f"the store has version {version} and this Iris knows versions up to {len(MIGRATIONS)};"
        " upgrade Iris, nothing was touched"
    )
