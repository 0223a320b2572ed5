"""What every vault promises about signing keys, rotation and the root key."""

from __future__ import annotations

from functools import partial

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from iris_memory.conformance.reporting import expect, refused, same
from iris_memory.conformance.vault_keys import ROOT, USER, OpenVault, RootKey, unlocked
from iris_memory.errors import IrisError, KeyMissingError, KeyWrongError
from iris_memory.ports.vault import SigningKey, Subject, Vault


class _NoKey(RootKey):
    def root_key(self) -> bytes:
        raise KeyMissingError("there is no root key")


def signing_keys_follow_each_other(open_vault: OpenVault) -> None:
    """The first signing key is made on first use from size 0; the next begins where the one before ends (LOG-10)."""
    with unlocked(open_vault) as vault:
        (first,) = vault.signing_keys("acme")
        same((first.from_size, first.until_size), (0, None), "the first has no end yet")
        second = vault.rotate_signing_key("acme", size=10)
        third = vault.rotate_signing_key("acme", size=10)
        refused(partial(vault.rotate_signing_key, "acme", size=9), "a retirement before the beginning", by=IrisError)
        keys = vault.signing_keys("acme")
        same([(key.from_size, key.until_size) for key in keys], [(0, 10), (10, 10), (10, None)], "ends meet")
        same([key.public for key in keys], [first.public, second.public, third.public], "oldest first")
        same([key.ordinal for key in keys], sorted({key.ordinal for key in keys}), "numbered in order")
        for key in keys:
            public = Ed25519PrivateKey.from_private_bytes(key.private).public_key().public_bytes_raw()
            same(public, key.public, "private and public belong together")
        expect(vault.signing_keys("globex")[0].public != first.public, "each tenant has its own")
    with unlocked(open_vault) as vault:
        same(vault.signing_keys("acme"), keys, "the same after reopening")


def a_rotated_tenant_key_changes_no_key_below(open_vault: OpenVault) -> None:
    """rotate_tenant_key wraps everything anew and changes no key below, in a vault open elsewhere too (LOG-10)."""
    with unlocked(open_vault) as vault, unlocked(open_vault) as elsewhere:
        before, slots, _ = _seen(vault)
        same(_seen(elsewhere)[0], before, "the same keys elsewhere")
        wrapped = vault.wrapped_slots("acme", slots[0].person, None)
        for _ in range(2):
            vault.rotate_tenant_key("acme")
            same(_seen(vault)[0], before, "the same keys after rotation")
            same(_seen(elsewhere)[0], before, "and in the other vault")
        again = vault.wrapped_slots("acme", slots[0].person, None)
        expect(wrapped[-1] not in again, "the subject's key is wrapped anew")
        vault.rotate_tenant_key("new-tenant")
        same(vault.problems(), [], "the vault is well")
    with unlocked(open_vault) as vault:
        same(_seen(vault)[0], before, "the same keys after reopening")


def a_rotated_root_key_shuts_the_old_one_out(open_vault: OpenVault) -> None:
    """After rotate_root_key only the new root key opens the vault, to the same keys (LOG-10)."""
    new = RootKey(8)
    with unlocked(open_vault) as vault:
        before = _seen(vault)[0]
        vault.tenant_key("globex")
        vault.rotate_root_key(new)
        same(_seen(vault)[0], before, "the same keys after rotation")
        vault.tenant_key("made afterwards")
    refused(partial(open_vault, ROOT), "the old root key", by=KeyWrongError)
    with unlocked(open_vault, new) as vault:
        same(_seen(vault)[0], before, "the same keys after reopening")
        same(vault.problems(), [], "the vault is well")


def a_wrong_or_missing_root_key_is_refused(open_vault: OpenVault) -> None:
    """A wrong or missing root key is refused before anything is opened, and changes nothing."""
    refused(partial(open_vault, _NoKey()), "no root key for a new vault", by=KeyMissingError)
    with unlocked(open_vault) as vault:
        before = _seen(vault)[0]
        refused(partial(vault.rotate_root_key, _NoKey()), "a rotation to no key", by=KeyMissingError)
        same(_seen(vault)[0], before, "nothing changed")
    refused(partial(open_vault, RootKey(9)), "a wrong root key", by=KeyWrongError)
    refused(partial(open_vault, _NoKey()), "no root key", by=KeyMissingError)
    with unlocked(open_vault) as vault:
        same(_seen(vault)[0], before, "nothing changed")


def _seen(vault: Vault) -> tuple[list[object], list[Subject], list[SigningKey]]:
    """Return everything that opens below one tenant's key."""
    subject = vault.make_subject("acme", USER)
    if not vault.open_slots(subject):
        vault.reserve(subject, 3)
    signing = vault.signing_keys("acme")
    return [vault.tenant_key("acme"), subject, dict(vault.open_slots(subject)), signing], [subject], signing


CHECKS = (
    signing_keys_follow_each_other,
    a_rotated_tenant_key_changes_no_key_below,
    a_rotated_root_key_shuts_the_old_one_out,
    a_wrong_or_missing_root_key_is_refused,
)
