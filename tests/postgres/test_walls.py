"""Walls between tenants and persons: in the catalogue, without settings, and when a query forgets its filter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from iris_memory.conformance.samples import entry, record, tombstone
from iris_memory.errors import StorageError, StoreBusyError, StoreMissingError, StoreVersionError
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.postgres import PostgresStore, functions, prepare, statements
from iris_memory.storage.postgres.schema import APPLICATION, CENSUS
from postgres.server import OWNER, SERVICE, Server
from postgres.two_tenants import PERSONS, TENANTS, all_seen, furnish

pytestmark = pytest.mark.enable_socket

TENANT_TABLES = ("tenant", "audit", "checkpoint")
PERSON_TABLES = ("person", "entry", "usage", "tombstone", "record")

_RELATIONS = """
SELECT c.relname, c.relkind::text, c.relrowsecurity AND c.relforcerowsecurity,
  EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'person' AND NOT a.attisdropped)
  FROM pg_class AS c WHERE c.relnamespace = 'iris'::regnamespace AND c.relkind NOT IN ('i', 'I', 't', 'c')
"""
_POLICIES = """
SELECT tablename, permissive, roles::text[], coalesce(qual, ''), coalesce(with_check, ''), cmd
  FROM pg_policies WHERE schemaname = 'iris'
"""
_KEYS = """
SELECT k.conrelid::regclass::text, k.contype::text,
  (SELECT attname FROM pg_attribute AS a WHERE a.attrelid = k.conrelid AND a.attnum = k.conkey[1])
  FROM pg_constraint AS k WHERE k.connamespace = 'iris'::regnamespace AND k.contype IN ('p', 'u', 'f')
"""


def ask(address: str, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Ask a database something, by no way of the engine's."""
    with psycopg.connect(address) as connection:
        return connection.execute(query.encode(), values).fetchall()


def holes(address: str) -> list[str]:
    """Return which relations of the schema are not walled in."""
    policies = ask(address, _POLICIES)
    found = []
    for name, kind, is_forced, has_person in ask(address, _RELATIONS):
        if kind != "r":
            found.append(f"{name} is no table, and only tables are walled")
            continue
        if not is_forced:
            found.append(f"{name} has no forced row-level security")
        mine = [row for row in policies if row[0] == name]
        for setting in ("iris.tenant", "iris.person") if has_person else ("iris.tenant",):
            if not any(
                permissive == "RESTRICTIVE"
                and APPLICATION in roles
                and command == "ALL"
                and f"current_setting('{setting}'" in using
                and f"current_setting('{setting}'" in checking
                for _, permissive, roles, using, checking, command in mine
            ):
                found.append(f"{name} has no wall by {setting}")
        for _, permissive, roles, using, _, command in mine:
            is_census = roles == [CENSUS] and command == "SELECT"
            if permissive == "PERMISSIVE" and "iris.tenant" not in using and not is_census:
                found.append(f"{name} is open to {roles}")
    return found


def test_every_table_is_walled_in(server: Server, database: str) -> None:
    address = server.at(database, OWNER)
    assert {row[0] for row in ask(address, _RELATIONS)} == {*TENANT_TABLES, *PERSON_TABLES}
    assert holes(address) == []


@pytest.mark.parametrize(
    "deed",
    [
        "CREATE TABLE iris.forgotten (tenant text PRIMARY KEY)",
        "ALTER TABLE iris.entry NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE iris.audit DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant_wall ON iris.record",
        "DROP POLICY person_wall ON iris.usage",
        "CREATE POLICY open ON iris.entry FOR SELECT USING (true)",
        "CREATE VIEW iris.all_of_it AS SELECT * FROM iris.entry",
    ],
)
def test_a_hole_in_the_walls_is_seen(server: Server, database: str, deed: str) -> None:
    address = server.at(database, OWNER)
    with psycopg.connect(address) as connection:
        connection.execute(deed.encode())
    assert holes(address)


def test_every_key_is_led_by_the_tenant(server: Server, database: str) -> None:
    keys = ask(server.at(database, OWNER), _KEYS)
    assert {table for table, kind, _ in keys if kind == "p"} == {f"iris.{t}" for t in (*TENANT_TABLES, *PERSON_TABLES)}
    assert {column for _, _, column in keys} == {"tenant"}


