"""The audit trail, read: newest first, through filters, a bounded page at a time; and proofs that hold offline."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.stores import SteppingClock, open_store, person
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows import audit_trail
from iris_memory.front.audit_trail import AuditTrail, is_event_proved
from iris_memory.front.iris import Iris


@pytest.fixture(scope="module")
def clock() -> SteppingClock:
    """One clock for the module's store."""
    return SteppingClock()


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory, clock: SteppingClock) -> Iris:
    """A store with a few events of two people, an hour apart."""
    opened = open_store(Path(tmp_path_factory.mktemp("trail")) / "memory", clock=clock)
    for user in ("ada", "bob"):
        me = person(opened, user)
        for place in range(6):
            clock.step(timedelta(hours=1))
            me.remember(f"Likes the number {place}", category="preference")
    return opened


@pytest.fixture(scope="module")
def trail(iris: Iris) -> AuditTrail:
    """The trail of the tenant."""
    return iris.audit_trail(tenant="acme")


@settings(max_examples=20, deadline=None)
@given(limit=st.integers(1, 20))
def test_pages_put_together_are_the_whole_chain_newest_first(trail: AuditTrail, limit: int) -> None:
    met, before = [], None
    while True:
        page = trail.events(before=before, limit=limit)
        met += [line.sequence for line in page.lines]
        if page.next_before is None:
            break
        before = page.next_before
    assert met == list(range(page.size, 0, -1))


def test_a_filter_lets_by_exactly_what_fits(trail: AuditTrail, clock: SteppingClock) -> None:
    every = trail.events(limit=500).lines
    assert {line.action for line in every} > {"memory.written"}
    written = trail.events(action="memory.written", limit=500).lines
    assert list(written) == [line for line in every if line.action == "memory.written"]
    one = written[0]
    assert all(line.person == one.person for line in trail.events(person=one.person, limit=500).lines)
    (object_id,) = json.loads(one.facts["object_ids"])
    assert one in trail.events(object_id=object_id).lines
    since = clock.now() - timedelta(hours=2)
    assert all(line.at >= since for line in trail.events(since=since, limit=500).lines)
    assert all(line.at < since for line in trail.events(until=since, limit=500).lines)
    assert trail.events(severity="warning").lines == ()


def test_a_page_looks_at_a_bounded_number_of_lines(trail: AuditTrail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_trail, "LOOKED_AT_MOST", 5)
    monkeypatch.setattr(audit_trail, "_CHUNK", 5)
    page = trail.events(object_id="nothing")
    assert page.lines == ()
    assert page.looked_at == 5
    assert page.next_before == page.size - 4


def test_every_proof_holds_and_none_for_another_place_or_line(trail: AuditTrail) -> None:
    size = trail.events(limit=1).size
    for sequence in range(1, size + 1):
        proof = trail.proof(sequence)
        assert is_event_proved(proof)
        assert is_event_proved(proof.model_dump_json(), vkeys=proof.vkeys)
        assert not is_event_proved(proof.model_copy(update={"sequence": sequence % size + 1}))
        assert not is_event_proved(proof.model_copy(update={"line": proof.line.replace("info", "warn")}))
        assert not is_event_proved(proof.model_copy(update={"tenant_id": "other"}))


def test_a_proof_under_keys_of_somebody_else_does_not_hold(trail: AuditTrail, iris: Iris) -> None:
    person(iris, "zoe", tenant="other")
    foreign = iris.audit_trail(tenant="other").proof(1)
    assert not is_event_proved(trail.proof(1), vkeys=foreign.vkeys)
    assert not is_event_proved(trail.proof(1), vkeys=("no key",))
    with pytest.raises(ContractError):
        is_event_proved("{}")


def test_what_is_not_there_is_not_there(trail: AuditTrail, iris: Iris) -> None:
    for sequence in (0, -1, 10_000):
        with pytest.raises(UnknownMemoryError):
            trail.proof(sequence)
        with pytest.raises(UnknownMemoryError):
            trail.event(sequence)
    empty = iris.audit_trail(tenant="nobody").events()
    assert (empty.lines, empty.size, empty.next_before) == ((), 0, None)
    with pytest.raises(ContractError):
        trail.events(limit=0)
