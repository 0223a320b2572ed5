"""Forgetting: what a dry run counts is what is reached, the receipt is genuine, and nothing comes back unasked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flows.stores import (
    DAY,
    OpenIris,
    SteppingClock,
    actions,
    bodies,
    chain,
    person,
    refused,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.register import REGISTER, probe
from iris_memory.flows.seal import key_periods
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind


def fill(me: PersonMemory) -> dict[str, str]:
    """Two preferences, one of them corrected and used, and one medical fact; ids by name."""
    me.consent.grant("category:medical", terms="x")
    tea = written(me.remember("Likes tea", category="preference", subject="drink")).entry.logical_id
    me.revise(tea, "Likes green tea")
    gin = written(me.remember("Likes gin", category="preference")).entry.logical_id
    pill = written(me.remember("Takes statins", category="medical")).entry.logical_id
    me.recall("tea")
    return {"tea": tea, "gin": gin, "pill": pill}


@pytest.mark.parametrize(
    ("target", "going", "reason"),
    [
        ("tea", {"tea"}, TombstoneReason.FORGOTTEN_BY_PERSON),
        ("category", {"tea", "gin"}, TombstoneReason.CATEGORY_CLEARED),
        ("everything", {"tea", "gin", "pill"}, TombstoneReason.EVERYTHING_FORGOTTEN),
        ("nothing", set(), TombstoneReason.CATEGORY_CLEARED),
    ],
)
def test_a_dry_run_is_the_receipt(
    target: str, going: set[str], reason: TombstoneReason, me: PersonMemory, iris: Iris
) -> None:
    names = fill(me)
    iris.flush()
    wish: dict[str, object] = {
        "tea": {"logical_id": names["tea"]},
        "category": {"category": "preference"},
        "everything": {"everything": True},
        "nothing": {"category": "goal"},
    }[target]  # type: ignore[assignment]
    before = remembered(me)
    preview = me.preview_forget(**wish)  # type: ignore[arg-type]
    assert remembered(me) == before, "a dry run changes nothing"
    receipt = me.forget(**wish, scan=False)  # type: ignore[arg-type]
    assert receipt.reached == preview.reached
    assert (receipt.memories, receipt.reason) == (preview.memories, reason)
    assert receipt.memories == len(going)
    assert receipt.keys_destroyed == preview.revisions
    assert preview.revisions == len(going) + ("tea" in going)
    for name, logical_id in names.items():
        if name in going:
            for verb in (me.show, me.history, me.explain):
                with pytest.raises(UnknownMemoryError):
                    verb(logical_id)
        else:
            assert me.show(logical_id)
    assert me.recall(contexts=["general", "health"]).audit_envelope.evaluated_count == 3 - len(going)
    sound(iris)


def test_a_target_is_exactly_one(me: PersonMemory) -> None:
    for wish in ({}, {"category": "goal", "everything": True}, {"logical_id": "x", "category": "goal"}):
        for verb in (me.preview_forget, me.forget):
            with pytest.raises(ContractError, match="exactly one"):
                verb(**wish)  # type: ignore[operator]


def test_a_receipt_is_genuine_and_a_changed_one_is_not(me: PersonMemory, iris: Iris) -> None:
    """DSR-12: signed over every field, under the tenant's key alone, and it stays so after the key was rotated."""
    names = fill(me)
    receipt = me.forget(names["tea"])
    keys = [period.key for period in key_periods(iris.instruments, "acme")]
    assert is_genuine(receipt, keys=keys)
    assert receipt.residue is not None
    assert (receipt.residue.found, receipt.files_scrubbed) == ({}, True)
    forged = {
        "receipt_id": "another",
        "tenant_id": "other",
        "person": "another",
        "reason": TombstoneReason.RETENTION_ENDED,
        "asked_at": receipt.asked_at - DAY,
        "completed_at": receipt.completed_at + DAY,
        "memories": 99,
        "keys_destroyed": 99,
        "reached": {**receipt.reached, "memories": 99},
        "residue": None,
        "files_scrubbed": False,
        "vault_backup_days": 0,
        "audit_size": 1,
        "audit_root": "0" * 64,
        "stays": (),
        "is_complete": False,
        "keys": ("99",),
        "read_back": {"entries": 1},
        "steps": (),
        "note": receipt.note.replace('"memories":1', '"memories":2'),
    }
    assert set(forged) | {"format", "version"} == set(ForgetReceipt.model_fields)
    for field, value in forged.items():
        assert not is_genuine(receipt.model_copy(update={field: value}), keys=keys), field
    signed, value = receipt.note[:-1].rsplit(" ", 1)
    other = {
        place: f"{value[:place]}{'B' if value[place] == 'A' else 'A'}{value[place + 1 :]}" for place in (0, 40, 80)
    }
    last = value.rstrip("=")[-1]  # two of its bits stand for nothing: another spelling of the same signature
    respelt = value.replace(f"{last}=", f"{chr(ord(last) + 1)}=")
    for changed in (*other.values(), respelt):
        assert not is_genuine(receipt.model_copy(update={"note": f"{signed} {changed}\n"}), keys=keys), changed
    for note in ("", "\n\n", receipt.note.split("\n\n")[0], receipt.note + "x", receipt.note.replace("— ", "- ")):
        assert not is_genuine(receipt.model_copy(update={"note": note}), keys=keys)
    person(iris, tenant="other")
    assert not is_genuine(receipt, keys=[period.key for period in key_periods(iris.instruments, "other")])
    assert not is_genuine(receipt, keys=[])
    iris.rotate_signing_key(tenant="acme")
    later = [period.key for period in key_periods(iris.instruments, "acme")]
    assert is_genuine(receipt, keys=later)
    assert is_genuine(ForgetReceipt.model_validate_json(receipt.model_dump_json()), keys=later)


