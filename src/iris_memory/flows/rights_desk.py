"""The desk: what operators do about data-rights requests. They see no content; each act names who did it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from iris_memory.contracts.rights import (
    DenialGround,
    DeniedItem,
    DeskRow,
    IdentityChallenge,
    IdentityProof,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsResult,
    RightsState,
    VerificationMethod,
)
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import ContractError, KeyDestroyedError, UnknownMemoryError
from iris_memory.flows.fulfil import FULFILMENTS, HELD_REFERENCE, Fulfilled, purge
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.rights import Decide, challenge_digest, change, unknown_request
from iris_memory.flows.rights_records import (
    SentChallenge,
    challenges,
    keep_challenges,
    load,
    load_desk,
    load_desk_all,
)
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules import rights
from iris_memory.rules.rights import SYSTEM, Step
from iris_memory.tables.regimes import CHALLENGE_MINUTES, CHALLENGES_MOST

_LINK_BYTES: Final = 32
_OTP_DIGITS: Final = 8
_BY_OPERATOR: Final = frozenset({VerificationMethod.OPERATOR_SIGNOFF, VerificationMethod.COURT_ORDER})


def desk(instruments: Instruments, tenant: str, *, open_only: bool = False) -> list[DeskRow]:
    """Return the tenant's requests, those due first: pseudonym, kind, state, deadline; no content."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        rows = [record.row for record in load_desk_all(instruments, reading, tenant)]
    rows = [row.model_copy(update={"overdue": row.closed_at is None and now > row.deadline}) for row in rows]
    if open_only:
        rows = [row for row in rows if row.closed_at is None]
    return sorted(rows, key=lambda row: (row.closed_at is not None, row.deadline, row.request_id))


def challenge(
    instruments: Instruments, tenant: str, request_id: str, method: VerificationMethod
) -> IdentityChallenge | RightsRefused:
    """Make a challenge. Its secret is returned once, to be sent to the person; its keyed digest alone is kept."""
    caller = caller_of(instruments, tenant, request_id)
    now = instruments.clock.now()
    if isinstance(caller, RightsRefused):
        return caller
    if method not in CHALLENGE_MINUTES:
        raise ContractError(f"a challenge is one of {', '.join(sorted(CHALLENGE_MINUTES))}")

    def attempt(person: Person) -> IdentityChallenge | RightsRefused:
        def work(tx: Transaction) -> IdentityChallenge | RightsRefused:
            request = load(person, tx, request_id) or unknown_request()
            if request.state is not RightsState.SUBMITTED or now >= request.verify_by:
                return rights.refuse(RightsRefusal.VERIFICATION_OVER, "the request does not wait for a proof")
            sent = list(challenges(person, tx, request_id).sent)
            if sum(one.method is method for one in sent) >= CHALLENGES_MOST:
                return rights.refuse(RightsRefusal.TOO_MANY_ATTEMPTS, "no more challenges of this method are sent")
            challenge_id = instruments.ids.entry_id(now)
            secret = _secret(instruments, method)
            ends = min(now + timedelta(minutes=CHALLENGE_MINUTES[method]), request.verify_by)
            digest = challenge_digest(person, challenge_id, secret)
            sent.append(
                SentChallenge(challenge_id=challenge_id, method=method, digest=digest, sent_at=now, expires_at=ends)
            )
            keep_challenges(person, tx, request_id, sent, now=now)
            return IdentityChallenge(
                request_id=request_id, challenge_id=challenge_id, method=method, secret=secret, expires_at=ends
            )

        return instruments.store.write(work, durable=True)

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def sign_off(
    instruments: Instruments,
    tenant: str,
    request_id: str,
    method: VerificationMethod,
    *,
    actor: str,
    declared: bool = False,
) -> Step:
    """Record that an operator looked at who asks, or that a court ordered it."""
    if method not in _BY_OPERATOR:
        raise ContractError(f"the desk records one of {', '.join(sorted(_BY_OPERATOR))}")
    now = instruments.clock.now()
    proof = IdentityProof(method=method, at=now, by=actor, fresh=True, declared=declared)
    return _step(instruments, tenant, request_id, lambda request: rights.proved(request, proof), actor=actor)


def start(instruments: Instruments, tenant: str, request_id: str, *, actor: str) -> Step:
    """Take a verified request up."""
    now = instruments.clock.now()
    return _step(
        instruments, tenant, request_id, lambda request: rights.started(request, actor=actor, now=now), actor=actor
    )


