"""Forget: one memory, a category, everything, or the person whole. A dry run first; afterwards a signed receipt."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from iris_memory.contracts.audit import FORGET_POLICY, AuditAction
from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget, ResidueFinding
from iris_memory.contracts.inference import Inference
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import ContractError, StorageError, UnknownMemoryError
from iris_memory.flows.answer import drafts_take_over
from iris_memory.flows.asking import waiting
from iris_memory.flows.beside import drop_beside
from iris_memory.flows.confirm import end_questions
from iris_memory.flows.copies import copies_of
from iris_memory.flows.derived import derived_from, rebuild
from iris_memory.flows.forgetting import bar_return, destroy, drop_mark, finish_pending, intend, scrub_files
from iris_memory.flows.held import held_among, keeps_whole
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.intents import Going, Gone, Intent, keep_intent
from iris_memory.flows.journal import write_event
from iris_memory.flows.living import ERASING
from iris_memory.flows.mentions import named_rows
from iris_memory.flows.namespace import drop_handles, name_tag
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.reading import unknown
from iris_memory.flows.recall import current
from iris_memory.flows.receipting import STAYS, STAYS_AFTER_FORGET, STAYS_HELD, put_receipt, receipt_of
from iris_memory.flows.receipting import receipts as receipts
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.setting_aside import UNTIL_FORGOTTEN, restrict
from iris_memory.flows.within import was_ever
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.columns import Columns
from iris_memory.recall.packing import is_from, wording

_LARGE = frozenset({RecordKind.EXPORT_PART})
_PARTS_SEARCHED = 2
"""Chunks of exports are large and lie under one key: a few of them stand for all in the residue scan."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """What a target names, as rows of a person's columns."""

    columns: Columns
    rows: list[int]
    reason: TombstoneReason
    derived: frozenset[str] = frozenset()
    """Those of the rows that are not named, and go because they were made from what is."""
    handles: frozenset[str] = frozenset()
    """Other people whose handles leave the namespace."""

    @property
    def logical_ids(self) -> list[str]:
        return self.columns.keys.at(self.rows)

    def without(self, held: Set[str]) -> _Reached:
        """Return what is left when a legal hold keeps some of it."""
        if not held:
            return self
        return replace(self, rows=[row for row in self.rows if self.columns.keys[row] not in held])


