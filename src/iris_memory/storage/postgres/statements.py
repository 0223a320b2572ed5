"""Every statement of the engine. Each names the tenant (and the person) itself; the walls hold if one forgets.

A statement that changes something makes the tenant's and the person's row with it where they are not there yet, so that
a change costs one round trip: foreign keys are checked at the end of a statement, when every part of it is done.
"""

# ruff: noqa: S608 - statements are put together from constants of this module, never from a value

from __future__ import annotations

from typing import Final

TENANT: Final = "tenant = %(tenant)s"
PERSON: Final = "person = %(person)s"
OWN: Final = f"{TENANT} AND {PERSON}"
NAMED: Final = f"{OWN} AND logical_id = ANY (%(ids)s::text[])"

LIMITS: Final = """
SELECT set_config('statement_timeout', %(limit)s, true), set_config('lock_timeout', %(limit)s, true),
  set_config('idle_in_transaction_session_timeout', %(idle)s, true)
"""
_WHOLE: Final = ", set_config('transaction_timeout', %(idle)s, true)"
_LAZY: Final = ", set_config('synchronous_commit', 'off', true)"
WORK_LIMITS: Final = {
    (limits_whole, lazy): LIMITS + (_WHOLE if limits_whole else "") + (_LAZY if lazy else "")
    for limits_whole in (False, True)
    for lazy in (False, True)
}
"""How a writing transaction is limited: whether as a whole too, and whether its commit waits for the disk."""
ENTER: Final = (
    "SELECT got, version, usage_seq, tenant_version"
    " FROM iris.enter(%(tenant)s, %(person)s, %(holds)s::integer, %(tries)s)"
)
"""Name the tenant and the person, hold what is to be held, and return the counters as they are then: within the
function each question has a snapshot of its own, and sees what the last holder of the lock committed."""

MARK_SYNC: Final = "SELECT pg_logical_emit_message(true, 'iris', '')"
"""Write something to the write-ahead log, so that a commit has something to flush, and with it all before it."""

_ENTRY: Final = "logical_id, revision, entry_id, seq, slot, created_at, updated_at, expires_at, superseded_by, blob"

ENTRIES_SINCE: Final = (
    f"SELECT {_ENTRY} FROM iris.entry WHERE {OWN} AND seq > %(seq)s AND superseded_by IS NULL AND hidden_seq IS NULL"
    " ORDER BY seq, logical_id"
)
COUNT_ENTRIES: Final = f"SELECT count(*) FROM iris.entry WHERE {OWN} AND superseded_by IS NULL AND hidden_seq IS NULL"
DUE: Final = (
    f"SELECT {_ENTRY} FROM iris.entry WHERE {OWN} AND superseded_by IS NULL AND hidden_seq IS NULL"
    " AND (seq, logical_id) > (%(seq)s, %(id)s) AND expires_at <= %(now)s ORDER BY seq, logical_id LIMIT %(limit)s"
)
REVISIONS: Final = (
    f"SELECT {_ENTRY} FROM iris.entry WHERE {OWN} AND logical_id = %(id)s AND hidden_seq IS NULL ORDER BY revision"
)
GONE_SINCE: Final = f"""
SELECT logical_id FROM (
  SELECT logical_id, hidden_seq AS seq FROM iris.entry WHERE {OWN} AND hidden_seq > %(seq)s
  UNION ALL
  SELECT logical_id, seq FROM iris.tombstone WHERE {OWN} AND seq > %(seq)s
) AS gone GROUP BY logical_id ORDER BY min(seq), logical_id
"""
SLOTS_OF: Final = f"""
SELECT slot FROM iris.entry WHERE {NAMED} AND slot <> 0
UNION
SELECT slot FROM iris.usage WHERE {NAMED} AND slot <> 0
ORDER BY slot
"""
BLOBS_OF: Final = f"""
SELECT blob FROM iris.entry WHERE {NAMED}
UNION ALL
SELECT blob FROM iris.usage WHERE {NAMED}
"""
CREATED_OF: Final = f"SELECT logical_id, min(created_at) FROM iris.entry WHERE {NAMED} GROUP BY logical_id"
USAGE_SINCE: Final = (
    f"SELECT logical_id, seq, slot, blob FROM iris.usage WHERE {OWN} AND seq > %(seq)s AND NOT hidden"
    " ORDER BY logical_id"
)
USAGE_OF: Final = f"SELECT logical_id, seq, slot, blob FROM iris.usage WHERE {NAMED} AND NOT hidden ORDER BY logical_id"
TOMBSTONES: Final = (
    "SELECT logical_id, seq, created_at, forgotten_at, reason, receipt_id"
    f" FROM iris.tombstone WHERE {OWN} ORDER BY seq, logical_id"
)
_RECORD: Final = "SELECT key, seq, created_at, expires_at, slot, blob FROM iris.record"
RECORD: Final = f"{_RECORD} WHERE {OWN} AND kind = %(kind)s AND key = %(key)s"
RECORDS: Final = (
    f"{_RECORD} WHERE {OWN} AND kind = %(kind)s AND seq > %(since)s ORDER BY seq, key LIMIT %(limit)s::bigint"
)
CHAIN_END: Final = "SELECT size, head FROM iris.chain_end(%(tenant)s)"
AUDIT_HEAD: Final = f"SELECT audit_size, audit_head FROM iris.tenant WHERE {TENANT}"
AUDIT_LINES: Final = (
    f"SELECT sequence, line FROM iris.audit WHERE {TENANT} AND sequence >= %(start)s ORDER BY sequence LIMIT %(limit)s"
)
CHECKPOINTS: Final = f"SELECT size, note FROM iris.checkpoint WHERE {TENANT} ORDER BY size"

