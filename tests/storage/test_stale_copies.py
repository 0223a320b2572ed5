"""No copy of a deleted byte stays in any file, however the rows came and went (DSR-10).

`secure_delete` alone does not promise that: cells that move while a B-tree is balanced leave stale copies in the unused
middle of pages. The first test shows it, the others that boxes keep out of it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import apsw
import pytest

from iris_memory.ports.rows import EntryRow, RecordKind, RecordRow, TombstoneRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.keys import FixedKey
from iris_memory.storage.residue import SubprocessScanner
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.sqlite.integrity import own_check
from iris_memory.storage.vault import SqliteVault

MARK = 16


def marked(chance: random.Random, *, longest: int = 1_500) -> bytes:
    """Return bytes of some length that repeat a mark of 16 random ones, so that any stale part of them is found."""
    mark = os.urandom(MARK)
    return (mark * (1 + longest // MARK))[: chance.randrange(MARK, longest)]


def residue(files: Iterable[Path], gone: Iterable[bytes]) -> dict[str, int]:
    return SubprocessScanner().scan(files, [("gone", one[:MARK]) for one in gone]).found


def test_secure_delete_alone_leaves_stale_copies(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    plain = apsw.Connection(str(path))
    assert plain.pragma("secure_delete", True) == 1
    plain.execute("CREATE TABLE plain (id INTEGER PRIMARY KEY, sealed BLOB)")
    chance = random.Random(1)
    living: dict[int, bytes] = {}
    gone: list[bytes] = []
    numbers = count()
    for _ in range(40):
        with plain:
            for n in (next(numbers) for _ in range(50)):
                living[n] = marked(chance)
                plain.execute("INSERT INTO plain VALUES (?, ?)", (n, living[n]))
        with plain:
            for n in chance.sample(sorted(living), 40):
                plain.execute("DELETE FROM plain WHERE id = ?", (n,))
                gone.append(living.pop(n))
    plain.close()
    assert residue([path], gone)


@pytest.mark.parametrize("seed", range(4))
def test_the_store_leaves_none(tmp_path: Path, seed: int) -> None:
    store = SqliteStore(tmp_path / "store.db", create=True)
    chance = random.Random(seed)
    numbers = count()
    living: dict[tuple[str, str], list[bytes]] = {}
    records: dict[tuple[str, str], bytes] = {}
    gone: list[bytes] = []
    persons = [f"{n:032x}" for n in range(6)]

    def write(tx: Transaction) -> None:
        for person in chance.choices(persons, k=6):
            rows = []
            for n in (next(numbers) for _ in range(8)):
                blob = marked(chance, longest=chance.choice([60, 900, 1_500, 9_000]))
                rows.append(EntryRow(f"m{n}", 1, f"e{n}", n, 1, 1, 1, None, None, blob))
                living[person, f"m{n}"] = [blob]
            tx.add_entries("acme", person, rows)

    def use(tx: Transaction) -> None:
        for person, name in chance.sample(sorted(living), 20):
            blobs = living[person, name]
            gone.extend(blobs[1:])
            living[person, name] = [blobs[0], marked(chance, longest=chance.choice([100, 2_000]))]
            tx.mark_usage("acme", person, [(name, 1, living[person, name][1])])
        for person in chance.choices(persons, k=10):
            key = str(chance.randrange(8))
            gone.extend([records[person, key]] if (person, key) in records else [])
            records[person, key] = marked(chance, longest=chance.choice([100, 700, 6_000]))
            tx.put_record("acme", person, RecordRow(RecordKind.CONSENT, key, 1, 1, None, 1, records[person, key]))

    def forget(tx: Transaction) -> None:
        for person, name in chance.sample(sorted(living), min(len(living), chance.choice([3, 20, 60]))):
            gone.extend(living.pop((person, name)))
            tx.bury("acme", person, [TombstoneRow(name, 1, 1, 1, "why", "receipt")])
        for person, key in chance.sample(sorted(records), 2):
            gone.append(records.pop((person, key)))
            tx.drop_records("acme", person, RecordKind.CONSENT, [key])

    for turn in range(30):
        store.write(write)
        store.write(use)
        store.write(forget)
        if turn % 10 == 9:
            assert store.scrub()
            assert residue(store.files(), gone) == {}
    person = persons[0]
    gone += [blob for key, blobs in living.items() if key[0] == person for blob in blobs]
    gone += [blob for key, blob in records.items() if key[0] == person]
    store.write(lambda tx: tx.erase_person("acme", person))
    assert store.scrub()
    assert residue(store.files(), gone) == {}
    kept = [blob for key, blobs in living.items() if key[0] != person for blob in blobs]
    assert len(gone) > 800
    assert residue(store.files(), kept)["gone"] >= len(kept)
    assert store.problems() == []
    store.close()


def test_emptied_boxes_are_used_again(tmp_path: Path) -> None:
    """The file of a store whose rows come and go does not grow for ever."""
    store = SqliteStore(tmp_path / "store.db", create=True)
    chance = random.Random(3)
    sizes = []
    for turn in range(12):
        names = [f"m{turn}-{n}" for n in range(100)]
        rows = [EntryRow(n, 1, n, 1, 1, 1, 1, None, None, chance.randbytes(600)) for n in names]
        store.write(lambda tx, rows=rows: tx.add_entries("acme", "p", rows))  # type: ignore[misc]
        store.write(lambda tx: tx.erase_person("acme", "other"))
        stones = [TombstoneRow(n, 1, 1, 1, "why", "receipt") for n in names]
        store.write(lambda tx, stones=stones: tx.bury("acme", "p", stones))  # type: ignore[misc]
        store.scrub()
        sizes.append((tmp_path / "store.db").stat().st_size)
    tombstones_only = 100 * 12 * 400
    assert sizes[-1] - sizes[0] < tombstones_only
    store.close()


@pytest.mark.parametrize("seed", range(2))
def test_the_vault_leaves_none(tmp_path: Path, seed: int) -> None:
    vault = SqliteVault(tmp_path / "vault.db", FixedKey(b"k" * 32), create=True)
    chance = random.Random(seed)
    gone: list[bytes] = []
    subjects = {n: vault.make_subject("acme", f"user {n}") for n in range(40)}
    for turn in range(8):
        for n, subject in chance.sample(sorted(subjects.items()), 8):
            numbers = [slot.number for slot in vault.reserve(subject, 16)]
            doomed = chance.sample(numbers, chance.choice([1, 8, 16]))
            gone += vault.wrapped_slots("acme", subject.person, doomed)
            vault.destroy_slots("acme", subject.person, doomed)
            if chance.random() < 0.2:
                gone += vault.wrapped_slots("acme", subject.person, None)
                vault.destroy_subject("acme", subject.person)
                del subjects[n]
        if turn % 4 == 3:
            for n in range(40):
                if n in subjects:
                    gone.append(vault.wrapped_slots("acme", subjects[n].person, None)[-1])
            vault.rotate_tenant_key("acme")
    assert vault.scrub()
    assert len(gone) > 300
    assert residue(vault.files(), gone) == {}
    assert vault.problems() == []
    vault.close()


def test_the_link_to_a_destroyed_user_is_in_no_page(tmp_path: Path) -> None:
    """The tag under which a user is found is unlinked from every page, stale ones included, once scrubbed."""
    vault = SqliteVault(tmp_path / "vault.db", FixedKey(b"k" * 32), create=True)
    people = [vault.make_subject("acme", f"user {n}") for n in range(160)]
    tags = _tags(tmp_path / "vault.db")
    for subject in people[::3]:
        vault.destroy_subject("acme", subject.person)
    kept = _tags(tmp_path / "vault.db")
    gone = set(tags) - set(kept)
    assert len(gone) == len(people[::3])
    assert vault.scrub()
    assert residue(vault.files(), gone) == {}
    assert sorted(_tags(tmp_path / "vault.db")) == sorted(kept)
    assert all(vault.find_subject("acme", f"user {n}") == people[n] for n in range(160) if n % 3)
    assert vault.problems() == []
    vault.close()


def _tags(path: Path) -> list[bytes]:
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tags = [tag for (tag,) in raw.execute("SELECT tag FROM link").fetchall()]
    assert own_check(raw) == []
    raw.close()
    return tags
