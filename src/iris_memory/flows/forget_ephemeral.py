"""Forgetting what lives in sessions, beside what is stored: the same targets, the same receipts."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.entry import MemoryEntry, TombstoneReason
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget, ResidueFinding
from iris_memory.errors import StorageError, UnknownMemoryError
from iris_memory.flows import forget as stored
from iris_memory.flows.ephemeral import end_session, living, tell
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import head_of
from iris_memory.flows.namespace import handles_of, name_tag
from iris_memory.flows.people import Person
from iris_memory.flows.recall import current
from iris_memory.flows.receipting import keep_receipt
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.volatile import Fleeting
from iris_memory.recall.packing import is_from

_REACHED: Final = "ephemeral memories"
STAYS: Final = ("the audit chain: how many memories lived in a session and how many went, no ids",)


def preview(instruments: Instruments, caller: Caller, target: ForgetTarget) -> ForgetPreview:
    """Count what a forget would reach, in the store and in sessions; change nothing.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    fleeting = _fleeting(instruments, caller, target, _handles(instruments, caller, target))
    if _lives_alone(instruments, caller, target, fleeting):
        return ForgetPreview(memories=len(fleeting), revisions=0, reached={_REACHED: len(fleeting)}, stays=STAYS)
    told = stored.preview(instruments, caller, target)
    if not fleeting:
        return told
    return told.model_copy(update={"reached": {**told.reached, _REACHED: len(fleeting)}})


def forget(instruments: Instruments, caller: Caller, target: ForgetTarget, *, scan: bool = True) -> ForgetReceipt:
    """Forget what is stored and what lives in sessions; return the receipt of what was stored.

    The receipt of a memory that lives in its session is one of its own: no key was destroyed, because there was none.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    handles = _handles(instruments, caller, target)
    fleeting = _fleeting(instruments, caller, target, handles)
    if _lives_alone(instruments, caller, target, fleeting):
        return _let_go(instruments, caller, fleeting, stored.reason_of(target), scan=scan)
    receipt = stored.forget(instruments, caller, target, scan=scan)
    fleeting = _fleeting(instruments, caller, target, handles)  # with what was said while the rest was going
    if fleeting:
        _let_go(instruments, caller, fleeting, stored.reason_of(target), scan=False)
    return receipt


def erase(instruments: Instruments, caller: Caller, *, scan: bool = True) -> ForgetReceipt | None:
    """Erase a person whole; what lives in sessions goes with what this process knows of them."""
    person = instruments.people.find(caller.tenant, caller.user)
    receipt = stored.erase(instruments, caller, scan=scan)
    if person is not None:
        instruments.people.sessions.drop(person, everything=True)
    return receipt


def end(instruments: Instruments, caller: Caller, session: str) -> int:
    """End a session: forget what lives in it alone; return how many memories went."""
    now = instruments.clock.now()
    return with_known_person(
        instruments, caller, lambda person: end_session(instruments, person, session, now), nobody=lambda: 0
    )


def _handles(instruments: Instruments, caller: Caller, target: ForgetTarget) -> frozenset[str]:
    """Return the handles a target names, while the name still leads to them: a forget ends that."""
    mention = target.mention
    if mention is None:
        return frozenset()
    return with_known_person(
        instruments,
        caller,
        lambda person: handles_of(person, current(instruments, person), mention),
        nobody=frozenset,
    )


def _fleeting(
    instruments: Instruments, caller: Caller, target: ForgetTarget, handles: frozenset[str]
) -> list[MemoryEntry]:
    def attempt(person: Person) -> list[MemoryEntry]:
        snapshot, now = current(instruments, person), instruments.clock.now()
        named = handles if target.mention is None else {*handles, name_tag(person, target.mention)}
        return [
            memory.entry for memory in living(instruments, person, snapshot, now) if _is_named(memory, target, named)
        ]

    return with_known_person(instruments, caller, attempt, nobody=list)


def _is_named(memory: Fleeting, target: ForgetTarget, people: Set[str]) -> bool:
    """Say whether a target names a memory of a session, by the rules for what is stored; people by handle or tag."""
    if target.everything or memory.entry.logical_id == target.logical_id:
        return True
    if target.source is not None:
        return is_from(memory.packed, target.source)
    if target.since is not None:
        return memory.entry.created_at >= target.since
    return not people.isdisjoint(memory.names) or any(
        (target.category is not None and revision.category is target.category)
        or (revision.multi_actor is not None and revision.multi_actor.actor_handle in people)
        for revision in memory.revisions
    )


def _lives_alone(
    instruments: Instruments, caller: Caller, target: ForgetTarget, fleeting: Sequence[MemoryEntry]
) -> bool:
    """Say whether a target names nothing that is stored: one memory, or somebody, of a session alone."""
    if not fleeting or (target.logical_id is None and target.mention is None):
        return False
    if target.logical_id is not None:
        return True
    try:
        stored.preview(instruments, caller, target)
    except UnknownMemoryError:
        return True
    return False


def _let_go(
    instruments: Instruments, caller: Caller, entries: list[MemoryEntry], reason: TombstoneReason, *, scan: bool
) -> ForgetReceipt:
    going = {entry.logical_id for entry in entries}

    def attempt(person: Person) -> ForgetReceipt:
        now = instruments.clock.now()
        gone = instruments.people.sessions.drop(person, fits=lambda entry: entry.logical_id in going)
        instruments.store.write(
            lambda tx: tell(tx, person, AuditAction.EPHEMERAL_FORGOTTEN, gone, now=now, why=reason.value), durable=True
        )
        residue = _look(instruments, entries) if scan else None
        with instruments.store.read() as reading:
            head = head_of(reading, person.tenant)
        return keep_receipt(
            instruments,
            ForgetReceipt(
                receipt_id=instruments.ids.entry_id(now),
                tenant_id=person.tenant,
                person=person.person,
                reason=reason,
                asked_at=now,
                completed_at=max(instruments.clock.now(), now),
                memories=gone,
                keys_destroyed=0,
                reached={_REACHED: gone},
                residue=residue,
                is_complete=residue is None or not residue.found,
                files_scrubbed=True,
                vault_backup_days=instruments.vault_backup_days,
                audit_size=head.size,
                audit_root=head.frontier.root().hex(),
                stays=STAYS,
                note="",
            ),
        )

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def _look(instruments: Instruments, entries: list[MemoryEntry]) -> ResidueFinding | None:
    patterns = [("text", entry.body.encode()) for entry in entries]
    try:
        report = instruments.scanner.scan([*instruments.store.files(), *instruments.vault.files()], patterns)
    except StorageError:
        return None
    return ResidueFinding(
        files=report.files,
        size=report.size,
        patterns=report.patterns,
        too_short=report.too_short,
        found=dict(sorted(report.found.items())),
    )


def _nobody() -> ForgetReceipt:
    raise UnknownMemoryError("there is no such memory")
