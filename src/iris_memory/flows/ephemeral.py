"""Ephemeral: memory of scopes that lack nothing but the storage consent. It lives in its session, and in no file.

It is bound to (tenant, person, session) and to this process. It goes at the end of the session, after its time, beyond
its bounds, and at once when the processing consent (or its category's) is withdrawn, when the person goes off the
record or opts out. The audit chain tells how much was kept or let go: a count and a code, no id that leads to it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.consent import ConsentStatus, ConsentType, category_consent
from iris_memory.contracts.decision import ConflictOutcome, RefusalReason
from iris_memory.contracts.entry import Lifecycle, MemoryEntry
from iris_memory.contracts.recall import RecallResult
from iris_memory.contracts.scope import CrisisScope, PoseScope, SceneScope, Scope, SessionScope
from iris_memory.contracts.shape import to_micros, with_fields
from iris_memory.contracts.write import AskUser, Refused, Statement, WriteOutcome, Written
from iris_memory.errors import IdempotencyConflictError, KeyDestroyedError
from iris_memory.flows.admitting import is_paused
from iris_memory.flows.composing import Draft, replacement
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.namespace import name_tag
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.volatile import Fleeting, Session
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.columns import Columns, Packed, replace_rows
from iris_memory.recall.packing import fold, pack, set_apart
from iris_memory.rules import conflict
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.categories import is_sensitive
from iris_memory.tables.origins import ORIGINS


def session_in(scope: Scope | None) -> str | None:
    """Return the session a scope names, if it names one."""
    return scope.session_id if isinstance(scope, (SessionScope, SceneScope, PoseScope, CrisisScope)) else None


def living(
    instruments: Instruments, person: Person, snapshot: Snapshot, now: datetime, *, session: str | None = None
) -> list[Fleeting]:
    """Return what still lives of a person in one session, or in all; what has no right to live any more goes first."""
    sessions = instruments.people.sessions
    found = []
    for held in sessions.of(person, session=session):
        _prune(instruments, person, snapshot, held, now)
        found += sessions.memories(held)
    return found


def _prune(instruments: Instruments, person: Person, snapshot: Snapshot, held: Session, now: datetime) -> int:
    consents = snapshot.consents(now)
    paused = is_paused(person, snapshot, held.session_id, None)

    def fits(memory: Fleeting) -> bool:
        entry = memory.entry
        row = ADAPTER_SCOPES[entry.adapter_scope]
        needed = _needed(entry)
        ended = any(
            event.sequence > memory.ledger and event.type in needed and event.status is not ConsentStatus.GRANTED
            for event in snapshot.events[memory.ledger :]
        )
        over = entry.expires_at is not None and entry.expires_at <= now
        return not (paused or ended or over or needed - consents or row.opt_outs & snapshot.opt_outs)

    return instruments.people.sessions.retain(person, held, fits, now=now)


def _needed(entry: MemoryEntry) -> set[str]:
    """Return the consents without which a memory may not even live in its session."""
    needed = {consent.value for consent in ADAPTER_SCOPES[entry.adapter_scope].required_consents}
    needed.discard(ConsentType.DATA_STORAGE.value)
    if is_sensitive(entry.category):
        needed.add(category_consent(entry.category))
    if entry.multi_actor is not None and entry.multi_actor.sensitive_interaction:
        needed.add(ConsentType.MULTI_ACTOR_SENSITIVE.value)
    return needed


class View(NamedTuple):
    """What a recall looks at: stored memory with that of the session laid beside it, and the ids of the latter."""

    columns: Columns
    ids: frozenset[str]

    def stored(self, result: RecallResult) -> RecallResult:
        """Return a result without what lives in the session, for whatever is written of it."""
        if not self.ids:
            return result
        return with_fields(result, hits=tuple(hit for hit in result.hits if hit.entry.id not in self.ids))


def beside(instruments: Instruments, person: Person, snapshot: Snapshot, session: str | None, now: datetime) -> View:
    """Return the columns of a person with the memory of a session beside them, at addresses of its own."""
    if session is None:
        return View(snapshot.columns, frozenset())
    memories = living(instruments, person, snapshot, now, session=session)
    if not memories:
        return View(snapshot.columns, frozenset())
    for held in instruments.people.sessions.of(person, session=session):
        instruments.people.sessions.touch(held, now)
    rows = [memory.row() for memory in memories]
    apart = [Packed(row.logical_id, row.entry_id, set_apart(row.pack)) for row in rows]
    columns = replace_rows(snapshot.columns, apart, ())
    codes = {int(columns.address[columns.row_of[row.logical_id]]) for row in apart}
    addresses = tuple(
        address._replace(ephemeral=True) if code in codes else address for code, address in enumerate(columns.addresses)
    )
    return View(replace(columns, addresses=addresses, verdicts={}), frozenset(row.entry_id for row in rows))


class Writing:
    """What one call keeps in sessions. `take_back` undoes it where the call's transaction did not come to its end."""

    def __init__(self, instruments: Instruments, person: Person, snapshot: Snapshot, now: datetime) -> None:
        """Take what the decisions hang on."""
        self._instruments = instruments
        self._person = person
        self._snapshot = snapshot
        self._now = now
        self._key = instruments.pipeline.options.conflict_key
        self._known: dict[str, dict[str, Fleeting]] = {}
        self._new: dict[str, dict[str, Fleeting]] = {}

    def session_of(self, statement: Statement, scope: Scope) -> str | None:
        """Return the session a statement belongs to."""
        return session_in(scope) or statement.session_id

    def settle(self, entry: MemoryEntry, session: str, *, name: str | None = None) -> Draft:
        """Decide what a memory becomes beside those of its session, by the same ladder as what is stored.

        Where the ladder would ask, both stay until the session ends, and recall shows the newer.
        """
        names = frozenset({name_tag(self._person, name)} if name is not None else ())
        others = self._others(session)
        met = [memory.entry for memory in others.values() if self._meets(memory.entry, entry)]
        same = [other for other in met if fold(other.body) == fold(entry.body)]
        differing = [other for other in met if other not in same]
        here = [other for other in same if (other.scope, other.adapter_scope) == (entry.scope, entry.adapter_scope)]
        if here:
            prior = _strongest(here)
            return Draft(Written(entry=prior, mode="ephemeral"), entry=prior, session=session)
        if not differing or entry.quarantine is not None:
            return self._keep(entry, session, names=names)
        prior = _strongest(differing)
        decided = conflict.decide(
            prior=conflict.Side(prior.origin, prior.label), new=conflict.Side(entry.origin, entry.label)
        )
        if decided.outcome is ConflictOutcome.KEEP_EXISTING:
            refused = Refused(reason=RefusalReason.CONFLICT_KEPT_EXISTING, rule=decided.rule.value)
            return Draft(refused, session=session)
        if decided.outcome is ConflictOutcome.ASK_USER:
            return self._keep(entry, session, names=names)
        revision = replacement(prior, entry, now=self._now)
        outcome = Written(entry=revision, replaced=prior.id, rule=decided.rule, mode="ephemeral")
        before = others[prior.logical_id]
        return self._keep(revision, session, before=before.revisions, names=before.names | names, outcome=outcome)

    def keep(self, tx: Transaction) -> None:
        """Keep what is new, and tell how much it is, inside the caller's transaction."""
        count = sum(len(memories) for memories in self._new.values())
        if not count:
            return
        for session, memories in self._new.items():
            self._instruments.people.sessions.keep(self._person, session, list(memories.values()), now=self._now)
        tell(tx, self._person, AuditAction.EPHEMERAL_KEPT, count, now=self._now)

    def take_back(self) -> None:
        """Take back what is new."""
        for session, memories in self._new.items():
            self._instruments.people.sessions.take_back(self._person, session, list(memories))

    def answered(self, sessions: Collection[str], key: str, body: str) -> list[WriteOutcome] | None:
        """Return what a call under an idempotency key was answered in one of these sessions.

        Raises:
            IdempotencyConflictError: the key was used before with another body.
        """
        for session in sessions:
            known = self._instruments.people.sessions.answered(self._person, session, key)
            if known is not None:
                if known[0] != body:
                    raise IdempotencyConflictError("this idempotency key was used before with another body")
                return [self._still(outcome) for outcome in known[1]]
        return None

    def _still(self, outcome: WriteOutcome) -> WriteOutcome:
        """Return what was answered of a stored memory, where that was not forgotten since."""
        is_stored = isinstance(outcome, AskUser) or (isinstance(outcome, Written) and outcome.mode == "durable")
        if not is_stored or outcome.entry.logical_id in self._snapshot.columns.row_of:  # type: ignore[union-attr]
            return outcome
        return Refused(reason=RefusalReason.UNKNOWN_MEMORY, rule="what this call wrote was forgotten since")

    def note_answer(self, sessions: Collection[str], key: str, body: str, outcomes: Sequence[WriteOutcome]) -> None:
        """Keep an answer as long as its sessions live; ids of theirs stand in no record."""
        for session in sessions:
            self._instruments.people.sessions.note_answer(self._person, session, key, body, outcomes)

    def _others(self, session: str) -> dict[str, Fleeting]:
        if session not in self._known:
            memories = living(self._instruments, self._person, self._snapshot, self._now, session=session)
            self._known[session] = {memory.entry.logical_id: memory for memory in memories}
        return {**self._known[session], **self._new.get(session, {})}

    def _meets(self, other: MemoryEntry, entry: MemoryEntry) -> bool:
        key = self._key(entry)
        return (
            key is not None
            and self._key(other) == key
            and other.lifecycle is Lifecycle.ACTIVE
            and other.quarantine is None
            and other.scope.kind is entry.scope.kind
        )

    def _keep(
        self,
        entry: MemoryEntry,
        session: str,
        *,
        names: frozenset[str],
        before: tuple[MemoryEntry, ...] = (),
        outcome: Written | None = None,
    ) -> Draft:
        memory = Fleeting((*before, entry), pack(entry, key=self._key), len(self._snapshot.events), names)
        self._new.setdefault(session, {})[entry.logical_id] = memory
        return Draft(outcome or Written(entry=entry, mode="ephemeral"), entry=entry, is_new=True, session=session)