def preview(instruments: Instruments, caller: Caller, target: ForgetTarget) -> ForgetPreview:
    """Count what a forget would reach; change nothing.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    _require_one(target)

    def attempt(person: Person) -> ForgetPreview:
        instruments.people.usage.flush(instruments.store)  # what waits would be reached too
        with instruments.store.read() as reading:
            reached = _select(person, reading, person.read(reading), target)
            now = instruments.clock.now()
            held = held_among(instruments, reading, person.tenant, person.person, reached.logical_ids, now=now)
            return _count(person, reading, reached.without(held), held=len(held))

    return with_known_person(instruments, caller, attempt, nobody=lambda: _nothing(target))


def count_named(
    person: Person, reading: Reading, columns: Columns, names: Collection[str], *, derived: Set[str], held: int
) -> ForgetPreview:
    """Count what ends with memories named by their ids, of which `derived` go because of others; change nothing."""
    rows = [columns.row_of[name] for name in names if name in columns.row_of]
    reason = TombstoneReason.DATA_RIGHTS_REQUEST
    return _count(person, reading, _Reached(columns, rows, reason, derived=frozenset(derived)), held=held)


def forget(
    instruments: Instruments,
    caller: Caller,
    target: ForgetTarget,
    *,
    scan: bool = True,
    whole_for: str | None = None,
) -> ForgetReceipt:
    """Forget for good and return the receipt. With `scan`, every file is searched for what should be gone.

    What a legal hold keeps is set aside, counted as `held`, and forgotten when the hold ends. `whole_for` names the
    user where the person was to be erased whole and a hold is in the way.

    Raises:
        UnknownMemoryError: the person has no such memory.
    """
    _require_one(target)

    def attempt(person: Person) -> ForgetReceipt:
        now = instruments.clock.now()
        instruments.people.usage.flush(instruments.store)
        person.ensure_slots(1)
        doubts: list[int] = []

        def work(tx: Transaction) -> tuple[Going, Snapshot]:
            snapshot = person.read(tx)
            reached = _select(person, tx, snapshot, target)
            held = held_among(instruments, tx, person.tenant, person.person, reached.logical_ids, now=now)
            counted = _count(person, tx, reached.without(held), held=len(held)).reached
            texts = _texts(person, tx, reached)
            leaving = _names(reached, target) - held
            waits = target.everything and keeps_whole(instruments, tx, person.tenant, person.person, now=now)
            beside = drop_beside(tx, person.tenant, person.person) if target.everything and not waits else []
            beside += drop_handles(person, tx, reached.handles) if reached.handles else []
            rebuilt = rebuild(instruments, person, tx, snapshot, leaving, ending=reached.derived - held, now=now)
            if rebuilt.entries:
                counted["rebuilt"] = len(rebuilt.entries)
                texts = sorted({*texts, *rebuilt.lost} - {entry.body for entry in rebuilt.entries})
            going = intend(
                instruments,
                tx,
                person.tenant,
                person.person,
                reached.logical_ids,
                reason=reached.reason,
                now=now,
                texts=texts,
                whole_for=whole_for,
                everything_waits=waits,
                record_slots=beside,
                reached=counted,
            )
            restrict(instruments, caller, person, tx, snapshot, sorted(held), note=UNTIL_FORGOTTEN, now=now)
            bar_return(person, tx, going)
            drafts_take_over(instruments, caller, person, tx, snapshot, gone=set(going.logical_ids) | held, now=now)
            if not waits:
                doubts[:] = end_questions(instruments, person, tx, partial(_is_among, target, set(texts)), now)
            return going, snapshot

        going, snapshot = instruments.store.write(work, durable=True)
        if doubts:
            instruments.vault.destroy_slots(person.tenant, person.person, doubts)
        person.publish(snapshot)
        _let_doubts_go(instruments, person, target, now)
        return _carry_out(instruments, person, going, scan=scan)

    return with_known_person(instruments, caller, attempt, nobody=_nobody)


def conclude(
    instruments: Instruments, person: Person, going: Going, counted: dict[str, int], *, scan: bool
) -> ForgetReceipt:
    """Carry out a forget whose intent is committed: destroy, delete, scrub and, with `scan`, search; the receipt."""
    told = going.intent.model_copy(update={"has_receipt": True, "reached": counted})
    return _carry_out(instruments, person, replace(going, intent=told), scan=scan)


def _carry_out(instruments: Instruments, person: Person, going: Going, *, scan: bool) -> ForgetReceipt:
    wrapped = _wrapped(instruments, going.intent)
    gone = destroy(instruments, person, going)
    current(instruments, person)
    return _close(instruments, going, gone, wrapped, scan=scan)


def erase(instruments: Instruments, caller: Caller, *, scan: bool = True) -> ForgetReceipt | None:
    """Erase a person whole: every row, every key, and the link to the user; None where nothing is known of them.

    What stays is the audit chain under a pseudonym that leads nowhere, and tombstones. Where a legal hold keeps
    something, all else is forgotten now, and the person is erased when the hold ends.
    """

    def attempt(person: Person) -> ForgetReceipt:
        now = instruments.clock.now()
        instruments.people.usage.drop(person)

        def work(tx: Transaction) -> Going | None:
            snapshot = person.read(tx)
            reached = _Reached(snapshot.columns, snapshot.columns.rows(), TombstoneReason.EVERYTHING_FORGOTTEN)
            tenant, subject = person.tenant, person.person
            if held_among(instruments, tx, tenant, subject, reached.logical_ids, now=now) or keeps_whole(
                instruments, tx, tenant, subject, now=now
            ):
                return None
            counted = _count(person, tx, reached).reached
            names = sorted(reached.logical_ids)
            intent = Intent(
                receipt_id=instruments.ids.entry_id(now),
                tenant=person.tenant,
                person=person.person,
                reason=reached.reason,
                asked_at=now,
                logical_ids=tuple(names),
                slots=(),
                whole_person=True,
                has_receipt=True,
                reached=counted,
                keys=len(instruments.vault.wrapped_slots(person.tenant, person.person, None)) - 1,
                keys_made=instruments.vault.slots_made(person.subject),
            )
            seq = tx.bump(person.tenant, person.person)
            blobs = tuple(tx.blobs_of(person.tenant, person.person, names))
            tx.hide(person.tenant, person.person, names, seq=seq)
            mark = person.record(RecordKind.INTENT, ERASING, None, seq=seq, now=now)
            tx.put_record(person.tenant, person.person, mark)
            keep_intent(instruments, tx, intent)
            write_event(
                tx,
                person.tenant,
                action=AuditAction.FORGET_INTENDED,
                policy=FORGET_POLICY,
                person=person.person,
                now=now,
                facts={"object_ids": list(names), "receipt": intent.receipt_id, "reason": intent.reason.value},
            )
            blobs += _record_blobs(person, tx)
            texts = tuple(_texts(person, tx, reached)) if scan else ()
            return Going(intent, seq=seq, texts=texts, blobs=blobs)

        going = instruments.store.write(work, durable=True)
        if going is None:
            everything = ForgetTarget(everything=True)
            return forget(instruments, caller, everything, scan=scan, whole_for=caller.user)
        wrapped = _wrapped(instruments, going.intent)
        gone = destroy(instruments, person, going)
        instruments.people.drop(caller.tenant, caller.user)
        return _close(instruments, going, gone, wrapped, scan=scan)

    return with_known_person(instruments, caller, attempt, nobody=lambda: None)


def _select(person: Person, reading: Reading, snapshot: Snapshot, target: ForgetTarget) -> _Reached:
    """Return what a target names, and what was made from it (POI-1). A source may have ended before what it became."""
    reached = _named(person, reading, snapshot, target)
    columns, names = reached.columns, _names(reached, target)
    derived = frozenset(derived_from(columns, names)) if names and not target.everything else frozenset()
    if target.logical_id is not None and not reached.rows and not derived:
        raise unknown()
    rows = [*reached.rows, *(columns.row_of[name] for name in sorted(derived))]
    return replace(reached, rows=rows, derived=derived)


def _names(reached: _Reached, target: ForgetTarget) -> set[str]:
    return {*reached.logical_ids, *([target.logical_id] if target.logical_id is not None else ())}


def reason_of(target: ForgetTarget) -> TombstoneReason:
    """Return what a tombstone says of why."""
    if target.logical_id is not None:
        return TombstoneReason.FORGOTTEN_BY_PERSON
    if target.mention is not None:
        return TombstoneReason.MENTION_FORGOTTEN
    if target.source is not None:
        return TombstoneReason.SOURCE_FORGOTTEN
    if target.since is not None:
        return TombstoneReason.ROLLED_BACK
    return TombstoneReason.CATEGORY_CLEARED if target.category is not None else TombstoneReason.EVERYTHING_FORGOTTEN


def _named(person: Person, reading: Reading, snapshot: Snapshot, target: ForgetTarget) -> _Reached:
    columns, handles = snapshot.columns, frozenset[str]()
    rows = columns.rows()
    if target.logical_id is not None:
        row = columns.row_of.get(target.logical_id)
        rows = [row] if row is not None else []
    elif target.mention is not None:
        rows, handles = named_rows(person, reading, snapshot, target.mention)
        if not handles:
            raise UnknownMemoryError("nobody of this name or handle is mentioned")
    elif target.source is not None:
        rows = [row for row in rows if is_from(columns.packs[row], target.source)]
    elif target.since is not None:
        since = to_micros(target.since)
        created = reading.created_of(person.tenant, person.person, [columns.keys[row] for row in rows])
        rows = [row for row in rows if created.get(columns.keys[row], since) >= since]
    elif target.category is not None:
        rows = [row for row in rows if was_ever(person, reading, columns, row, target.category)]
    return _Reached(columns, rows, reason_of(target), handles=handles)


def _count(person: Person, reading: Reading, reached: _Reached, *, held: int = 0) -> ForgetPreview:
    names = reached.logical_ids
    revisions = len(reading.blobs_of(person.tenant, person.person, names))
    usage = len(reading.usage_of(person.tenant, person.person, names))
    gone = set(names)
    asked = sum(bool({pending.existing_id, pending.draft_id} & gone) for pending in waiting(person, reading))
    counts = {"memories": len(names), "revisions": revisions - usage, "usage records": usage, "questions": asked}
    copies = set(copies_of(reading, person.tenant, person.person, gone)) - gone
    if copies:
        counts["read-only copies"] = len(copies)
    if reached.handles:
        counts["handles"] = len(reached.handles & {one.handle for one in person.snapshot.mentions.values()})
    stays: tuple[str, ...] = STAYS_AFTER_FORGET
    if reached.derived & gone:
        counts["derived"] = len(reached.derived & gone)
    if held:
        counts["held"] = held
        stays = (*stays, STAYS_HELD)
    return ForgetPreview(memories=len(names), revisions=revisions - usage, reached=counts, stays=stays)


def _texts(person: Person, reading: Reading, reached: _Reached) -> list[str]:
    """Return every wording of memories, earlier revisions included, once each."""
    texts = set()
    for row in reached.rows:
        body, revision = wording(reached.columns.packs[row])
        texts.add(body)
        if revision > 1:
            rows = reading.revisions(person.tenant, person.person, reached.columns.keys[row])
            texts.update(wording(packed.pack)[0] for packed in person.open_entries(rows))
    return sorted(texts)


def _record_blobs(person: Person, reading: Reading) -> tuple[bytes, ...]:
    """Return the sealed bytes of a person's records of every kind."""
    tenant, subject = person.tenant, person.person
    rows = (
        row
        for kind in RecordKind
        for row in reading.records(tenant, subject, kind, limit=_PARTS_SEARCHED if kind in _LARGE else None)
    )
    return tuple(row.blob for row in rows if row.blob)


