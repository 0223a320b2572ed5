"""Erasure as a saga: a receipt from the completion on, read-back before it (DSR-8, DSR-9, DSR-12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from flows.stores import TERMS, OpenIris, SteppingClock, actions, chain, person, sound, written
from iris_memory.contracts.erasure import ErasureStepName
from iris_memory.contracts.rights import RightsRefused, RightsRequest, RightsState
from iris_memory.errors import StorageError
from iris_memory.flows import forget, forgetting, read_back, tend
from iris_memory.flows.instruments import Caller
from iris_memory.flows.intents import ranges_of
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.register import REGISTER, Eraser
from iris_memory.flows.seal import key_periods
from iris_memory.flows.usage import RecallLog
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from iris_memory.rules.consent import PURGED
from words import stands_in

ADA = Caller("acme", "ada")


def genuine(iris: Iris, receipt: Any) -> bool:
    return is_genuine(receipt, keys=[period.key for period in key_periods(iris.instruments, "acme")])


def test_a_receipt_tells_each_step_and_what_was_read_back(me: PersonMemory, iris: Iris) -> None:
    """DSR-12: what, when, counts, numbers of keys, tree head; signed; nothing of the person."""
    me.remember("Likes green tea")
    me.recall("tea")
    receipt = me.erase()
    assert receipt is not None
    assert receipt.is_complete
    assert [step.step for step in receipt.steps] == list(ErasureStepName)
    asked = {holding.name for holding in REGISTER if holding.eraser in {Eraser.BURY, Eraser.DROP_RECORDS}}
    assert asked <= set(receipt.read_back)
    assert receipt.read_back["vault slots"] == 0
    assert not any(receipt.read_back.values())
    assert receipt.keys[0].startswith("1-")
    assert genuine(iris, receipt)
    assert not stands_in("ada", receipt.model_dump_json())
    assert not stands_in("tea", receipt.model_dump_json())
    assert list(iris.receipts(tenant="acme")) == [receipt]


def test_numbers_are_told_as_ranges() -> None:
    assert ranges_of([]) == ()
    assert ranges_of([3, 1, 2, 7, 9, 8, 3]) == ("1-3", "7-9")
    assert ranges_of([5]) == ("5",)


def test_the_completion_writes_the_receipt(me: PersonMemory, iris: Iris, open_iris: OpenIris, monkeypatch: Any) -> None:
    """A kill right after the completion leaves a receipt with everything but the scrub; opening renews it."""
    me.remember("Likes green tea", category="preference")
    me.remember("Likes trains", category="preference")

    def die(instruments: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(forget, "scrub_files", die)
        with pytest.raises(KeyboardInterrupt):
            me.forget(category="preference", scan=False)
    (early,) = iris.receipts(tenant="acme")
    assert (early.memories, early.keys_destroyed, early.files_scrubbed, early.is_complete) == (2, 2, False, False)
    assert early.reached["memories"] == 2
    iris.close()
    again = open_iris()
    (late,) = again.receipts(tenant="acme")
    assert (late.files_scrubbed, late.is_complete, late.reached) == (True, True, early.reached)
    assert genuine(again, late)
    sound(again)


def test_a_scrub_that_comes_late_renews_the_receipt(me: PersonMemory, iris: Iris) -> None:
    tea = written(me.remember("Likes green tea")).entry
    real, instruments = iris.instruments.store, iris.instruments

    class Busy:
        def __getattr__(self, name: str) -> Any:
            return (lambda: False) if name == "scrub" else getattr(real, name)

    from iris_memory.contracts.erasure import ForgetTarget

    busy = replace(instruments, store=Busy())  # type: ignore[arg-type]
    early = forget.forget(busy, ADA, ForgetTarget(logical_id=tea.logical_id), scan=False)
    assert (early.files_scrubbed, early.is_complete) == (False, False)
    tend.chores(instruments)
    (late,) = iris.receipts(tenant="acme")
    assert (late.receipt_id, late.files_scrubbed, late.is_complete) == (early.receipt_id, True, True)
    assert genuine(iris, late)
    sound(iris)


def test_it_does_not_complete_while_something_is_left(
    me: PersonMemory, iris: Iris, open_iris: OpenIris, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DSR-8: the read-back stands before the completion, in its transaction."""
    me.remember("Likes green tea")

    def left(*what: Any) -> Mapping[str, int]:
        return {"entries": 1}

    with monkeypatch.context() as patch:
        patch.setattr(forgetting, "read_back_of", left)
        with pytest.raises(StorageError):
            me.erase(scan=False)
        assert "memory.forget.completed" not in actions(iris)
        assert list(iris.receipts(tenant="acme")) == []
        assert forgetting.finish_pending(iris.instruments) == 0, "it stays pending, and opening goes on"
    iris.close()
    again = open_iris()
    (receipt,) = again.receipts(tenant="acme")
    assert receipt.memories == 1
    assert receipt.keys_destroyed >= 1
    assert "memory.forget.completed" in actions(again)