def test_roles_have_no_way_around(server: Server, database: str) -> None:
    address = server.at(database, OWNER)
    roles = ask(
        address,
        "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin FROM pg_roles"
        " WHERE rolname = ANY (%s) ORDER BY rolname",
        [APPLICATION, CENSUS, SERVICE],
    )
    assert roles == [
        (APPLICATION, False, False, False, False, False),
        (CENSUS, False, False, False, False, False),
        (SERVICE, False, False, False, False, True),
    ]
    member = "SELECT pg_has_role(%s, %s, 'MEMBER')"
    assert ask(address, member, SERVICE, OWNER) == ask(address, member, SERVICE, CENSUS) == [(False,)]
    functions = ask(
        address,
        "SELECT proname, prosecdef, proowner::regrole::text, has_function_privilege('public', oid, 'EXECUTE')"
        " FROM pg_proc WHERE pronamespace = 'iris'::regnamespace ORDER BY proname",
    )
    assert functions == [
        ("add_entries", False, OWNER, False),
        ("chain_end", False, OWNER, False),
        ("enter", False, OWNER, False),
        ("grow_chain", False, OWNER, False),
        ("owners", True, CENSUS, False),
        ("problems", True, CENSUS, False),
        ("record_owners", True, CENSUS, False),
        ("schema_serves_from", False, OWNER, True),
        ("schema_version", False, OWNER, True),
        ("tell", False, OWNER, False),
        ("tenant_names", True, CENSUS, False),
    ]


def test_the_census_sees_no_sealed_byte(server: Server, database: str) -> None:
    seen = ask(
        server.at(database, OWNER),
        "SELECT attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind = 'r'"
        " WHERE c.relnamespace = 'iris'::regnamespace AND a.attnum > 0"
        " AND has_column_privilege(%s, c.oid, a.attnum, 'SELECT')",
        CENSUS,
    )
    assert seen
    assert {name for (name,) in seen}.isdisjoint({"blob", "line", "note", "audit_head", "receipt_id"})


@pytest.mark.parametrize(
    "deed",
    [
        "DELETE FROM iris.audit",
        "UPDATE iris.audit SET line = ''",
        "TRUNCATE iris.entry",
        "UPDATE iris.entry SET blob = ''",
        "UPDATE iris.entry SET tenant = 'globex'",
        "UPDATE iris.person SET person = 'p2'",
        "DELETE FROM iris.tenant",
        "ALTER TABLE iris.entry NO FORCE ROW LEVEL SECURITY",
        "CREATE TABLE iris.mine (tenant text)",
        f"SET ROLE {OWNER}",
        f"SET ROLE {CENSUS}",
        "INSERT INTO iris.tenant (tenant) VALUES ('initech')",
        "INSERT INTO iris.person (tenant, person) VALUES ('globex', 'p1x')",
        "INSERT INTO iris.record VALUES ('globex', 'p1', 'hold', 'new', 1, 1, NULL, 1, '')",
        "INSERT INTO iris.record VALUES ('acme', 'p2', 'hold', 'new', 1, 1, NULL, 1, '')",
    ],
)
def test_the_service_may_not(store: PostgresStore, url: str, deed: str) -> None:
    furnish(store)
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('iris.tenant', 'acme', true), set_config('iris.person', '=p1', true)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(deed.encode())