def _wrapped(instruments: Instruments, intent: Intent) -> list[bytes]:
    numbers = None if intent.whole_person else intent.slots
    return instruments.vault.wrapped_slots(intent.tenant, intent.person, numbers)


def _close(instruments: Instruments, going: Going, gone: Gone, wrapped: list[bytes], *, scan: bool) -> ForgetReceipt:
    """Scrub, search, and say so: the completion wrote a receipt; this one comes in its place."""
    intent = going.intent
    scrubbed = scrub_files(instruments)
    residue = _look(instruments, going, wrapped) if scan else None
    now = instruments.clock.now()

    def work(tx: Transaction) -> ForgetReceipt:
        receipt = receipt_of(instruments, tx, intent, gone, now=now, scrubbed=scrubbed, residue=residue)
        put_receipt(instruments, tx, receipt)
        if receipt.is_complete:
            drop_mark(tx, intent.tenant, intent.receipt_id)
        return receipt

    return instruments.store.write(work, durable=True)


def finish_forgets(instruments: Instruments) -> int:
    """Finish every forget that was interrupted, each with a receipt; return how many there were."""
    return finish_pending(instruments)


def _look(instruments: Instruments, going: Going, wrapped: list[bytes]) -> ResidueFinding | None:
    """Search every file for what should be gone; None where the search did not come to its end."""
    patterns = [("text", text.encode()) for text in going.texts]
    patterns += [("ciphertext", blob) for blob in going.blobs]
    patterns += [("wrapped key", key) for key in wrapped]
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


