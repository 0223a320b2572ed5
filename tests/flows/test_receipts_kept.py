"""A receipt is kept: it can be asked for again, also when its forget was interrupted (DSR-12)."""

from __future__ import annotations

from pathlib import Path

from iris_memory import Iris, Written
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.flows.forgetting import intend
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.seal import key_periods
from iris_memory.storage.keys import FixedKey

KEY = FixedKey(b"\x05" * 32)


def test_a_receipt_can_be_asked_for_again(tmp_path: Path) -> None:
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
        entry = me.remember("Owns a green bicycle")
        assert isinstance(entry, Written)
        receipt = me.forget(entry.entry.logical_id)
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        assert list(iris.receipts(tenant="acme")) == [receipt]
        assert list(iris.receipts(tenant="globex")) == []


def test_an_interrupted_forget_ends_with_a_receipt(tmp_path: Path) -> None:
    """The process died after the intent: opening finishes the forget and keeps a genuine receipt of it."""
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
        entry = me.remember("Owns a green bicycle")
        assert isinstance(entry, Written)
        instruments, person = iris.instruments, iris.instruments.people.get("acme", "ada")
        instruments.store.write(
            lambda tx: intend(
                instruments,
                tx,
                "acme",
                person.person,
                [entry.entry.logical_id],
                reason=TombstoneReason.FORGOTTEN_BY_PERSON,
                now=instruments.clock.now(),
            )
        )
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        (receipt,) = iris.receipts(tenant="acme")
        assert (receipt.memories, receipt.keys_destroyed, receipt.residue) == (1, 1, None)
        assert is_genuine(receipt, keys=[period.key for period in key_periods(iris.instruments, "acme")])
        assert iris.for_user(tenant="acme", user="ada").list().total == 0
        assert all(finding.ok for finding in iris.doctor())
