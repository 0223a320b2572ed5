"""Sweep: end what has outlived its envelope, person by person, with a summary where the scope keeps one.

A page of a person's due memories is read and condensed; then one transaction writes the summaries, hides the sources
and keeps the intent to destroy them (see `flows.forgetting`). So a kill at any point leaves either everything as it was
or an intent that the next opening finishes, and running again finds nothing twice. What changed between the look and
the transaction is left to the next look: a memory that was forgotten meanwhile is in no summary.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from iris_memory.contracts.audit import FORGET_POLICY, AuditAction
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import MemoryEntry, TombstoneReason
from iris_memory.contracts.retaining import Fate, SweepReport
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import to_micros
from iris_memory.contracts.write import Written
from iris_memory.errors import IrisError, KeyDestroyedError
from iris_memory.flows.answer import drafts_take_over
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.forget import finish_forgets
from iris_memory.flows.forgetting import Going, destroy, intend, scrub
from iris_memory.flows.govern import tenant_settings
from iris_memory.flows.held import held_among
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.remember import store_drafts
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.summarize import Made, condense
from iris_memory.ports.rows import EntryRow, RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.recall.packing import unpack
from iris_memory.rules.compaction import gather, summary_of
from iris_memory.rules.integrity import above_ceiling
from iris_memory.rules.retention import fate
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, REVIEW_GRACE

PAGE: Final = 1_000
"""Due memories that are looked at, and go, at a time."""

EXPIRING: Final = (
    RecordKind.IDEMPOTENCY,
    RecordKind.HOLD,
    RecordKind.OBSERVATION,
    RecordKind.WRITE_BUDGET,
    RecordKind.SHADOW,
    RecordKind.INSPECTION_PACE,
    RecordKind.CONTINUATION,
    RecordKind.CONTINUATION_KEY,
    RecordKind.DEVICE_NOTICE,
    RecordKind.TURN,
    RecordKind.TURN_TEXT,
    RecordKind.BRIDGE_SESSION,
)
"""Records without words that are of no use after their expiry; questions are ended by `let_drafts_go`."""

_SCRUB_EVERY: Final = 64
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Counts:
    """What a sweep has found and done so far."""

    people: int = 0
    unreadable: int = 0
    summaries: int = 0
    postponed: int = 0
    held: int = 0
    again: int = 0
    fates: Counter[Fate] = field(default_factory=Counter)
    scopes: Counter[AdapterScope] = field(default_factory=Counter)
    is_scrubbed: bool = True


class _Handful(NamedTuple):
    """Memories that become one summary, and what it says; None where nothing may be kept of them."""

    sources: list[MemoryEntry]
    fate: Fate
    made: Made | None


class _Plan(NamedTuple):
    """What becomes of one page."""

    handfuls: list[_Handful]
    ending: list[MemoryEntry]
    in_review: list[MemoryEntry]


class _Done(NamedTuple):
    """What one transaction did."""

    going: Going | None
    ended: Counter[Fate]
    scopes: Counter[AdapterScope]
    summaries: int
    postponed: int
    held: int
    again: int


def sweep(instruments: Instruments, *, dry_run: bool = False) -> SweepReport:
    """Enforce the envelope of every memory of everybody; with `dry_run` say what is due and change nothing."""
    now = instruments.clock.now()
    finished = 0 if dry_run else finish_forgets(instruments)
    counts = _Counts()
    known = {(person.tenant, person.person) for person in instruments.people.known()}
    marks: list[tuple[str, str]] = []
    for tenant, subject, over in _everybody(instruments, now):
        try:
            user = _user_of(instruments, tenant, subject, now, over=over)
            if user is None:
                continue
            counts.people += 1
            one = _One(Caller(tenant, user), subject, over=over, dry_run=dry_run)
            for going in _sweep_person(instruments, one, counts, now):
                marks.append((tenant, going.intent.receipt_id))
                if len(marks) >= _SCRUB_EVERY:
                    counts.is_scrubbed &= scrub(instruments, marks)
                    marks.clear()
            if (tenant, subject) not in known:
                instruments.people.drop(tenant, user)  # everybody at once would be more than a process has room for
        except (IrisError, OSError) as problem:
            counts.unreadable += 1
            _log.warning("a person's memory could not be swept: %s", type(problem).__name__)
    counts.is_scrubbed &= scrub(instruments, marks)
    expired = _expired_records(instruments, now, dry_run=dry_run)
    return _report(counts, now, dry_run=dry_run, expired=expired, finished=finished)


def _report(counts: _Counts, now: datetime, *, dry_run: bool, expired: int, finished: int) -> SweepReport:
    return SweepReport(
        at=now,
        dry_run=dry_run,
        people=counts.people,
        due=counts.fates.total() + counts.postponed + counts.held + counts.again,
        summarized=counts.fates[Fate.SUMMARIZE],
        aggregated=counts.fates[Fate.AGGREGATE],
        summaries=counts.summaries,
        ended=counts.fates[Fate.END],
        in_review=counts.fates[Fate.REVIEW],
        postponed=counts.postponed,
        held=counts.held,
        again=counts.again,
        unreadable=counts.unreadable,
        expired_records=expired,
        finished_forgets=finished,
        files_scrubbed=counts.is_scrubbed,
        by_scope={scope: counts.scopes[scope] for scope in AdapterScope if counts.scopes[scope]},
    )


class _One(NamedTuple):
    """Whose memory is swept, and how: `over` where the tenant's contract has ended."""

    caller: Caller
    subject: str
    over: bool
    dry_run: bool


