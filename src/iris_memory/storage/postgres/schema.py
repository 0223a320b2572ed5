"""The tables in the schema `iris`, and the walls around their rows.

Every table is a tenant's: its keys and foreign keys are led by the tenant, row-level security is enabled and forced,
and a restrictive policy compares the tenant with the transaction's setting `iris.tenant`. Tables of persons have a
second wall, the setting `iris.person` (which begins with `=`, so that the tenant's own rows, whose person is empty, are
told from a setting that is not there). A setting that is not there, or was and is over, matches no row.

Three roles, none of which may log in or pass row-level security:

* the owner (whoever prepares the database) makes and changes tables; forced walls hold for it as well;
* `iris_app` is what a service's role is a member of: it changes rows, one tenant and one person at a time. It can add
  to an audit chain and never change or delete a line of it;
* `iris_census` sees clear columns of all tenants, never a sealed byte, and acts only through three functions that
  return names of tenants, pseudonyms, and sentences without content: what start-up, the sweep and the doctor need.
"""

# ruff: noqa: S608 - scripts are put together from constants of this module, never from a value

from __future__ import annotations

from typing import Final

from iris_memory.storage.postgres.functions import functions_for

APPLICATION: Final = "iris_app"
CENSUS: Final = "iris_census"

TABLES: Final = ("tenant", "person", "entry", "usage", "tombstone", "record", "audit", "checkpoint")
PERSONS: Final = ("person", "entry", "usage", "tombstone", "record")
"""Those whose rows are of persons, and have a second wall."""

CENSUS_FUNCTIONS: Final = (
    "iris.tenant_names()",
    "iris.record_owners(text[], bigint)",
    "iris.problems()",
    "iris.owners()",
)

_TENANT: Final = "tenant = (SELECT nullif(current_setting('iris.tenant', true), ''))"
_PERSON: Final = "person = (SELECT substr(nullif(current_setting('iris.person', true), ''), 2))"

_TABLES: Final = """
CREATE TABLE iris.tenant (
  tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''),
  audit_size bigint NOT NULL DEFAULT 0 CHECK (audit_size >= 0),
  audit_head bytea,
  CHECK ((audit_size = 0) = (audit_head IS NULL))
);

CREATE TABLE iris.person (
  tenant text COLLATE "C" NOT NULL REFERENCES iris.tenant,
  person text COLLATE "C" NOT NULL,
  version bigint NOT NULL DEFAULT 0 CHECK (version >= -1),
  usage_seq bigint NOT NULL DEFAULT 0 CHECK (usage_seq >= 0),
  PRIMARY KEY (tenant, person)
);

CREATE TABLE iris.entry (
  tenant text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  logical_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL CHECK (revision >= 1),
  entry_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  slot bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expires_at bigint,
  superseded_by text COLLATE "C",
  hidden_seq bigint,
  blob bytea NOT NULL,
  PRIMARY KEY (tenant, person, logical_id, revision),
  UNIQUE (tenant, entry_id),
  FOREIGN KEY (tenant, person) REFERENCES iris.person
);
CREATE INDEX entry_living ON iris.entry (tenant, person, seq, logical_id)
  WHERE superseded_by IS NULL AND hidden_seq IS NULL;
CREATE INDEX entry_hidden ON iris.entry (tenant, person, hidden_seq) WHERE hidden_seq IS NOT NULL;

CREATE TABLE iris.usage (
  tenant text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  logical_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  slot bigint NOT NULL,
  hidden boolean NOT NULL DEFAULT false,
  blob bytea NOT NULL,
  PRIMARY KEY (tenant, person, logical_id),
  FOREIGN KEY (tenant, person) REFERENCES iris.person
);
CREATE INDEX usage_seq ON iris.usage (tenant, person, seq);

CREATE TABLE iris.tombstone (
  tenant text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  logical_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  created_at bigint NOT NULL,
  forgotten_at bigint NOT NULL,
  reason text NOT NULL,
  receipt_id text NOT NULL,
  PRIMARY KEY (tenant, person, logical_id),
  FOREIGN KEY (tenant, person) REFERENCES iris.person
);
CREATE INDEX tombstone_seq ON iris.tombstone (tenant, person, seq, logical_id);

CREATE TABLE iris.record (
  tenant text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  slot bigint NOT NULL,
  blob bytea NOT NULL,
  PRIMARY KEY (tenant, person, kind, key),
  FOREIGN KEY (tenant, person) REFERENCES iris.person
);
CREATE INDEX record_seq ON iris.record (tenant, person, kind, seq, key);
CREATE INDEX record_kind ON iris.record (kind, expires_at);

CREATE TABLE iris.audit (
  tenant text COLLATE "C" NOT NULL REFERENCES iris.tenant,
  sequence bigint NOT NULL CHECK (sequence >= 1),
  line bytea NOT NULL,
  PRIMARY KEY (tenant, sequence)
);

CREATE TABLE iris.checkpoint (
  tenant text COLLATE "C" NOT NULL REFERENCES iris.tenant,
  size bigint NOT NULL,
  note text NOT NULL,
  PRIMARY KEY (tenant, size)
);

ALTER TABLE iris.entry ALTER COLUMN blob SET STORAGE EXTERNAL;
ALTER TABLE iris.usage ALTER COLUMN blob SET STORAGE EXTERNAL;
ALTER TABLE iris.record ALTER COLUMN blob SET STORAGE EXTERNAL;
"""