def test_a_key_that_stays_is_noticed(me: PersonMemory, iris: Iris, monkeypatch: pytest.MonkeyPatch) -> None:
    tea = written(me.remember("Likes green tea")).entry
    monkeypatch.setattr(type(iris.instruments.vault), "destroy_slots", lambda *what: 1)
    with pytest.raises(StorageError, match="still in the vault"):
        me.forget(tea.logical_id, scan=False)
    assert read_back.KEYS == "vault slots"


def test_the_log_of_recalls_lets_go_of_what_is_forgotten(me: PersonMemory, iris: Iris) -> None:
    tea = written(me.remember("Likes green tea")).entry
    written(me.remember("Likes green trains"))
    me.recall("green")
    iris.flush()
    me.recall("green")  # this one waits in the process when the forget comes
    me.forget(tea.logical_id, scan=False)
    iris.flush()
    known = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        rows = reading.records("acme", known.person, RecordKind.RECALL)
    told = [RecallLog.model_validate_json(known.open_record(row) or b"") for row in rows]
    named = {name for log in told for served in log.recalls for name, _ in served.hits}
    assert tea.logical_id not in named
    assert len(named) == 1


def deletion(iris: Iris, me: PersonMemory, **wishes: Any) -> RightsRequest:
    desk = iris.rights_desk("acme")
    request = me.rights.submit("delete", **wishes)
    desk.sign_off(request.request_id, "operator-signoff", actor="op-0", declared=True)
    done = desk.fulfil(request.request_id, actor="op-1")
    assert isinstance(done, RightsRequest), done
    return done


def test_purging_leaves_events_without_the_person(
    me: PersonMemory, iris: Iris, open_iris: OpenIris, clock: SteppingClock
) -> None:
    """Values and blindings go, both chains verify, and nothing rests on what was purged."""
    me.consent.grant("category:medical", terms=TERMS, note="said at the desk")
    me.remember("Takes insulin", category="medical")
    clock.step()
    done = deletion(iris, me, categories=["medical"], purge_consent_ledger=True)
    assert done.state is RightsState.COMPLETED
    assert done.result is not None
    assert done.result.counts["consent_events"] == 2, "the grant, and the withdrawal that the purge began with"
    purged = [event for event in me.consent.trail() if event.type == "category:medical"]
    assert [(event.user_id, event.witness, event.note) for event in purged] == [(PURGED, PURGED, None)] * 2
    assert list(me.consent.check()) == []
    assert "category:medical" not in me.consent.active()
    assert "consent.ledger.purged" in actions(iris)
    sound(iris)
    iris.close()
    again = open_iris()
    other = again.for_user(tenant="acme", user="ada")
    assert list(other.consent.check()) == []
    assert {"data_processing", "data_storage"} <= other.consent.active()
    sound(again)


def test_purging_what_is_held_is_left_with_its_reason(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    """DSR-7: no path destroys what a hold keeps."""
    from datetime import timedelta

    me.consent.grant("category:medical", terms=TERMS)
    me.remember("Takes insulin", category="medical")
    desk = iris.rights_desk("acme")
    ends = clock.now() + timedelta(days=9)
    hold = desk.place_hold(user="ada", actor="op-1", reference="case", reason="asked", expires_at=ends)
    desk.confirm_hold(hold.hold_id, actor="op-2")
    done = deletion(iris, me, categories=["medical"], purge_consent_ledger=True)
    assert done.denial is not None or any(event.event == "partially-fulfilled" for event in done.trail)
    assert all(event.user_id == "ada" for event in me.consent.trail())
    assert not isinstance(done, RightsRefused)


def test_the_chain_tells_of_an_erasure_in_ids_and_counts(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes green tea")
    person(iris, "bob").remember("Likes coffee")
    me.erase(scan=False)
    assert not stands_in("tea", str(chain(iris)))
    assert iris.for_user(tenant="acme", user="bob").list().total == 1
