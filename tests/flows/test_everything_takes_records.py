"""Forgetting everything destroys the keys of the records that go with it: an older copy of the data opens none."""

from __future__ import annotations

from iris_memory.contracts.bridge import Turn, TurnRole
from iris_memory.front.bridge import create_memory_bridge
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind


def test_no_key_of_a_turn_or_an_answer_outlives_everything(iris: Iris, me: PersonMemory) -> None:
    me.remember("Takes tea at four", idempotency_key="once")
    bridge = create_memory_bridge(iris, tenant="acme", user="ada", session="monday")
    bridge.append(Turn(turn_id="t1", sequence=1, role=TurnRole.USER, text="Ask Anna about the flat"))
    known = iris.instruments.people.find("acme", "ada")
    assert known is not None
    with iris.instruments.store.read() as reading:
        rows = [
            row
            for kind in (RecordKind.TURN_TEXT, RecordKind.IDEMPOTENCY)
            for row in reading.records("acme", known.person, kind)
        ]
    sealed = [row.slot for row in rows if row.slot]
    assert RecordKind.TURN_TEXT in {row.kind for row in rows if row.slot}
    assert set(iris.instruments.vault.open_slots(known.subject, sealed)) == set(sealed)
    me.forget(everything=True, scan=False)
    assert iris.instruments.vault.open_slots(known.subject, sealed) == {}
