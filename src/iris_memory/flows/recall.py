"""Recall through a store: rights from records, never from the request; the answer and its event stand or fall together.

A recall computes from the newest snapshot of the person and its event is inserted on condition that the snapshot still
holds; else it is computed again. So no answer is ever staler than the moment its event was written.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import RECALL_POLICY, AuditAction, AuditEvent, Severity
from iris_memory.contracts.category import Context, Surface
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.recall import (
    REQUEST_TEXT_MOST,
    Explanation,
    RecallAuditEnvelope,
    RecallRequest,
    RecallResult,
)
from iris_memory.contracts.scope import DEFAULT_ADAPTER, AdapterScope, ProfileScope, Scope, ScopeKey, ScopeKind
from iris_memory.contracts.shape import is_storable, to_micros, trusted
from iris_memory.errors import ContractError, IrisError
from iris_memory.flows.admitting import is_paused
from iris_memory.flows.announcing import announce_recall
from iris_memory.flows.assistants import barred
from iris_memory.flows.ephemeral import View, beside, session_in
from iris_memory.flows.instruments import Caller, Durability, Instruments
from iris_memory.flows.journal import event_body, write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.retrying import with_known_person
from iris_memory.gates.facts import Asked
from iris_memory.ports.linking import append_unless_changed
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.columns import build
from iris_memory.recall.explain import explain as explain_columns
from iris_memory.rules.consent import consented_categories
from iris_memory.rules.scope_policy import closed_scopes, suppressed_scopes
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.consumers import CONSUMER_CONTEXTS

_ATTEMPTS = 3
_OF_CONSUMERS = frozenset(scope for scope, row in ADAPTER_SCOPES.items() if row.kind is not ScopeKind.OPERATOR_COPILOT)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller may ask: it narrows, and never widens, what the records allow.

    Raises:
        ContractError: the text is too long or cannot be kept, or the limit is below zero.
    """

    text: str = ""
    scope: Scope | None = None
    adapter_scope: AdapterScope | None = None
    surface: Surface = Surface.ASSISTANT
    contexts: frozenset[Context] = frozenset({Context.GENERAL})
    crisis_frame: bool = False
    safety_critical_context: bool = False
    session_id: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what the contract of a request refuses."""
        if not isinstance(self.text, str) or len(self.text) > REQUEST_TEXT_MOST or not is_storable(self.text):
            raise ContractError(f"text is at most {REQUEST_TEXT_MOST:,} code points, without NUL or lone surrogates")
        if self.scope is not None and not isinstance(self.scope, ScopeKey):
            raise ContractError("scope is one of the scope keys, such as `SessionScope`")
        if self.limit is not None and (
            isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 0
        ):
            raise ContractError("limit is a whole number, not below zero")
        kind = self.scope.kind if self.scope is not None else ScopeKind.PROFILE
        if self.adapter_scope is not None and ADAPTER_SCOPES[self.adapter_scope].kind is not kind:
            raise ContractError("adapter_scope is of the same kind as the scope")


def recall(instruments: Instruments, caller: Caller, wish: Wish) -> RecallResult:
    """Recall what is relevant and allowed.

    Raises:
        ContractError: the wish breaks the contract of a request.
    """
    return with_known_person(
        instruments,
        caller,
        lambda person: _recall(instruments, caller, person, wish),
        nobody=lambda: _nothing(instruments, caller, wish),
    )


def recall_all(instruments: Instruments, asks: Sequence[tuple[Caller, Wish]]) -> list[RecallResult | IrisError]:
    """Recall for many who ask at the same time: to each the answer of `recall`, all events in one transaction.

    An ask that cannot be answered gets its error, and costs the others nothing.
    """
    told: list[RecallResult | IrisError | None] = [None] * len(asks)
    if len(asks) > 1:
        for place, result in _together(instruments, asks):
            told[place] = result
    return [
        result if result is not None else _or_error(instruments, caller, wish)
        for result, (caller, wish) in zip(told, asks, strict=True)
    ]


def _or_error(instruments: Instruments, caller: Caller, wish: Wish) -> RecallResult | IrisError:
    try:
        return recall(instruments, caller, wish)
    except IrisError as problem:
        return problem


class _Waiting(NamedTuple):
    place: int
    person: Person
    snapshot: Snapshot
    answer: _Answer


def _together(instruments: Instruments, asks: Sequence[tuple[Caller, Wish]]) -> list[tuple[int, RecallResult]]:
    """Return what could be answered from the newest snapshots at once; what is left out is to be asked alone."""
    waiting: list[_Waiting] = []
    for place, (caller, wish) in enumerate(asks):
        person = instruments.people.find(caller.tenant, caller.user)
        if person is None or not person.is_loaded:
            continue
        try:
            snapshot = person.snapshot
            answer = _answer(instruments, caller, person, snapshot, wish)
        except IrisError:
            continue  # asked alone, it says so again
        waiting.append(_Waiting(place, person, snapshot, answer))

    def work(tx: Transaction) -> list[bool]:
        return [
            append_unless_changed(
                tx, person.tenant, person.person, snapshot.state, _body(event), at=to_micros(event.at)
            )
            for _, person, snapshot, (_, _, event, _) in waiting
        ]

    try:
        stood = instruments.store.write(work, durable=instruments.durability is Durability.STRICT) if waiting else []
    except IrisError:
        return []  # one event of them, or the disk: each alone is told of its own
    return [
        (one.place, _serve(instruments, asks[one.place][0], one.person, one.answer))
        for one, stands in zip(waiting, stood, strict=True)
        if stands
    ]


def explain(instruments: Instruments, caller: Caller, logical_id: str, wish: Wish) -> Explanation | None:
    """Explain one memory for one request; None for an id that is not the caller's. Marks no use."""

    def attempt(person: Person) -> Explanation | None:
        snapshot = current(instruments, person)
        asked = question_of(instruments, caller, person, snapshot, wish)
        view = _view(instruments, person, snapshot, wish, asked)
        found = explain_columns(instruments.pipeline, view.columns, asked, logical_id)
        if found is not None and found.entry_id not in view.ids:
            instruments.store.write(
                partial(_note_explained, person=person, found=found, now=asked.request.now), durable=False
            )
        return found

    return with_known_person(instruments, caller, attempt, nobody=lambda: None)