def test_a_receipt_says_where_the_chain_stood(me: PersonMemory, iris: Iris) -> None:
    names = fill(me)
    receipt = me.forget(names["tea"], scan=False)
    events = chain(iris)
    assert events[receipt.audit_size - 1]["action"] == "memory.forget.completed"
    told = [event for event in events if event.get("receipt") == receipt.receipt_id]
    assert [event["action"] for event in told] == ["memory.forget.intended", "memory.forget.completed"]
    assert told[1]["keys_destroyed"] == receipt.keys_destroyed
    assert iris.verify_audit(tenant="acme").ok


def test_a_receipt_holds_no_words(me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Zanzibar quokka", subject="xylophone")).entry
    text = me.forget(entry.logical_id).model_dump_json()
    for word in ("Zanzibar", "xylophone", entry.logical_id, "ada"):
        assert f'"{word}' not in text
        assert word == "ada" or word not in text


def test_forgotten_words_do_not_return_unasked(me: PersonMemory) -> None:
    """DSR-13: neither as they were, nor in another case, spacing, width or with invisible marks; not older wordings."""
    names = fill(me)
    me.forget(names["tea"], scan=False)
    for words in (
        "Likes green tea",
        "LIKES  green\ntea ",
        "Likes tea",
        "\uff2cikes tea",
        "Likes\u00ad tea",
        "Likes tea\ufeff",
    ):
        outcome = refused(me.remember(words))
        assert (outcome.reason, outcome.needs) == (R.FORGOTTEN_BEFORE, ("again",))
    assert written(me.remember("Likes green tea a lot")), "other words are other words"
    assert written(me.remember("Likes tea", again=True))
    assert written(me.remember("Likes tea", subject="drink", again=True))


def test_they_do_not_return_after_a_restart_nor_elsewhere(open_iris: OpenIris) -> None:
    iris = open_iris()
    me = person(iris)
    me.forget(written(me.remember("Likes tea")).entry.logical_id, scan=False)
    iris.close()
    iris = open_iris()
    me = iris.for_user(tenant="acme", user="ada")
    assert refused(me.remember("likes tea")).reason is R.FORGOTTEN_BEFORE
    assert refused(me.remember("likes tea", scope=None, category="goal")).reason is R.FORGOTTEN_BEFORE
    assert written(person(iris, "bob").remember("likes tea")), "what one person forgot another may say"


def test_an_emoji_that_differs_by_a_selector_is_the_same_words(me: PersonMemory) -> None:
    me.forget(written(me.remember("Likes \u2615\ufe0f")).entry.logical_id, scan=False)
    assert refused(me.remember("likes \u2615")).reason is R.FORGOTTEN_BEFORE


def test_what_stays_is_said(me: PersonMemory) -> None:
    stays = " ".join(me.preview_forget(everything=True).stays)
    assert "audit chain" in stays
    assert "tombstones" in stays
    assert "consent ledger" in stays
    assert "tags" in stays


def test_forgetting_again(me: PersonMemory) -> None:
    names = fill(me)
    me.forget(names["tea"], scan=False)
    for verb in (me.forget, me.preview_forget):
        with pytest.raises(UnknownMemoryError):
            verb(names["tea"])
    assert me.forget(category="preference", scan=False).memories == 1
    assert me.forget(category="preference", scan=False).memories == 0


def test_another_instance_serves_nothing_forgotten(open_iris: OpenIris) -> None:
    """ "After a forget is acknowledged nobody serves it": no recall that starts afterwards, by whatever instance."""
    one, two = open_iris(), open_iris()
    me, again = person(one), two.for_user(tenant="acme", user="ada")
    entry = written(me.remember("Likes tea")).entry
    assert bodies(again) == ["Likes tea"]
    me.forget(entry.logical_id, scan=False)
    assert bodies(again) == []
    for verb in (again.show, again.history, again.explain):
        with pytest.raises(UnknownMemoryError):
            verb(entry.logical_id)
    assert refused(again.remember("Likes tea")).reason is R.FORGOTTEN_BEFORE


def test_erasing_leaves_a_stranger(me: PersonMemory, iris: Iris) -> None:
    names = fill(me)
    me.pause("s1")
    me.opt_out("history")
    me.remember("Likes rum", idempotency_key="k")
    me.resume("s1")
    before = iris.instruments.people.get("acme", "ada")
    receipt = me.erase()
    assert receipt is not None
    assert (receipt.memories, receipt.reached["memories"]) == (4, 4)
    assert receipt.residue is not None
    assert receipt.residue.found == {}
    assert is_genuine(receipt, keys=[period.key for period in key_periods(iris.instruments, "acme")])
    left = probe(iris.instruments, before)
    assert {name: count for name, count in left.items() if count} == {"tombstones": 4}
    assert me.consent.active() == frozenset()
    assert refused(me.remember("Likes tea")).reason is R.CONSENT_MISSING
    me.consent.grant("data_processing", "data_storage", terms="x")
    assert written(me.remember("Likes tea")), "the tags went with the person"
    assert iris.instruments.people.get("acme", "ada").person != before.person
    with pytest.raises(UnknownMemoryError):
        me.history(names["tea"])
    sound(iris)


def test_erasing_nobody_is_nothing(iris: Iris) -> None:
    assert iris.for_user(tenant="acme", user="nobody").erase() is None
    assert iris.tenants() == []


def test_erasing_twice(me: PersonMemory) -> None:
    me.remember("Likes tea")
    assert me.erase(scan=False) is not None
    assert me.erase(scan=False) is None


def test_another_instance_writes_to_the_new_subject(open_iris: OpenIris) -> None:
    """An instance that still holds keys and slots of the erased person must not write under them."""
    one, two = open_iris(), open_iris()
    me, again = person(one), two.for_user(tenant="acme", user="ada")
    again.remember("Likes tea")
    dead = two.instruments.people.get("acme", "ada").person
    assert me.erase(scan=False) is not None
    assert bodies(again) == []
    assert refused(again.remember("Likes gin")).reason is R.CONSENT_MISSING
    again.consent.grant("data_processing", "data_storage", terms="x")
    assert written(again.remember("Likes gin"))
    assert two.instruments.people.get("acme", "ada").person != dead
    assert bodies(me) == ["Likes gin"], "and the one that erased knows the new subject too"
    with one.instruments.store.read() as reading:
        assert reading.entries_since("acme", dead, -1) == []
    sound(two)


ERASER = """
import sys, pathlib
from flows.stores import open_store
with open_store(pathlib.Path(sys.argv[1])) as iris:
    print("open", flush=True)
    sys.stdin.readline()
    iris.for_user(tenant="acme", user="ada").erase(scan=False)
    print("erased", flush=True)
    sys.stdin.readline()
"""


def test_another_process_writes_to_the_new_subject(open_iris: OpenIris, folder: Path) -> None:
    iris = open_iris()
    me = person(iris)
    me.remember("Likes tea")
    dead = iris.instruments.people.get("acme", "ada").person
    child = subprocess.Popen(
        [sys.executable, "-c", ERASER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "open\n"
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "erased\n"
        me.consent.grant("data_processing", "data_storage", terms="x")
        assert written(me.remember("Likes gin"))
        assert iris.instruments.people.get("acme", "ada").person != dead
        with iris.instruments.store.read() as reading:
            assert reading.entries_since("acme", dead, -1) == []
            assert reading.records("acme", dead, RecordKind.CONSENT) == []
    finally:
        child.communicate("\n", timeout=60)
    assert child.returncode == 0
    sound(iris)


def test_every_holding_has_an_eraser_and_a_prober(me: PersonMemory, iris: Iris) -> None:
    """DSR-9, seen from the flows: every kind of record is in the register, and erasing brings each to nothing."""
    named = {holding.name.removeprefix("records: ") for holding in REGISTER}
    from iris_memory.flows.register import OF_TENANT

    assert {kind.value for kind in RecordKind} - named == {kind.value for kind in OF_TENANT}
    assert all(holding.eraser for holding in REGISTER)


def test_everything_of_one_person_leaves_the_others(iris: Iris) -> None:
    me, bob, foreign = person(iris), person(iris, "bob"), person(iris, tenant="other")
    for somebody in (me, bob, foreign):
        somebody.remember("Likes tea")
    me.forget(everything=True, scan=False)
    me.erase(scan=False)
    assert bodies(bob) == bodies(foreign) == ["Likes tea"]
    assert actions(iris, "other").count("memory.forget.intended") == 0
    sound(iris)


def test_time_on_a_receipt_does_not_run_backwards(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    entry = written(me.remember("Likes tea")).entry
    clock.step(-DAY)
    receipt = me.forget(entry.logical_id, scan=False)
    assert receipt.completed_at >= receipt.asked_at
    sound(iris)
