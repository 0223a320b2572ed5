"""The vault's own laws: what is cached, what is bound, what is damaged, what another process did."""

from __future__ import annotations

import random
import stat
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from faulty_files import FaultyFiles

from iris_memory.errors import (
    KeyMissingError,
    KeyWrongError,
    StorageError,
    StoreBusyError,
    StoreCorruptError,
    StoreFullError,
    StoreMissingError,
)
from iris_memory.ports.vault import Vault
from iris_memory.storage.keys import EnvironmentKey, FixedKey, KeyFile
from iris_memory.storage.vault import SqliteVault

ROOT = FixedKey(b"r" * 32)


class CountedKey(FixedKey):
    """A root key that counts how often it is asked for."""

    def __init__(self) -> None:
        super().__init__(b"r" * 32)
        self.asked = 0

    def root_key(self) -> bytes:
        self.asked += 1
        return super().root_key()


def test_only_the_owner_may_read_a_new_vault(tmp_path: Path) -> None:
    path = tmp_path / "own" / "vault.db"
    vault = SqliteVault(path, ROOT, create=True)
    vault.make_subject("acme", "ada")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in vault.files() if file.exists()} == {0o600}
    journal = tmp_path / "own" / "vault.db-journal"
    assert journal.stat().st_size == 0, "the journal holds what was there before and is cut with each commit"
    vault.close()


def test_a_missing_vault_is_not_made_by_accident(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match="vault"):
        SqliteVault(tmp_path / "vault.db", ROOT)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_key_is_told_before_anything_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "vault.db"
    vault = SqliteVault(path, ROOT, create=True)
    key = vault.tenant_key("acme")
    vault.close()
    before = path.read_bytes()
    for provider, error in (
        (FixedKey(b"s" * 32), KeyWrongError),
        (EnvironmentKey(environment={}), KeyMissingError),
        (KeyFile(tmp_path / "root.key"), KeyMissingError),
        (KeyFile(tmp_path / "new.key", create=True), KeyWrongError),
    ):
        with pytest.raises(error):
            SqliteVault(path, provider, create=True)
    assert path.read_bytes() == before
    vault = SqliteVault(path, ROOT)
    assert vault.tenant_key("acme") == key
    vault.close()


def test_tenant_keys_are_remembered_for_a_while_and_not_for_ever() -> None:
    now = 0.0
    root = CountedKey()
    vault = SqliteVault(None, root, clock=lambda: now, cache_seconds=60, most_tenants=2)

    def asked(action: Callable[[], object]) -> int:
        before = root.asked
        action()
        return root.asked - before

    vault.tenant_key("acme")
    assert asked(lambda: vault.tenant_key("acme")) == 0
    now = 59.0
    assert asked(lambda: vault.find_subject("acme", "ada")) == 0
    now = 60.0
    assert asked(lambda: vault.find_subject("acme", "ada")) == 1
    for tenant in ("globex", "initech"):
        vault.tenant_key(tenant)
    assert asked(lambda: vault.tenant_key("acme")) == 1, "two are remembered, the oldest was dropped"
    assert asked(lambda: vault.tenant_key("initech")) == 0
    assert len(vault._keyring._opened) == 2
    vault.close()
    assert not vault._keyring._opened


def test_a_key_that_was_made_and_not_kept_is_not_used(tmp_path: Path) -> None:
    """A data key that only the memory of this process knew would seal rows that nobody ever opens again."""
    with FaultyFiles(apsw.SQLITE_FULL) as files:
        vault = SqliteVault(tmp_path / "vault.db", ROOT, create=True)
        files.fail_at(1, stays=True)
        with pytest.raises(StoreFullError):
            vault.tenant_key("acme")
        files.fail_at(None)
        key = vault.tenant_key("acme")
        vault.close()
    vault = SqliteVault(tmp_path / "vault.db", ROOT)
    assert vault.tenant_key("acme") == key
    vault.close()


def test_a_fault_at_every_call_changes_all_or_nothing(tmp_path: Path) -> None:
    """REL-2: rotation and destruction are whole or not at all, whichever write or sync fails."""

    def steps(vault: Vault) -> list[Callable[[], object]]:
        subject = vault.make_subject("acme", "ada")
        return [
            lambda: vault.reserve(subject, 3),
            lambda: vault.rotate_tenant_key("acme"),
            lambda: vault.destroy_slots("acme", subject.person, list(vault.open_slots(subject))[:2]),
            lambda: vault.make_subject("acme", "new"),
            lambda: vault.destroy_subject("acme", vault.make_subject("acme", "new").person),
            lambda: vault.scrub(),
        ]

    path = tmp_path / "vault.db"
    with FaultyFiles() as files:
        vault = SqliteVault(path, ROOT, create=True)
        keys = {slot.number: slot.key for slot in vault.reserve(vault.make_subject("acme", "ada"), 4)}
        data = vault.tenant_key("acme")
        failed = 0
        for number in range(6):
            for n in range(1, 30):
                action = steps(vault)[number]
                files.fail_at(n)
                try:
                    action()
                except StorageError:
                    failed += 1
                finally:
                    reached = len(files.calls) >= n
                    files.fail_at(None)
                assert vault.problems() == []
                assert vault.tenant_key("acme") == data
                opened = vault.open_slots(vault.make_subject("acme", "ada"))
                assert all(keys.get(known, key) == key for known, key in opened.items())
                keys |= opened
                if not reached:
                    break
        assert failed > 30
        vault.close()


