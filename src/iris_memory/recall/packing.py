"""One entry as bytes: a fixed head that columns are built from without parsing, the tokens, then the JSON form.

This is what a store seals. Codes are positions in their enums, which therefore only grow at the end. The version comes
first; a reader meets an unknown one with StoreVersionError.
"""

from __future__ import annotations

import json
import struct
import unicodedata
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

import numpy as np

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Origin, SuppressionReason
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import StoreVersionError
from iris_memory.recall.lexical import tokens

PACK_VERSION: Final = 1
FOREVER: Final = (1 << 62) - 1
"""The instant of what never ends."""

HEAD: Final = np.dtype(
    [
        ("version", "<u1"),
        ("category", "<u1"),
        ("origin", "<u1"),
        ("lifecycle", "<u1"),
        ("flags", "<u1"),
        ("hold", "<u1"),
        ("token_count", "<u2"),
        ("updated", "<i8"),
        ("expires", "<i8"),
        ("hold_ends", "<i8"),
        ("address", "<u8", (2,)),
        ("conflict", "<u8", (2,)),
        ("body", "<u8", (2,)),
    ]
)

_HEAD_STRUCT: Final = struct.Struct("<BBBBBBHqqq16s16s16s")

_CONFLICT_AT: Final = HEAD.itemsize - 32
QUARANTINED: Final = 1
SENSITIVE_INTERACTION: Final = 2
HAS_CONFLICT_KEY: Final = 4

CATEGORY_CODES: Final = {member: code for code, member in enumerate(Category)}
ORIGIN_CODES: Final = {member: code for code, member in enumerate(Origin)}
LIFECYCLE_CODES: Final = {member: code for code, member in enumerate(Lifecycle)}
HOLD_CODES: Final = {member: code for code, member in enumerate(SuppressionReason, start=1)}

ConflictKey = Callable[[MemoryEntry], str | None]
"""The key under which entries contradict each other; None never clusters."""


def fold(text: str) -> str:
    """Return text as it is compared: NFKC, casefold, trimmed, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def conflict_key(entry: MemoryEntry) -> str | None:
    """Return category, actor handle and subject (NFKC, casefold, trimmed); an entry without a subject never clusters.

    The parts are joined by a control character, which no category or handle holds: two keys never read the same.
    """
    subject = unicodedata.normalize("NFKC", entry.subject).casefold().strip() if entry.subject else ""
    if not subject:
        return None
    handle = entry.multi_actor.actor_handle if entry.multi_actor else ""
    return "\x1f".join((entry.category.value, handle, subject))


def digest(text: str) -> bytes:
    """Return the 128-bit digest that stands for a text inside sealed bytes and in memory."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def address_digest(entry: MemoryEntry) -> bytes:
    """Return the digest of whose entry it is and where it lives."""
    parts = (entry.tenant_id, entry.user_id, entry.scope.text(), entry.adapter_scope.value)
    return digest("\x00".join(parts))


def body_digest(body: str) -> bytes:
    """Return the digest of a body as it is compared."""
    return digest(fold(body))


def pack(entry: MemoryEntry, *, key: ConflictKey = conflict_key, address: bytes | None = None) -> bytes:
    """Return an entry as bytes. Use counts are not part of it: use is not a revision.

    `address` is its `address_digest`, where that is known.
    """
    found = tokens(entry.body)
    clash = key(entry)
    actor = entry.multi_actor
    flags = (
        (QUARANTINED if entry.quarantine else 0)
        | (SENSITIVE_INTERACTION if actor is not None and actor.sensitive_interaction else 0)
        | (HAS_CONFLICT_KEY if clash is not None else 0)
    )
    hold = entry.suppression
    head = _HEAD_STRUCT.pack(
        PACK_VERSION,
        CATEGORY_CODES[entry.category],
        ORIGIN_CODES[entry.origin],
        LIFECYCLE_CODES[entry.lifecycle],
        flags,
        HOLD_CODES[hold.reason] if hold else 0,
        len(found),
        to_micros(entry.updated_at),
        to_micros(entry.expires_at) if entry.expires_at else FOREVER,
        to_micros(hold.ends_at) if hold and hold.ends_at else FOREVER,
        address_digest(entry) if address is None else address,
        digest(clash) if clash is not None else bytes(16),
        body_digest(entry.body),
    )
    return head + _pack_tokens(found) + entry.model_dump_json().encode()


def unpack(packed: bytes) -> MemoryEntry:
    """Return the entry of packed bytes."""
    return MemoryEntry.model_validate_json(packed[json_start(packed) :])


def json_start(packed: bytes) -> int:
    """Return where the JSON form begins; raise StoreVersionError for a version this Iris does not know."""
    if packed[0] != PACK_VERSION:
        raise StoreVersionError("an entry was packed by a newer Iris; upgrade Iris to read it")
    return HEAD.itemsize + 8 * int.from_bytes(packed[6:8], "little")


def wording(packed: bytes) -> tuple[str, int]:
    """Return the body and the revision of a packed entry, without making a contract of it."""
    fields = json.loads(packed[json_start(packed) :])
    return fields["body"], fields["revision"]


def is_from(packed: bytes, ref: str) -> bool:
    """Say whether a packed entry came from a source, without making a contract of it.

    What the person typed themselves came from its first source alone; the others are what it took the place of.
    """
    if json.dumps(ref, ensure_ascii=False)[1:-1].encode() not in packed:
        return False
    fields = json.loads(packed[json_start(packed) :])
    links = fields["provenance_chain"]
    own = fields["label"] == "user-typed" and fields["origin"] in {"user-stated", "user-confirmed"}
    return any(link["ref"] == ref for link in (links[:1] if own else links))


def conflict_mark(packed: bytes) -> bytes:
    """Return the digest of a packed entry's conflict key; zeros where it has none."""
    return packed[_CONFLICT_AT : _CONFLICT_AT + 16]


def set_apart(packed: bytes) -> bytes:
    """Return packed bytes whose address has a code of its own: what lives in the session is gated by other rules."""
    at = _CONFLICT_AT - 16
    mark = blake2b(b"session" + packed[at:_CONFLICT_AT], digest_size=16).digest()
    return packed[:at] + mark + packed[_CONFLICT_AT:]


def token_bytes(packed: bytes) -> bytes:
    """Return the packed tokens, eight bytes each, ascending."""
    return packed[HEAD.itemsize : json_start(packed)]


def _pack_tokens(found: list[int]) -> bytes:
    return np.array(found, dtype="<u8").tobytes()