_GRANTS: Final = f"""
REVOKE ALL ON SCHEMA iris FROM PUBLIC;
GRANT USAGE ON SCHEMA iris TO {APPLICATION}, {CENSUS};
GRANT SELECT, INSERT, UPDATE (audit_size, audit_head) ON iris.tenant TO {APPLICATION};
GRANT SELECT, INSERT, UPDATE (version, usage_seq) ON iris.person TO {APPLICATION};
GRANT SELECT, INSERT, DELETE, UPDATE (superseded_by, hidden_seq) ON iris.entry TO {APPLICATION};
GRANT SELECT, INSERT, DELETE, UPDATE (seq, slot, hidden, blob) ON iris.usage TO {APPLICATION};
GRANT SELECT, INSERT, DELETE ON iris.tombstone TO {APPLICATION};
GRANT SELECT, INSERT, DELETE, UPDATE (seq, created_at, expires_at, slot, blob) ON iris.record TO {APPLICATION};
GRANT SELECT, INSERT ON iris.audit TO {APPLICATION};
GRANT SELECT, INSERT, UPDATE (note) ON iris.checkpoint TO {APPLICATION};

GRANT SELECT (tenant, audit_size) ON iris.tenant TO {CENSUS};
GRANT SELECT (tenant, person, logical_id, revision, superseded_by, hidden_seq) ON iris.entry TO {CENSUS};
GRANT SELECT (tenant, person, logical_id) ON iris.usage TO {CENSUS};
GRANT SELECT (tenant, person, logical_id) ON iris.tombstone TO {CENSUS};
GRANT SELECT (tenant, person, kind, expires_at) ON iris.record TO {CENSUS};
GRANT SELECT (tenant, sequence) ON iris.audit TO {CENSUS};

DO $$ BEGIN
  IF current_setting('server_version_num')::int >= 170000 THEN
    EXECUTE 'GRANT MAINTAIN ON iris.entry, iris.usage, iris.record TO {APPLICATION}';
  END IF;
END $$;
"""

_CENSUS_SCRIPT: Final = """
CREATE FUNCTION iris.tenant_names() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT tenant FROM iris.tenant WHERE audit_size > 0 ORDER BY tenant $$;

CREATE FUNCTION iris.record_owners(kinds text[], due bigint) RETURNS TABLE (tenant text, person text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT DISTINCT r.tenant, r.person FROM iris.record AS r
   WHERE r.kind = ANY (kinds) AND (due IS NULL OR r.expires_at <= due) ORDER BY 1, 2
$$;

CREATE FUNCTION iris.problems() RETURNS TABLE (amount bigint, sentence text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH memory AS (
    SELECT count(*) FILTER (WHERE superseded_by IS NULL) AS living, min(revision) AS first, max(revision) AS last,
           count(*) AS revisions, count(hidden_seq) AS hidden
      FROM iris.entry GROUP BY tenant, person, logical_id
  ),
  chain AS (
    SELECT t.audit_size AS size, count(a.sequence) AS lines, min(a.sequence) AS first, max(a.sequence) AS last
      FROM iris.tenant AS t LEFT JOIN iris.audit AS a USING (tenant) GROUP BY t.tenant, t.audit_size
  ),
  found (amount, sentence) AS (
    SELECT count(*), 'memories have no current revision, or more than one' FROM memory WHERE living <> 1
    UNION ALL
    SELECT count(*), 'memories have a gap in their revisions' FROM memory WHERE first <> 1 OR last <> revisions
    UNION ALL
    SELECT count(*), 'memories are hidden in part' FROM memory WHERE hidden NOT IN (0, revisions)
    UNION ALL
    SELECT count(*), 'audit chains have a gap or another length than their head says' FROM chain
     WHERE lines <> size OR coalesce(first, 1) <> 1 OR coalesce(last, 0) <> size
    UNION ALL
    SELECT count(*), 'forgotten memories still have rows' FROM iris.tombstone AS t
     WHERE EXISTS (SELECT FROM iris.entry AS e
                    WHERE (e.tenant, e.person, e.logical_id) = (t.tenant, t.person, t.logical_id))
        OR EXISTS (SELECT FROM iris.usage AS u
                    WHERE (u.tenant, u.person, u.logical_id) = (t.tenant, t.person, t.logical_id))
    UNION ALL
    SELECT count(*), 'usage rows have no memory' FROM iris.usage AS u
     WHERE NOT EXISTS (SELECT FROM iris.entry AS e
                        WHERE (e.tenant, e.person, e.logical_id) = (u.tenant, u.person, u.logical_id))
  )
  SELECT found.amount, found.sentence FROM found WHERE found.amount > 0
$$;
"""