def _let_doubts_go(instruments: Instruments, person: Person, target: ForgetTarget, now: datetime) -> None:
    """Let go of statements that wait for the person's word and that a target names: no store holds them."""
    unsettled = instruments.people.unsettled
    if target.everything:
        unsettled.drop(person.person)
    tag = name_tag(person, target.mention) if target.mention is not None else None
    for doubt in unsettled.of(person.person, now=now):
        said = doubt.statement
        if (
            target.category in {said.category, *doubt.asked.looks_like}
            or (target.since is not None and doubt.asked_at >= target.since)
            or (target.source is not None and any(link.ref == target.source for link in said.provenance))
            or (tag is not None and said.actor is not None and name_tag(person, said.actor.name) == tag)
        ):
            unsettled.settle(person.person, doubt.asked.question_id)


def _is_among(target: ForgetTarget, texts: set[str], doubt: Inference) -> bool:
    """Say whether the words of a question go with what is forgotten."""
    return target.everything or doubt.category is target.category or doubt.body in texts


def _require_one(target: ForgetTarget) -> None:
    named = [
        target.logical_id is not None,
        target.category is not None,
        target.everything,
        target.source is not None,
        target.since is not None,
        target.mention is not None,
    ]
    if sum(named) != 1:
        raise ContractError("forget names exactly one: a memory, a category, a source, a time, a mention, everything")


def _nothing(target: ForgetTarget) -> ForgetPreview:
    if target.logical_id is not None:
        raise unknown()
    if target.mention is not None:
        raise UnknownMemoryError("nobody of this name or handle is mentioned")
    return ForgetPreview(memories=0, revisions=0, reached={}, stays=STAYS)


def _nobody() -> ForgetReceipt:
    raise unknown()
