"""Functions that do at the server, in one round trip, what would take several.

They run with the caller's rights and within the caller's walls, so no search path is set for them. `iris.grow_chain` is
`chain.link.link` and `chain.link.head_to_bytes` again, in the server's own words: it holds the row of the tenant, which
is the end of the chain, from the moment it looks at it, so two writers never link to the same line, and no client waits
meanwhile.

A line that is to be linked comes in four pieces; what lies between them are the three fields only the server knows:
`at`, `previous` and `sequence`.
"""

# ruff: noqa: S608 - scripts are put together from constants of this module, never from a value

from __future__ import annotations

from typing import Final

_OPENING: Final = """
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
"""

_ENTER: Final = f"""
CREATE FUNCTION iris.enter(
  of_tenant text, of_person text, holds integer, tries boolean,
  OUT got boolean, OUT version bigint, OUT usage_seq bigint, OUT tenant_version bigint)
{_OPENING}
DECLARE
  key bigint := hashtextextended(of_tenant, 0);
BEGIN
  PERFORM set_config('iris.tenant', of_tenant, true), set_config('iris.person', '=' || of_person, true);
  got := true;
  IF holds & 1 = 1 THEN
    IF tries THEN got := pg_try_advisory_xact_lock_shared(key); ELSE PERFORM pg_advisory_xact_lock_shared(key); END IF;
  END IF;
  IF got AND holds & 2 = 2 THEN
    IF tries THEN got := pg_try_advisory_xact_lock(key); ELSE PERFORM pg_advisory_xact_lock(key); END IF;
  END IF;
  IF got AND holds & 4 = 4 THEN
    key := hashtextextended('=' || of_person, key);
    IF tries THEN got := pg_try_advisory_xact_lock(key); ELSE PERFORM pg_advisory_xact_lock(key); END IF;
  END IF;
  IF NOT got THEN RETURN; END IF;
  SELECT max(p.version) FILTER (WHERE p.person = of_person), max(p.usage_seq) FILTER (WHERE p.person = of_person),
         max(p.version) FILTER (WHERE p.person = '')
    INTO version, usage_seq, tenant_version
    FROM iris.person AS p WHERE p.tenant = of_tenant AND p.person = ANY (ARRAY['', of_person]);
  version := coalesce(version, 0);
  usage_seq := coalesce(usage_seq, 0);
  tenant_version := coalesce(tenant_version, 0);
END $$;
"""

_CHAIN_END: Final = f"""
CREATE FUNCTION iris.chain_end(of_tenant text, OUT size bigint, OUT head bytea)
{_OPENING}
BEGIN
  SELECT t.audit_size, t.audit_head INTO size, head FROM iris.tenant AS t
   WHERE t.tenant = of_tenant FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    INSERT INTO iris.tenant (tenant) VALUES (of_tenant) ON CONFLICT DO NOTHING;
    SELECT t.audit_size, t.audit_head INTO size, head FROM iris.tenant AS t
     WHERE t.tenant = of_tenant FOR NO KEY UPDATE;
  END IF;
END $$;
"""

_LINKING: Final = """
  name bytea := convert_to(of_tenant, 'UTF8');
  size bigint; head bytea; start integer; frontier bytea; peaks bytea; previous bytea; last_at bigint;
  line bytea; node bytea; bits bigint;
"""
_UNPACK: Final = """
  IF head IS NULL THEN
    last_at := 0; previous := decode(repeat('00', 32), 'hex'); peaks := '';
  ELSE
    start := 44 + octet_length(name);
    frontier := substr(head, start);
    IF substr(head, 1, 1) <> '\\x01' OR substr(head, 42, start - 42) <> substr(int4send(octet_length(name)), 3) || name
      OR substr(frontier, 1, 8) <> int8send(size) OR octet_length(frontier) <> 8 + 32 * bit_count(int8send(size)) THEN
      RAISE EXCEPTION USING ERRCODE = 'data_corrupted', MESSAGE = 'the head of an audit chain cannot be read';
    END IF;
    last_at := ('x' || encode(substr(head, 2, 8), 'hex'))::bit(64)::bigint;
    previous := substr(head, 10, 32);
    peaks := substr(frontier, 9);
  END IF;
"""


def _link(at: str, first: str, second: str, third: str, last: str) -> str:
    """Return the steps that link one line, whose pieces are these expressions."""
    return f"""
    last_at := greatest(last_at, {at});
    bits := size;
    size := size + 1;
    line := {first} || convert_to(last_at::text, 'UTF8') || {second} || convert_to(encode(previous, 'hex'), 'UTF8')
      || {third} || convert_to(size::text, 'UTF8') || {last};
    previous := sha256('\\x00'::bytea || line);
    node := previous;
    WHILE bits & 1 = 1 LOOP
      node := sha256('\\x01'::bytea || substr(peaks, octet_length(peaks) - 31) || node);
      peaks := substr(peaks, 1, octet_length(peaks) - 32);
      bits := bits >> 1;
    END LOOP;
    peaks := peaks || node;
"""


_KEEP_HEAD: Final = """
  UPDATE iris.tenant AS t SET audit_size = size, audit_head = '\\x01'::bytea || int8send(last_at) || previous
    || substr(int4send(octet_length(name)), 3) || name || int8send(size) || peaks
   WHERE t.tenant = of_tenant;
"""

