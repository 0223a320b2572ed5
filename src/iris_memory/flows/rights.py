"""Data rights: the person's side. Requests are submitted, proved, watched, taken back, appealed.

Every step is decided by `rules.rights`, in one transaction with its record, the desk's row and its audit event.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import datetime
from typing import NoReturn

from pydantic import ValidationError

from iris_memory.contracts.rights import (
    DeletePayload,
    IdentityProof,
    RectifyPayload,
    Regime,
    RestrictPayload,
    RightsFact,
    RightsPayload,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsState,
    VerificationMethod,
    WithdrawPayload,
)
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.flows.rights_records import SentChallenge, challenges, keep, keep_challenges, load, load_all
from iris_memory.flows.setting_aside import let_back, reactivate_rows, restricted_by
from iris_memory.flows.within import rows_within
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.columns import MATTERS
from iris_memory.rules import rights
from iris_memory.rules.consent import CONSENT_NAMES
from iris_memory.rules.rights import SUBJECT, Step
from iris_memory.tables.categories import is_sensitive
from iris_memory.tables.regimes import ATTEMPTS_MOST, CHALLENGE_MINUTES
from iris_memory.tables.transitions import OPEN

Decide = Callable[[RightsRequest], Step]


def submit(
    instruments: Instruments, caller: Caller, payload: RightsPayload, *, regime: Regime = Regime.DEFAULT
) -> RightsRequest:
    """Submit a request. One that says what an open one says already is closed as its duplicate.

    Raises:
        ContractError: the payload names what is not there, or a grace that would end after the deadline.
        UnknownMemoryError: the memory to put right is not the person's.
    """
    now = instruments.clock.now()
    if isinstance(payload, WithdrawPayload) and not set(payload.consents) <= set(CONSENT_NAMES):
        raise ContractError("consents: each is the name of a consent, such as data_storage")

    def attempt(person: Person) -> RightsRequest:
        person.ensure_slots(1)

        def work(tx: Transaction) -> RightsRequest:
            snapshot = person.read(tx)
            if isinstance(payload, RectifyPayload) and payload.logical_id not in snapshot.columns.row_of:
                raise UnknownMemoryError("there is no such memory")
            try:
                request = rights.submitted(
                    payload,
                    request_id=instruments.ids.entry_id(now),
                    tenant=person.tenant,
                    regime=regime,
                    now=now,
                    sensitive=_is_sensitive(person, tx, snapshot, payload),
                )
            except ValueError as problem:
                if isinstance(problem, ValidationError):
                    raise
                raise ContractError(str(problem)) from None
            same = next((one for one in load_all(person, tx) if one.state in OPEN and one.payload == payload), None)
            if same is not None:
                request = rights.duplicate(request, of=same.request_id, now=now)
            keep(instruments, tx, person, request, before=None, actor=SUBJECT, now=now)
            return request

        return instruments.store.write(work, durable=True)

    return with_person(instruments, caller, attempt)


def requests(instruments: Instruments, caller: Caller) -> list[RightsRequest]:
    """Return the person's requests, oldest first."""

    def attempt(person: Person) -> list[RightsRequest]:
        with instruments.store.read() as reading:
            return load_all(person, reading)

    return with_known_person(instruments, caller, attempt, nobody=list)


def show(instruments: Instruments, caller: Caller, request_id: str) -> RightsRequest:
    """Return one request of the person.

    Raises:
        UnknownMemoryError: the person has no such request.
    """

    def attempt(person: Person) -> RightsRequest:
        with instruments.store.read() as reading:
            return load(person, reading, request_id) or unknown_request()

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def cancel(instruments: Instruments, caller: Caller, request_id: str) -> Step:
    """Take a request back. What a soft deletion set aside comes back."""
    return _take_back(instruments, caller, request_id, reactivating=False)


def reactivate(instruments: Instruments, caller: Caller, request_id: str) -> Step:
    """Take a soft deletion back within its grace: what was set aside comes back, and the request is cancelled."""
    return _take_back(instruments, caller, request_id, reactivating=True)


def appeal(instruments: Instruments, caller: Caller, request_id: str, *, reason: str) -> Step:
    """Ask for another decision, by somebody else. It comes once."""
    now = instruments.clock.now()
    return change(
        instruments, caller, request_id, lambda request: rights.appealed(request, reason=reason, now=now), actor=SUBJECT
    )