TENANT_NAMES: Final = "SELECT iris.tenant_names()"
RECORD_OWNERS: Final = "SELECT tenant, person FROM iris.record_owners(%(kinds)s::text[], %(due)s::bigint)"
PROBLEMS: Final = "SELECT amount, sentence FROM iris.problems()"

_MAKE_TENANT: Final = "made_tenant AS (INSERT INTO iris.tenant (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING)"
_MAKE_PERSON: Final = (
    f"{_MAKE_TENANT}, made_person AS (INSERT INTO iris.person (tenant, person) VALUES (%(tenant)s, %(person)s)"
    " ON CONFLICT DO NOTHING)"
)

BUMP: Final = (
    f"WITH {_MAKE_TENANT} INSERT INTO iris.person AS p (tenant, person, version) VALUES (%(tenant)s, %(person)s, 1)"
    " ON CONFLICT (tenant, person) DO UPDATE SET version = p.version + 1 WHERE p.version >= 0 RETURNING p.version"
)
ADD_ENTRIES: Final = """
SELECT iris.add_entries(
  %(tenant)s, %(person)s, %(ids)s, %(revisions)s, %(entry_ids)s, %(seqs)s, %(slots)s, %(created)s, %(updated)s,
  %(expires)s, %(superseded)s, %(blobs)s)
"""
SUPERSEDE: Final = f"""
UPDATE iris.entry SET superseded_by = pair.successor
  FROM unnest(%(ids)s::text[], %(revisions)s::bigint[], %(successors)s::text[]) AS pair (id, number, successor)
 WHERE {OWN} AND logical_id = pair.id AND revision = pair.number AND superseded_by IS NULL AND hidden_seq IS NULL
RETURNING logical_id, revision
"""
RESTORE: Final = f"""
UPDATE iris.entry SET superseded_by = NULL FROM unnest(%(ids)s::text[], %(revisions)s::bigint[]) AS pair (id, number)
 WHERE {OWN} AND logical_id = pair.id AND revision = pair.number
"""
HIDE: Final = f"""
WITH hidden AS (UPDATE iris.usage SET hidden = true WHERE {NAMED})
UPDATE iris.entry SET hidden_seq = %(seq)s WHERE {NAMED} AND hidden_seq IS NULL
"""
BURY: Final = f"""
WITH {_MAKE_PERSON},
gone AS (DELETE FROM iris.entry WHERE {NAMED} RETURNING 1),
unused AS (DELETE FROM iris.usage WHERE {NAMED} RETURNING 1),
left_over AS (
  INSERT INTO iris.tombstone (tenant, person, logical_id, seq, created_at, forgotten_at, reason, receipt_id)
  SELECT %(tenant)s, %(person)s, * FROM unnest(
    %(ids)s::text[], %(seqs)s::bigint[], %(created)s::bigint[], %(forgotten)s::bigint[], %(reasons)s::text[],
    %(receipts)s::text[])
  ON CONFLICT DO NOTHING)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM unused)
"""
MARK_USAGE: Final = f"""
WITH {_MAKE_TENANT},
moved AS (
  INSERT INTO iris.person AS p (tenant, person, usage_seq) VALUES (%(tenant)s, %(person)s, 1)
  ON CONFLICT (tenant, person) DO UPDATE SET usage_seq = p.usage_seq + 1 WHERE p.version >= 0)
INSERT INTO iris.usage AS u (tenant, person, logical_id, seq, slot, blob)
SELECT %(tenant)s, %(person)s, mark.id, %(seq)s, mark.slot, mark.blob
  FROM unnest(%(ids)s::text[], %(slots)s::bigint[], %(blobs)s::bytea[]) AS mark (id, slot, blob)
 WHERE EXISTS (SELECT FROM iris.entry WHERE {OWN} AND logical_id = mark.id AND hidden_seq IS NULL)
ON CONFLICT (tenant, person, logical_id) DO UPDATE SET seq = excluded.seq, slot = excluded.slot, blob = excluded.blob
"""
PUT_KNOWN_RECORDS: Final = """
INSERT INTO iris.record (tenant, person, kind, key, seq, created_at, expires_at, slot, blob)
SELECT %(tenant)s, %(person)s, * FROM unnest(
  %(kinds)s::text[], %(keys)s::text[], %(seqs)s::bigint[], %(created)s::bigint[], %(expires)s::bigint[],
  %(slots)s::bigint[], %(blobs)s::bytea[])
ON CONFLICT (tenant, person, kind, key) DO UPDATE SET seq = excluded.seq, created_at = excluded.created_at,
  expires_at = excluded.expires_at, slot = excluded.slot, blob = excluded.blob
"""
PUT_RECORDS: Final = f"WITH {_MAKE_PERSON} {PUT_KNOWN_RECORDS}"
DROP_RECORDS: Final = f"DELETE FROM iris.record WHERE {OWN} AND kind = %(kind)s AND key = ANY (%(keys)s::text[])"
DROP_KIND: Final = f"DELETE FROM iris.record WHERE {OWN} AND kind = %(kind)s"
DROP_DUE: Final = f"DELETE FROM iris.record WHERE {OWN} AND kind = ANY (%(kinds)s::text[]) AND expires_at <= %(due)s"
ERASE: Final = f"""
WITH {_MAKE_TENANT},
erased AS (
  INSERT INTO iris.person (tenant, person, version, usage_seq) VALUES (%(tenant)s, %(person)s, -1, 0)
  ON CONFLICT (tenant, person) DO UPDATE SET version = -1, usage_seq = 0),
entries AS (DELETE FROM iris.entry WHERE {OWN} RETURNING 1),
uses AS (DELETE FROM iris.usage WHERE {OWN} RETURNING 1),
records AS (DELETE FROM iris.record WHERE {OWN} RETURNING 1),
stones AS (DELETE FROM iris.tombstone WHERE {OWN} AND NOT %(keep)s RETURNING 1)
SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM uses), (SELECT count(*) FROM records),
  (SELECT count(*) FROM stones)
"""
EXTEND_CHAIN: Final = """
WITH grown AS (
  INSERT INTO iris.tenant AS t (tenant, audit_size, audit_head) VALUES (%(tenant)s, %(size)s, %(head)s)
  ON CONFLICT (tenant) DO UPDATE SET audit_size = excluded.audit_size, audit_head = excluded.audit_head
   WHERE t.audit_size = %(written)s RETURNING 1)
INSERT INTO iris.audit (tenant, sequence, line)
SELECT %(tenant)s, new.sequence, new.line FROM grown,
  unnest(%(sequences)s::bigint[], %(lines)s::bytea[]) AS new (sequence, line)
"""
"""Append lines that were linked here, while the row of the tenant is held."""