def _everybody(instruments: Instruments, now: datetime) -> Iterator[tuple[str, str, bool]]:
    """Yield tenant, pseudonym and whether the tenant's contract has ended, of everybody."""
    with instruments.store.read() as reading:
        tenants = reading.tenants()
    for tenant in tenants:
        ends = tenant_settings(instruments, tenant).contract_ends_at
        for subject in instruments.vault.subjects(tenant):
            yield tenant, subject, ends is not None and ends <= now


def _user_of(instruments: Instruments, tenant: str, subject: str, now: datetime, *, over: bool) -> str | None:
    """Return the user behind a pseudonym that has something due; None where nothing is.

    No link leads from a pseudonym to a user: the memory itself says whose it is.

    Raises:
        KeyDestroyedError: there is a memory and no key for it.
    """
    with instruments.store.read() as reading:
        rows = reading.due(tenant, subject, to_micros(now), limit=1)
        if over and not rows:
            rows = reading.entries_since(tenant, subject, -1)[:1]
    if not rows:
        return None
    opened = instruments.vault.open_subject(tenant, subject)
    if opened is None:
        return None  # erased meanwhile
    person = Person(
        opened,
        "",
        tenant_key=instruments.vault.tenant_key(tenant),
        vault=instruments.vault,
        secret=instruments.ids.secret,
    )
    entries = person.open_entries(rows)
    if not entries:
        raise KeyDestroyedError("a memory has no key and was not forgotten; restore the newest copy of the vault")
    return unpack(entries[0].pack).user_id


def _sweep_person(instruments: Instruments, one: _One, counts: _Counts, now: datetime) -> Iterator[Going]:
    """Sweep one person a page at a time; yield what has to be scrubbed away."""
    after: tuple[int, str] | None = (-1, "")
    while after is not None:

        def attempt(person: Person, after: tuple[int, str] = after) -> tuple[Going | None, tuple[int, str] | None]:
            if person.person != one.subject:
                raise KeyDestroyedError("the person was erased; what comes after belongs to a new subject")
            rows = _page(instruments, person, after, now, over=one.over)
            if not rows:
                return None, None
            going = _sweep_page(instruments, one, person, rows, counts, now)
            return going, (rows[-1].seq, rows[-1].logical_id)

        going, after = with_known_person(instruments, one.caller, attempt, nobody=lambda: (None, None))
        if going is not None:
            yield going


def _page(
    instruments: Instruments, person: Person, after: tuple[int, str], now: datetime, *, over: bool
) -> list[EntryRow]:
    with instruments.store.read() as reading:
        if not over:
            return reading.due(person.tenant, person.person, to_micros(now), after=after, limit=PAGE)
        living = reading.entries_since(person.tenant, person.person, max(after[0] - 1, -1))
        return [row for row in living if (row.seq, row.logical_id) > after][:PAGE]