def extend(instruments: Instruments, tenant: str, request_id: str, *, actor: str, reason: str) -> Step:
    """Move the deadline, once, before the first one has passed; the person is told why."""
    now = instruments.clock.now()
    return _step(
        instruments,
        tenant,
        request_id,
        lambda request: rights.extended(request, actor=actor, reason=reason, now=now),
        actor=actor,
    )


def hold(
    instruments: Instruments,
    tenant: str,
    request_id: str,
    *,
    actor: str,
    reason: str,
    until: datetime | None = None,
) -> Step:
    """Wait for something, such as an answer of the person. The deadline stays where it is."""
    now = instruments.clock.now()
    if until is not None and until <= now:
        raise ContractError("a request waits until a time that lies ahead")
    return _step(
        instruments,
        tenant,
        request_id,
        lambda request: rights.put_on_hold(request, actor=actor, reason=reason, until=until, now=now),
        actor=actor,
    )


def resume(instruments: Instruments, tenant: str, request_id: str, *, actor: str) -> Step:
    """Go on with a request that was on hold."""
    now = instruments.clock.now()
    return _step(
        instruments, tenant, request_id, lambda request: rights.resumed(request, actor=actor, now=now), actor=actor
    )


def deny(
    instruments: Instruments,
    tenant: str,
    request_id: str,
    *,
    actor: str,
    ground: DenialGround,
    legal_reference: str,
    items: Sequence[DeniedItem] = (),
) -> Step:
    """Deny a request with a ground and the law behind it. What a soft deletion set aside stays set aside no longer."""
    now = instruments.clock.now()

    def decide(request: RightsRequest) -> Step:
        if request.grace_ends_at is not None:
            return rights.refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, "the deletion is being carried out")
        return rights.denied(request, actor=actor, ground=ground, legal_reference=legal_reference, items=items, now=now)

    return _step(instruments, tenant, request_id, decide, actor=actor)


def deny_in_part(
    instruments: Instruments,
    tenant: str,
    request_id: str,
    *,
    actor: str,
    items: Sequence[DeniedItem],
    legal_reference: str,
) -> Step:
    """Deny a part of a request; the rest goes on."""
    now = instruments.clock.now()
    if not items:
        raise ContractError("a partial denial names each item")
    return _step(
        instruments,
        tenant,
        request_id,
        lambda request: rights.partially_fulfilled(
            request, actor=actor, items=items, legal_reference=legal_reference, now=now
        ),
        actor=actor,
    )


def fulfil(instruments: Instruments, tenant: str, request_id: str, *, actor: str) -> Step:
    """Carry a request out, taking it up first where it is verified. A soft deletion goes on when its grace is over."""
    caller = caller_of(instruments, tenant, request_id)
    if isinstance(caller, RightsRefused):
        return caller
    now = instruments.clock.now()

    def ready(request: RightsRequest) -> Step:
        if request.state is RightsState.VERIFIED:
            return rights.started(request, actor=actor, now=now)
        if request.state is not RightsState.IN_PROGRESS:
            return rights.refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, "a request is carried out once it is verified")
        if request.pending is not None:
            return rights.refuse(RightsRefusal.REQUEST_ON_HOLD, "a request on hold goes on when the hold ends")
        return request

    request = change(instruments, caller, request_id, ready, actor=actor)
    if isinstance(request, RightsRefused):
        return request
    carry_out = FULFILMENTS.get(request.kind)
    if carry_out is None:
        return rights.refuse(RightsRefusal.NO_FULFILMENT, f"an {request.kind.value} is completed with its fingerprint")
    return _conclude(instruments, caller, request_id, carry_out(instruments, caller, request, actor=actor), actor=actor)


def complete(
    instruments: Instruments, tenant: str, request_id: str, *, actor: str, result_fingerprint: str | None = None
) -> Step:
    """Complete a request that was carried out elsewhere; a deletion or an export with its fingerprint."""
    now = instruments.clock.now()

    def decide(request: RightsRequest) -> Step:
        if request.grace_ends_at is not None:
            return rights.refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, "the deletion completes when it is purged")
        result = RightsResult(fingerprint=result_fingerprint)
        return rights.completed(request, actor=actor, result=result, now=now)

    return _step(instruments, tenant, request_id, decide, actor=actor)