def _note_explained(tx: Transaction, *, person: Person, found: Explanation, now: datetime) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.MEMORY_READ,
        policy=RECALL_POLICY,
        person=person.person,
        now=now,
        facts={"object_ids": [found.entry_id], "by": "explain"},
    )


def current(instruments: Instruments, person: Person) -> Snapshot:
    """Return a snapshot of everything acknowledged so far, and make it the newest."""
    with person.load_lock, instruments.store.read() as reading:
        snapshot = person.read(reading)
        person.publish(snapshot)
    instruments.people.weigh(person)
    return snapshot


def question_of(
    instruments: Instruments, caller: Caller, person: Person | None, snapshot: Snapshot, wish: Wish
) -> Asked:
    """Return the question as it may be asked: consent from the ledger, contexts cut to the consumer's row."""
    now = instruments.clock.now()
    consents = snapshot.consents(now)
    scope = wish.scope or ProfileScope(user_id=caller.user)
    crisis = wish.crisis_frame or instruments.crisis(caller.tenant, caller.user, now)
    request = trusted(  # the caller was validated when it was bound, the wish when it was made
        RecallRequest,
        tenant_id=caller.tenant,
        user_id=caller.user,
        scope=scope,
        adapter_scope=wish.adapter_scope or DEFAULT_ADAPTER[scope.kind],
        consumer=caller.consumer,
        assistant_id=caller.assistant_id,
        surface=wish.surface,
        text=wish.text,
        contexts=frozenset(wish.contexts) & CONSUMER_CONTEXTS[caller.consumer],
        consented_categories=consented_categories(consents),
        crisis_frame=crisis,
        safety_critical_context=wish.safety_critical_context,
        dsar_workflow=False,
        tenant_policy=snapshot.settings.tenant_policy,
        now=now,
        limit=wish.limit,
    )
    facts = (consents, snapshot.opt_outs, caller.consumer, snapshot.approved(now))
    suppressed, closed = suppressed_scopes(*facts), closed_scopes(*facts)
    out = barred(instruments, caller, tenant_version=snapshot.state.tenant_version, surface=wish.surface)
    if out:  # a registered assistant reaches no more than its identity says
        suppressed, closed = suppressed | out, closed | out
    if wish.surface is Surface.ADMIN:  # a grant opens its frozen set by a read that is told, and no recall beside it
        suppressed, closed = suppressed | _OF_CONSUMERS, closed | _OF_CONSUMERS
    paused = person is not None and is_paused(person, snapshot, wish.session_id, scope)
    return Asked(request, suppressed_scopes=suppressed, paused=paused, closed_scopes=closed)


def _recall(instruments: Instruments, caller: Caller, person: Person, wish: Wish) -> RecallResult:
    durable = instruments.durability is Durability.STRICT
    snapshot = person.snapshot
    for _ in range(_ATTEMPTS):
        answer = _answer(instruments, caller, person, snapshot, wish)
        at, body = to_micros(answer.event.at), _body(answer.event)
        if instruments.store.append_if(person.tenant, person.person, snapshot.state, body, at=at, durable=durable):
            return _serve(instruments, caller, person, answer)
        snapshot = current(instruments, person)

    def holding(tx: Transaction) -> tuple[_Answer, Snapshot]:
        # others write faster than this can be read: read, compute and tell while nobody else writes
        seen = person.read(tx)
        answer = _answer(instruments, caller, person, seen, wish)
        _write(tx, answer.event)
        return answer, seen

    answer, seen = instruments.store.write(holding, durable=durable)
    person.publish(seen)
    return _serve(instruments, caller, person, answer)