def _walls() -> str:
    """Return the policies: one permissive and one restrictive wall a table, a second for tables of persons."""
    script = []
    for table in TABLES:
        script += [
            f"ALTER TABLE iris.{table} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE iris.{table} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY own_tenant ON iris.{table} USING ({_TENANT}) WITH CHECK ({_TENANT})",
            f"CREATE POLICY tenant_wall ON iris.{table} AS RESTRICTIVE TO {APPLICATION}"
            f" USING ({_TENANT}) WITH CHECK ({_TENANT})",
        ]
    for table in PERSONS:
        seen = f"person = '' OR {_PERSON}" if table == "person" else _PERSON
        script.append(
            f"CREATE POLICY person_wall ON iris.{table} AS RESTRICTIVE TO {APPLICATION}"
            f" USING ({seen}) WITH CHECK ({_PERSON})"
        )
    script += [
        f"CREATE POLICY census ON iris.{table} FOR SELECT TO {CENSUS} USING (true)"
        for table in ("tenant", "entry", "usage", "tombstone", "record", "audit")
    ]
    return ";\n".join(script) + ";\n"


def _owned_by_census() -> str:
    """Return the script that gives the three functions to the census role and nobody else the right to call them."""
    script = [f"GRANT CREATE ON SCHEMA iris TO {CENSUS}"]
    for function in CENSUS_FUNCTIONS[:3]:
        script += [
            f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC",
            f"GRANT EXECUTE ON FUNCTION {function} TO {APPLICATION}",
            f"ALTER FUNCTION {function} OWNER TO {CENSUS}",
        ]
    return ";\n".join([*script, f"REVOKE CREATE ON SCHEMA iris FROM {CENSUS}"]) + ";\n"


_OWNERS: Final = f"""
GRANT SELECT (tenant, person) ON iris.person TO {CENSUS};
CREATE POLICY census ON iris.person FOR SELECT TO {CENSUS} USING (true);

CREATE FUNCTION iris.owners() RETURNS TABLE (tenant text, person text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT p.tenant, p.person FROM iris.person AS p ORDER BY 1, 2 $$;

GRANT CREATE ON SCHEMA iris TO {CENSUS};
REVOKE ALL ON FUNCTION iris.owners() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION iris.owners() TO {APPLICATION};
ALTER FUNCTION iris.owners() OWNER TO {CENSUS};
REVOKE CREATE ON SCHEMA iris FROM {CENSUS};
"""
"""Who is there, erased people included: what a move of the whole store walks through."""

MIGRATIONS: Final = (
    _TABLES + _GRANTS + _walls() + _CENSUS_SCRIPT + _owned_by_census(),
    _OWNERS,
    functions_for(APPLICATION),
)
"""Scripts, oldest first; `iris.schema_version()` says how many of them the database has seen."""

SERVES_FROM: Final = 3
"""How many of them an Iris must know to work with a database that has seen all. A migration that only adds leaves this
as it is, so that processes of the release before go on while the new ones start; one that does not raises it."""

ROLES: Final = "\n".join(
    f"""
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
    CREATE ROLE {role} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;"""
    for role in (APPLICATION, CENSUS)
)

VERSION_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION iris.schema_version() RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$ SELECT {version} $$;
GRANT EXECUTE ON FUNCTION iris.schema_version() TO {role};
CREATE OR REPLACE FUNCTION iris.schema_serves_from() RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$ SELECT {serves_from} $$;
GRANT EXECUTE ON FUNCTION iris.schema_serves_from() TO {role};
"""
