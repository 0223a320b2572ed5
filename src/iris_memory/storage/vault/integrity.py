"""What must hold in a vault at rest: every key opens, and nothing points to what is not there."""

from __future__ import annotations

from typing import Final

import apsw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from iris_memory.errors import StoreCorruptError
from iris_memory.storage.sqlite.connection import rows_of
from iris_memory.storage.sqlite.integrity import own_check
from iris_memory.storage.vault.tenant_keys import Keyring, TenantKeys
from iris_memory.storage.vault.wrapping import numbered, place, public_half, unwrap

_SUBJECTS: Final = "SELECT subject_no, person, bytes FROM subject JOIN box ON box_no = key_box WHERE tenant_no = ?"
_SLOTS: Final = "SELECT number, bytes FROM slot JOIN box USING (box_no) WHERE subject_no = ?"
_SIGNING: Final = "SELECT ordinal, bytes, public FROM signing JOIN box USING (box_no) WHERE tenant_no = ?"

_NAMED: Final = (
    "WITH named (box_no) AS (SELECT box_no FROM slot UNION ALL SELECT box_no FROM signing"
    " UNION ALL SELECT key_box FROM subject UNION ALL SELECT wrapping_box FROM tenant"
    " UNION ALL SELECT data_box FROM tenant UNION ALL SELECT tag_box FROM tenant) "
)
_RULES: Final = (
    (
        "keys have lost their bytes, or share them",
        "SELECT (SELECT count(*) FROM named)"
        " - (SELECT count(DISTINCT box_no) FROM named JOIN box USING (box_no) WHERE bytes IS NOT NULL)",
    ),
    (
        "wrapped keys belong to nothing",
        "SELECT count(*) FROM box WHERE bytes IS NOT NULL AND box_no NOT IN (SELECT box_no FROM named)",
    ),
    (
        "subjects have no link, or links no subject",
        "SELECT abs((SELECT count(*) FROM subject) - (SELECT count(*) FROM link))",
    ),
    (
        "slots have a number that was not given yet",
        "SELECT count(*) FROM slot JOIN subject USING (subject_no) WHERE number > slots_made",
    ),
)


def problems(connection: apsw.Connection, keyring: Keyring) -> list[str]:
    """Return what is wrong in plain sentences; nothing when all is well. To be called within a transaction."""
    found = own_check(connection)
    if found:
        return found
    for sentence, sql in _RULES:
        count = connection.execute(_NAMED + sql).get
        if count:
            found.append(f"{count} {sentence}")
    failing = 0
    for (tenant,) in rows_of(connection, "SELECT tenant FROM tenant"):
        try:
            keys = keyring.find(tenant)
        except StoreCorruptError:
            failing += 1
            continue
        assert keys is not None
        failing += _failing_below(connection, keys, tenant)
    if failing:
        found.append(f"{failing} keys fail their check")
    return found


def _failing_below(connection: apsw.Connection, keys: TenantKeys, tenant: str) -> int:
    where = place("signing", tenant)
    failing = sum(
        not _signs(keys.wrapping, wrapped, numbered(where, ordinal), public)
        for ordinal, wrapped, public in rows_of(connection, _SIGNING, (keys.tenant_no,))
    )
    for subject_no, person, wrapped in rows_of(connection, _SUBJECTS, (keys.tenant_no,)):
        try:
            cipher = AESGCM(unwrap(keys.wrapping, wrapped, place("subject", tenant, person)))
        except StoreCorruptError:
            failing += 1
            continue
        where = place("slot", tenant, person)
        failing += sum(
            not _opens(cipher, slot, numbered(where, number))
            for number, slot in rows_of(connection, _SLOTS, (subject_no,))
        )
    return failing


def _opens(key: AESGCM, wrapped: bytes, where: bytes) -> bool:
    try:
        unwrap(key, wrapped, where)
    except StoreCorruptError:
        return False
    return True


def _signs(key: AESGCM, wrapped: bytes, where: bytes, public: bytes) -> bool:
    try:
        return public_half(unwrap(key, wrapped, where)) == public
    except StoreCorruptError:
        return False
