"""The bridge: turns come in once, recall has one entry, the two modes never meet, and a crisis frame is obeyed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.stores import TERMS, OpenIris, SteppingClock, actions, chain, person, refused, sound, written
from iris_memory.contracts.bridge import BridgeMode, SessionEnded, Turn, TurnRole, TurnsKept
from iris_memory.contracts.category import Category, Consumer, Context
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.events import EventName
from iris_memory.contracts.write import Statement
from iris_memory.errors import ContractError, IdempotencyConflictError
from iris_memory.flows.tend import chores
from iris_memory.front.bridge import MemoryBridge, create_admin_memory_bridge, create_memory_bridge
from iris_memory.front.consumers import ConsumerRegistry, Routing
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from iris_memory.tables.bridging import TURN_LIFETIME
from words import stands_in


def turn(number: int, text: str = "Good evening", **more: Any) -> Turn:
    return Turn(**{"turn_id": f"t{number}", "sequence": number, "role": TurnRole.USER, "text": text, **more})


def customer(iris: Iris, session: str = "s1", **more: Any) -> MemoryBridge:
    return create_memory_bridge(iris, tenant="acme", user="ada", session=session, **more)


def admin(iris: Iris, session: str = "desk", operator: str = "dana") -> MemoryBridge:
    """A bridge of an operator whose copilot scope is approved and consented."""
    copilot = iris.for_user(tenant="acme", user=operator, consumer="admin")
    copilot.consent.grant("data_processing", "data_storage", terms=TERMS)
    ends = iris.instruments.clock.now() + timedelta(days=30)
    iris.approve_scope(tenant="acme", adapter_scope="operator_copilot", approver="dpo", reason="work", expires_at=ends)
    return create_admin_memory_bridge(iris, tenant="acme", operator=operator, session=session)


def kept(outcome: object) -> TurnsKept:
    assert isinstance(outcome, TurnsKept), outcome
    return outcome


def rows(iris: Iris, kind: RecordKind) -> int:
    with iris.instruments.store.read() as reading:
        return len(reading.records_everywhere(kind))


BRIDGES: list[Any] = [customer, admin]


@pytest.mark.parametrize("make", BRIDGES)
def test_turns_are_appended_once_however_often_they_are_sent(
    iris: Iris, me: PersonMemory, make: Any, open_iris: OpenIris
) -> None:
    bridge = make(iris)
    assert bridge.reconnect() is None
    assert kept(bridge.append(turn(1), turn(2))).appended == 2
    again = kept(bridge.append(turn(2), turn(3)))
    assert (again.appended, again.already, again.last_sequence) == (1, 1, 3)
    iris.close()
    after = make(open_iris())  # the runtime comes back to another process
    session = after.reconnect()
    assert session is not None
    assert (session.last_sequence, session.ended_at, session.mode) == (3, None, after.mode)
    assert [(t.turn_id, t.text) for t in after.turns()] == [(f"t{n}", "Good evening") for n in (1, 2, 3)]


@pytest.mark.parametrize("wrong", [turn(1, "Other words"), turn(1, turn_id="t9"), turn(1, role=TurnRole.TOOL)])
def test_a_turns_id_and_place_are_used_once(iris: Iris, me: PersonMemory, wrong: Turn) -> None:
    bridge = customer(iris)
    kept(bridge.append(turn(1)))
    with pytest.raises(IdempotencyConflictError):
        bridge.append(turn(2), wrong)
    assert len(bridge.turns()) == 1, "all or none"


def test_turns_come_in_order(iris: Iris, me: PersonMemory) -> None:
    bridge = customer(iris)
    assert refused(bridge.append(turn(2))).reason is RefusalReason.TURN_OUT_OF_ORDER
    assert refused(bridge.append(turn(1), turn(3))).reason is RefusalReason.TURN_OUT_OF_ORDER
    assert bridge.turns() == ()
    with pytest.raises(ContractError):
        bridge.append(*[turn(number) for number in range(1, 102)])


def test_the_end_of_a_session_lets_go_of_what_lived_in_it_and_tells_the_hook_once(iris: Iris) -> None:
    me = iris.for_user(tenant="acme", user="ada", session="s1")
    me.consent.grant("data_processing", "data_storage", terms=TERMS)
    ends: list[SessionEnded] = []
    bridge = customer(iris, at_end=ends.append)
    kept(bridge.append(turn(1)))
    me.consent.revoke("data_storage", scan=False)
    statement = Statement(body="Hums while walking")
    assert written(bridge.remember(statement)).mode == "ephemeral"
    assert len(bridge.recall_relevant_memory("humming").hits) == 1
    ended = bridge.end()
    assert (ended.last_sequence, ended.forgotten, ended.was_over) == (1, 1, False)
    assert bridge.end().was_over
    assert ends == [ended]
    assert bridge.recall_relevant_memory("humming").hits == ()
    me.consent.grant("data_storage", terms=TERMS)
    assert refused(bridge.append(turn(2))).reason is RefusalReason.SESSION_ENDED
    assert kept(bridge.append(turn(1))).already == 1, "what was kept before is answered as before"
    session = bridge.reconnect()
    assert session is not None
    assert session.ended_at == iris.instruments.clock.now()


def test_no_turn_is_kept_without_consent_or_off_the_record(iris: Iris, me: PersonMemory) -> None:
    stranger = create_memory_bridge(iris, tenant="acme", user="bob", session="s1")
    assert refused(stranger.append(turn(1))).reason is RefusalReason.CONSENT_MISSING
    me.pause("s1")
    assert refused(customer(iris).append(turn(1))).reason is RefusalReason.OFF_THE_RECORD
    kept(customer(iris, "s2").append(turn(1)))
    no_leave = create_admin_memory_bridge(iris, tenant="acme", operator="ada", session="desk")
    assert refused(no_leave.append(turn(1))).reason is RefusalReason.GOVERNANCE_REVIEW_MISSING
    assert rows(iris, RecordKind.TURN) == rows(iris, RecordKind.TURN_TEXT) == 1


def test_redacting_destroys_words_and_leaves_references(iris: Iris, me: PersonMemory, folder: Path) -> None:
    bridge = customer(iris)
    kept(bridge.append(turn(1, "canary heliotrope"), turn(2, "something else")))
    assert bridge.redact("t1", "no-such-turn") == 1
    assert bridge.redact("t1") == 0
    assert [(t.turn_id, t.text) for t in bridge.turns()] == [("t1", None), ("t2", "something else")]
    assert kept(bridge.append(turn(1, "canary heliotrope"))).already == 1, "words do not come back by a retry"
    assert bridge.turns()[0].text is None
    assert bridge.redact() == 1
    assert rows(iris, RecordKind.TURN_TEXT) == 0
    assert not [line for line in chain(iris) if "heliotrope" in str(line)]
    iris.flush()
    assert not [file for file in folder.rglob("*") if file.is_file() and b"heliotrope" in file.read_bytes()]
    sound(iris)


def test_a_turn_ends_after_a_day_with_the_person_with_forget_and_with_a_category(
    iris: Iris, me: PersonMemory, clock: SteppingClock
) -> None:
    kept(customer(iris).append(turn(1)))
    clock.step(TURN_LIFETIME)
    assert customer(iris).turns() == ()
    chores(iris.instruments)
    assert rows(iris, RecordKind.TURN) == rows(iris, RecordKind.TURN_TEXT) == rows(iris, RecordKind.BRIDGE_SESSION) == 0
    kept(customer(iris, "s2").append(turn(1)))
    me.consent.grant("category:medical", terms=TERMS)
    me.consent.revoke("category:medical", scan=False)
    assert [t.text for t in customer(iris, "s2").turns()] == [None], "nobody can say what a turn is about"
    kept(customer(iris, "s3").append(turn(1)))
    me.forget(everything=True, scan=False)
    assert rows(iris, RecordKind.TURN_TEXT) == 0
    kept(customer(iris, "s4").append(turn(1)))
    me.erase(scan=False)
    assert rows(iris, RecordKind.TURN) == rows(iris, RecordKind.TURN_TEXT) == rows(iris, RecordKind.BRIDGE_SESSION) == 0


def test_the_two_modes_never_meet(iris: Iris, me: PersonMemory) -> None:
    written(me.remember("Prefers quiet trains"))
    desk = admin(iris)
    note = written(
        desk.remember(
            Statement(body="Escalations go to the duty lead", origin=Origin.OPERATOR_COPILOT, label=Label.OPERATOR)
        )
    )
    assert note.entry.scope.text() == "operator-copilot:acme:dana"
    assert desk.mode is BridgeMode.ADMIN
    assert [hit.entry.body for hit in desk.recall_relevant_memory("quiet trains duty lead").hits] == [note.entry.body]
    found = customer(iris).recall_relevant_memory("quiet trains duty lead").hits
    assert [hit.entry.body for hit in found] == ["Prefers quiet trains"]
    with pytest.raises(ContractError):
        customer(iris).recall_relevant_memory("trains", surface="admin")
    for consumer in (Consumer.ADMIN, Consumer.SUPPORT):
        with pytest.raises(ContractError):
            customer(iris, consumer=consumer)
    as_ada = create_admin_memory_bridge(iris, tenant="acme", operator="ada", session="s1")
    assert as_ada.recall_relevant_memory("quiet trains").hits == (), "an admin bridge of the same id reaches none of it"


def test_recall_has_one_entry_and_nothing_else_reads_memory() -> None:
    offered = {name for name in vars(MemoryBridge) if not name.startswith("_")}
    assert offered == {
        "mode", "session_id", "recall_relevant_memory", "remember", "append", "reconnect", "end", "turns", "redact",
        "subscribe", "unsubscribe",
    }  # fmt: skip


def in_crisis(iris: Iris, clock: SteppingClock) -> None:
    me = person(iris, consents=["category:safety"])
    written(me.remember("Prefers quiet trains"))
    written(me.remember("Calls Noor when it gets dark", category=Category.SAFETY))


@pytest.mark.parametrize("by_port", [True, False])
def test_in_a_crisis_frame_only_what_is_safety_critical_comes_back(
    open_iris: OpenIris, clock: SteppingClock, by_port: bool
) -> None:
    on = {"on": False}
    iris = open_iris(crisis=lambda tenant, user, now: on["on"] and by_port)
    in_crisis(iris, clock)
    bridge = customer(iris)
    asking: dict[str, Any] = {"contexts": list(Context), "safety_critical_context": True}
    assert len(bridge.recall_relevant_memory("trains dark", **asking).hits) == 2
    on["on"] = True
    result = bridge.recall_relevant_memory("trains dark", crisis_frame=not by_port, **asking)
    assert [hit.entry.category for hit in result.hits] == [Category.SAFETY]
    assert result.audit_envelope.suppression_counts == {"crisis-frame": 1}


def test_an_admin_bridge_obeys_the_crisis_frame_as_well(open_iris: OpenIris, clock: SteppingClock) -> None:
    on = {"on": False}
    iris = open_iris(crisis=lambda tenant, user, now: on["on"])
    desk = admin(iris)
    written(
        desk.remember(
            Statement(body="Escalations go to the duty lead", origin=Origin.OPERATOR_COPILOT, label=Label.OPERATOR)
        )
    )
    assert len(desk.recall_relevant_memory("escalations").hits) == 1
    on["on"] = True
    assert desk.recall_relevant_memory("escalations").hits == ()


def test_events_tell_ids_codes_and_counts_and_no_text(iris: Iris, me: PersonMemory) -> None:
    bridge = customer(iris)
    everything, pauses = bridge.subscribe(), bridge.subscribe("pause.changed")
    stored = written(me.remember("Prefers a window seat", subject="seat"))
    me.remember("Prefers an aisle seat", subject="seat")
    me.remember("Takes insulin", category="medical")
    bridge.recall_relevant_memory("window seat")
    me.pause("s9")
    me.pause("s9")
    me.resume("s9")
    told = everything.take()
    assert [event.name.value for event in told] == [
        "memory.written",
        "question.raised",
        "memory.refused",
        "recall.completed",
        "pause.changed",
        "pause.changed",
        "pause.changed",
    ]
    assert told[0].object_ids == (stored.entry.id,)
    assert told[2].code == "sensitive-category-without-consent"
    assert told[3].counts == {"returned": 1, "withheld": 1}
    assert [event.code for event in pauses.take()] == ["paused", "paused", "resumed"]
    text = " ".join(event.model_dump_json() for event in told)
    assert not [word for word in ("window", "insulin", "seat", "ada") if stands_in(word, text)]
    bridge.unsubscribe(everything)
    me.recall("seat")
    assert everything.take() == []


def test_nobody_hears_of_anybody_else(iris: Iris, me: PersonMemory) -> None:
    hub = iris.instruments.people.events
    others = [customer(iris).subscribe(), hub.subscribe("globex"), hub.subscribe("globex", "ada")]
    whole = hub.subscribe("acme")
    bob = person(iris, "bob")
    written(bob.remember("Plays chess"))
    assert [listener.take() for listener in others] == [[], [], []]
    assert [event.name for event in whole.take()] == [EventName.MEMORY_WRITTEN]


def test_a_slow_listener_holds_nobody_up_and_is_told_what_it_missed(iris: Iris, me: PersonMemory) -> None:
    def broken() -> None:
        raise RuntimeError("a listener's own defect")

    slow = customer(iris).subscribe("recall.completed", wake=broken)
    for _ in range(300):
        me.recall("anything")
    assert (len(slow.take()), slow.missed) == (256, 44)


def test_who_comes_back_is_given_what_was_missed(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    hub = iris.instruments.people.events
    first = hub.subscribe("acme", "ada")
    me.recall("one")
    (seen,) = first.take()
    hub.unsubscribe(first)
    for _ in range(2):
        me.recall("two")
    again = hub.subscribe("acme", "ada", after=seen.event_id)
    assert len(again.take()) == 2
    assert len(hub.subscribe("acme", "ada", after="unknown").take()) == 3
    assert hub.subscribe("acme", "ada").take() == []
    clock.step(timedelta(minutes=10))
    me.recall("three")
    assert len(hub.subscribe("acme", "ada", after="unknown").take()) == 1, "ten minutes, and no more"
    me.erase(scan=False)
    assert hub.kept("acme", "ada") == 0
    many = [hub.subscribe("acme", "ada") for _ in range(9)]
    assert [listener.is_open for listener in many] == [False] + [True] * 8


def test_routing_is_deterministic_and_a_claim_never_widens() -> None:
    registry = ConsumerRegistry()
    health = Routing(contexts=frozenset({Context.HEALTH}))
    assert registry.route(health) is Consumer.ASSISTANT
    registry.register(Consumer.NYX, lambda routing: True)
    registry.register(Consumer.TARA, lambda routing: Context.HEALTH in routing.contexts)
    assert registry.route(health) is Consumer.TARA, "nyx claims it, and its row has no health"
    assert registry.route(Routing()) is Consumer.NYX
    registry.register(Consumer.ARETE, lambda routing: True)
    assert registry.route(Routing()) is Consumer.ARETE, "by name among equals"
    registry.register(Consumer.NYX, lambda routing: True, weight=1)
    assert registry.route(Routing()) is Consumer.NYX
    assert registry.route(Routing(asks=Consumer.METIS)) is Consumer.METIS
    registry.unregister(Consumer.NYX)
    assert registry.route(Routing()) is Consumer.ARETE
    with pytest.raises(ContractError):
        registry.register(Consumer.ADMIN, lambda routing: True)


def test_what_a_bridge_does_stands_in_the_chain(iris: Iris, me: PersonMemory) -> None:
    bridge = customer(iris, assistant_id="nova")
    kept(bridge.append(turn(1)))
    bridge.redact()
    bridge.end()
    told = [name for name in actions(iris) if name.startswith(("turn", "session"))]
    assert told == ["turn.kept", "turns.redacted", "session.ended"]
    assert next(e for e in chain(iris) if e["action"] == "turn.kept")["assistant_id"] == "nova"
    assert "s1" not in {str(event.get("session")) for event in chain(iris)}
