"""Forgetting what lives in sessions, beside what is stored: the same targets, the same receipts."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.entry import MemoryEntry, TombstoneReason
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget, ResidueFinding
from iris_memory.errors import StorageError, UnknownMemoryError
from iris_memory.flows import forget as stored
from iris_memory.flows.ephemeral import end_session, living, tell
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import head_of
from iris_memory.flows.people import Person
from iris_memory.flows.recall import current
from iris_memory.flows.receipting import keep_receipt
from iris_memory.flows.retrying import with_known_person

_REACHED: Final = "ephemeral memories"
STAYS: Final = ("the audit chain: how many memories lived in a session and how many went, no ids",)


def preview(instruments: Instruments, caller: Caller, target: ForgetTarget) -> ForgetPreview:
    """Count what a forget would reach, in the store and in sessions; change nothing.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    fleeting = _fleeting(instruments, caller, target)
    if fleeting and target.logical_id is not None:
        return ForgetPreview(memories=1, revisions=0, reached={_REACHED: 1}, stays=STAYS)
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
    fleeting = _fleeting(instruments, caller, target)
    if target.logical_id is not None and fleeting:
        return _let_go(instruments, caller, fleeting, TombstoneReason.FORGOTTEN_BY_PERSON, scan=scan)
    receipt = stored.forget(instruments, caller, target, scan=scan)
    fleeting = _fleeting(instruments, caller, target)  # with what was said while the rest was going
    if fleeting:
        reason = TombstoneReason.EVERYTHING_FORGOTTEN if target.everything else TombstoneReason.CATEGORY_CLEARED
        _let_go(instruments, caller, fleeting, reason, scan=False)
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


def _fleeting(instruments: Instruments, caller: Caller, target: ForgetTarget) -> list[MemoryEntry]:
    def attempt(person: Person) -> list[MemoryEntry]:
        snapshot, now = current(instruments, person), instruments.clock.now()
        return [
            memory.entry
            for memory in living(instruments, person, snapshot, now)
            if target.everything
            or memory.entry.logical_id == target.logical_id
            or any(revision.category is target.category for revision in memory.revisions)
        ]

    return with_known_person(instruments, caller, attempt, nobody=list)


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