def end_session(instruments: Instruments, person: Person, session: str, now: datetime) -> int:
    """Forget what lives in a session; return how many memories went."""
    gone = instruments.people.sessions.drop(person, session=session)
    if gone:
        instruments.store.write(
            lambda tx: tell(tx, person, AuditAction.EPHEMERAL_FORGOTTEN, gone, now=now, why="session-ended"),
            durable=False,
        )
    return gone


def sweep(instruments: Instruments) -> int:
    """Let go of what has no right to live any more, of everybody in this process; return how many memories went."""
    alive = set(instruments.people.sessions.people())
    if not alive:
        return 0
    now = instruments.clock.now()
    gone = instruments.people.sessions.expire(now)
    for person in instruments.people.known():
        if (person.tenant, person.person) not in alive:
            continue
        try:
            with instruments.store.read() as reading:
                snapshot = person.read(reading)
        except KeyDestroyedError:
            gone += instruments.people.sessions.drop(person, everything=True)
            continue
        for held in instruments.people.sessions.of(person):
            gone += _prune(instruments, person, snapshot, held, now)
    return gone


def tell(
    tx: Transaction, person: Person, action: AuditAction, count: int, *, now: datetime, why: str = "written"
) -> None:
    """Tell the audit chain how much was kept or let go, and why: a count and a code."""
    write_event(
        tx,
        person.tenant,
        action=action,
        policy=WRITE_POLICY,
        person=person.person,
        now=now,
        facts={"count": count, "why": why},
    )


def _strongest(entries: list[MemoryEntry]) -> MemoryEntry:
    return min(entries, key=lambda entry: (-ORIGINS[entry.origin].authority, -to_micros(entry.updated_at), entry.id))
