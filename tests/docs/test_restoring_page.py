"""What back-up-and-restore.md says an old copy means."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from iris_memory import Iris, Written
from iris_memory.errors import StoreRolledBackError
from iris_memory.storage.keys import FixedKey

KEY = FixedKey(b"\x05" * 32)
KEPT, FORGOTTEN = "Prefers a window seat on trains", "Owns a green bicycle"


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """A store in which something was forgotten and written since the copy beside it was made."""
    store, copy = tmp_path / "store", tmp_path / "copy"
    with Iris.open(store, key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
        me.remember(KEPT)
        gone = me.remember(FORGOTTEN)
    assert isinstance(gone, Written)
    shutil.copytree(store, copy)
    with Iris.open(store, key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.forget(gone.entry.logical_id)
        me.remember("Drinks tea in the morning")
    return store, copy


def put_back(store: Path, copy: Path, *parts: str) -> None:
    for part in parts:
        shutil.rmtree(store / part)
        shutil.copytree(copy / part, store / part)


def remembered(store: Path) -> set[str]:
    with Iris.open(store, key=KEY, tended=False) as iris:
        return {entry.body for entry in iris.for_user(tenant="acme", user="ada").list().entries}


def test_old_data_under_newer_heads_is_not_served(copies: tuple[Path, Path]) -> None:
    put_back(*copies, "data")
    with pytest.raises(StoreRolledBackError):
        Iris.open(copies[0], key=KEY, tended=False)


def test_old_data_with_the_present_vault_keeps_forgotten_what_was_forgotten(copies: tuple[Path, Path]) -> None:
    put_back(*copies, "data", "heads")
    assert remembered(copies[0]) == {KEPT}


def test_old_data_with_the_old_vault_brings_back_what_was_forgotten(copies: tuple[Path, Path]) -> None:
    put_back(*copies, "data", "vault", "heads")
    assert remembered(copies[0]) == {KEPT, FORGOTTEN}


def test_an_old_vault_under_newer_data_is_refused(copies: tuple[Path, Path]) -> None:
    """The copy was made before more slots were reserved: its numbers must not be given out a second time."""
    store, copy = copies
    with Iris.open(store, key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        for number in range(40):
            assert isinstance(me.remember(f"Fact number {number}"), Written)
    put_back(store, copy, "vault")
    with Iris.open(store, key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        for act in (lambda: me.remember("Something new"), lambda: me.recall("fact"), lambda: me.list()):
            with pytest.raises(StoreRolledBackError, match="vault is older"):
                act()