_GROW_CHAIN: Final = f"""
CREATE FUNCTION iris.grow_chain(
  of_tenant text, times bigint[], firsts bytea[], seconds bytea[], thirds bytea[], lasts bytea[]) RETURNS bigint
{_OPENING}
DECLARE {_LINKING}
  begun bigint; lines bytea[];
BEGIN
  SELECT e.size, e.head INTO size, head FROM iris.chain_end(of_tenant) AS e;
  begun := size;
  {_UNPACK}
  FOR n IN 1 .. cardinality(times) LOOP
    {_link("times[n]", "firsts[n]", "seconds[n]", "thirds[n]", "lasts[n]")}
    lines[n] := line;
  END LOOP;
  INSERT INTO iris.audit (tenant, sequence, line)
  SELECT of_tenant, begun + new.place, new.line FROM unnest(lines) WITH ORDINALITY AS new (line, place);
  {_KEEP_HEAD}
  RETURN size;
END $$;
"""

_TELL: Final = f"""
CREATE FUNCTION iris.tell(
  of_tenant text, of_person text, of_version bigint, of_usage bigint, of_tenant_version bigint,
  at bigint, first bytea, second bytea, third bytea, last bytea, patience integer, is_durable boolean) RETURNS boolean
{_OPENING}
DECLARE {_LINKING}
  version bigint; usage bigint; tenant_version bigint;
BEGIN
  PERFORM set_config('iris.tenant', of_tenant, true), set_config('iris.person', '=' || of_person, true),
    set_config('lock_timeout', patience::text, true),
    CASE WHEN is_durable THEN '' ELSE set_config('synchronous_commit', 'off', true) END;
  SELECT t.audit_size, t.audit_head INTO size, head FROM iris.tenant AS t
   WHERE t.tenant = of_tenant FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    SELECT e.size, e.head INTO size, head FROM iris.chain_end(of_tenant) AS e;
  END IF;
  -- looked at only now: whoever forgets something is told of in the chain before it is gone
  SELECT p.version, p.usage_seq INTO version, usage FROM iris.person AS p
   WHERE p.tenant = of_tenant AND p.person = of_person;
  SELECT p.version INTO tenant_version FROM iris.person AS p WHERE p.tenant = of_tenant AND p.person = '';
  IF coalesce(version, 0) <> of_version OR coalesce(usage, 0) <> of_usage
    OR coalesce(tenant_version, 0) <> of_tenant_version THEN
    RETURN false;
  END IF;
  {_UNPACK}
  {_link("at", "first", "second", "third", "last")}
  INSERT INTO iris.audit (tenant, sequence, line) VALUES (of_tenant, size, line);
  {_KEEP_HEAD}
  RETURN true;
END $$;
"""

_ADD_ENTRIES: Final = f"""
CREATE FUNCTION iris.add_entries(
  of_tenant text, of_person text, ids text[], revisions bigint[], entry_ids text[], seqs bigint[], slots bigint[],
  created bigint[], updated bigint[], expires bigint[], superseded text[], blobs bytea[]) RETURNS text
{_OPENING}
BEGIN
  IF (SELECT p.version FROM iris.person AS p WHERE p.tenant = of_tenant AND p.person = of_person) = -1 THEN
    RETURN 'erased';
  END IF;
  IF NOT FOUND OR NOT EXISTS (SELECT FROM iris.person AS p WHERE p.tenant = of_tenant AND p.person = of_person) THEN
    INSERT INTO iris.tenant (tenant) VALUES (of_tenant) ON CONFLICT DO NOTHING;
    INSERT INTO iris.person (tenant, person) VALUES (of_tenant, of_person) ON CONFLICT DO NOTHING;
  END IF;
  IF EXISTS (SELECT FROM iris.tombstone AS t
              WHERE t.tenant = of_tenant AND t.person = of_person AND t.logical_id = ANY (ids))
    OR EXISTS (SELECT FROM iris.entry AS e WHERE e.tenant = of_tenant AND e.person = of_person
                AND e.logical_id = ANY (ids) AND e.hidden_seq IS NOT NULL)
  THEN
    RETURN 'gone';
  END IF;
  INSERT INTO iris.entry (tenant, person, logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at,
    superseded_by, blob)
  SELECT of_tenant, of_person, new.* FROM unnest(
    ids, revisions, entry_ids, seqs, slots, created, updated, expires, superseded, blobs) AS new;
  RETURN '';
EXCEPTION WHEN unique_violation THEN
  RETURN 'known';
END $$;
"""

SIGNATURES: Final = (
    "iris.enter(text, text, integer, boolean)",
    "iris.chain_end(text)",
    "iris.grow_chain(text, bigint[], bytea[], bytea[], bytea[], bytea[])",
    "iris.tell(text, text, bigint, bigint, bigint, bigint, bytea, bytea, bytea, bytea, integer, boolean)",
    "iris.add_entries(text, text, text[], bigint[], text[], bigint[], bigint[], bigint[], bigint[], bigint[], text[],"
    " bytea[])",
)


def functions_for(role: str) -> str:
    """Return the script that makes the functions, and lets a role call them; it takes no lock on any table."""
    script = []
    for signature in SIGNATURES:
        script.append(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        script.append(f"GRANT EXECUTE ON FUNCTION {signature} TO {role}")
    return _ENTER + _CHAIN_END + _GROW_CHAIN + _TELL + _ADD_ENTRIES + ";\n".join(script) + ";\n"
