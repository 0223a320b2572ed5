"""Sealing: AES-256-GCM with the location bound as associated data and the key committed to.

AES-GCM alone does not commit to its key, so a sealed blob carries the SHA-256 commitment of the key it was sealed
under; opening checks it first. Layout: version 1, 32 bytes of commitment, 12 bytes of nonce, ciphertext with tag.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from iris_memory.errors import StoreCorruptError, StoreVersionError

VERSION: Final = 1
NONCE_LENGTH: Final = 12
_COMMITMENT: Final = b"iris-key-commitment-1"
_START: Final = 1 + 32 + NONCE_LENGTH

Secret = Callable[[int], bytes]


def seal(key: bytes, plain: bytes, *, location: bytes, nonce: bytes) -> bytes:
    """Seal bytes under a key for one location. `nonce` is 12 random bytes, never used twice with the key."""
    commitment = sha256(_COMMITMENT + key).digest()
    return b"\x01" + commitment + nonce + AESGCM(key).encrypt(nonce, plain, location)


def open_sealed(key: bytes, blob: bytes, *, location: bytes) -> bytes:
    """Return the bytes of a blob; raise StoreCorruptError where key, location or bytes do not fit."""
    if blob[:1] != b"\x01":
        raise StoreVersionError("a sealed blob is of an unknown version; upgrade Iris to read it")
    if blob[1:33] != sha256(_COMMITMENT + key).digest():
        raise StoreCorruptError("a sealed blob does not belong to the key its row names")
    try:
        return AESGCM(key).decrypt(blob[33:_START], blob[_START:], location)
    except InvalidTag:
        raise StoreCorruptError("a sealed blob fails its check: it was changed, or moved to another place") from None


def derived(key: bytes, purpose: str) -> bytes:
    """Return the 32-byte key of one purpose under a uniformly random key (one block of HKDF-Expand, RFC 5869)."""
    return hmac.digest(key, b"iris/" + purpose.encode() + b"\x01", "sha256")


def tag(key: bytes, *parts: str) -> str:
    """Return a keyed tag of parts in lower-case hex (HMAC-SHA256, 128 bits); without the key it tells nothing."""
    return hmac.digest(key, "\x1f".join(parts).encode("utf-8", "surrogatepass"), "sha256")[:16].hex()


def entry_location(tenant: str, person: str, logical_id: str, revision: int, slot: int) -> bytes:
    """Return the associated data of an entry's blob."""
    return f"iris-entry-1\x1f{tenant}\x1f{person}\x1f{logical_id}\x1f{revision}\x1f{slot}".encode()


def usage_location(tenant: str, person: str, logical_id: str) -> bytes:
    """Return the associated data of a usage blob."""
    return f"iris-usage-1\x1f{tenant}\x1f{person}\x1f{logical_id}".encode()


def record_location(tenant: str, person: str, kind: str, key: str, slot: int) -> bytes:
    """Return the associated data of a record's blob."""
    return f"iris-record-1\x1f{tenant}\x1f{person}\x1f{kind}\x1f{key}\x1f{slot}".encode()
