"""A tenant's keys: the wrapping key under the root key, and below it the data key, the tag key and the signing keys."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import apsw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from iris_memory.errors import KeyWrongError
from iris_memory.ports.vault import KeyProvider
from iris_memory.storage.sqlite import boxes
from iris_memory.storage.sqlite.connection import rows_of
from iris_memory.storage.vault.wrapping import (
    KEY_LENGTH,
    NONCE_LENGTH,
    derive,
    numbered,
    place,
    unwrap,
    wrap,
)

SALT_LENGTH: Final = 16

_ROOT: Final = "SELECT salt, proof FROM root"
_SET_ROOT: Final = (
    "INSERT INTO root (only, salt, proof) VALUES (1, ?, ?)"
    " ON CONFLICT DO UPDATE SET salt = excluded.salt, proof = excluded.proof"
)
_TENANT: Final = (
    "SELECT tenant_no, generation, w.bytes, d.bytes, t.bytes FROM tenant"
    " JOIN box AS w ON w.box_no = wrapping_box JOIN box AS d ON d.box_no = data_box"
    " JOIN box AS t ON t.box_no = tag_box WHERE tenant = ?"
)
_ADD_TENANT: Final = "INSERT INTO tenant (tenant, wrapping_box, data_box, tag_box) VALUES (?, ?, ?, ?)"
_GENERATION: Final = "SELECT generation FROM tenant WHERE tenant = ?"
_ALL_WRAPPING: Final = "SELECT tenant, wrapping_box, bytes FROM tenant JOIN box ON box_no = wrapping_box"
_NEXT_GENERATION: Final = "UPDATE tenant SET generation = generation + 1 WHERE tenant_no = ?"
_OWN_BOXES: Final = "SELECT wrapping_box, data_box, tag_box FROM tenant WHERE tenant_no = ?"
_SUBJECT_BOXES: Final = "SELECT person, key_box, bytes FROM subject JOIN box ON box_no = key_box WHERE tenant_no = ?"
_SIGNING_BOXES: Final = "SELECT ordinal, box_no, bytes FROM signing JOIN box USING (box_no) WHERE tenant_no = ?"


@dataclass(frozen=True, slots=True)
class TenantKeys:
    """A tenant's opened keys. `generation` says which wrapping key this is; the data and tag keys never change."""

    tenant_no: int
    generation: int
    wrapping: AESGCM
    data: bytes
    tag: bytes
    opened: float

    def __repr__(self) -> str:
        return f"TenantKeys(generation={self.generation})"


