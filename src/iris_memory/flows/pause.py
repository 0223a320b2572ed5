"""Pause: a session goes off the record. Nothing is written in it and recall answers nothing, until it is resumed.

A pause is kept, so it survives a restart and a reconnect.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.flows.announcing import announce_pause
from iris_memory.flows.decided import keep_decided, require_whole
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import EVERYWHERE, Pause, Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction


def pause(instruments: Instruments, caller: Caller, *, session_id: str | None = None) -> Pause:
    """Put a session off the record; without one, every session of the person."""
    now = instruments.clock.now()
    session = session_id or EVERYWHERE

    def attempt(person: Person) -> Pause:
        person.ensure_slots(1)
        key = person.tag("pause", session)

        def work(tx: Transaction) -> Pause:
            known = tx.record(person.tenant, person.person, RecordKind.PAUSE, key)
            plain = person.open_record(known) if known is not None else None
            if plain is not None:
                return Pause.model_validate_json(plain)
            held = Pause(session_id=session, since=now)
            snapshot = person.read(tx)
            require_whole(snapshot)
            seq = tx.bump(person.tenant, person.person)
            tx.put_record(person.tenant, person.person, person.record(RecordKind.PAUSE, key, held, seq=seq, now=now))
            _keep(tx, person, snapshot, {*snapshot.pauses, key}, seq=seq, now=now)
            _tell(tx, instruments, person, key, paused=True)
            return held

        held = instruments.store.write(work, durable=True)
        instruments.people.sessions.drop(person, session=session_id, everything=session_id is None)
        announce_pause(instruments, caller, person, paused=True)
        return held

    return with_person(instruments, caller, attempt)


def resume(instruments: Instruments, caller: Caller, *, session_id: str | None = None) -> bool:
    """Put a session back on the record; say whether it was paused."""

    def attempt(person: Person) -> bool:
        key = person.tag("pause", session_id or EVERYWHERE)

        def work(tx: Transaction) -> bool:
            snapshot = person.read(tx)
            if key not in snapshot.pauses:
                return False
            require_whole(snapshot)
            tx.drop_records(person.tenant, person.person, RecordKind.PAUSE, [key])
            seq = tx.bump(person.tenant, person.person)
            _keep(tx, person, snapshot, {*snapshot.pauses} - {key}, seq=seq, now=instruments.clock.now())
            _tell(tx, instruments, person, key, paused=False)
            return True

        resumed = instruments.store.write(work, durable=True)
        if resumed:  # what was said just before the pause goes as well
            instruments.people.sessions.drop(person, session=session_id, everything=session_id is None)
            announce_pause(instruments, caller, person, paused=False)
        return resumed

    return with_known_person(instruments, caller, attempt, nobody=lambda: False)


def pauses(instruments: Instruments, caller: Caller) -> list[Pause]:
    """Return what is off the record, longest first."""

    def attempt(person: Person) -> list[Pause]:
        return sorted(current(instruments, person).pauses.values(), key=lambda held: (held.since, held.session_id))

    return with_known_person(instruments, caller, attempt, nobody=list)


def _keep(
    tx: Transaction, person: Person, snapshot: Snapshot, pauses: Collection[str], *, seq: int, now: datetime
) -> None:
    keep_decided(person, tx, events=snapshot.events, pauses=pauses, opt_outs=snapshot.opt_outs, seq=seq, now=now)


def _tell(tx: Transaction, instruments: Instruments, person: Person, key: str, *, paused: bool) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.PAUSE_CHANGED,
        policy=WRITE_POLICY,
        person=person.person,
        now=instruments.clock.now(),
        facts={"session": key, "paused": paused},
    )
