"""Hand-off: a device says where the person stopped, and another goes on from there.

A place is one record for each thing (surface and reference), sealed under the person's own key: it holds references and
posture, and no words. Everything a checkpoint does, its idempotency key and its notice to the other device included,
is one transaction; the server's clock alone says which write is later.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ConsentEvent, ConsentStatus, ConsentType
from iris_memory.contracts.continuity import (
    Checkpoint,
    CheckpointKept,
    ContinuationToken,
    ContinuitySurface,
)
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.scope import DEFAULT_ADAPTER, OperatorCopilotScope
from iris_memory.contracts.shape import Contract
from iris_memory.contracts.write import Refused
from iris_memory.errors import IdempotencyConflictError
from iris_memory.flows.composing import Composer
from iris_memory.flows.devices import add_notice, enter, find_device, note_seen, notices_of, put, tell
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.continuity import Decision, Mark, decide, misplaced, not_sensitive, reads_like_words
from iris_memory.tables.continuity import (
    KEY_LIFETIME,
    RECENT,
    RECENT_MOST,
    TOKEN_LIFETIME,
    TOKENS_MOST,
)


class _Answered(Contract):
    """The first answer of an idempotency key, and the tag of the body it was given for."""

    body: str
    token: ContinuationToken
    kept: CheckpointKept


class Removed(NamedTuple):
    """What went with a device."""

    places: int
    notices: int


_SEEN_STEP: Final = timedelta(minutes=1)
"""A device that only looks is noted as seen at most this often, so that looking is seldom a write."""


def checkpoint(instruments: Instruments, caller: Caller, wish: Checkpoint) -> CheckpointKept | Refused:
    """Keep where a device stopped; or say which device's place stands, or why nothing is kept.

    Raises:
        IdempotencyConflictError: the key was used before with another body.
    """
    now = instruments.clock.now()
    misfit = misplaced(wish.anchor_ref, wish.posture)
    if misfit is not None:
        return Refused(reason=RefusalReason.PLACE_NOT_OF_SURFACE, rule=misfit)
    shown, anchor = wish.surface_context, wish.anchor_ref
    if reads_like_words(wish.device_id, shown.title_ref, anchor.ref):
        return Refused(reason=RefusalReason.PLACE_NOT_OF_SURFACE, rule="a reference is an opaque id, and no words")
    if not_sensitive(wish.sensitive_categories):
        return Refused(reason=RefusalReason.PLACE_NOT_OF_SURFACE, rule="a category that is named is sensitive")

    def attempt(person: Person) -> CheckpointKept | Refused:
        def work(tx: Transaction) -> CheckpointKept | Refused:
            return _keep(instruments, caller, person, tx, wish, now)

        return instruments.store.write(work, durable=True)

    return with_person(instruments, caller, attempt)


def recent(
    instruments: Instruments, caller: Caller, *, device_id: str | None = None, limit: int = RECENT
) -> tuple[ContinuationToken, ...]:
    """Return the places that were written last, newest first; none that lost its consent, none whose time is over."""
    now = instruments.clock.now()

    def attempt(person: Person) -> tuple[ContinuationToken, ...]:
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
            seen = find_device(person, reading, device_id) if device_id is not None else None
            found = [token for token in _tokens(person, reading, now) if _may_cross(token, snapshot, now)]
        if seen is not None and now - seen.last_seen >= _SEEN_STEP:
            note_seen(instruments, person, seen, now)
        found.sort(key=lambda token: (token.updated_at, token.sequence), reverse=True)
        return tuple(found[: max(0, min(limit, RECENT_MOST))])

    return with_known_person(instruments, caller, attempt, nobody=tuple)


def resume(
    instruments: Instruments, caller: Caller, *, surface: ContinuitySurface, ref: str
) -> ContinuationToken | None:
    """Return where one thing is to be gone on with: exactly the place that was written; None where there is none."""
    now = instruments.clock.now()

    def attempt(person: Person) -> ContinuationToken | None:
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
            token = _token(person, reading, _thing(person, surface, ref), now)
        return token if token is not None and _may_cross(token, snapshot, now) else None

    return with_known_person(instruments, caller, attempt, nobody=lambda: None)


def drop_token(instruments: Instruments, caller: Caller, token_id: str) -> bool:
    """Forget one place; say whether it was there."""
    now = instruments.clock.now()

    def attempt(person: Person) -> bool:
        def work(tx: Transaction) -> bool:
            person.read(tx)
            keys = [
                _thing(person, token.anchor_ref.surface, token.anchor_ref.ref)
                for token in _tokens(person, tx, now)
                if token.token_id == token_id
            ]
            if not keys:
                return False
            tx.drop_records(person.tenant, person.person, RecordKind.CONTINUATION, keys)
            _drop_answers(person, tx, lambda kept: kept.token.token_id == token_id)
            tell(tx, person, AuditAction.CONTINUATION_DROPPED, now, object_ids=[token_id])
            return True

        return instruments.store.write(work, durable=True)

    return with_known_person(instruments, caller, attempt, nobody=lambda: False)


def remove_device(instruments: Instruments, caller: Caller, device_id: str) -> Removed | None:
    """Forget a device: its name, its notices, and the places that no other device has gone on from. None: unknown."""
    now = instruments.clock.now()

    def attempt(person: Person) -> Removed | None:
        def work(tx: Transaction) -> Removed | None:
            person.read(tx)
            if find_device(person, tx, device_id) is None:
                return None
            key = person.tag("device", device_id)
            going = [token for token in _tokens(person, tx, now) if token.device_id == device_id]
            things = [_thing(person, token.anchor_ref.surface, token.anchor_ref.ref) for token in going]
            told = [n.notice_id for n in notices_of(person, tx, now) if device_id in {n.device_id, n.other_device_id}]
            for kind, keys in (
                (RecordKind.DEVICE, [key]),
                (RecordKind.DEVICE_NAME, [key]),
                (RecordKind.CONTINUATION, things),
                (RecordKind.DEVICE_NOTICE, told),
            ):
                if keys:
                    tx.drop_records(person.tenant, person.person, kind, keys)
            _drop_answers(person, tx, lambda kept: kept.token.device_id == device_id)
            tell(tx, person, AuditAction.DEVICE_CHANGED, now, device=key, what="removed", places=len(things))
            return Removed(len(things), len(told))

        return instruments.store.write(work, durable=True)

    return with_known_person(instruments, caller, attempt, nobody=lambda: None)


def _keep(
    instruments: Instruments, caller: Caller, person: Person, tx: Transaction, wish: Checkpoint, now: datetime
) -> CheckpointKept | Refused:
    snapshot = person.read(tx)
    refused = _refusal(instruments, caller, person, snapshot, wish, now)
    if refused is not None:  # before the earlier answer: what lost its consent is not said again
        return refused
    body = person.tag("continuation-body", wish.model_dump_json())
    answer_key = person.tag("continuation-key", wish.idempotency_key)
    earlier = _answered(person, tx, answer_key, now)
    if earlier is not None:
        if earlier.body != body:
            raise IdempotencyConflictError("this idempotency key was used before with another body")
        return earlier.kept
    full = enter(person, tx, wish.device_id, snapshot, now)
    if full is not None:
        return full
    anchor = wish.anchor_ref
    thing = _thing(person, anchor.surface, anchor.ref)
    prior = _token(person, tx, thing, now)
    decision = decide(Mark(prior.device_id, prior.updated_at) if prior is not None else None, Mark(wish.device_id, now))
    token = prior
    if token is None or decision.stands:
        token = _made(instruments, caller, person, tx, wish, prior, decision, snapshot, now)
        put(person, tx, RecordKind.CONTINUATION, thing, token, snapshot, now, token.expires_at)
        _make_room(person, tx, now)
    notice = None
    if decision.told is not None and prior is not None:
        other = wish.device_id if decision.stands else prior.device_id
        notice = add_notice(instruments, person, tx, token, decision.told, other, snapshot, now)
    kept = CheckpointKept(stands=decision.stands, token=token, notice=None if decision.stands else notice)
    answered = _Answered(body=body, token=token, kept=kept)
    ends = min(now + KEY_LIFETIME, max(token.expires_at, now + timedelta(microseconds=1)))
    put(person, tx, RecordKind.CONTINUATION_KEY, answer_key, answered, snapshot, now, ends)
    tell(
        tx,
        person,
        AuditAction.CONTINUATION_KEPT,
        now,
        object_ids=[token.token_id],
        version=token.version,
        surface=anchor.surface.value,
        device=person.tag("device", wish.device_id),
        stands=decision.stands,
        told=person.tag("device", decision.told) if notice is not None and decision.told else "",
    )
    return kept


def _made(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    wish: Checkpoint,
    prior: ContinuationToken | None,
    decision: Decision,
    snapshot: Snapshot,
    now: datetime,
) -> ContinuationToken:
    ends = decision.at + TOKEN_LIFETIME
    event = crossing_consent(snapshot, now)
    if wish.sensitive_categories and event is not None and event.expires_at is not None:
        ends = min(ends, event.expires_at)
    sequence = max((token.sequence for token in _tokens(person, tx, None)), default=0) + 1
    return ContinuationToken(
        token_id=prior.token_id if prior is not None else instruments.ids.entry_id(now),
        version=prior.version + 1 if prior is not None else 1,
        tenant_id=caller.tenant,
        user_id=caller.user,
        device_id=wish.device_id,
        scope=wish.scope,
        surface_context=wish.surface_context,
        anchor_ref=wish.anchor_ref,
        posture=wish.posture,
        sensitive_categories=wish.sensitive_categories,
        cross_device_consent_id=wish.cross_device_consent_id,
        idempotency_key=wish.idempotency_key,
        sequence=sequence,
        created_at=prior.created_at if prior is not None else decision.at,
        updated_at=decision.at,
        expires_at=ends,
    )


def _refusal(
    instruments: Instruments, caller: Caller, person: Person, snapshot: Snapshot, wish: Checkpoint, now: datetime
) -> Refused | None:
    if isinstance(wish.scope, OperatorCopilotScope):
        return Refused(reason=RefusalReason.SCOPE_NOT_OF_SUBJECT, rule="an operator's copilot has no devices")
    composer = Composer(instruments, caller, person, snapshot, now)
    adapter = DEFAULT_ADAPTER[wish.scope.kind]
    for category in (Category.OTHER, *sorted(wish.sensitive_categories)):
        refused = composer.admit(category, wish.scope, adapter, sensitive=False, session_id=None)
        if refused is not None:
            return refused
    if not wish.sensitive_categories:
        return None
    event = crossing_consent(snapshot, now)
    if event is None or event.event_id != wish.cross_device_consent_id:
        return Refused(
            reason=RefusalReason.CONSENT_MISSING,
            rule="what is sensitive goes to another device under the cross-device consent in force",
            needs=(ConsentType.CROSS_DEVICE.value,),
        )
    return None


def crossing_consent(snapshot: Snapshot, now: datetime) -> ConsentEvent | None:
    """Return the event by which the person lets sensitive places cross to another device now; None where none does."""
    if ConsentType.CROSS_DEVICE.value not in snapshot.consents(now):
        return None
    events = [event for event in snapshot.events if event.type == ConsentType.CROSS_DEVICE.value]
    last = max(events, key=lambda event: event.sequence)
    return last if last.status is ConsentStatus.GRANTED else None


def _may_cross(token: ContinuationToken, snapshot: Snapshot, now: datetime) -> bool:
    if not token.sensitive_categories:
        return True
    event = crossing_consent(snapshot, now)
    consents = snapshot.consents(now)
    return (
        event is not None
        and event.event_id == token.cross_device_consent_id
        and all(f"category:{category.value}" in consents for category in token.sensitive_categories)
    )


def _thing(person: Person, surface: ContinuitySurface, ref: str) -> str:
    return person.tag("continuation", surface.value, ref)


def _tokens(person: Person, reading: Reading, now: datetime | None) -> list[ContinuationToken]:
    found = []
    for row in reading.records(person.tenant, person.person, RecordKind.CONTINUATION):
        plain = person.open_record(row)
        if plain is not None:
            found.append(ContinuationToken.model_validate_json(plain))
    return [token for token in found if now is None or now < token.expires_at]


def _token(person: Person, reading: Reading, thing: str, now: datetime) -> ContinuationToken | None:
    row = reading.record(person.tenant, person.person, RecordKind.CONTINUATION, thing)
    plain = person.open_record(row) if row is not None else None
    token = ContinuationToken.model_validate_json(plain) if plain is not None else None
    return token if token is not None and now < token.expires_at else None


def _answered(person: Person, reading: Reading, key: str, now: datetime) -> _Answered | None:
    row = reading.record(person.tenant, person.person, RecordKind.CONTINUATION_KEY, key)
    plain = person.open_record(row) if row is not None else None
    return _Answered.model_validate_json(plain) if plain is not None else None


def _drop_answers(person: Person, tx: Transaction, goes: Callable[[_Answered], bool]) -> None:
    keys = []
    for row in tx.records(person.tenant, person.person, RecordKind.CONTINUATION_KEY):
        plain = person.open_record(row)
        if plain is None or goes(_Answered.model_validate_json(plain)):
            keys.append(row.key)
    if keys:
        tx.drop_records(person.tenant, person.person, RecordKind.CONTINUATION_KEY, keys)


def _make_room(person: Person, tx: Transaction, now: datetime) -> None:
    tokens = sorted(_tokens(person, tx, None), key=lambda token: (token.updated_at, token.sequence))
    keys = [_thing(person, t.anchor_ref.surface, t.anchor_ref.ref) for t in tokens[: max(0, len(tokens) - TOKENS_MOST)]]
    if keys:
        tx.drop_records(person.tenant, person.person, RecordKind.CONTINUATION, keys)
