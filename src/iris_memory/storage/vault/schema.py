"""The vault's tables. Every wrapped key lies in a box of its own size, so that destroying it leaves no copy behind."""

from __future__ import annotations

from typing import Final

from iris_memory.storage.sqlite import boxes
from iris_memory.storage.sqlite.connection import FileKind

_FIRST: Final = (
    boxes.SCHEMA
    + """
CREATE TABLE root (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  salt BLOB NOT NULL,
  proof BLOB NOT NULL,
  links_cut INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tenant (
  tenant_no INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL DEFAULT 1,
  wrapping_box INTEGER NOT NULL REFERENCES box,
  data_box INTEGER NOT NULL REFERENCES box,
  tag_box INTEGER NOT NULL REFERENCES box
) STRICT;

CREATE TABLE subject (
  subject_no INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_no INTEGER NOT NULL REFERENCES tenant,
  person TEXT NOT NULL,
  slots_made INTEGER NOT NULL DEFAULT 0,
  key_box INTEGER NOT NULL REFERENCES box,
  UNIQUE (tenant_no, person)
) STRICT;

CREATE TABLE link (
  tenant_no INTEGER NOT NULL REFERENCES tenant,
  tag BLOB NOT NULL,
  subject_no INTEGER NOT NULL UNIQUE REFERENCES subject,
  PRIMARY KEY (tenant_no, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE slot (
  subject_no INTEGER NOT NULL REFERENCES subject,
  number INTEGER NOT NULL CHECK (number >= 1),
  box_no INTEGER NOT NULL REFERENCES box,
  PRIMARY KEY (subject_no, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE signing (
  tenant_no INTEGER NOT NULL REFERENCES tenant,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  public BLOB NOT NULL,
  from_size INTEGER NOT NULL,
  until_size INTEGER,
  box_no INTEGER NOT NULL REFERENCES box,
  PRIMARY KEY (tenant_no, ordinal)
) STRICT, WITHOUT ROWID;
"""
)

VAULT: Final = FileKind(
    noun="vault",
    application_id=0x49524B56,  # "IRKV"
    journal="truncate",
    synchronous="EXTRA",
    migrations=(_FIRST,),
)