def _sweep_page(
    instruments: Instruments,
    one: _One,
    person: Person,
    rows: Sequence[EntryRow],
    counts: _Counts,
    now: datetime,
) -> Going | None:
    snapshot = current(instruments, person)
    if not snapshot.is_whole:
        raise KeyDestroyedError("a decision of the person cannot be opened; restore the newest copy of the vault")
    opened = person.open_entries(rows)
    if len(opened) < len(rows):
        living = _living(snapshot, [row.entry_id for row in rows])
        if len(opened) < len(living):
            raise KeyDestroyedError("a memory has no key and was not forgotten; restore the newest copy of the vault")
    entries = [unpack(packed.pack) for packed in opened]
    with instruments.store.read() as reading:
        names = [entry.logical_id for entry in entries]
        held = held_among(instruments, reading, person.tenant, person.person, names, now=now)
    counts.held += len(held)
    entries = [entry for entry in entries if entry.logical_id not in held]
    plan = _plan(instruments, one, person, snapshot, entries, now)
    if one.dry_run:
        _foresee(plan, counts)
        return None
    if not plan.handfuls and not plan.ending:
        counts.fates[Fate.REVIEW] += len(plan.in_review)
        counts.scopes.update(entry.adapter_scope for entry in plan.in_review)
        return None
    person.ensure_slots(len(plan.handfuls) + 1)

    def work(tx: Transaction) -> tuple[_Done, Snapshot]:
        fresh = person.read(tx)
        return _enforce(instruments, one.caller, person, tx, fresh, plan, now), fresh

    done, fresh = instruments.store.write(work, durable=True)
    person.publish(fresh)
    counts.fates += done.ended
    counts.fates[Fate.REVIEW] += len(plan.in_review)
    counts.scopes += done.scopes
    counts.scopes.update(entry.adapter_scope for entry in plan.in_review)
    counts.summaries += done.summaries
    counts.postponed += done.postponed
    counts.held += done.held
    counts.again += done.again
    if done.going is not None:
        destroy(instruments, person, done.going)
    return done.going


def _living(snapshot: Snapshot, entry_ids: Sequence[str]) -> list[str]:
    living = {snapshot.columns.ids[row] for row in snapshot.columns.rows()}
    return [name for name in entry_ids if name in living]


def _plan(
    instruments: Instruments,
    one: _One,
    person: Person,
    snapshot: Snapshot,
    entries: Sequence[MemoryEntry],
    now: datetime,
) -> _Plan:
    by_fate: dict[Fate, list[MemoryEntry]] = {kind: [] for kind in Fate}
    for entry in entries:
        found = fate(entry, now=now, contract_ended=one.over)
        if found is not None:
            by_fate[found].append(entry)
    admission = _Admission(instruments, one.caller, person, snapshot, now)
    handfuls = []
    for wanted in (Fate.SUMMARIZE, Fate.AGGREGATE):
        for sources in gather(by_fate[wanted]):
            # nothing is read for a summary that may not be stored
            is_open = admission.refusal(sources[0]) is None
            made = condense(instruments.summarizer, person, snapshot, sources, wanted) if is_open else None
            handfuls.append(_Handful(sources, wanted, made))
    return _Plan(handfuls, by_fate[Fate.END], by_fate[Fate.REVIEW])


def _foresee(plan: _Plan, counts: _Counts) -> None:
    for handful in plan.handfuls:
        counts.fates[handful.fate if handful.made is not None else Fate.END] += len(handful.sources)
        counts.summaries += handful.made is not None
        counts.scopes.update(entry.adapter_scope for entry in handful.sources)
    counts.fates[Fate.END] += len(plan.ending)
    counts.fates[Fate.REVIEW] += len(plan.in_review)
    counts.scopes.update(entry.adapter_scope for entry in (*plan.ending, *plan.in_review))


class _Admission:
    """May a summary be stored? By the rules of any statement, for a consumer that the scope is open to."""

    def __init__(
        self, instruments: Instruments, caller: Caller, person: Person, snapshot: Snapshot, now: datetime
    ) -> None:
        self._composers = {
            consumer: Composer(instruments, Caller(caller.tenant, caller.user, consumer), person, snapshot, now)
            for consumer in _CONSUMERS
        }

    def composer(self, entry: MemoryEntry) -> Composer:
        return self._composers[_CONSUMER_OF[entry.adapter_scope]]

    def refusal(self, entry: MemoryEntry) -> RefusalReason | None:
        refused = self.composer(entry).admit_entry(entry, session_id=None)
        return refused.reason if refused is not None else None


_CONSUMER_OF: Final = {
    scope: Consumer.ASSISTANT if Consumer.ASSISTANT in row.consumers else min(row.consumers)
    for scope, row in ADAPTER_SCOPES.items()
}
_CONSUMERS: Final = frozenset(_CONSUMER_OF.values())


