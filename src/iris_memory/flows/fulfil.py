"""Fulfil: what carries out each kind of data-rights request. One `Fulfilment` a kind, looked up in `FULFILMENTS`.

A fulfilment may be run again after a crash: what was done is found done. It says what came of it, or why not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Protocol

from iris_memory.chain.canonical import canonical
from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ConsentStatus
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.erasure import ForgetPreview
from iris_memory.contracts.rights import (
    DeletePayload,
    DenialGround,
    DeniedItem,
    ObjectPayload,
    RectifyPayload,
    RestrictPayload,
    RightsFact,
    RightsKind,
    RightsRefusal,
    RightsRefused,
    RightsRequest,
    RightsResult,
    WithdrawPayload,
)
from iris_memory.contracts.scope import DEFAULT_ADAPTER, AdapterScope, Scope, ScopeKind
from iris_memory.contracts.write import Refused, Revision, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows import cascade, consent, forget
from iris_memory.flows.answer import drafts_take_over
from iris_memory.flows.confirm import end_questions
from iris_memory.flows.consent import Asking
from iris_memory.flows.derived import derived_from
from iris_memory.flows.disclose import compose
from iris_memory.flows.export import build
from iris_memory.flows.forgetting import Going, intend
from iris_memory.flows.held import held_among
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.purging import purge_consents
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.revise import revise
from iris_memory.flows.rights import change_beside, unknown_request
from iris_memory.flows.rights_records import load
from iris_memory.flows.setting_aside import UNTIL_FORGOTTEN, pause_rows, restrict, restricted_by
from iris_memory.flows.within import rows_within
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.columns import Columns
from iris_memory.rules.rights import SYSTEM, Step, grace_end, noted, refuse, with_notice

HELD_REFERENCE: Final = "GDPR Art. 17(3)(b) and (e)"
"""What the person is told where something may not be destroyed yet; the same whether a hold is sealed or not."""


@dataclass(frozen=True, slots=True)
class Fulfilled:
    """What came of a fulfilment. With `waits`, it goes on by itself when the grace is over; `left` is not granted."""

    result: RightsResult
    waits: bool = False
    left: tuple[DeniedItem, ...] = ()


class Fulfilment(Protocol):
    """Carries out one kind of request, which is in progress."""

    def __call__(
        self, instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
    ) -> Fulfilled | RightsRefused:
        """Carry it out, or go on where it was interrupted."""
        ...


def access(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Look at everything that is held; the person reads the answer themself (see `flows.disclose`)."""
    del actor
    now = instruments.clock.now()

    def attempt(person: Person) -> Fulfilled:
        with instruments.store.read() as reading:
            told = compose(instruments, person, reading, request, now=now)
        plain = canonical(told.model_dump(mode="json")).decode()
        counts = {"memories": len(told.memories), "consents": len(told.consents)}
        return Fulfilled(RightsResult(fingerprint=person.tag("disclosure", plain), counts=counts))

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def rectify(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Put a memory right: the next revision, in the person's own words. Both revisions are named in the result."""
    del actor
    payload = request.payload
    assert isinstance(payload, RectifyPayload)
    change = Revision(body=payload.body, category=payload.category, subject=payload.subject)
    try:
        done = revise(instruments, caller, payload.logical_id, change)
    except UnknownMemoryError:
        return refuse(RightsRefusal.FULFILMENT_REFUSED, "the memory is gone")
    if isinstance(done, Refused):
        return refuse(RightsRefusal.FULFILMENT_REFUSED, f"{done.reason.value}: {done.rule}", *done.needs)
    if not isinstance(done, Written):
        return refuse(
            RightsRefusal.FULFILMENT_REFUSED, "another memory has this slot; the person is asked in the inbox"
        )
    return Fulfilled(RightsResult(before=done.replaced, after=done.entry.id, counts={"memories": 1}))


def restrict_memories(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Set aside what is named, as it stands: it stays stored and is not recalled."""
    del actor
    payload = request.payload
    assert isinstance(payload, RestrictPayload)
    now = instruments.clock.now()

    def attempt(person: Person) -> Fulfilled:
        def work(tx: Transaction) -> int:
            snapshot = person.read(tx)
            columns = snapshot.columns
            rows = rows_within(
                person,
                tx,
                columns,
                scopes=payload.scopes,
                categories=payload.categories,
                logical_ids=payload.logical_ids,
            )
            names = [columns.keys[row] for row in rows]
            restrict(instruments, caller, person, tx, snapshot, names, note=restricted_by(request.request_id), now=now)
            return len(names)

        count = instruments.store.write(work, durable=True)
        return Fulfilled(RightsResult(counts={"memories": count}))

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def object_to(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Add the purposes to what the person opted out of."""
    del actor
    payload = request.payload
    assert isinstance(payload, ObjectPayload)
    before = consent.opt_outs(instruments, caller)
    consent.set_opt_outs(instruments, caller, sorted(before | set(payload.purposes)))
    return Fulfilled(RightsResult(counts={"opt_outs": len(set(payload.purposes) - before)}))


def withdraw(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Take back the consents that are in force among those named."""
    del actor
    payload = request.payload
    assert isinstance(payload, WithdrawPayload)
    in_force = consent.active_consents(instruments, caller)
    names = [name for name in dict.fromkeys(payload.consents) if name in in_force]
    if names:
        asking = Asking(terms="withdrawal", witness=f"data-rights request {request.request_id}")
        cascade.withdraw(instruments, caller, names, ConsentStatus.REVOKED, asking, scan=False)
    return Fulfilled(RightsResult(counts={"consents": len(names)}))


def export(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Make the export and keep it until it is collected; the fingerprint is the SHA-256 of the zip."""
    del actor
    made = build(instruments, caller, request)
    if made is None:
        unknown_request()
    if isinstance(made, RightsRefused):
        return made
    counts = {payload.value: count for payload, count in made.counts.items()}
    return Fulfilled(RightsResult(fingerprint=made.sha256, counts=counts))


def delete(
    instruments: Instruments, caller: Caller, request: RightsRequest, *, actor: str
) -> Fulfilled | RightsRefused:
    """Set aside what is named and, without a grace or when it is over, destroy it.

    What a legal hold keeps is not destroyed now; it goes when the hold ends, and the person is told that it waits.
    """
    payload = request.payload
    assert isinstance(payload, DeletePayload)
    now = instruments.clock.now()
    if request.grace_ends_at is None:
        begun = change_beside(
            instruments,
            caller,
            request.request_id,
            lambda person, tx, known: _set_aside(instruments, caller, person, tx, known),
            actor=actor,
        )
        if isinstance(begun, RightsRefused):
            return begun
        request = begun
    assert request.grace_ends_at is not None
    if now < request.grace_ends_at:
        return Fulfilled(RightsResult(), waits=True)
    return purge(instruments, caller, request)


def reach(instruments: Instruments, caller: Caller, request_id: str) -> ForgetPreview:
    """Count what a deletion that was asked for would reach now; change nothing.

    Raises:
        UnknownMemoryError: the person has no such request.
        ContractError: it is a request of another kind.
    """

    def attempt(person: Person) -> ForgetPreview:
        instruments.people.usage.flush(instruments.store)  # what waits would be reached too
        with instruments.store.read() as reading:
            request = load(person, reading, request_id) or unknown_request()
            if not isinstance(request.payload, DeletePayload):
                raise ContractError("only a deletion reaches memory")
            columns = person.read(reading).columns
            named, derived = _doomed(person, reading, columns, request.payload)
            names = set(request.set_aside) or named
            now = instruments.clock.now()
            held = held_among(instruments, reading, person.tenant, person.person, sorted(names), now=now)
            goes = sorted(names - held)
            return forget.count_named(person, reading, columns, goes, derived=derived & names, held=len(held))

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def _doomed(
    person: Person, reading: Reading, columns: Columns, payload: DeletePayload
) -> tuple[set[str], frozenset[str]]:
    """Return what a deletion names and what was made from it, which says what it said (POI-1); and the latter alone."""
    rows = rows_within(person, reading, columns, scopes=payload.scopes, categories=payload.categories)
    named = {columns.keys[row] for row in rows}
    derived = frozenset(derived_from(columns, named)) - named
    return named | derived, derived


def purge(instruments: Instruments, caller: Caller, request: RightsRequest) -> Fulfilled | RightsRefused:
    """Destroy what a deletion set aside; the fingerprint is over the ids that went, sorted, one a line (SHA-256)."""
    now = instruments.clock.now()
    names = sorted(request.set_aside)

    def attempt(person: Person) -> Fulfilled:
        person.ensure_slots(1)

        def work(tx: Transaction) -> tuple[Going | None, frozenset[str]]:
            snapshot = person.read(tx)
            living = [name for name in names if name in snapshot.columns.row_of]
            held = held_among(instruments, tx, person.tenant, person.person, living, now=now)
            slots = _end_what_waits(instruments, person, tx, request, now)
            if not living and not slots:
                return None, held
            going = intend(
                instruments,
                tx,
                person.tenant,
                person.person,
                living,
                reason=TombstoneReason.DATA_RIGHTS_REQUEST,
                now=now,
                record_slots=slots,
            )
            drafts_take_over(instruments, caller, person, tx, snapshot, gone=set(living), now=now)
            restrict(instruments, caller, person, tx, snapshot, sorted(held), note=UNTIL_FORGOTTEN, now=now)
            return going, held

        going, held = instruments.store.write(work, durable=True)
        receipt_id = None
        if going is not None:
            receipt = forget.conclude(instruments, person, going, {"memories": len(going.logical_ids)}, scan=False)
            receipt_id = receipt.receipt_id
        gone = [name for name in names if name not in held]
        purged = _purged(instruments, caller, request)
        result = RightsResult(
            fingerprint=fingerprint_of(gone),
            receipt_id=receipt_id,
            counts={"memories": len(gone), "held": len(held), **({"consent_events": purged} if purged else {})},
        )
        kept = sorted(held) + (["consent-ledger"] if purged is None else [])
        left = tuple(DeniedItem(item=name, ground=DenialGround.LEGAL_CLAIMS) for name in kept)
        return Fulfilled(result, left=left)

    return with_known_person(instruments, caller, attempt, nobody=unknown_request)


def _end_what_waits(
    instruments: Instruments, person: Person, tx: Transaction, request: RightsRequest, now: datetime
) -> list[int]:
    """End what is not memory yet and what lives in sessions, where a deletion names it; return the slots of words."""
    payload = request.payload
    if not isinstance(payload, DeletePayload):
        return []

    def names(category: Category, scope: Scope | None, adapter: AdapterScope | None) -> bool:
        kind = scope.kind if scope is not None else ScopeKind.PROFILE
        return category in payload.categories or (adapter or DEFAULT_ADAPTER[kind]) in payload.scopes

    instruments.people.sessions.drop(person, fits=lambda entry: names(entry.category, entry.scope, entry.adapter_scope))
    for waiting in instruments.people.unsettled.of(person.person, now=now):
        said = waiting.statement
        if any(names(about, said.scope, said.adapter_scope) for about in (said.category, *waiting.asked.looks_like)):
            instruments.people.unsettled.settle(person.person, waiting.asked.question_id)
    slots = end_questions(
        instruments, person, tx, lambda said: names(said.category, said.scope, said.adapter_scope), now
    )
    return [slot for slot in slots if slot]


def _purged(instruments: Instruments, caller: Caller, request: RightsRequest) -> int | None:
    """Purge the consents of what was deleted, where that was asked for; None where a hold keeps them."""
    payload = request.payload
    if not isinstance(payload, DeletePayload) or not payload.purge_consent_ledger:
        return 0
    why = f"data-rights request {request.request_id}"
    return purge_consents(instruments, caller, payload.categories, why=why)


def fingerprint_of(logical_ids: list[str]) -> str:
    """Return the fingerprint of a set of ids, which are random and tell nothing."""
    return sha256("\n".join(sorted(logical_ids)).encode()).hexdigest()


FULFILMENTS: Final[Mapping[RightsKind, Fulfilment]] = MappingProxyType(
    {
        RightsKind.ACCESS: access,
        RightsKind.EXPORT: export,
        RightsKind.DELETE: delete,
        RightsKind.RECTIFY: rectify,
        RightsKind.RESTRICT: restrict_memories,
        RightsKind.OBJECT: object_to,
        RightsKind.WITHDRAW_CONSENT: withdraw,
    }
)
"""What carries out each kind; a kind that is not here is completed at the desk by hand, with its fingerprint."""


def _set_aside(
    instruments: Instruments, caller: Caller, person: Person, tx: Transaction, request: RightsRequest
) -> Step:
    """Note what a deletion reaches and, where there is a grace, take it out of recall at once."""
    payload = request.payload
    assert isinstance(payload, DeletePayload)
    now = instruments.clock.now()
    snapshot = person.read(tx)
    names = sorted(_doomed(person, tx, snapshot.columns, payload)[0])
    ends = grace_end(request, now)
    told = noted(request, RightsFact.SET_ASIDE, actor=SYSTEM, now=now, set_aside=tuple(names), grace_ends_at=ends)
    if ends > now:
        pause_rows(instruments, caller, person, tx, snapshot, names, now=now)
        text = "What you asked to delete is set aside. You can take it back until it is purged."
        told = with_notice(told, RightsFact.SET_ASIDE, text)
    return told