def lift_restriction(instruments: Instruments, caller: Caller, request_id: str) -> Step:
    """Let back what a restriction set aside, but for what another one holds back as well."""
    now = instruments.clock.now()

    def beside(person: Person, tx: Transaction, request: RightsRequest) -> Step:
        if not isinstance(request.payload, RestrictPayload) or request.state is not RightsState.COMPLETED:
            return rights.refuse(RightsRefusal.NOTHING_SET_ASIDE, "a restriction is lifted that was carried out")
        note, snapshot = restricted_by(request.request_id), person.read(tx)
        kept = _restricted_otherwise(person, tx, snapshot, request)
        let_back(instruments, caller, person, tx, snapshot, note=note, now=now, kept=kept)
        lifted = rights.noted(request, RightsFact.RESTRICTION_LIFTED, actor=SUBJECT, now=now)
        return rights.with_notice(lifted, RightsFact.RESTRICTION_LIFTED, "The restriction was lifted, as you asked.")

    return change_beside(instruments, caller, request_id, beside, actor=SUBJECT)


def verify(
    instruments: Instruments,
    caller: Caller,
    request_id: str,
    method: VerificationMethod,
    *,
    secret: str | None = None,
    signed_in_at: datetime | None = None,
    declared: bool = False,
) -> Step:
    """Prove who asks, by the person's own means. With enough proofs the request is verified.

    Args:
        instruments: the engines.
        caller: who asks; the surface has checked their token.
        request_id: which request.
        method: `session-token`, or the method of a challenge that was sent.
        secret: what a challenge brought; it works once.
        signed_in_at: when the person last signed in, for a session token: freshly done, it proves more.
        declared: whether the person declared under penalty of perjury, in writing, that they are who they say.
    """
    now = instruments.clock.now()

    def beside(person: Person, tx: Transaction, request: RightsRequest) -> Step:
        fresh = False
        if request.state is RightsState.SUBMITTED and method in CHALLENGE_MINUTES:
            refused = _answer(person, tx, request_id, method, secret or "", now)
            if refused is not None:
                return refused
            fresh = True
        elif method is VerificationMethod.SESSION_TOKEN:
            fresh = rights.is_fresh(signed_in_at, now)
        elif method not in CHALLENGE_MINUTES:
            return rights.refuse(RightsRefusal.PROOF_NOT_ACCEPTED, f"{method.value} is recorded at the desk")
        proof = IdentityProof(method=method, at=now, by=SUBJECT, fresh=fresh, declared=declared)
        return rights.proved(request, proof)

    return change_beside(instruments, caller, request_id, beside, actor=SUBJECT)


def change(instruments: Instruments, caller: Caller, request_id: str, decide: Decide, *, actor: str) -> Step:
    """Take one step of a request, or say why not.

    Raises:
        UnknownMemoryError: the person has no such request.
    """
    return change_beside(instruments, caller, request_id, lambda person, tx, request: decide(request), actor=actor)


def change_beside(
    instruments: Instruments,
    caller: Caller,
    request_id: str,
    beside: Callable[[Person, Transaction, RightsRequest], Step],
    *,
    actor: str,
) -> Step:
    """Take one step of a request with other changes in its transaction; a refusal keeps what was written beside it.

    Raises:
        UnknownMemoryError: the person has no such request.
        ContractError: a reason or an id breaks the contract.
    """
    now = instruments.clock.now()

    def attempt(person: Person) -> Step:
        person.ensure_slots(1)

        def work(tx: Transaction) -> tuple[Step, list[int]]:
            request = load(person, tx, request_id) or unknown_request()
            done = beside(person, tx, request)
            if isinstance(done, RightsRefused) or done == request:
                return done, []
            slots = keep(instruments, tx, person, done, before=request, actor=actor, now=now)
            return rights.without_words(done), slots

        try:
            done, slots = instruments.store.write(work, durable=True)
        except ValidationError as problem:
            refuse_invalid(problem, what="step")
        if slots:  # the key of the record that was replaced: what it said is gone with it
            instruments.vault.destroy_slots(person.tenant, person.person, slots)
            person.drop_keys(slots)
        return done

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def unknown_request() -> NoReturn:
    """Say that there is no such request."""
    raise UnknownMemoryError("there is no such request")


def challenge_digest(person: Person, challenge_id: str, secret: str) -> str:
    """Return the keyed digest of a challenge's secret."""
    return person.tag("rights-challenge", challenge_id, secret)


