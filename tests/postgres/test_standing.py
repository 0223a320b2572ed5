"""What `iris doctor` says of a database whose walls were taken down, and of a role that they would not hold."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from iris_memory.storage.postgres import PostgresStore
from iris_memory.storage.postgres.connections import connect
from iris_memory.storage.postgres.standing import standing_problems
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

HARM = (
    ("ALTER TABLE iris.entry NO FORCE ROW LEVEL SECURITY", "1 tables do not enable and force row-level security"),
    ("ALTER TABLE iris.record DISABLE ROW LEVEL SECURITY", "1 tables do not enable and force row-level security"),
    ("DROP POLICY person_wall ON iris.entry", "1 tables lack a restrictive policy by tenant or by person"),
    ("DROP POLICY tenant_wall ON iris.audit", "1 tables lack a restrictive policy by tenant or by person"),
    ("DROP TABLE iris.checkpoint", "1 tables are missing; restore the database, or let its owner prepare it again"),
    ("DROP FUNCTION iris.owners()", "1 functions are missing; let the owner prepare the database again"),
    ("REVOKE EXECUTE ON FUNCTION iris.chain_end(text) FROM iris_app", "1 functions may not be called by the role"),
    (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'iris.entry_living'::regclass",
        "1 indexes are not valid; let the owner REINDEX them",
    ),
)


@pytest.fixture
def alone(server: Server, database: str) -> Callable[[str], None]:
    """Run a statement as the superuser."""

    def run(statement: str) -> None:
        with psycopg.connect(server.at(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    return run


def test_a_prepared_database_is_sound(store: PostgresStore) -> None:
    assert store.problems() == []


@pytest.mark.parametrize(("statement", "sentence"), HARM)
def test_what_was_taken_down_is_told(
    store: PostgresStore, alone: Callable[[str], None], statement: str, sentence: str
) -> None:
    alone(statement)
    assert store.problems() == [sentence]


def test_a_schema_of_another_version_is_told(store: PostgresStore, alone: Callable[[str], None]) -> None:
    alone("CREATE OR REPLACE FUNCTION iris.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1'")
    assert [problem for problem in store.problems() if "version 1" in problem]


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("", ["the role is a superuser, whom no wall between tenants holds"]),
        (OWNER, ["the role owns tables of Iris, or may become their owner", "the role is no member of iris_app"]),
        (SERVICE, []),
    ],
)
def test_a_role_that_the_walls_do_not_hold_is_told(server: Server, database: str, role: str, told: list[str]) -> None:
    with connect(server.at(database, role), seconds=10) as connection:
        found = standing_problems(connection)
    assert [sentence for sentence in told if sentence not in found] == []
    assert bool(found) == bool(told)