def counted(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Count what a connection sees of each table."""
    counts = {}
    for table in (*TENANT_TABLES, *PERSON_TABLES):
        row = connection.execute(f"SELECT count(*) FROM iris.{table}".encode()).fetchone()
        assert row is not None
        counts[table] = row[0]
    return counts


def test_without_settings_there_are_no_rows(store: PostgresStore, server: Server, database: str) -> None:
    furnish(store)
    nothing = dict.fromkeys((*TENANT_TABLES, *PERSON_TABLES), 0)
    for role in (SERVICE, OWNER):
        with psycopg.connect(server.at(database, role), autocommit=True) as connection:
            assert counted(connection) == nothing, "never set"
            with connection.transaction():
                connection.execute("SELECT set_config('iris.tenant', 'acme', true)")
                connection.execute("SELECT set_config('iris.person', '=p1', true)")
                assert counted(connection)["entry"] > 0
            assert counted(connection) == nothing, "set once, and over"
    with psycopg.connect(server.at(database, SERVICE)) as connection:
        connection.execute("SELECT set_config('iris.person', '=p1', true)")
        assert counted(connection) == nothing, "a person without a tenant"
        connection.execute("SELECT set_config('iris.tenant', 'acme', true), set_config('iris.person', '', true)")
        assert counted(connection) == {**nothing, "tenant": 1, "audit": 1, "checkpoint": 1, "person": 1}
    assert ask(server.at(database), "SELECT count(*) FROM iris.entry")[0][0] == 18, "a superuser sees all of it"


NAMED = {
    name: text for name, text in vars(statements).items() if name.isupper() and name[0] != "_" and isinstance(text, str)
}
FRAGMENTS = ("TENANT", "PERSON", "OWN", "NAMED")
FILTERED = sorted(name for name, text in NAMED.items() if statements.TENANT in text and name not in FRAGMENTS)


def test_every_statement_that_looks_at_rows_names_the_tenant() -> None:
    unfiltered = {name for name in NAMED if name not in FILTERED and name not in FRAGMENTS}
    assert unfiltered == {
        *("LIMITS", "MARK_SYNC", "VACUUM", "ERASURES", "NOTIFY"),  # look at no row
        *("ENTER", "TELL", "GROW_CHAIN", "CHAIN_END", "ADD_ENTRIES"),  # functions, which name the tenant themselves
        *("TENANT_NAMES", "RECORD_OWNERS", "PROBLEMS"),  # the census
        *("BUMP", "EXTEND_CHAIN", "PUT_RECORDS", "PUT_KNOWN_RECORDS", "ADD_CHECKPOINT"),  # values carry the key
    }


def play(tx: Transaction) -> None:
    """Change one person's rows in every way there is, refusals included."""
    tenant, person = "acme", "p1"
    tx.add_entries(tenant, person, [entry("n")._replace(entry_id="new"), entry("m")._replace(entry_id="newer")])
    for twin in (entry("a")._replace(entry_id="twin"), entry("h", revision=2)):
        with pytest.raises(StorageError):
            tx.add_entries(tenant, person, [entry("x")._replace(entry_id="x"), twin])
    tx.supersede(tenant, person, [("a", 1, "a2")])
    with pytest.raises(StorageError):
        tx.supersede(tenant, person, [("b", 1, "b2"), ("a", 1, "a3")])
    tx.hide(tenant, person, ["b"], seq=5)
    tx.mark_usage(tenant, person, [("n", 1, b"used"), ("b", 1, b"used"), ("t", 1, b"used")])
    tx.bury(tenant, person, [tombstone("m")])
    tx.put_record(tenant, person, record("one"))
    tx.put_record(tenant, person, record("two", kind=RecordKind.PAUSE))
    tx.drop_records(tenant, person, RecordKind.CONSENT, ["one"])
    tx.drop_records(tenant, person, RecordKind.HOLD, None)
    tx.bump(tenant, person)
    tx.append_event(tenant, {"of": "play"}, at=2)


def erase(tx: Transaction) -> None:
    """Erase one person, after records of everybody's are dropped that are due."""
    assert tx.drop_expired(50, [RecordKind.CONSENT]) == 6
    tx.erase_person("acme", "p1", keep_tombstones=False)


class _EnoughError(Exception):
    """Ends a work, so that nothing of it is kept."""


def outcome(store: PostgresStore, *acts: Callable[[Transaction], None]) -> list[Any]:
    """Return what everybody's rows look like to a view, and within each act, of which nothing is kept."""
    with store.read() as view:
        looks: list[Any] = [all_seen(view)]

    def work(tx: Transaction, act: Callable[[Transaction], None]) -> None:
        act(tx)
        looks.append(all_seen(tx))
        raise _EnoughError

    for act in acts:
        with pytest.raises(_EnoughError):
            store.write(lambda tx, act=act: work(tx, act))  # type: ignore[misc]
    return looks


def test_a_statement_that_forgets_its_filter_reaches_nothing_foreign(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(store)
    wanted = outcome(store, play, erase)
    assert len(FILTERED) > 23
    for name in FILTERED:
        for forgotten in (statements.TENANT, statements.PERSON):
            if forgotten not in NAMED[name]:
                continue
            monkeypatch.setattr(statements, name, NAMED[name].replace(forgotten, "true"))
            assert outcome(store, play, erase) == wanted, (name, forgotten)
        both = NAMED[name].replace(statements.TENANT, "true").replace(statements.PERSON, "true")
        monkeypatch.setattr(statements, name, both)
        assert outcome(store, play, erase) == wanted, (name, "both")
        monkeypatch.setattr(statements, name, NAMED[name])


FUNCTIONS = {name: str(text) for name, text in vars(functions).items() if "CREATE FUNCTION" in str(text)}
FILTER = re.compile(r"\b[pte]\.tenant = of_tenant\b")


@pytest.mark.parametrize("name", ["_ENTER", "_CHAIN_END", "_GROW_CHAIN", "_TELL", "_ADD_ENTRIES"])
def test_a_function_that_forgets_its_filter_reaches_nothing_foreign(
    server: Server, database: str, store: PostgresStore, name: str
) -> None:
    furnish(store)
    wanted = outcome(store, play, erase)
    states = _told(store)
    found = list(FILTER.finditer(FUNCTIONS[name]))
    assert found
    for each in found:
        forgetful = FUNCTIONS[name][: each.start()] + "true" + FUNCTIONS[name][each.end() :]
        with psycopg.connect(server.at(database, OWNER)) as connection:
            connection.execute(forgetful.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").encode())
        assert outcome(store, play, erase) == wanted, each
        assert _told(store) == states, each


def _told(store: PostgresStore) -> list[bool]:
    """Return whether an event may be appended for states that hold, and for others' that do not."""
    with store.read() as view:
        mine = view.state("acme", "p1")
    other = replace(mine, version=mine.version + 1)
    return [store.append_if("acme", "nobody", state, {"of": "tell"}, at=3) for state in (mine, other)]


def test_the_walls_are_what_held(server: Server, database: str, store: PostgresStore, monkeypatch: Any) -> None:
    furnish(store)
    wanted = outcome(store)
    with psycopg.connect(server.at(database, OWNER)) as connection:
        for table in (*TENANT_TABLES, *PERSON_TABLES):
            connection.execute(f"ALTER TABLE iris.{table} DISABLE ROW LEVEL SECURITY".encode())
    assert outcome(store) == wanted, "with their filters, statements need no wall"
    monkeypatch.setattr(statements, "ENTRIES_SINCE", NAMED["ENTRIES_SINCE"].replace(statements.TENANT, "true"))
    assert outcome(store) != wanted, "without filter and wall, others' rows come through"


def test_a_role_that_could_pass_the_walls_is_refused(server: Server, database: str, url: str) -> None:
    for role in ("postgres", OWNER):
        with pytest.raises(StorageError, match="could pass the walls"):
            PostgresStore(server.at(database, role) if role == OWNER else server.at(database))
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS iris_test_stranger")
        connection.execute("CREATE ROLE iris_test_stranger LOGIN")
        with pytest.raises(StorageError, match=r"no member of iris_app|may not do this"):
            PostgresStore(server.at(database, "iris_test_stranger"))
        connection.execute("DROP ROLE iris_test_stranger")


def test_a_server_that_forgets_commits_is_refused(server: Server, database: str, url: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {SERVICE} IN DATABASE {database} SET synchronous_commit = off".encode())
    with pytest.raises(StorageError, match="synchronous_commit"):
        PostgresStore(url)


def test_a_database_that_is_not_ready_is_told(server: Server, database: str, url: str) -> None:
    bare = server.new_database()
    with pytest.raises(StoreMissingError):
        PostgresStore(server.at(bare, SERVICE))
    server.drop(bare)
    with pytest.raises(StoreBusyError, match="cannot be reached"):
        PostgresStore(server.at("nowhere_at_all", SERVICE))
    owner = server.at(database, OWNER)
    assert prepare(owner) == prepare(owner, service=SERVICE)
    with psycopg.connect(owner) as connection:
        connection.execute("CREATE OR REPLACE FUNCTION iris.schema_version() RETURNS int LANGUAGE sql AS 'SELECT 99'")
        connection.execute(
            "CREATE OR REPLACE FUNCTION iris.schema_serves_from() RETURNS int LANGUAGE sql AS 'SELECT 99'"
        )
    for attempt in (lambda: PostgresStore(url), lambda: prepare(owner)):
        with pytest.raises(StoreVersionError, match="99"):
            attempt()


def test_both_tenants_are_furnished(store: PostgresStore) -> None:
    furnish(store)
    with store.read() as view:
        looks = all_seen(view)
        assert view.tenants() == list(TENANTS)
    for person in PERSONS:
        mine, theirs = (str(looks[tenant, person]) for tenant in TENANTS)
        assert "globex" not in mine
        assert "acme" not in theirs
        assert "acme" in mine
