"""Standing: whether the database is as its owner prepared it, and the role no more than a service; for the doctor.

Start-up refuses the worst of it (see `preparing`); this looks at what may change while a store is open, or that a
restore of the cluster may leave behind. It reads the catalogue alone, which every role may.
"""

from __future__ import annotations

from typing import Any, Final

from iris_memory.storage.postgres.functions import SIGNATURES
from iris_memory.storage.postgres.schema import APPLICATION, CENSUS_FUNCTIONS, MIGRATIONS, PERSONS, TABLES
from iris_memory.storage.postgres.session import Connection

FUNCTIONS: Final = (*SIGNATURES, *CENSUS_FUNCTIONS, "iris.schema_version()", "iris.schema_serves_from()")

_ROLE: Final = """
SELECT rolsuper, rolbypassrls, pg_has_role(current_user, %(application)s, 'USAGE'),
  EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = to_regnamespace('iris') AND c.relkind IN ('r', 'p')
           AND pg_has_role(current_user, c.relowner, 'MEMBER'))
  FROM pg_roles WHERE rolname = current_user
"""
_TABLES: Final = """
SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity,
  (SELECT array_agg(p.polname::text) FROM pg_policy AS p WHERE p.polrelid = c.oid AND NOT p.polpermissive)
  FROM pg_class AS c WHERE c.relnamespace = to_regnamespace('iris') AND c.relkind IN ('r', 'p')
"""
_BROKEN_INDEXES: Final = """
SELECT count(*) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
 WHERE c.relnamespace = to_regnamespace('iris') AND NOT (i.indisvalid AND i.indisready)
"""
_LOOSE_KEYS: Final = """
SELECT count(*) FROM pg_constraint WHERE connamespace = to_regnamespace('iris') AND NOT convalidated
"""
_LOST: Final = "SELECT count(*) FROM unnest(%(names)s::text[]) AS f WHERE to_regprocedure(f) IS NULL"
_BARRED: Final = """
SELECT count(*) FROM unnest(%(names)s::text[]) AS f
 WHERE to_regprocedure(f) IS NOT NULL AND NOT has_function_privilege(to_regprocedure(f)::oid, 'EXECUTE')
"""
_DURABLE: Final = """
SELECT current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean
  AND current_setting('synchronous_commit') <> 'off'
"""


def standing_problems(connection: Connection) -> list[str]:
    """Return what is wrong with the role and the schema, in plain sentences; none when all is well."""
    return [*_of_role(connection), *_of_tables(connection), *_of_functions(connection), *_of_server(connection)]


def _of_role(connection: Connection) -> list[str]:
    is_super, passes, is_member, owns = _row(connection, _ROLE, application=APPLICATION)
    told = (
        (is_super, "the role is a superuser, whom no wall between tenants holds"),
        (passes, "the role has BYPASSRLS, so no wall between tenants holds it"),
        (owns, "the role owns tables of Iris, or may become their owner"),
        (not is_member, "the role is no member of iris_app"),
    )
    return [sentence for is_wrong, sentence in told if is_wrong]


def _of_tables(connection: Connection) -> list[str]:
    found = {name: (forced, set(walls or ())) for name, forced, walls in connection.execute(_TABLES.encode())}
    wanted = {name: {"tenant_wall"} | ({"person_wall"} if name in PERSONS else set()) for name in TABLES}
    lost = len(wanted.keys() - found.keys())
    open_to_all = sum(not forced for forced, _ in found.values())
    unwalled = sum(bool(walls - found[name][1]) for name, walls in wanted.items() if name in found)
    (broken,) = _row(connection, _BROKEN_INDEXES)
    (loose,) = _row(connection, _LOOSE_KEYS)
    return [
        *_told(lost, "tables are missing; restore the database, or let its owner prepare it again"),
        *_told(open_to_all, "tables do not enable and force row-level security"),
        *_told(unwalled, "tables lack a restrictive policy by tenant or by person"),
        *_told(broken, "indexes are not valid; let the owner REINDEX them"),
        *_told(loose, "foreign keys or checks were never validated"),
    ]


def _of_functions(connection: Connection) -> list[str]:
    (lost,) = _row(connection, _LOST, names=list(FUNCTIONS))
    (barred,) = _row(connection, _BARRED, names=list(FUNCTIONS))
    problems = [
        *_told(lost, "functions are missing; let the owner prepare the database again"),
        *_told(barred, "functions may not be called by the role"),
    ]
    if not lost:
        (version,) = _row(connection, "SELECT iris.schema_version()")
        if version < len(MIGRATIONS):
            problems.append(f"the schema has version {version}, and this Iris was made for {len(MIGRATIONS)}")
    return problems


def _of_server(connection: Connection) -> list[str]:
    (durable,) = _row(connection, _DURABLE)
    return [] if durable else ["the server forgets commits when the power goes; turn fsync and synchronous_commit on"]


def _told(amount: int, sentence: str) -> list[str]:
    return [f"{amount} {sentence}"] if amount else []


def _row(connection: Connection, query: str, **values: Any) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(query.encode(), values or None).fetchone()
    assert row is not None
    return row