def test_keys_do_not_open_in_another_place(tmp_path: Path) -> None:
    """What a wrapped key is bound to is its place: moved to another number, person or tenant it does not open."""
    path = tmp_path / "vault.db"
    vault = SqliteVault(path, ROOT, create=True)
    ada, bob, eve = (vault.make_subject(*who) for who in (("acme", "ada"), ("acme", "bob"), ("globex", "eve")))
    for subject in (ada, bob, eve):
        vault.reserve(subject, 2)
    vault.close()
    whole = path.read_bytes()
    for number, (place, foreign) in enumerate(
        {
            "slot SET box_no = {} WHERE subject_no = 1 AND number = 1": "box_no FROM slot WHERE number = 2",
            "slot SET box_no = {} WHERE subject_no = 1": "box_no FROM slot WHERE subject_no = 2",
            "subject SET key_box = {} WHERE subject_no = 1": "key_box FROM subject WHERE subject_no = 2",
            "tenant SET data_box = {} WHERE tenant = 'acme'": "tag_box FROM tenant WHERE tenant = 'acme'",
            "tenant SET wrapping_box = {} WHERE tenant = 'acme'": "wrapping_box FROM tenant WHERE tenant = 'globex'",
        }.items()
    ):
        copy = tmp_path / f"copy {number}.db"
        copy.write_bytes(whole)
        raw = apsw.Connection(str(copy))
        raw.execute("UPDATE " + place.format(f"(SELECT {foreign} LIMIT 1)"))
        raw.close()
        vault = SqliteVault(copy, ROOT)
        with pytest.raises(StoreCorruptError):
            _open_all(vault)
        assert vault.problems()
        vault.close()


def _open_all(vault: Vault) -> None:
    subject = vault.find_subject("acme", "ada")
    assert subject is not None
    vault.open_slots(subject)
    vault.tenant_key("acme")


def test_a_flipped_byte_is_told_or_changes_nothing(tmp_path: Path) -> None:
    """REL-5: no damaged vault gives another key than the right one."""
    path = tmp_path / "vault.db"
    vault = SqliteVault(path, ROOT, create=True)
    subject = vault.make_subject("acme", "ada")
    keys = {slot.number: slot.key for slot in vault.reserve(subject, 60)}
    data, signing = vault.tenant_key("acme"), vault.signing_keys("acme")
    vault.close()
    content = path.read_bytes()
    chance = random.Random(5)
    told = 0
    for n in range(150):
        damaged = bytearray(content)
        at = chance.randrange(len(damaged))
        damaged[at] ^= 1 << chance.randrange(8)
        copy = tmp_path / f"damaged {n}.db"
        copy.write_bytes(damaged)
        try:
            vault = SqliteVault(copy, ROOT)
        except (StorageError, KeyWrongError):
            told += 1
            continue
        try:
            found = vault.find_subject("acme", "ada")
            opened = vault.open_slots(subject)
            same = (vault.tenant_key("acme"), vault.signing_keys("acme"))
            problems = vault.problems()
        except StorageError:
            told += 1
        else:
            told += bool(problems)
            assert all(keys[number] == key for number, key in opened.items())
            if not problems:
                assert (found, opened, same) == (subject, keys, (data, signing))
        finally:
            vault.close()
    assert told > 20


def test_a_busy_vault_is_waited_for_and_then_refused(tmp_path: Path) -> None:
    path = tmp_path / "vault.db"
    vault = SqliteVault(path, ROOT, create=True, busy_seconds=0.05)
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusyError):
        vault.make_subject("acme", "ada")
    holder.execute("ROLLBACK")
    holder.close()
    subject = vault.make_subject("acme", "ada")
    assert vault.find_subject("acme", "ada") == subject
    vault.close()


def test_keys_are_not_shown_by_accident() -> None:
    vault = SqliteVault(None, ROOT)
    subject = vault.make_subject("acme", "ada")
    slot = vault.reserve(subject, 1)[0]
    signing = vault.signing_keys("acme")[0]
    shown = repr((subject, slot, signing, vault._keyring.find("acme")))
    for key in (subject.key, slot.key, signing.private, vault.tenant_key("acme")):
        assert repr(key)[2:-1] not in shown
        assert key.hex() not in shown
    vault.close()


def test_randomness_is_handed_in() -> None:
    """REL-8: the same bytes in, the same vault out."""

    def made(seed: int) -> list[object]:
        vault = SqliteVault(None, ROOT, secret=random.Random(seed).randbytes)
        subject = vault.make_subject("acme", "ada")
        made = [vault.tenant_key("acme"), subject, vault.reserve(subject, 3), vault.signing_keys("acme")]
        return [*made, vault.wrapped_slots("acme", subject.person, None)]

    assert made(1) == made(1) != made(2)