GROW_CHAIN: Final = (
    "SELECT iris.grow_chain(%(tenant)s, %(times)s::bigint[], %(firsts)s::bytea[], %(seconds)s::bytea[],"
    " %(thirds)s::bytea[], %(lasts)s::bytea[])"
)
"""Append lines that are linked at the server."""

TELL: Final = (
    "SELECT iris.tell(%(tenant)s, %(person)s, %(version)s, %(usage)s, %(tenant_version)s, %(at)s, %(first)s,"
    " %(second)s, %(third)s, %(last)s, %(patience)s::integer, %(durable)s)"
)
"""Append one line on condition that the counters are still these: a transaction of its own."""

ERASURES: Final = "iris_erasures"
"""The channel on which every process of a database hears of erasures."""

NOTIFY: Final = f"SELECT pg_notify('{ERASURES}', json_build_array(%(tenant)s::text, %(person)s::text)::text)"
ADD_CHECKPOINT: Final = f"""
WITH {_MAKE_TENANT}
INSERT INTO iris.checkpoint (tenant, size, note) VALUES (%(tenant)s, %(size)s, %(note)s)
ON CONFLICT (tenant, size) DO UPDATE SET note = excluded.note
"""
VACUUM: Final = "VACUUM (SKIP_LOCKED, PROCESS_TOAST) iris.entry, iris.usage, iris.record"
