"""Keys are wrapped with AES-256-GCM under the key above them, bound to the place they belong to.

A wrapped key is a random nonce of 12 bytes, the 32 bytes sealed and the tag of 16. What is bound to it (the kind of
key, the tenant, the pseudonym and a number) is not stored: a wrapped key that was moved elsewhere does not open.
"""

from __future__ import annotations

import hmac
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from iris_memory.errors import StoreCorruptError

KEY_LENGTH: Final = 32
NONCE_LENGTH: Final = 12
WRAPPED_LENGTH: Final = NONCE_LENGTH + KEY_LENGTH + 16


def place(kind: str, tenant: str, person: str = "") -> bytes:
    """Return what a wrapped key is bound to, each part after its length so that no two places look alike."""
    parts = [part.encode() for part in ("iris-vault-1", kind, tenant, person)]
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def numbered(where: bytes, number: int) -> bytes:
    """Return the place of one key among many of its kind."""
    return where + number.to_bytes(8, "big")


def wrap(key: AESGCM, inner: bytes, where: bytes, nonce: bytes) -> bytes:
    """Seal a key for a place. The nonce MUST be fresh."""
    return nonce + key.encrypt(nonce, inner, where)


def unwrap(key: AESGCM, wrapped: bytes, where: bytes) -> bytes:
    """Open a sealed key.

    Raises:
        StoreCorruptError: it was altered, or belongs to another place or under another key.
    """
    try:
        return key.decrypt(wrapped[:NONCE_LENGTH], wrapped[NONCE_LENGTH:], where)
    except (InvalidTag, ValueError):
        raise StoreCorruptError("a key in the vault fails its check; restore a backup of the vault") from None


def derive(root: bytes, purpose: str, salt: bytes) -> bytes:
    """Return a key made from the root key for one purpose (HKDF-Expand of one block, RFC 5869 section 2.3)."""
    return hmac.digest(root, purpose.encode() + b"\x00" + salt + b"\x01", "sha256")


def public_half(private: bytes) -> bytes:
    """Return the public half of an Ed25519 key (RFC 8032): the stored one is trusted only when it is this one."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def link_tag(tag_key: bytes, user_id: str) -> bytes:
    """Return the keyed tag under which the link from a user to a pseudonym is found."""
    return hmac.digest(tag_key, b"user\x00" + user_id.encode(), "sha256")