class _Answer(NamedTuple):
    asked: Asked
    result: RecallResult
    event: AuditEvent
    view: View


def _answer(instruments: Instruments, caller: Caller, person: Person, snapshot: Snapshot, wish: Wish) -> _Answer:
    asked = question_of(instruments, caller, person, snapshot, wish)
    view = _view(instruments, person, snapshot, wish, asked)
    result = instruments.pipeline.recall(view.columns, asked)
    return _Answer(asked, result, _event(person, asked, result, unstored=view.ids), view)


def _view(instruments: Instruments, person: Person, snapshot: Snapshot, wish: Wish, asked: Asked) -> View:
    return beside(instruments, person, snapshot, session_in(wish.scope) or wish.session_id, asked.request.now)


def _serve(instruments: Instruments, caller: Caller, person: Person, answer: _Answer) -> RecallResult:
    stored = answer.view.stored(answer.result)
    if answer.asked.request.surface is not Surface.ADMIN and stored.hits:
        instruments.people.usage.mark(person, answer.asked.request, stored)
    _send(instruments, answer.event)
    announce_recall(instruments, caller, person, answer.result)
    return answer.result


def _nothing(instruments: Instruments, caller: Caller, wish: Wish) -> RecallResult:
    """Answer for a user nothing was ever written about; no subject is made by asking."""
    snapshot = Snapshot.empty()
    asked = question_of(instruments, caller, None, snapshot, wish)
    result = instruments.pipeline.recall(build([]), asked)
    event = _event(None, asked, result)
    instruments.store.write(lambda tx: _write(tx, event), durable=instruments.durability is Durability.STRICT)
    _send(instruments, event)
    announce_recall(instruments, caller, None, result)
    return result


def _event(
    person: Person | None, asked: Asked, result: RecallResult, *, unstored: frozenset[str] = frozenset()
) -> AuditEvent:
    envelope: RecallAuditEnvelope = result.audit_envelope
    told = tuple(name for name in envelope.returned_ids if name not in unstored)
    only_here = len(envelope.returned_ids) - len(told)
    request = asked.request
    return trusted(
        AuditEvent,
        action=AuditAction.RECALL_RESOLVED,
        policy_id=RECALL_POLICY,
        severity=Severity.WARNING if envelope.suppression_counts else Severity.INFO,
        tenant_id=request.tenant_id,
        person=person.person if person else NOBODY,
        at=request.now,
        scope_key=f"{request.scope.kind.value}:{person.scope_tag(request.scope)}" if person else request.scope.kind,
        object_ids=told,
        counts={
            **envelope.suppression_counts,
            "evaluated": envelope.evaluated_count,
            "deduplicated": envelope.deduplicated_count,
            "over-budget": envelope.over_budget_count,
            **({"ephemeral": only_here} if only_here else {}),
        },
        details={
            "surface": request.surface.value,
            "consumer": request.consumer.value,
            "assistant_id": request.assistant_id or "",
            "recall_version": envelope.recall_version,
        },
    )


NOBODY = "nobody"
"""The person of an event about a user that has no subject."""


def _write(tx: Transaction, event: AuditEvent) -> None:
    tx.append_event(event.tenant_id, _body(event), at=to_micros(event.at))


def _body(event: AuditEvent) -> dict[str, JsonValue]:
    counts = dict(event.counts)
    only_here = counts.pop("ephemeral", 0)
    facts: dict[str, JsonValue] = {
        **({"ephemeral_count": only_here} if only_here else {}),
        **event.details,
        "scope": event.scope_key,
        "returned_ids": list(event.object_ids),
        "evaluated_count": counts.pop("evaluated"),
        "deduplicated_count": counts.pop("deduplicated"),
        "over_budget_count": counts.pop("over-budget"),
        "suppression_counts": counts,
    }
    return event_body(
        action=event.action, policy=event.policy_id, person=event.person, severity=event.severity, facts=facts
    )


def _send(instruments: Instruments, event: AuditEvent) -> None:
    if instruments.sink is None:
        return
    try:
        instruments.sink(event)
    except Exception as problem:
        _log.warning("a recall audit sink failed with %s; the event stands in the chain", type(problem).__name__)


__all__ = ["DropReason", "Wish", "current", "explain", "question_of", "recall", "recall_all"]
