"""The vault port: root key, tenant keys, subject keys and slots, apart from the data.

A slot is a random 256-bit key, wrapped by the subject's key, that seals one revision (or a small record). Destroying it
makes the revision unreadable in every copy, old backups of the data included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol


class Slot(NamedTuple):
    """A slot's number (from 1, never used again) and its key (32 bytes)."""

    number: int
    key: bytes

    def __repr__(self) -> str:
        return f"Slot(number={self.number})"


@dataclass(frozen=True, slots=True)
class Subject:
    """A person as the vault knows them: a random pseudonym and the subject key (32 bytes)."""

    tenant: str
    person: str
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An Ed25519 key that signs a tenant's checkpoints, for chain sizes from `from_size` to below `until_size`."""

    tenant: str
    ordinal: int
    private: bytes = field(repr=False)
    public: bytes
    from_size: int
    until_size: int | None


class KeyProvider(Protocol):
    """Gives the root key. A file, the environment, or a KMS."""

    def root_key(self) -> bytes:
        """Return the 32-byte root key; raise KeyMissingError where there is none."""
        ...

    def describe(self) -> str:
        """Say in words where the key comes from, for `doctor`, without the key and without a path of a person."""
        ...


class Vault(Protocol):
    """Keeps keys. Every change is durable when the call returns."""

    def tenant_key(self, tenant: str) -> bytes:
        """Return the tenant's data key (32 bytes), made on first use.

        It seals tenant records (slot 0) and keys tags. It is itself wrapped by the tenant's wrapping key, so rotation
        re-wraps it and leaves its value alone.
        """
        ...

    def find_subject(self, tenant: str, user_id: str) -> Subject | None:
        """Return the subject of a user, or None. The link is a keyed tag; nothing readable is kept."""
        ...

    def make_subject(self, tenant: str, user_id: str) -> Subject:
        """Return the subject of a user, made on first use. Two processes at once MUST get the same one."""
        ...

    def subjects(self, tenant: str) -> list[str]:
        """Return the pseudonyms of the tenant's subjects, sorted."""
        ...

    def open_subject(self, tenant: str, person: str) -> Subject | None:
        """Return the subject of a pseudonym, or None: for chores that go through everybody, and know no user."""
        ...

    def reserve(self, subject: Subject, count: int) -> list[Slot]:
        """Make `count` new slots in one durable step."""
        ...

    def slots_made(self, subject: Subject) -> int:
        """Return the highest slot number ever made for a subject; 0 for none. A row that names a higher one is newer
        than the vault."""
        ...

    def open_slots(self, subject: Subject, numbers: Sequence[int] | None = None) -> Mapping[int, bytes]:
        """Return keys by slot number, of all slots of the subject or of those named; destroyed ones are absent."""
        ...

    def wrapped_slots(self, tenant: str, person: str, numbers: Sequence[int] | None) -> list[bytes]:
        """Return the wrapped bytes of slots, or with None of all slots and of the subject's own key.

        It is what a residue scan must not find once they are destroyed.
        """
        ...

    def destroy_slots(self, tenant: str, person: str, numbers: Sequence[int]) -> int:
        """Destroy slots for good; return how many were there. Destroying again is allowed."""
        ...

    def destroy_subject(self, tenant: str, person: str) -> int:
        """Destroy a subject's key, every slot and the link to the user; return how many slots were there."""
        ...

    def signing_keys(self, tenant: str) -> list[SigningKey]:
        """Return the tenant's signing keys, oldest first; the first is made on first use with from_size 0."""
        ...

    def rotate_signing_key(self, tenant: str, *, size: int) -> SigningKey:
        """Retire the newest signing key at a chain size and make the next."""
        ...

    def rotate_tenant_key(self, tenant: str) -> None:
        """Make a new wrapping key for the tenant and re-wrap data key, subject keys and signing keys under it."""
        ...

    def rotate_root_key(self, provider: KeyProvider) -> None:
        """Re-wrap every tenant key under the root key of `provider`."""
        ...

    def scrub(self) -> bool:
        """Leave no destroyed byte in any file of the vault; say whether it is done."""
        ...

    def files(self) -> Iterable[Path]:
        """Name every file that may hold bytes of the vault."""
        ...

    def problems(self) -> list[str]:
        """Check the vault's integrity; return plain sentences, none when all is well."""
        ...

    def close(self) -> None:
        """Let go of the vault. Closing twice is allowed."""
        ...
