"""LOG-10: root, tenant and signing keys are rotated while others write; nothing is lost and old heads still verify."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from flows.stores import KEY, OpenIris, actions, chain, open_store, person, remembered, sound, written
from iris_memory.chain.verify import verify_export
from iris_memory.errors import KeyWrongError
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.seal import key_periods
from iris_memory.front.iris import Iris
from iris_memory.ports.vault import SigningKey
from iris_memory.storage.keys import FixedKey


def head(iris: Iris) -> str:
    """Return the head that is kept outside."""
    iris.flush()
    note = iris.instruments.heads.kept("acme")
    assert note is not None
    return note


def test_each_key_in_turn(open_iris: OpenIris, folder: Path) -> None:
    """After each rotation everything is readable, and every head that was ever kept is an ancestor of the chain."""
    iris = open_iris()
    me = person(iris)
    heads, facts = [], set()
    roots = [FixedKey(bytes([number]) * 32) for number in (1, 2, 3)]
    for number, root in enumerate(roots):
        for rotate in (
            lambda: iris.rotate_signing_key(tenant="acme"),
            lambda: iris.rotate_tenant_key(tenant="acme"),
            lambda root=root: iris.rotate_root_key(root),
        ):
            me.remember(f"Fact {len(facts)}")
            facts.add(f"Fact {len(facts)}")
            heads.append(head(iris))
            rotate()
            heads.append(head(iris))
            assert remembered(me) == facts
        assert number == roots.index(root)
    keys = key_periods(iris.instruments, "acme")
    assert len(keys) == 4
    report = verify_export(iris.export_audit(tenant="acme"), anchors=heads, trusted_keys=keys)
    assert report.ok, report.problems
    assert actions(iris).count("key.rotated") == 9
    sound(iris)
    iris.close()
    for old in (KEY, *roots[:-1]):
        with pytest.raises(KeyWrongError):
            open_store(folder, key=old)
    with open_store(folder, key=roots[-1]) as again:
        assert remembered(again.for_user(tenant="acme", user="ada")) == facts
        sound(again)


def test_receipts_outlive_the_keys_they_were_signed_with(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris)
    receipts = []
    for number in range(3):
        receipts.append(me.forget(written(me.remember(f"Fact {number}")).entry.logical_id, scan=False))
        iris.rotate_signing_key(tenant="acme")
    keys = [period.key for period in key_periods(iris.instruments, "acme")]
    assert all(is_genuine(receipt, keys=keys) for receipt in receipts)
    assert not is_genuine(receipts[0], keys=keys[1:])


def test_while_others_write(open_iris: OpenIris) -> None:
    """Two instances write and seal without pause while a third rotates: no checkpoint is signed by a retired key."""
    iris, others = open_iris(), [open_iris(), open_iris()]
    person(iris)
    stop = threading.Event()
    failures: list[BaseException] = []
    counts = [0, 0]

    def write(place: int) -> None:
        me = others[place].for_user(tenant="acme", user="ada")
        try:
            while not stop.is_set():
                written(me.remember(f"Fact {place} {counts[place]}"))
                counts[place] += 1
                others[place].flush()
        except BaseException as problem:
            failures.append(problem)

    writers = [threading.Thread(target=write, args=(place,)) for place in range(2)]
    for writer in writers:
        writer.start()
    try:
        for number in range(6):
            iris.rotate_signing_key(tenant="acme")
            iris.rotate_tenant_key(tenant="acme")
            if number == 3:
                iris.rotate_root_key(KEY)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert failures == []
    assert all(counts)
    sound(iris)
    for other in others:
        sound(other)
        assert other.for_user(tenant="acme", user="ada").list(limit=0).total == sum(counts)


def test_a_key_retired_while_it_signs(open_iris: OpenIris) -> None:
    """Between choosing a key and keeping what it signed the key is retired at a smaller size: it is signed anew."""
    iris, other = open_iris(), open_iris()
    me = person(iris)
    me.remember("Fact")
    vault = other.instruments.vault
    plain = vault.signing_keys
    size = len(chain(iris)) + 1
    me.remember("Fact before")

    def slow(tenant: str) -> list[SigningKey]:
        keys = plain(tenant)
        del vault.signing_keys  # type: ignore[attr-defined]
        iris.instruments.vault.rotate_signing_key(tenant, size=size - 1)
        return keys

    vault.signing_keys = slow  # type: ignore[method-assign]
    other.verify_audit(tenant="acme")
    sound(iris)
    sound(other)


def test_a_checkpoint_between_the_choice_of_a_size_and_the_rotation(open_iris: OpenIris) -> None:
    """Somebody seals beyond the size at which the key is then retired: that checkpoint is signed anew."""
    iris, other = open_iris(), open_iris()
    me = person(iris)
    me.remember("Fact")
    vault = iris.instruments.vault
    plain = vault.rotate_signing_key

    def late(tenant: str, *, size: int) -> SigningKey:
        me.remember("Fact meanwhile")
        assert other.verify_audit(tenant=tenant).ok
        return plain(tenant, size=size)

    vault.rotate_signing_key = late  # type: ignore[method-assign]
    iris.rotate_signing_key(tenant="acme")
    del vault.rotate_signing_key  # type: ignore[attr-defined]
    sound(iris)
    sound(other)


def test_a_chain_that_grew_while_a_key_was_retired(open_iris: OpenIris) -> None:
    """A head read before a rotation is signed by the key of its own size, though a newer one is there."""
    iris, other = open_iris(), open_iris()
    me = person(iris)
    me.remember("Fact")
    vault = other.instruments.vault
    plain = vault.signing_keys

    def slow(tenant: str) -> list[SigningKey]:
        del vault.signing_keys  # type: ignore[attr-defined]
        me.remember("Fact meanwhile")
        iris.rotate_signing_key(tenant=tenant)
        return plain(tenant)

    vault.signing_keys = slow  # type: ignore[method-assign]
    other.verify_audit(tenant="acme")
    sound(iris)
    sound(other)


def test_a_rotation_of_an_unknown_tenant_makes_its_chain(open_iris: OpenIris) -> None:
    iris = open_iris()
    iris.rotate_tenant_key(tenant="new")
    iris.rotate_signing_key(tenant="newer")
    assert iris.tenants() == ["new", "newer"]
    sound(iris)
