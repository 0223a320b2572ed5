"""One tenant's audit log grows by one line at a time, each bound to the one before it.

A stored line is the canonical form of the event's body with five reserved fields:

* `record_version`: 1
* `tenant_id`: whose log this is, so that a line cannot move to another one
* `sequence`: from 1, without a gap
* `at`: whole microseconds since 1970-01-01T00:00:00Z, never less than in the line before
* `previous`: the leaf hash of the line before in lowercase hex, 64 zeros in the first line

The leaf hash covers the stored bytes (RFC 9162), so what is hashed is what is stored. The body holds ids, codes, counts
and commitments, never content; this room cannot check that and leaves it to the flows.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from iris_memory.chain.canonical import MAX_INTEGER, JsonValue, canonical
from iris_memory.chain.merkle import HASH_LENGTH, Frontier, leaf_hash
from iris_memory.errors import ChainError

RECORD_VERSION: Final = 1
RESERVED: Final = frozenset({"record_version", "tenant_id", "sequence", "at", "previous"})
NO_PREVIOUS: Final = bytes(HASH_LENGTH)
BLINDING_LENGTH: Final = 32

_HEAD_VERSION: Final = b"\x01"
_FIXED_LENGTH: Final = 1 + 8 + HASH_LENGTH + 2


@dataclass(frozen=True, slots=True)
class Head:
    """Where one tenant's log stands: all that is needed to link the next line and to sign a checkpoint."""

    tenant_id: str
    size: int
    previous: bytes
    frontier: Frontier
    last_at: int


def genesis(tenant_id: str) -> Head:
    """The head of an empty log."""
    if not tenant_id:
        raise ChainError("a log needs a tenant id")
    return Head(tenant_id, 0, NO_PREVIOUS, Frontier(), 0)


def link(head: Head, body: Mapping[str, JsonValue], *, at: int) -> tuple[bytes, Head]:
    """The next line of the log and the head after it.

    Time never runs backwards in a log: when the clock was set back, the line carries the time of the line before.

    Args:
        head: where the log stands.
        body: the event without the reserved fields.
        at: microseconds since the epoch.

    Raises:
        ChainError: the body names a reserved field, or `at` is not a time.
        CanonicalError: the body has no canonical form.
    """
    if not RESERVED.isdisjoint(body):
        raise ChainError("an event body must not name a reserved field")
    if type(at) is not int or not 0 <= at <= MAX_INTEGER:
        raise ChainError("`at` must be whole microseconds since the epoch")
    at = max(at, head.last_at)
    sequence = head.size + 1
    reserved: dict[str, JsonValue] = {
        "record_version": RECORD_VERSION,
        "tenant_id": head.tenant_id,
        "sequence": sequence,
        "at": at,
        "previous": head.previous.hex(),
    }
    line = canonical({**body, **reserved})
    leaf = leaf_hash(line)
    return line, Head(head.tenant_id, sequence, leaf, head.frontier.append(leaf), at)


def head_to_bytes(head: Head) -> bytes:
    """For storage: version (1 byte), `last_at` (8), previous (32), length of the tenant id (2), tenant id, frontier."""
    tenant = head.tenant_id.encode()
    return b"".join(
        (
            _HEAD_VERSION,
            head.last_at.to_bytes(8, "big"),
            head.previous,
            len(tenant).to_bytes(2, "big"),
            tenant,
            head.frontier.to_bytes(),
        )
    )


def head_from_bytes(data: bytes) -> Head:
    """The head that `head_to_bytes` wrote.

    Raises:
        ChainError: the bytes are not a stored head.
    """
    if len(data) < _FIXED_LENGTH or data[:1] != _HEAD_VERSION:
        raise ChainError("a stored head has an unknown form")
    frontier_start = _FIXED_LENGTH + int.from_bytes(data[_FIXED_LENGTH - 2 : _FIXED_LENGTH], "big")
    frontier = Frontier.from_bytes(data[frontier_start:])
    try:
        tenant_id = data[_FIXED_LENGTH:frontier_start].decode()
    except UnicodeDecodeError:
        raise ChainError("a stored head has an unknown form") from None
    last_at, previous = int.from_bytes(data[1:9], "big"), data[9 : 9 + HASH_LENGTH]
    return Head(tenant_id, frontier.size, previous, frontier, last_at)


def commitment(blinding: bytes, body: bytes) -> str:
    """The only trace of a body in the log: HMAC-SHA256 under a fresh 256-bit blinding, in lowercase hex.

    The blinding lives with the body under the subject's key. Once that key is destroyed nobody can open the commitment
    nor try candidates against it, while every hash and proof over the line stays valid.

    Raises:
        ChainError: the blinding is not 32 bytes.
    """
    if len(blinding) != BLINDING_LENGTH:
        raise ChainError("a blinding must be 32 bytes")
    return hmac.digest(blinding, body, "sha256").hex()