def fail(instruments: Instruments, tenant: str, request_id: str, *, actor: str, reason: str) -> Step:
    """Note that a request could not be carried out; the person is told why."""
    now = instruments.clock.now()
    return _step(
        instruments,
        tenant,
        request_id,
        lambda request: rights.failed(request, actor=actor, reason=reason, now=now),
        actor=actor,
    )


def decide_appeal(
    instruments: Instruments, tenant: str, request_id: str, *, actor: str, overturned: bool, reason: str
) -> Step:
    """Decide an appeal, as somebody else than the one who decided before."""
    now = instruments.clock.now()
    return _step(
        instruments,
        tenant,
        request_id,
        lambda request: rights.appeal_decided(request, actor=actor, overturned=overturned, reason=reason, now=now),
        actor=actor,
    )


def expire_unverified(instruments: Instruments) -> int:
    """Close what was not proved or answered in time, and purge what a soft deletion's grace is over for.

    Return how many requests moved.
    """
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        due = [
            (tenant, row.key)
            for tenant, _, row in reading.records_everywhere(RecordKind.RIGHTS_DESK)
            if row.expires_at is not None and row.expires_at <= to_micros(now)
        ]
    moved = 0
    for tenant, request_id in due:
        caller = caller_of(instruments, tenant, request_id)
        if isinstance(caller, RightsRefused):
            continue
        try:
            moved += _move_on(instruments, caller, request_id)
        except (UnknownMemoryError, KeyDestroyedError):
            continue  # the person was erased meanwhile, and the desk is told of it by that
    return moved


def caller_of(instruments: Instruments, tenant: str, request_id: str) -> Caller | RightsRefused:
    """Return the person a request is of.

    Raises:
        UnknownMemoryError: the tenant has no such request.
    """
    with instruments.store.read() as reading:
        record = load_desk(instruments, reading, tenant, request_id) or unknown_request()
    if record.row.person_erased_at is not None:
        return rights.refuse(RightsRefusal.REQUESTER_ERASED, "the person was erased; nothing of the request is left")
    if record.user_id is None:
        state = record.row.state.value
        return rights.refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, f"a request that is {state} is over at the desk")
    return Caller(tenant, record.user_id)


def _move_on(instruments: Instruments, caller: Caller, request_id: str) -> bool:
    now = instruments.clock.now()

    def look(request: RightsRequest) -> Step:
        return rights.expired(request, now=now) if request.state is not RightsState.IN_PROGRESS else request

    request = change(instruments, caller, request_id, look, actor=SYSTEM)
    if isinstance(request, RightsRefused) or request.state is not RightsState.IN_PROGRESS:
        return not isinstance(request, RightsRefused)
    if request.grace_ends_at is None or request.grace_ends_at > now or request.pending is not None:
        return False
    actor = next((event.actor for event in request.trail if event.event is RightsState.IN_PROGRESS), SYSTEM)
    done = _conclude(instruments, caller, request_id, purge(instruments, caller, request), actor=actor)
    return not isinstance(done, RightsRefused)


def _conclude(
    instruments: Instruments, caller: Caller, request_id: str, done: Fulfilled | RightsRefused, *, actor: str
) -> Step:
    if isinstance(done, RightsRefused):
        return done
    now = instruments.clock.now()

    def decide(request: RightsRequest) -> Step:
        if done.waits:
            return request
        told: Step = request
        if done.left:
            told = rights.partially_fulfilled(
                request, actor=actor, items=done.left, legal_reference=HELD_REFERENCE, now=now
            )
        if isinstance(told, RightsRefused):
            return told
        return rights.completed(told, actor=actor, result=done.result, now=now)

    return change(instruments, caller, request_id, decide, actor=actor)


def _step(instruments: Instruments, tenant: str, request_id: str, decide: Decide, *, actor: str) -> Step:
    caller = caller_of(instruments, tenant, request_id)
    if isinstance(caller, RightsRefused):
        return caller
    return change(instruments, caller, request_id, decide, actor=actor)


def _secret(instruments: Instruments, method: VerificationMethod) -> str:
    drawn = instruments.ids.secret(_LINK_BYTES)
    if method is VerificationMethod.EMAIL_LINK:
        return drawn.hex()
    return f"{int.from_bytes(drawn, 'big') % 10**_OTP_DIGITS:0{_OTP_DIGITS}d}"
