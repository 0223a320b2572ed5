"""What every vault promises about its files, about another vault at the same place, and about its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from iris_memory.conformance.reporting import expect, refused, same
from iris_memory.conformance.samples import TENANT
from iris_memory.conformance.surroundings import bytes_of, together
from iris_memory.conformance.vault_keys import ROOT, USER, OpenVault, unlocked
from iris_memory.errors import KeyDestroyedError, StorageError
from iris_memory.ports.vault import Subject, Vault

USERS = 12
LONG_USER = "ada.lovelace@example.org"


def slots_open_all_or_those_named(open_vault: OpenVault) -> None:
    """open_slots returns every slot's key, or those named that are there; other people's numbers mean nothing."""
    with unlocked(open_vault) as vault:
        subject = vault.make_subject(TENANT, USER)
        keys = {slot.number: slot.key for slot in vault.reserve(subject, 5)}
        same(vault.reserve(subject, 0), [], "none asked, none made")
        same(dict(vault.open_slots(subject)), keys, "all of them")
        same(dict(vault.open_slots(subject, [4, 2, 4, 99])), {2: keys[2], 4: keys[4]}, "those named")
        same(dict(vault.open_slots(subject, [])), {}, "none named")
        same(dict(vault.open_slots(Subject(TENANT, "00" * 16, subject.key))), {}, "an unknown person has none")


def destroyed_keys_are_in_no_file(open_vault: OpenVault) -> None:
    """No file holds a key in the clear or a user's name; after destruction and scrub, nor wrapped bytes (DSR-10)."""
    with unlocked(open_vault) as vault:
        going, staying = vault.make_subject(TENANT, LONG_USER), vault.make_subject(TENANT, "bob@example.org")
        slots = vault.reserve(going, 200) + vault.reserve(staying, 200)
        destroyed = vault.wrapped_slots(TENANT, staying.person, range(1, 151))
        same(len(destroyed), 150, "wrapped bytes of those named")
        destroyed += vault.wrapped_slots(TENANT, going.person, None)
        same(len(destroyed), 150 + 200 + 1, "with None of all slots, and of the subject's own key")
        vault.destroy_slots(TENANT, staying.person, range(1, 151))
        vault.destroy_subject(TENANT, going.person)
        expect(vault.scrub(), "scrub is done")
        files = list(vault.files())
        same(len(vault.open_slots(staying)), 50, "the rest is there")
        same(vault.problems(), [], "the vault is well")
    clear = [slot.key for slot in slots] + [going.key, staying.key, LONG_USER.encode(), b"bob@example.org"]
    for path in files:
        held = bytes_of(path)
        expect(not any(one in held for one in clear), "a key or a user's name is in a file in the clear")
        expect(not any(one in held for one in destroyed), "a destroyed key is left in a file")


def two_vaults_at_one_place_agree(open_vault: OpenVault) -> None:
    """Two vaults at one place make one subject and never the same slot, and see each other's destruction at once."""
    with unlocked(open_vault) as one, unlocked(open_vault) as two:
        made: set[tuple[int, str, bytes]] = set()
        numbers: list[int] = []

        def run(vault: Vault) -> None:
            for n in range(USERS):
                subject = vault.make_subject(TENANT, f"user {n}")
                made.add((n, subject.person, subject.key))
                numbers.extend(slot.number for slot in vault.reserve(vault.make_subject(TENANT, USER), 3))

        together([partial(run, one), partial(run, two)])
        same(len(made), USERS, "one pseudonym and one key for each user")
        same(sorted(numbers), list(range(1, 2 * 3 * USERS + 1)), "no slot is given twice")
        subject = two.make_subject(TENANT, USER)
        two.destroy_slots(TENANT, subject.person, [1])
        expect(1 not in one.open_slots(subject), "a slot destroyed elsewhere does not open")
        same(one.find_subject(TENANT, USER), subject, "the subject is known to both")
        two.destroy_subject(TENANT, subject.person)
        same(one.find_subject(TENANT, USER), None, "a subject destroyed elsewhere is not found")
        refused(partial(one.reserve, subject, 1), "a slot of a subject destroyed elsewhere", by=KeyDestroyedError)


def a_closed_vault_refuses(open_vault: OpenVault) -> None:
    """After close everything is refused; closing again is allowed."""
    vault = open_vault(ROOT)
    subject = vault.make_subject(TENANT, USER)
    vault.close()
    vault.close()
    actions: list[Callable[[], object]] = [
        partial(vault.tenant_key, TENANT),
        partial(vault.find_subject, TENANT, USER),
        partial(vault.make_subject, TENANT, USER),
        partial(vault.subjects, TENANT),
        partial(vault.reserve, subject, 1),
        partial(vault.open_slots, subject),
        partial(vault.destroy_slots, TENANT, subject.person, [1]),
        partial(vault.destroy_subject, TENANT, subject.person),
        partial(vault.signing_keys, TENANT),
        partial(vault.rotate_tenant_key, TENANT),
        partial(vault.rotate_root_key, ROOT),
        vault.scrub,
        vault.problems,
    ]
    for action in actions:
        refused(action, "a closed vault", by=StorageError)


CHECKS = (
    slots_open_all_or_those_named,
    destroyed_keys_are_in_no_file,
    two_vaults_at_one_place_agree,
    a_closed_vault_refuses,
)