class Keyring:
    """Opens tenant keys with the root key and keeps the opened ones for a while, `most` of them for `seconds`."""

    def __init__(
        self,
        connection: apsw.Connection,
        provider: KeyProvider,
        *,
        secret: Callable[[int], bytes],
        clock: Callable[[], float],
        most: int,
        seconds: float,
    ) -> None:
        self._connection = connection
        self._provider = provider
        self._secret = secret
        self._clock = clock
        self._most = most
        self._seconds = seconds
        self._opened: dict[str, TenantKeys] = {}

    def is_bound(self) -> bool:
        """Say whether the vault belongs to a root key already; one that was just made does not.

        Raises:
            KeyMissingError: there is no root key.
            KeyWrongError: the root key is not the one of this vault.
        """
        if self._connection.execute(_ROOT).get is None:
            return False
        self._root()
        return True

    def bind(self) -> None:
        """Bind the vault to the root key, unless another process has just done so. Needs a transaction."""
        if not self.is_bound():
            self._set_root(self._provider.root_key())

    def remembered(self, tenant: str) -> TenantKeys | None:
        """Return the tenant's keys if they were opened at most `seconds` ago."""
        known = self._opened.get(tenant)
        return known if known is not None and self._clock() - known.opened < self._seconds else None

    def find(self, tenant: str) -> TenantKeys | None:
        """Return the tenant's keys, which another process may have rotated, or None where there is no such tenant."""
        known = self.remembered(tenant)
        if known is not None and self._connection.execute(_GENERATION, (tenant,)).get == known.generation:
            return known
        return self._open(tenant)

    def make(self, tenant: str) -> TenantKeys:
        """Return the tenant's keys, made if there are none. Needs a transaction."""
        known = self.find(tenant)
        if known is not None:
            return known
        root, wrapping = self._root(), self._secret(KEY_LENGTH)
        below = AESGCM(wrapping)
        wrapped = [
            self._wrap(root, wrapping, place("tenant", tenant)),
            self._wrap(below, self._secret(KEY_LENGTH), place("data", tenant)),
            self._wrap(below, self._secret(KEY_LENGTH), place("tag", tenant)),
        ]
        self._connection.execute(_ADD_TENANT, (tenant, *boxes.put_many(self._connection, wrapped)))
        made = self._open(tenant)
        assert made is not None
        return made

    def forget(self) -> None:
        """Drop every opened key."""
        self._opened.clear()

    def rotate_tenant(self, tenant: str) -> None:
        """Wrap everything of a tenant under a new wrapping key. Needs a transaction."""
        old = self.make(tenant)
        self._opened.pop(tenant, None)
        wrapping = self._secret(KEY_LENGTH)
        new = AESGCM(wrapping)
        own = self._connection.execute(_OWN_BOXES, (old.tenant_no,)).get
        self._refill(own[0], self._wrap(self._root(), wrapping, place("tenant", tenant)))
        self._refill(own[1], self._wrap(new, old.data, place("data", tenant)))
        self._refill(own[2], self._wrap(new, old.tag, place("tag", tenant)))
        for person, box_no, wrapped in rows_of(self._connection, _SUBJECT_BOXES, (old.tenant_no,)):
            where = place("subject", tenant, person)
            self._refill(box_no, self._wrap(new, unwrap(old.wrapping, wrapped, where), where))
        for ordinal, box_no, wrapped in rows_of(self._connection, _SIGNING_BOXES, (old.tenant_no,)):
            where = numbered(place("signing", tenant), ordinal)
            self._refill(box_no, self._wrap(new, unwrap(old.wrapping, wrapped, where), where))
        self._connection.execute(_NEXT_GENERATION, (old.tenant_no,))

    def rotate_root(self, provider: KeyProvider) -> None:
        """Wrap every tenant's wrapping key under another root key. Needs a transaction."""
        old = self._root()
        new = self._set_root(provider.root_key())
        for tenant, box_no, wrapped in rows_of(self._connection, _ALL_WRAPPING):
            where = place("tenant", tenant)
            self._refill(box_no, self._wrap(new, unwrap(old, wrapped, where), where))

    def adopt(self, provider: KeyProvider) -> None:
        """Ask another provider for the root key from now on; to be called once a rotation is committed."""
        self._provider = provider

    def _open(self, tenant: str) -> TenantKeys | None:
        self._opened.pop(tenant, None)
        row = self._connection.execute(_TENANT, (tenant,)).get
        if row is None:
            return None
        tenant_no, generation, wrapped, data, tag = row
        wrapping = AESGCM(unwrap(self._root(), wrapped, place("tenant", tenant)))
        keys = TenantKeys(
            tenant_no=tenant_no,
            generation=generation,
            wrapping=wrapping,
            data=unwrap(wrapping, data, place("data", tenant)),
            tag=unwrap(wrapping, tag, place("tag", tenant)),
            opened=self._clock(),
        )
        self._opened[tenant] = keys
        self._drop_old(keys.opened)
        return keys

    def _drop_old(self, now: float) -> None:
        """Drop what was opened too long ago or first among too many; the oldest stands first."""
        surplus = len(self._opened) - self._most
        for n, (tenant, keys) in enumerate(list(self._opened.items())):
            if n >= surplus and now - keys.opened < self._seconds:
                return
            del self._opened[tenant]

    def _root(self) -> AESGCM:
        salt, proof = self._connection.execute(_ROOT).get
        root = self._provider.root_key()
        if not hmac.compare_digest(derive(root, "proof", salt), proof):
            raise KeyWrongError("the root key is not the one of this vault; nothing was opened and nothing changed")
        return AESGCM(derive(root, "wrap", salt))

    def _set_root(self, root: bytes) -> AESGCM:
        salt = self._secret(SALT_LENGTH)
        self._connection.execute(_SET_ROOT, (salt, derive(root, "proof", salt)))
        return AESGCM(derive(root, "wrap", salt))

    def _wrap(self, key: AESGCM, inner: bytes, where: bytes) -> bytes:
        return wrap(key, inner, where, self._secret(NONCE_LENGTH))

    def _refill(self, box_no: int, wrapped: bytes) -> None:
        """Overwrite a wrapped key where it lies: both have the same length."""
        moved = boxes.replace(self._connection, box_no, wrapped)
        assert moved == box_no