def _take_back(instruments: Instruments, caller: Caller, request_id: str, *, reactivating: bool) -> Step:
    now = instruments.clock.now()

    def beside(person: Person, tx: Transaction, request: RightsRequest) -> Step:
        soft = request.grace_ends_at is not None
        if reactivating and not soft:
            return rights.refuse(RightsRefusal.NOTHING_SET_ASIDE, "a soft deletion is taken back within its grace")
        if soft and request.grace_ends_at is not None and now >= request.grace_ends_at:
            return rights.refuse(RightsRefusal.GRACE_OVER, "the grace is over; what was set aside is being purged")
        told: RightsRequest = request
        if soft:
            going = {name for one in load_all(person, tx) if _is_other(one, request) for name in one.set_aside}
            back = [name for name in request.set_aside if name not in going]
            reactivate_rows(instruments, caller, person, tx, person.read(tx), back, now=now)
            told = rights.noted(request, RightsFact.REACTIVATED, actor=SUBJECT, now=now)
        return rights.cancelled(told, now=now)

    return change_beside(instruments, caller, request_id, beside, actor=SUBJECT)


def _is_other(one: RightsRequest, request: RightsRequest) -> bool:
    """Say whether another request is still to delete what it set aside."""
    return one.request_id != request.request_id and one.state in OPEN and one.grace_ends_at is not None


def _restricted_otherwise(
    person: Person, tx: Transaction, snapshot: Snapshot, request: RightsRequest
) -> dict[str, str]:
    """Return what other restrictions that stand name, each memory with the note of the newest of them."""
    columns, found = snapshot.columns, dict[str, str]()
    for one in load_all(person, tx):
        payload = one.payload
        done = [event.at for event in one.trail if event.event is RightsState.COMPLETED]
        lifted = any(event.event is RightsFact.RESTRICTION_LIFTED for event in one.trail)
        if one.request_id == request.request_id or not isinstance(payload, RestrictPayload) or not done or lifted:
            continue
        rows = rows_within(
            person,
            tx,
            columns,
            scopes=payload.scopes,
            categories=payload.categories,
            logical_ids=payload.logical_ids,
        )
        entries = map(columns.entry, rows)  # it set aside what was there then, and nothing that came later
        found |= {e.logical_id: restricted_by(one.request_id) for e in entries if e.created_at <= done[-1]}
    return found


def _answer(
    person: Person, tx: Transaction, request_id: str, method: VerificationMethod, secret: str, now: datetime
) -> RightsRefused | None:
    """Check what a challenge brought, against every one that may still be answered, and use it up."""
    sent = list(challenges(person, tx, request_id).sent)
    waiting = [
        (place, one)
        for place, one in enumerate(sent)
        if one.method is method and not one.is_used and now < one.expires_at
    ]
    alive = [(place, one) for place, one in waiting if one.wrong < ATTEMPTS_MOST]
    if not alive:
        if waiting:
            return rights.refuse(RightsRefusal.TOO_MANY_ATTEMPTS, "it was answered wrongly too often; ask for another")
        return rights.refuse(RightsRefusal.PROOF_NOT_ACCEPTED, "no challenge of this method waits for an answer")
    matched: SentChallenge | None = None
    for place, one in alive:
        if hmac.compare_digest(one.digest, challenge_digest(person, one.challenge_id, secret)):
            matched = sent[place] = one.model_copy(update={"is_used": True})
    if matched is None:
        for place, one in alive:
            sent[place] = one.model_copy(update={"wrong": one.wrong + 1})
    keep_challenges(person, tx, request_id, sent, now=now)
    if matched is None:
        return rights.refuse(RightsRefusal.PROOF_NOT_ACCEPTED, "this is not what was sent")
    return None


def _is_sensitive(person: Person, reading: Reading, snapshot: Snapshot, payload: RightsPayload) -> bool:
    """Say whether a request names or would reach sensitive memory."""
    columns = snapshot.columns
    if isinstance(payload, (DeletePayload, RestrictPayload)):
        if any(is_sensitive(category) for category in payload.categories):
            return True
        ids = payload.logical_ids if isinstance(payload, RestrictPayload) else ()
        rows = rows_within(
            person, reading, columns, scopes=payload.scopes, categories=payload.categories, logical_ids=ids
        )
    elif isinstance(payload, RectifyPayload):
        if payload.category is not None and is_sensitive(payload.category):
            return True
        rows = [columns.row_of[payload.logical_id]]
    else:
        scopes = getattr(payload, "scopes", ())
        rows = rows_within(person, reading, columns, scopes=scopes) if scopes else columns.rows()
    return any(is_sensitive(MATTERS[columns.traits.matter[row]].category) for row in rows)
