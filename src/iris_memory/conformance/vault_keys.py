"""What every vault promises about keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TypeAlias

from iris_memory.conformance.reporting import expect, refused, same
from iris_memory.conformance.samples import OTHER_TENANT, TENANT
from iris_memory.errors import KeyDestroyedError
from iris_memory.ports.vault import KeyProvider, Vault

OpenVault: TypeAlias = Callable[[KeyProvider], Vault]
"""Opens the vault at one place under a root key; again finds what the one before has left there."""

USER = "ada"


class RootKey:
    """A root key for checks."""

    def __init__(self, byte: int = 1) -> None:
        """Take the byte the key is made of."""
        self._key = bytes([byte]) * 32

    def root_key(self) -> bytes:
        """Return the key."""
        return self._key

    def describe(self) -> str:
        """Say where it comes from."""
        return "a check"


ROOT = RootKey()


@contextmanager
def unlocked(open_vault: OpenVault, key: KeyProvider = ROOT) -> Iterator[Vault]:
    """Open a vault and close it at the end."""
    vault = open_vault(key)
    try:
        yield vault
    finally:
        vault.close()


def keys_come_back_after_a_restart(open_vault: OpenVault) -> None:
    """Tenant key, subject and slots are the same after closing and opening again, 32 bytes each, all different."""
    with unlocked(open_vault) as vault:
        tenant_key, subject = vault.tenant_key(TENANT), vault.make_subject(TENANT, USER)
        slots = vault.reserve(subject, 5)
        keys = [tenant_key, subject.key, *(slot.key for slot in slots)]
        same(len(set(keys)), 7, "every key is another")
        expect(all(len(key) == 32 for key in keys), "every key has 32 bytes")
    with unlocked(open_vault) as vault:
        same(vault.tenant_key(TENANT), tenant_key, "the tenant key")
        same(vault.find_subject(TENANT, USER), subject, "the subject")
        same(dict(vault.open_slots(subject)), {slot.number: slot.key for slot in slots}, "the slots")


def a_user_has_one_subject_a_tenant(open_vault: OpenVault) -> None:
    """find_subject makes nobody; make_subject makes one, the same for every caller; tenants do not share."""
    with unlocked(open_vault) as vault:
        same(vault.find_subject(TENANT, USER), None, "nobody yet")
        made: list[str] = []
        threads = [Thread(target=lambda: made.append(vault.make_subject(TENANT, USER).person)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(len(set(made)), 1, "one subject for all")
        other = vault.make_subject(OTHER_TENANT, USER)
        expect(other.person != made[0], "another tenant, another pseudonym")
        expect(USER not in other.person, "a pseudonym tells nothing")
        same(vault.subjects(TENANT), [made[0]], "the tenant's subjects")


def slot_numbers_are_never_used_again(open_vault: OpenVault) -> None:
    """Slots are numbered from 1 upwards; a destroyed number does not come back, after a restart neither."""
    with unlocked(open_vault) as vault:
        subject = vault.make_subject(TENANT, USER)
        first = [slot.number for slot in vault.reserve(subject, 3)]
        expect(min(first) >= 1 and len(set(first)) == 3, "numbers from 1, each once")
        same(vault.destroy_slots(TENANT, subject.person, first), 3, "all three were there")
    with unlocked(open_vault) as vault:
        found = vault.find_subject(TENANT, USER)
        assert found is not None
        second = [slot.number for slot in vault.reserve(found, 3)]
        expect(not set(first) & set(second), "no number twice")


def a_destroyed_slot_is_gone(open_vault: OpenVault) -> None:
    """destroy_slots takes exactly those named, may run again, and reaches nobody else's."""
    with unlocked(open_vault) as vault:
        subject, other = vault.make_subject(TENANT, USER), vault.make_subject(TENANT, "bob")
        mine, theirs = vault.reserve(subject, 3), vault.reserve(other, 1)
        wrapped = vault.wrapped_slots(TENANT, subject.person, [mine[0].number])
        same(len(wrapped), 1, "the wrapped bytes of one slot")
        doomed = [mine[0].number, theirs[0].number]
        same(vault.destroy_slots(TENANT, subject.person, doomed), 1, "only the subject's own")
        same(vault.destroy_slots(TENANT, subject.person, doomed), 0, "again finds nothing")
        same(sorted(vault.open_slots(subject)), [slot.number for slot in mine[1:]], "the others stay")
        same(dict(vault.open_slots(subject, [mine[0].number])), {}, "a destroyed one is absent")
        same(vault.wrapped_slots(TENANT, subject.person, [mine[0].number]), [], "its wrapped bytes are gone")
        same(len(vault.open_slots(other)), 1, "a neighbour's slot stays")


def a_subject_opens_by_its_pseudonym(open_vault: OpenVault) -> None:
    """open_subject gives the subject of a pseudonym, in its own tenant alone, and nothing once it is destroyed."""
    with unlocked(open_vault) as vault:
        subject = vault.make_subject(TENANT, USER)
        vault.make_subject(OTHER_TENANT, USER)
        same(vault.open_subject(TENANT, subject.person), subject, "the subject")
        same(vault.open_subject(OTHER_TENANT, subject.person), None, "not in another tenant")
        same(vault.open_subject(TENANT, "nobody"), None, "an unknown pseudonym")
        vault.destroy_subject(TENANT, subject.person)
        same(vault.open_subject(TENANT, subject.person), None, "a destroyed subject")


def a_destroyed_subject_is_gone(open_vault: OpenVault) -> None:
    """destroy_subject takes key, slots and link; the same user is a new subject afterwards; reserving is refused."""
    with unlocked(open_vault) as vault:
        subject = vault.make_subject(TENANT, USER)
        vault.reserve(subject, 4)
        same(vault.destroy_subject(TENANT, subject.person), 4, "the slots there were")
        same(vault.find_subject(TENANT, USER), None, "the link is gone")
        same(vault.wrapped_slots(TENANT, subject.person, None), [], "no wrapped slot")
        refused(lambda: vault.reserve(subject, 1), "reserving for a destroyed subject", by=KeyDestroyedError)
        again = vault.make_subject(TENANT, USER)
        expect(again.person != subject.person and again.key != subject.key, "a new subject")
        same(vault.destroy_subject(TENANT, subject.person), 0, "again finds nothing")


CHECKS = (
    keys_come_back_after_a_restart,
    a_user_has_one_subject_a_tenant,
    slot_numbers_are_never_used_again,
    a_destroyed_slot_is_gone,
    a_subject_opens_by_its_pseudonym,
    a_destroyed_subject_is_gone,
)