def _enforce(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    tx: Transaction,
    snapshot: Snapshot,
    plan: _Plan,
    now: datetime,
) -> _Done:
    """Write the summaries and hide what ends, against what holds in this transaction."""
    columns = snapshot.columns
    admission = _Admission(instruments, caller, person, snapshot, now)
    named = [entry.logical_id for handful in plan.handfuls for entry in handful.sources]
    named += [entry.logical_id for entry in plan.ending]
    held = held_among(instruments, tx, person.tenant, person.person, named, now=now)
    drafts: list[tuple[Draft, Composer]] = []
    leaving: list[MemoryEntry] = []
    ended: Counter[Fate] = Counter()
    again = postponed = kept = 0

    def is_same(entry: MemoryEntry) -> bool:
        row = columns.row_of.get(entry.logical_id)
        return row is not None and columns.ids[row] == entry.id

    for sources, wanted, made in (*plan.handfuls, *(([entry], Fate.END, None) for entry in plan.ending)):
        if not all(map(is_same, sources)):
            again += sum(map(is_same, sources))  # what is gone needs nothing more
            continue
        if any(entry.logical_id in held for entry in sources):
            kept += len(sources)
            continue
        refusal = admission.refusal(sources[0]) if wanted is not Fate.END else None
        if refusal is RefusalReason.OFF_THE_RECORD and _may_wait(sources, now):
            postponed += len(sources)
            continue
        leaving += sources
        composer = admission.composer(sources[0])
        entry = None if refusal is not None or made is None else _summary(instruments, composer, sources, made, now)
        if entry is not None:
            drafts.append((Draft(Written(entry=entry), entry=entry, is_new=True), composer))
        ended[wanted if entry is not None else Fate.END] += len(sources)
    if not leaving:
        return _Done(None, ended, Counter(), 0, postponed, kept, again)
    written = [draft for draft, _ in drafts]
    if written:
        store_drafts(person, tx, drafts[0][1], written, seq=tx.bump(person.tenant, person.person))
    names = {entry.logical_id for entry in leaving}
    going = intend(
        instruments, tx, person.tenant, person.person, sorted(names), reason=TombstoneReason.RETENTION_ENDED, now=now
    )
    drafts_take_over(instruments, caller, person, tx, snapshot, gone=names, now=now)
    _tell(tx, person, written, going, ended, now)
    scopes = Counter(entry.adapter_scope for entry in leaving)
    return _Done(going, ended, scopes, len(written), postponed, kept, again)


def _may_wait(sources: Sequence[MemoryEntry], now: datetime) -> bool:
    """Say whether memories of a session that is off the record may wait for it to be on the record again."""
    return all(entry.expires_at is not None and now < entry.expires_at + REVIEW_GRACE for entry in sources)


def _summary(
    instruments: Instruments, composer: Composer, sources: Sequence[MemoryEntry], made: Made, now: datetime
) -> MemoryEntry | None:
    entry = summary_of(
        sources,
        made.digest,
        made_by=made.by,
        entry_id=instruments.ids.entry_id(now),
        consents=composer.consent_entries(sources[0].category),
        now=now,
    )
    if entry.expires_at is not None and entry.expires_at <= now:
        return None  # its own window is over as well: the sweep comes late
    if above_ceiling(entry.label, entry.origin, entry.category) is not None:
        return None
    return entry if composer.refuse_forgotten(entry.body) is None else None


def _tell(
    tx: Transaction, person: Person, written: Sequence[Draft], going: Going, ended: Counter[Fate], now: datetime
) -> None:
    write_event(
        tx,
        person.tenant,
        action=AuditAction.RETENTION_SWEPT,
        policy=FORGET_POLICY,
        person=person.person,
        now=now,
        facts={
            "object_ids": [draft.entry.id for draft in written if draft.entry],
            "commitments": [draft.commitment for draft in written],
            "receipt": going.intent.receipt_id,
            "counts": {kind.value: ended[kind] for kind in Fate if ended[kind]},
        },
    )


def drop_expired(instruments: Instruments, now: datetime) -> int:
    """Drop records whose time is over, and before them the keys of those that have one; return how many records.

    A row that is deleted stays in a copy of the store that was made earlier: what it said ends with its key.
    """
    at = to_micros(now)
    slots: dict[tuple[str, str], list[int]] = defaultdict(list)
    with instruments.store.read() as reading:
        for kind in EXPIRING:
            for tenant, subject, row in reading.records_everywhere(kind):
                if row.slot and row.expires_at is not None and row.expires_at <= at:
                    slots[tenant, subject].append(row.slot)
    for (tenant, subject), numbers in slots.items():
        instruments.vault.destroy_slots(tenant, subject, sorted(numbers))
    for person in instruments.people.known():
        person.drop_keys(slots.get((person.tenant, person.person), ()))
    return instruments.store.write(lambda tx: tx.drop_expired(at, EXPIRING), durable=True)


def _expired_records(instruments: Instruments, now: datetime, *, dry_run: bool) -> int:
    at = to_micros(now)
    if not dry_run:
        return drop_expired(instruments, now)
    with instruments.store.read() as reading:
        return sum(
            row.expires_at is not None and row.expires_at <= at
            for kind in EXPIRING
            for _, _, row in reading.records_everywhere(kind)
        )
