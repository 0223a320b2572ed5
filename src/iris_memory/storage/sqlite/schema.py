"""The store's tables. Clear columns are only what the engine must filter on; everything readable is in sealed boxes.

The tenant itself is the person with the empty name: its version is the tenant's, its records are the tenant's.
Numbers of persons are never given twice, so a number that some reader still holds can never mean somebody else.
"""

from __future__ import annotations

from typing import Final

from iris_memory.storage.sqlite import boxes
from iris_memory.storage.sqlite.connection import FileKind

_FIRST: Final = (
    boxes.SCHEMA
    + """
CREATE TABLE tenant (
  tenant_no INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL UNIQUE,
  audit_size INTEGER NOT NULL DEFAULT 0,
  audit_head BLOB,
  CHECK ((audit_size = 0) = (audit_head IS NULL))
) STRICT;

CREATE TABLE person (
  person_no INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_no INTEGER NOT NULL REFERENCES tenant,
  person TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 0 CHECK (version >= -1),
  usage_seq INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tenant_no, person)
) STRICT;

CREATE TABLE entry (
  entry_no INTEGER PRIMARY KEY,
  person_no INTEGER NOT NULL REFERENCES person,
  logical_id TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  entry_id TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  superseded_by TEXT,
  hidden_seq INTEGER,
  box_no INTEGER NOT NULL REFERENCES box,
  UNIQUE (person_no, logical_id, revision)
) STRICT;
CREATE INDEX entry_living ON entry (person_no, seq, logical_id) WHERE superseded_by IS NULL AND hidden_seq IS NULL;
CREATE INDEX entry_hidden ON entry (person_no, hidden_seq) WHERE hidden_seq IS NOT NULL;

CREATE TABLE usage (
  person_no INTEGER NOT NULL REFERENCES person,
  logical_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  hidden INTEGER NOT NULL DEFAULT 0,
  box_no INTEGER NOT NULL REFERENCES box,
  PRIMARY KEY (person_no, logical_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_seq ON usage (person_no, seq);

CREATE TABLE tombstone (
  person_no INTEGER NOT NULL REFERENCES person,
  logical_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  forgotten_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  receipt_id TEXT NOT NULL,
  PRIMARY KEY (person_no, logical_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_seq ON tombstone (person_no, seq, logical_id);

CREATE TABLE record (
  person_no INTEGER NOT NULL REFERENCES person,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  slot INTEGER NOT NULL,
  box_no INTEGER NOT NULL REFERENCES box,
  PRIMARY KEY (person_no, kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_seq ON record (person_no, kind, seq, key);
CREATE INDEX record_kind ON record (kind, expires_at);

CREATE TABLE audit (
  tenant_no INTEGER NOT NULL REFERENCES tenant,
  sequence INTEGER NOT NULL CHECK (sequence >= 1),
  line BLOB NOT NULL,
  PRIMARY KEY (tenant_no, sequence)
) STRICT;

CREATE TABLE checkpoint (
  tenant_no INTEGER NOT NULL REFERENCES tenant,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (tenant_no, size)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_mark (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  syncs INTEGER NOT NULL
) STRICT;
INSERT INTO sync_mark VALUES (1, 0);
"""
)

STORE: Final = FileKind(
    noun="store",
    application_id=0x49524953,  # "IRIS"
    journal="wal",
    synchronous="FULL",
    migrations=(_FIRST,),
)
