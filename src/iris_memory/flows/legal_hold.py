"""Legal hold: placed by one operator, confirmed by another, ended by release or by its time; then what waited goes on.

A hold blocks destruction and nothing else. The person sees it unless it is sealed; a seal hides the hold, never a
count: a receipt says how much was held, and claims no more than was done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, NoReturn

from pydantic import ValidationError

from iris_memory.contracts.audit import RIGHTS_POLICY, AuditAction, Severity
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.rights import HoldRefusal, HoldRefused, HoldState, HoldTarget, LegalHold
from iris_memory.contracts.shape import refuse_invalid, to_micros
from iris_memory.errors import ContractError, KeyDestroyedError, UnknownMemoryError
from iris_memory.flows import forget
from iris_memory.flows.beside import drop_beside
from iris_memory.flows.forgetting import Going, destroy, intend, scrub
from iris_memory.flows.held import KeptHold, Wish, drop_wish, held_among, holds_of, keeps_whole, sealed_row, wishes_of
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.living import require_living
from iris_memory.flows.people import Person
from iris_memory.flows.retrying import with_known_person
from iris_memory.ports.rows import ERASED, RecordKind
from iris_memory.ports.unit_of_work import Transaction

_SYSTEM: Final = "system"


def place(
    instruments: Instruments,
    caller: Caller,
    target: HoldTarget,
    *,
    reference: str,
    reason: str,
    actor: str,
    review_at: datetime,
    expires_at: datetime,
    is_sealed: bool = False,
) -> LegalHold:
    """Place a hold on a person's memory. It holds nothing until somebody else confirms it.

    Raises:
        UnknownMemoryError: nothing is known of the person, or their erasure has begun.
        ContractError: the review or the end lie in the past, or the review after the end.
    """
    now = instruments.clock.now()
    if not now < review_at <= expires_at:
        raise ContractError("a hold is reviewed after it is placed, and ends no sooner than that")

    def attempt(person: Person) -> LegalHold:
        try:
            hold = LegalHold(
                hold_id=instruments.ids.entry_id(now),
                person=person.person,
                target=target,
                reference=reference,
                reason=reason,
                is_sealed=is_sealed,
                state=HoldState.PLACED,
                placed_by=actor,
                placed_at=now,
                review_at=review_at,
                expires_at=expires_at,
            )
            kept = KeptHold(hold=hold, user_id=caller.user)
        except ValidationError as problem:
            refuse_invalid(problem, what="hold")

        def work(tx: Transaction) -> None:
            require_living(tx, person.tenant, person.person)
            _keep(instruments, tx, caller.tenant, kept, actor, now)

        instruments.store.write(work, durable=True)
        return hold

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def confirm(instruments: Instruments, tenant: str, hold_id: str, *, actor: str) -> LegalHold | HoldRefused:
    """Confirm a hold, as somebody else than who placed it: from now on it holds.

    Raises:
        UnknownMemoryError: there is no such hold, or the person's erasure has begun and nothing is left to hold.
    """
    now = instruments.clock.now()

    def step(hold: LegalHold) -> LegalHold | HoldRefused:
        if hold.state is not HoldState.PLACED or now >= hold.expires_at:
            return _refuse(HoldRefusal.NOT_WAITING, "only a hold that was placed, and whose time is not over, waits")
        if actor == hold.placed_by:
            return _refuse(HoldRefusal.SELF_CONFIRMATION, "a hold is confirmed by somebody else than who placed it")
        changed = {"state": HoldState.IN_FORCE, "confirmed_by": actor, "confirmed_at": now}
        return LegalHold.model_validate({**dict(hold), **changed})

    return _change(instruments, tenant, hold_id, step, actor=actor, now=now)


def review(
    instruments: Instruments, tenant: str, hold_id: str, *, actor: str, review_at: datetime
) -> LegalHold | HoldRefused:
    """Note that a hold was reviewed and is still needed, and when to look again."""
    now = instruments.clock.now()

    def step(hold: LegalHold) -> LegalHold | HoldRefused:
        if hold.state is not HoldState.IN_FORCE or now >= hold.expires_at:
            return _refuse(HoldRefusal.NOT_IN_FORCE, "only a hold that is in force is reviewed")
        if not now < review_at <= hold.expires_at:
            raise ContractError("the next review lies ahead, and not after the end of the hold")
        return hold.model_copy(update={"review_at": review_at})

    return _change(instruments, tenant, hold_id, step, actor=actor, now=now)


def release(instruments: Instruments, tenant: str, hold_id: str, *, actor: str) -> LegalHold | HoldRefused:
    """End a hold. What was to be destroyed and was held by nothing else goes at once."""
    now = instruments.clock.now()

    def step(hold: LegalHold) -> LegalHold | HoldRefused:
        if hold.state not in {HoldState.PLACED, HoldState.IN_FORCE}:
            return _refuse(HoldRefusal.ALREADY_OVER, "the hold is over")
        return hold.model_copy(update={"state": HoldState.RELEASED, "ended_by": actor, "ended_at": now})

    done = _change(instruments, tenant, hold_id, step, actor=actor, now=now)
    if isinstance(done, LegalHold):
        grant_wishes(instruments, tenant, done.person)
    return done


def holds(instruments: Instruments, tenant: str) -> list[LegalHold]:
    """Return every hold of a tenant, oldest first, for operators."""
    return sorted((kept.hold for kept in _all(instruments, tenant)), key=lambda hold: (hold.placed_at, hold.hold_id))


def visible_holds(instruments: Instruments, caller: Caller) -> list[LegalHold]:
    """Return the holds on a person's memory that they may see: those that are confirmed or over, and not sealed."""

    def attempt(person: Person) -> list[LegalHold]:
        with instruments.store.read() as reading:
            kept = holds_of(instruments, reading, person.tenant, person.person)
        return [one.hold for one in kept if not one.hold.is_sealed and one.hold.confirmed_at is not None]

    return with_known_person(instruments, caller, attempt, nobody=list)


