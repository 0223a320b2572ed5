"""Change scope: the person moves a memory, or takes a read-only copy of a tenant's into their profile's view.

A move is the next revision of the same memory, with where it came from in its provenance. In the target it meets what
is there like any statement: what weighs more stays, what weighs less gives way and the moved memory ends in it, and the
person's own words against their own are asked about, while the memory stays where it was.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, NoReturn

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction, Severity
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import MemoryEntry, ProvenanceKind, ProvenanceLink, TombstoneReason
from iris_memory.contracts.scope import DEFAULT_ADAPTER, AdapterScope, Scope
from iris_memory.contracts.write import AskUser, Refused, Written
from iris_memory.errors import ContractError
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.composing import PROVENANCE_MOST, Composer, Draft
from iris_memory.flows.copies import copies_of, copy_row, link_to
from iris_memory.flows.forgetting import Going, destroy, intend, scrub
from iris_memory.flows.held import held_among
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import shown_to, unknown
from iris_memory.flows.remember import store_drafts
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.setting_aside import UNTIL_FORGOTTEN, restrict
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules import retention, scope_change
from iris_memory.rules.lifecycle import successor
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.scope_changes import Passage

ScopeChangeOutcome = Written | AskUser | Refused


class ScopeWish(NamedTuple):
    """Where a memory is to go. `expected` is the revision the person saw."""

    logical_id: str
    target: Scope
    adapter: AdapterScope | None = None
    read_only: bool = False
    expected: str | None = None
    session_id: str | None = None


class _Done(NamedTuple):
    outcome: ScopeChangeOutcome
    going: Going | None = None


def change_scope(instruments: Instruments, caller: Caller, wish: ScopeWish) -> ScopeChangeOutcome:
    """Move a memory to another scope, or copy it there read-only, as the table of scope changes allows.

    Raises:
        UnknownMemoryError: the person has no such memory.
        ContractError: the adapter scope lies over another kind of scope.
    """
    now = instruments.clock.now()
    adapter = wish.adapter or DEFAULT_ADAPTER[wish.target.kind]
    if ADAPTER_SCOPES[adapter].kind is not wish.target.kind:
        raise ContractError("adapter_scope is of the same kind as the scope")

    def attempt(person: Person) -> ScopeChangeOutcome:
        person.ensure_slots(2)

        def work(tx: Transaction) -> _Done:
            snapshot = person.read(tx)
            row = snapshot.columns.row_of.get(wish.logical_id)
            if row is None or not shown_to(caller, snapshot, now)(snapshot.columns.entry(row)):
                raise unknown()
            entry = snapshot.columns.entry(row)
            composer = Composer(instruments, caller, person, snapshot, now)
            moving = _Moving(instruments, caller, person, tx, composer, entry, wish, adapter, now)
            refused = moving.refusal()
            if refused is not None:
                return _Done(refused)
            return moving.copied(snapshot) if wish.read_only else moving.moved(snapshot)

        done = instruments.store.write(work, durable=True)
        if done.going is not None:
            destroy(instruments, person, done.going)
            scrub(instruments, [(person.tenant, done.going.intent.receipt_id)])
        announce_writes(instruments, caller, person, [done.outcome])
        return done.outcome

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


class _Moving:
    """One change of scope inside its transaction."""

    def __init__(
        self,
        instruments: Instruments,
        caller: Caller,
        person: Person,
        tx: Transaction,
        composer: Composer,
        entry: MemoryEntry,
        wish: ScopeWish,
        adapter: AdapterScope,
        now: datetime,
    ) -> None:
        self._instruments, self._caller, self._person = instruments, caller, person
        self._tx, self._composer = tx, composer
        self._entry, self._wish, self._adapter, self._now = entry, wish, adapter, now

    def refusal(self) -> Refused | None:
        """Return why the memory may not go; nothing but the event is written then."""
        entry, wish = self._entry, self._wish
        refused: Refused | None = None
        if wish.expected is not None and wish.expected != entry.id:
            refused = Refused(reason=RefusalReason.STALE_REVISION, rule="a move names the revision that was seen")
        if refused is None:
            decided = scope_change.decide(entry, wish.target, self._adapter, read_only=wish.read_only)
            refused = decided if isinstance(decided, Refused) else None
        if refused is None:
            there = entry.model_copy(update={"scope": wish.target, "adapter_scope": self._adapter})
            refused = self._composer.admit_entry(there, session_id=wish.session_id)
        if refused is None and wish.read_only:
            refused = self._composer.admit_entry(entry, session_id=wish.session_id)
        if refused is not None:
            self._tell(refused=refused)
        return refused

    def moved(self, snapshot: Snapshot) -> _Done:
        """Write the next revision in the target, or what the ladder makes of it there."""
        entry = self._next()
        if not self._composer.meets(entry):
            written = Written(entry=entry, replaced=self._entry.id)
            draft = Draft(written, entry=entry, is_new=True)
            self._store(draft)
            self._tell(draft)
            return _Done(written)
        draft = self._composer.put_beside(entry)
        if isinstance(draft.outcome, Refused):
            self._tell(draft, refused=draft.outcome)
            return _Done(draft.outcome)
        self._store(draft)
        self._tell(draft)
        if isinstance(draft.outcome, AskUser):
            return _Done(draft.outcome)
        assert isinstance(draft.outcome, Written)
        return _Done(draft.outcome, self._ended(snapshot))

    def copied(self, snapshot: Snapshot) -> _Done:
        """Write a copy that follows this memory; the one there is, where there is one."""
        entry, person = self._entry, self._person
        for copy_id in copies_of(self._tx, person.tenant, person.person, {entry.logical_id}):
            if copy_id in snapshot.columns.row_of:
                return _Done(Written(entry=snapshot.columns.entry(snapshot.columns.row_of[copy_id])))
        copy_id = self._instruments.ids.entry_id(self._now)
        copy = entry.model_copy(
            update={
                "id": copy_id,
                "logical_id": copy_id,
                "scope": self._wish.target,
                "provenance_chain": (link_to(entry, now=self._now), *entry.provenance_chain)[:PROVENANCE_MOST],
                "revision": 1,
                "supersedes": None,
                "superseded_by": None,
                "reference_count": 0,
                "last_referenced_at": None,
                "updated_at": max(self._now, entry.updated_at),
            }
        )
        met = self._composer.clash(copy)
        if met is not None:
            refused = Refused(reason=RefusalReason.CONFLICT_KEPT_EXISTING, rule="a copy takes nobody's slot")
            self._tell(refused=refused)
            return _Done(refused)
        draft = Draft(Written(entry=copy), entry=copy, is_new=True)
        seq = self._store(draft)
        row = copy_row(person, entry.logical_id, copy_id, seq=seq, now=self._now)
        self._tx.put_record(person.tenant, person.person, row)
        self._tell(draft)
        return _Done(draft.outcome)  # type: ignore[arg-type]  # it is the Written made above

    def _next(self) -> MemoryEntry:
        entry, now = self._entry, self._now
        cell = scope_change.decide(entry, self._wish.target, self._adapter, read_only=False)
        assert not isinstance(cell, Refused)
        link = ProvenanceLink(
            kind=cell.provenance or ProvenanceKind.PROFILE_PROMOTION,
            ref=f"{entry.scope.kind.value}/{entry.id}",
            captured_at=now,
            label=entry.label,
        )
        return successor(
            entry,
            entry_id=self._instruments.ids.entry_id(now),
            now=now,
            scope=self._wish.target,
            adapter_scope=self._adapter,
            provenance_chain=(link, *entry.provenance_chain)[:PROVENANCE_MOST],
            expires_at=retention.expiry(
                self._adapter, entry.origin, created_at=entry.created_at, asked=scope_change.asked_end(entry)
            ),
        )

    def _store(self, draft: Draft) -> int:
        person = self._person
        written = [draft] if draft.is_new else []
        seq = self._tx.bump(person.tenant, person.person)
        store_drafts(person, self._tx, self._composer, written, seq=seq)
        return seq

    def _ended(self, snapshot: Snapshot) -> Going:
        """Let the memory go, or set it aside while a legal hold keeps it: another one in the target says its words."""
        person, name = self._person, self._entry.logical_id
        held = held_among(self._instruments, self._tx, person.tenant, person.person, [name], now=self._now)
        going = intend(
            self._instruments,
            self._tx,
            self._person.tenant,
            self._person.person,
            [self._entry.logical_id],
            reason=TombstoneReason.MERGED_BY_MOVE,
            now=self._now,
        )
        restrict(
            self._instruments,
            self._caller,
            person,
            self._tx,
            snapshot,
            sorted(held),
            note=UNTIL_FORGOTTEN,
            now=self._now,
        )
        return going

    def _tell(self, draft: Draft | None = None, *, refused: Refused | None = None) -> None:
        new = draft if draft is not None and draft.is_new and draft.entry is not None else None
        write_event(
            self._tx,
            self._person.tenant,
            action=AuditAction.MEMORY_REFUSED if refused else AuditAction.SCOPE_CHANGED,
            policy=WRITE_POLICY,
            person=self._person.person,
            now=self._now,
            severity=Severity.WARNING if refused else Severity.INFO,
            facts={
                "object_ids": [new.entry.id] if new and new.entry else [],
                "commitments": [new.commitment] if new else [],
                "source": self._entry.id,
                "from": self._entry.scope.kind.value,
                "to": self._wish.target.kind.value,
                "passage": (Passage.COPY if self._wish.read_only else Passage.MOVE).value,
                "conflict": draft.rule.value if draft and draft.rule else "",
                "refused": {refused.reason.value: 1} if refused else {},
            },
        )


def _nobody() -> NoReturn:
    raise unknown()
