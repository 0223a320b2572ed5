"""Announcing: what a flow did, told to who listens, after it is committed. Nobody listening: nothing is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from iris_memory.contracts.events import EventName, MemoryEvent
from iris_memory.contracts.recall import RecallResult
from iris_memory.contracts.write import AskCategory, AskUser, Refused, WriteOutcome, Written
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person

NOBODY = "nobody"


def announce_recall(instruments: Instruments, caller: Caller, person: Person | None, result: RecallResult) -> None:
    """Tell that a recall was answered: the ids, and how many were held back."""
    if _is_heard(instruments, caller):
        envelope = result.audit_envelope
        counts = {"returned": len(envelope.returned_ids), "withheld": sum(envelope.suppression_counts.values())}
        _emit(instruments, caller, person, EventName.RECALL_COMPLETED, object_ids=envelope.returned_ids, counts=counts)


def announce_writes(instruments: Instruments, caller: Caller, person: Person, outcomes: Sequence[WriteOutcome]) -> None:
    """Tell what became of statements: written, refused by reason, questions."""
    if not _is_heard(instruments, caller):
        return
    written = tuple(each.entry.id for each in outcomes if isinstance(each, Written))
    asked = tuple(each.question_id for each in outcomes if isinstance(each, (AskUser, AskCategory)))
    refused = Counter(each.reason.value for each in outcomes if isinstance(each, Refused))
    if written:
        counts = {"written": len(written)}
        _emit(instruments, caller, person, EventName.MEMORY_WRITTEN, object_ids=written, counts=counts)
    if refused:
        code = next(iter(refused)) if len(refused) == 1 else None
        _emit(instruments, caller, person, EventName.MEMORY_REFUSED, counts=dict(sorted(refused.items())), code=code)
    for question_id in asked:
        announce_question(instruments, caller, person, question_id)


def announce_question(instruments: Instruments, caller: Caller, person: Person, question_id: str) -> None:
    """Tell that the person is asked something."""
    if _is_heard(instruments, caller):
        _emit(instruments, caller, person, EventName.QUESTION_RAISED, object_ids=(question_id,), counts={"raised": 1})


def announce_pause(instruments: Instruments, caller: Caller, person: Person, *, paused: bool) -> None:
    """Tell that a session, or every one, went off the record or back on it."""
    if _is_heard(instruments, caller):
        _emit(instruments, caller, person, EventName.PAUSE_CHANGED, code="paused" if paused else "resumed")


def announce_notice(instruments: Instruments, caller: Caller, person: Person | None, inspection_id: str) -> None:
    """Tell that a notice of an operator's look reached the person."""
    if _is_heard(instruments, caller):
        _emit(instruments, caller, person, EventName.INSPECTION_NOTICED, object_ids=(inspection_id,))


def _is_heard(instruments: Instruments, caller: Caller) -> bool:
    return instruments.people.events.is_heard(caller.tenant, caller.user)


def _emit(
    instruments: Instruments,
    caller: Caller,
    person: Person | None,
    name: EventName,
    *,
    object_ids: tuple[str, ...] = (),
    counts: dict[str, int] | None = None,
    code: str | None = None,
) -> None:
    now = instruments.clock.now()
    event = MemoryEvent(
        event_id=instruments.ids.entry_id(now),
        name=name,
        tenant_id=caller.tenant,
        person=person.person if person is not None else NOBODY,
        consumer=caller.consumer,
        assistant_id=caller.assistant_id,
        at=now,
        object_ids=object_ids,
        counts=counts or {},
        code=code,
    )
    instruments.people.events.emit(caller.user, event)