def end_expired(instruments: Instruments) -> int:
    """End every hold whose time is over, and let go what waited for it; return how many ended."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        due = [
            (tenant, row.key)
            for tenant, _, row in reading.records_everywhere(RecordKind.LEGAL_HOLD)
            if row.expires_at is not None and row.expires_at <= to_micros(now)
        ]
        waiting = {(tenant, row.key) for tenant, _, row in reading.records_everywhere(RecordKind.HELD_WISH)}

    def step(hold: LegalHold) -> LegalHold | HoldRefused:
        return hold.model_copy(update={"state": HoldState.EXPIRED, "ended_by": _SYSTEM, "ended_at": now})

    for tenant, hold_id in due:
        _change(instruments, tenant, hold_id, step, actor=_SYSTEM, now=now)
    for tenant in sorted({tenant for tenant, _ in waiting}):
        grant_wishes(instruments, tenant)
    return len(due)


def grant_wishes(instruments: Instruments, tenant: str, subject: str | None = None) -> int:
    """Carry out what waited for holds and is held no more; return how many wishes came true as a whole.

    It needs no word of the person's, so it reaches everybody. A wish for the whole person waits until nothing is held.
    """
    with instruments.store.read() as reading:
        waiting = wishes_of(instruments, reading, tenant, subject)
    return sum(_grant(instruments, wish) for wish in waiting)


def _grant(instruments: Instruments, wish: Wish) -> bool:
    now = instruments.clock.now()
    tenant, subject = wish.tenant, wish.person

    def work(tx: Transaction) -> tuple[Going | None, bool]:
        if not any(known.wish_id == wish.wish_id for known in wishes_of(instruments, tx, tenant, subject)):
            return None, False
        if tx.state(tenant, subject).version == ERASED:  # another wish took the whole person
            drop_wish(tx, wish)
            return None, False
        held = held_among(instruments, tx, tenant, subject, wish.logical_ids, now=now)
        free = sorted(set(wish.logical_ids) - held)
        is_everything = wish.whole_person or wish.reason is TombstoneReason.EVERYTHING_FORGOTTEN
        kept_whole = is_everything and keeps_whole(instruments, tx, tenant, subject, now=now)
        waits = bool(held) or kept_whole
        if waits and not free:
            return None, False
        drop_wish(tx, wish)
        beside = drop_beside(tx, tenant, subject, until=wish.asked_at) if is_everything and not kept_whole else []
        going = intend(
            instruments, tx, tenant, subject, wish.logical_ids, reason=wish.reason, now=now, record_slots=beside
        )
        return going, not waits

    going, is_whole = instruments.store.write(work, durable=True)
    if going is not None:
        told = going.intent.model_copy(update={"has_receipt": True})
        destroy(instruments, None, replace(going, intent=told))
        scrub(instruments, [(tenant, told.receipt_id)])
    if is_whole and wish.whole_person and wish.user_id is not None:
        _erase(instruments, wish)
    return is_whole


def _erase(instruments: Instruments, wish: Wish) -> None:
    """Erase the person a wish was about, unless another came to bear their name."""
    assert wish.user_id is not None
    person = instruments.people.find(wish.tenant, wish.user_id)
    if person is not None and person.person == wish.person:
        forget.erase(instruments, Caller(wish.tenant, wish.user_id), scan=False)


def _change(
    instruments: Instruments,
    tenant: str,
    hold_id: str,
    step: Callable[[LegalHold], LegalHold | HoldRefused],
    *,
    actor: str,
    now: datetime,
) -> LegalHold | HoldRefused:
    found = next((kept for kept in _all(instruments, tenant) if kept.hold.hold_id == hold_id), None)
    if found is None:
        _nobody()
    subject = found.hold.person

    def work(tx: Transaction) -> LegalHold | HoldRefused:
        known = next(
            (kept for kept in holds_of(instruments, tx, tenant, subject) if kept.hold.hold_id == hold_id), None
        )
        if known is None:
            _nobody()
        done = step(known.hold)
        if isinstance(done, LegalHold) and done.state is HoldState.IN_FORCE:
            require_living(tx, tenant, subject)
        if isinstance(done, LegalHold):
            _keep(instruments, tx, tenant, known.model_copy(update={"hold": done}), actor, now)
        return done

    try:
        return instruments.store.write(work, durable=True)
    except KeyDestroyedError:
        _nobody()


def _keep(instruments: Instruments, tx: Transaction, tenant: str, kept: KeptHold, actor: str, now: datetime) -> None:
    hold = kept.hold
    is_over = hold.state in {HoldState.RELEASED, HoldState.EXPIRED}
    row = sealed_row(
        instruments,
        tenant,
        hold.person,
        RecordKind.LEGAL_HOLD,
        hold.hold_id,
        kept.model_dump_json(),
        at=hold.placed_at,
        due=None if is_over else hold.expires_at,
    )
    tx.put_record(tenant, hold.person, row)
    write_event(
        tx,
        tenant,
        action=AuditAction.LEGAL_HOLD_CHANGED,
        policy=RIGHTS_POLICY,
        person=hold.person,
        now=now,
        severity=Severity.WARNING,
        facts={"object_ids": [hold.hold_id], "state": hold.state.value, "actor": actor},
    )


def _all(instruments: Instruments, tenant: str) -> list[KeptHold]:
    with instruments.store.read() as reading:
        subjects = sorted(
            {person for of, person, _ in reading.records_everywhere(RecordKind.LEGAL_HOLD) if of == tenant}
        )
        found = map(partial(holds_of, instruments, reading, tenant), subjects)
        return [kept for every in found for kept in every]


def _refuse(reason: HoldRefusal, rule: str) -> HoldRefused:
    return HoldRefused(reason=reason, rule=rule)


def _nobody() -> NoReturn:
    raise UnknownMemoryError("there is no such hold, or nothing is known of the person")
