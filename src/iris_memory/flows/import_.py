"""Import: take in an export of another product, row by row, resumable and idempotent.

Laws:
* what comes in has origin `imported` and label `import`; nothing becomes user-stated;
* a row that looks sensitive or like an instruction is held by reference: the place in the source and a keyed
  commitment, no words; it is counted, listed for the person, and taken in by a later run when consent or the person's
  word has come;
* each row is taken once, whatever happens to the memory afterwards: what was forgotten does not come back by import.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import category_consent
from iris_memory.contracts.decision import HoldReason, RefusalReason
from iris_memory.contracts.entry import SUBJECT_MOST, Label, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.scope import AdapterScope, ProfileScope, Scope, ScopeKind, SessionScope
from iris_memory.contracts.shape import Contract, Identifier, Instant
from iris_memory.contracts.write import Refused, Statement, WriteOutcome
from iris_memory.errors import ContractError
from iris_memory.flows.announcing import announce_writes
from iris_memory.flows.composing import Composer, Draft
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.remember import packed_rows, store_drafts, tell
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.formats import Author, Format, ImportRow, Row, Unreadable, open_source, read
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.screening import Screening, screen
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES
from iris_memory.tables.categories import is_sensitive

_BATCH = 500
_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)


class Into(StrEnum):
    """Where imported memory lives: in the profile, or each in the conversation it came from."""

    PROFILE = "profile"
    CONVERSATION = "conversation"


def _silent(rows: int) -> None:
    del rows


@dataclass(frozen=True, slots=True)
class ImportWish:
    """How to import. `accept` names held refs that the person wants taken in as they are."""

    dry_run: bool = False
    into: Into = Into.PROFILE
    authors: frozenset[Author] = frozenset({Author.USER, Author.ASSISTANT, Author.UNKNOWN})
    accept: frozenset[str] = frozenset()
    progress: Callable[[int], None] = _silent


class Held(Contract):
    """A row that waits for the person: where it stands in the source, why, and what would let it in. No words."""

    ref: str
    reason: HoldReason
    rule: str
    needs: Annotated[tuple[str, ...], Field(strict=False)] = ()
    held_at: Instant
    commitment: str


@dataclass(slots=True)
class ImportReport:
    """What became of every row of a source."""

    read: int = 0
    taken: int = 0
    already: int = 0
    merged: int = 0
    held: Counter[str] = field(default_factory=Counter)
    held_refs: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    without_time: int = 0
    refused: Refused | None = None
    dry_run: bool = False


class _Judged(NamedTuple):
    """A row and what is to be done with it: a statement, or a reason to hold it."""

    row: ImportRow
    key: str
    statement: Statement | None
    reason: HoldReason | None
    rule: str
    needs: tuple[str, ...]


def import_file(
    instruments: Instruments,
    caller: Caller,
    path: Path,
    format: Format,
    wish: ImportWish,
    *,
    session_id: str | None = None,
) -> ImportReport:
    """Import a file. Without the consents its scope needs, or off the record, nothing is read.

    Raises:
        FormatError: the file is not in the format named.
    """
    report = ImportReport(dry_run=wish.dry_run)
    adapter = AdapterScope.ASSISTANT_PROFILE if wish.into is Into.PROFILE else AdapterScope.CONVERSATION
    report.refused = _refused_whole(instruments, caller, adapter, session_id)
    if report.refused is not None:
        return report
    with open_source(path) as stream:
        rows = _counted(read(stream, format=format), report, wish)
        rehearsal: list[Composer] = []
        while batch := list(islice(rows, _BATCH)):
            take = partial(
                _take, instruments, caller, batch=batch, wish=wish, report=report, session_id=session_id, kept=rehearsal
            )
            with_person(instruments, caller, take)
            wish.progress(report.read)
    if not wish.dry_run:
        _close(instruments, caller, format, report)
    return report


def held(instruments: Instruments, caller: Caller) -> list[Held]:
    """Return the rows that wait for the person, oldest first."""

    def attempt(person: Person) -> list[Held]:
        with instruments.store.read() as reading:
            rows = reading.records(person.tenant, person.person, RecordKind.HOLD)
        opened = [Held.model_validate_json(plain) for row in rows if (plain := person.open_record(row)) is not None]
        return sorted(opened, key=lambda one: (one.held_at, one.ref))

    return with_known_person(instruments, caller, attempt, nobody=list)


def _counted(rows: Iterable[Row], report: ImportReport, wish: ImportWish) -> Iterator[ImportRow]:
    for row in rows:
        report.read += 1
        if isinstance(row, Unreadable):
            report.unreadable[row.reason.value] += 1
        elif row.author not in wish.authors:
            report.left_out[row.author.value] += 1
        else:
            yield row


def _take(
    instruments: Instruments,
    caller: Caller,
    person: Person,
    *,
    batch: list[ImportRow],
    wish: ImportWish,
    report: ImportReport,
    session_id: str | None,
    kept: list[Composer],
) -> None:
    now = instruments.clock.now()
    looks = [screen(row.text) for row in batch]  # before the transaction: nobody waits for it
    if not wish.dry_run:
        person.ensure_slots(2 * len(batch))

    def work(tx: Transaction) -> tuple[Callable[[], Snapshot], list[WriteOutcome]]:
        snapshot = person.read(tx)
        composer = kept[0] if kept else Composer(instruments, caller, person, snapshot, now)
        if wish.dry_run:
            kept[:] = [composer]  # nothing is written, so what was decided before is known to the composer alone
        consents = snapshot.consents(now)
        already, drafts, holds = 0, [], []
        for row, look in zip(batch, looks, strict=True):
            # a place in a source may hold other words in another file: both are rows of their own
            key = person.tag("import-row", row.ref, row.text)
            if tx.record(person.tenant, person.person, RecordKind.IMPORT, key) is not None:
                already += 1
                continue
            judged = _judge(row, key, look, caller, consents, wish, now, session_id=session_id)
            draft = _compose(composer, judged)
            if draft is not None and isinstance(draft.outcome, Refused):
                judged, draft = _refused(judged, draft.outcome), None
            if draft is None:
                holds.append(judged)
            else:
                drafts.append((judged, draft))
        if not wish.dry_run:
            snapshot = _write(person, tx, composer, snapshot, drafts, holds, now)
        return lambda: _report(report, snapshot, already, drafts, holds), [draft.outcome for _, draft in drafts]

    settle, outcomes = instruments.store.write(work, durable=not wish.dry_run)
    person.publish(settle())
    if not wish.dry_run:
        announce_writes(instruments, caller, person, outcomes)


def _write(
    person: Person,
    tx: Transaction,
    composer: Composer,
    snapshot: Snapshot,
    drafts: list[tuple[_Judged, Draft]],
    holds: list[_Judged],
    now: datetime,
) -> Snapshot:
    if not drafts and not holds:
        return snapshot
    written = [draft for _, draft in drafts if draft.is_new]
    seq = tx.bump(person.tenant, person.person) if written else snapshot.state.version
    store_drafts(person, tx, composer, written, seq=seq)
    for judged, _ in drafts:
        tx.put_record(
            person.tenant, person.person, person.record(RecordKind.IMPORT, judged.key, None, seq=seq, now=now)
        )
    tx.drop_records(person.tenant, person.person, RecordKind.HOLD, [judged.key for judged, _ in drafts])
    for judged in holds:
        reason, known = judged.reason or HoldReason.REFUSED_BY_RULE, _held_as(person, tx, judged.key)
        if known is None or (known.reason, known.needs) != (reason, judged.needs):
            waiting = Held(
                ref=judged.row.ref,
                reason=reason,
                rule=judged.rule,
                needs=judged.needs,
                held_at=known.held_at if known else now,
                commitment=person.tag("import-hold", judged.row.text),
            )
            tx.put_record(
                person.tenant, person.person, person.record(RecordKind.HOLD, judged.key, waiting, seq=seq, now=now)
            )
    if drafts:
        tell(person, tx, [draft for _, draft in drafts], written, now=now)
    if holds:
        write_event(
            tx,
            person.tenant,
            action=AuditAction.IMPORT_HELD,
            policy=WRITE_POLICY,
            person=person.person,
            now=now,
            facts={"held": dict(sorted(Counter(str(judged.reason) for judged in holds).items()))},
        )
    return snapshot.after_writing(packed_rows(written), version=seq)


def _held_as(person: Person, reading: Reading, key: str) -> Held | None:
    row = reading.record(person.tenant, person.person, RecordKind.HOLD, key)
    plain = person.open_record(row) if row is not None else None
    return Held.model_validate_json(plain) if plain is not None else None


def _report(
    report: ImportReport,
    snapshot: Snapshot,
    already: int,
    drafts: list[tuple[_Judged, Draft]],
    holds: list[_Judged],
) -> Snapshot:
    report.already += already
    report.taken += sum(draft.is_new for _, draft in drafts)
    report.merged += sum(not draft.is_new for _, draft in drafts)
    report.without_time += sum(judged.row.said_at is None for judged, _ in drafts)
    for judged in holds:
        report.held[str(judged.reason)] += 1
        report.held_refs.append(judged.row.ref)
    return snapshot


def _judge(
    row: ImportRow,
    key: str,
    found: Screening,
    caller: Caller,
    consents: frozenset[str],
    wish: ImportWish,
    now: datetime,
    *,
    session_id: str | None,
) -> _Judged:
    category = Category(row.category) if row.category in set(Category) else Category.OTHER
    accepted = row.ref in wish.accept
    if found.instruction_like and not accepted:
        return _Judged(row, key, None, HoldReason.INSTRUCTION_LIKE, " ".join(found.rules), ())
    if found.sensitive and not is_sensitive(category):  # the person's word does not stand for the consent
        needs = tuple(
            name for name in (category_consent(suspect) for suspect in found.sensitive) if name not in consents
        )
        if needs:
            return _Judged(row, key, None, HoldReason.SENSITIVE_LOOKING, " ".join(found.rules), needs)
        category = found.sensitive[0]
    try:
        statement = _statement(row, category, caller, wish, now, session_id=session_id)
    except ValidationError:
        return _Judged(row, key, None, HoldReason.REFUSED_BY_RULE, "the row breaks the contract of a statement", ())
    return _Judged(row, key, statement, None, "", ())


def _compose(composer: Composer, judged: _Judged) -> Draft | None:
    if judged.statement is None:
        return None
    try:
        return composer.compose(judged.statement, screened=True)
    except ContractError as problem:
        return Draft(Refused(reason=RefusalReason.EMPTY_AFTER_CLEANING, rule=str(problem)))


def _statement(
    row: ImportRow, category: Category, caller: Caller, wish: ImportWish, now: datetime, *, session_id: str | None
) -> Statement:
    conversation = _session_name(row.conversation) if wish.into is Into.CONVERSATION else None
    link = ProvenanceLink(
        kind=ProvenanceKind.MANUAL_IMPORT, ref=row.ref, captured_at=row.said_at or now, label=Label.IMPORT
    )
    return Statement(
        body=row.text,
        category=category,
        subject=row.subject[:SUBJECT_MOST] if row.subject else None,
        scope=SessionScope(user_id=caller.user, session_id=conversation)
        if conversation
        else ProfileScope(user_id=caller.user),
        adapter_scope=AdapterScope.CONVERSATION if conversation else AdapterScope.ASSISTANT_PROFILE,
        session_id=session_id,
        origin=Origin.IMPORTED,
        label=Label.IMPORT,
        provenance=(link,),
    )


def _session_name(conversation: str | None) -> str | None:
    """Return a conversation's name as a session id; one that cannot be an identifier is named by its digest."""
    if not conversation:
        return None
    try:
        return _IDENTIFIER.validate_python(conversation, strict=True)
    except ValidationError:
        return "conversation-" + sha256(conversation.encode()).hexdigest()[:32]


def _refused_whole(
    instruments: Instruments, caller: Caller, adapter: AdapterScope, session_id: str | None
) -> Refused | None:
    """Return why nothing of a source may come in; None where its rows may be looked at."""
    scope: Scope = ProfileScope(user_id=caller.user)
    if ADAPTER_SCOPES[adapter].kind is ScopeKind.SESSION:
        scope = SessionScope(user_id=caller.user, session_id="import")

    def attempt(person: Person) -> Refused | None:
        composer = Composer(instruments, caller, person, current(instruments, person), instruments.clock.now())
        return composer.admit(Category.OTHER, scope, adapter, sensitive=False, session_id=session_id)

    def nobody() -> Refused | None:
        needs = tuple(consent.value for consent in ADAPTER_SCOPES[adapter].required_consents)
        return Refused(reason=RefusalReason.CONSENT_MISSING, rule="nothing is known of the person yet", needs=needs)

    return with_known_person(instruments, caller, attempt, nobody=nobody)


def _refused(judged: _Judged, refused: Refused) -> _Judged:
    reasons = {
        RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT: HoldReason.CONSENT_MISSING,
        RefusalReason.FORGOTTEN_BEFORE: HoldReason.FORGOTTEN_BEFORE,
        RefusalReason.CONFLICT_KEPT_EXISTING: HoldReason.CONFLICT,
    }
    reason = reasons.get(refused.reason, HoldReason.REFUSED_BY_RULE)
    return judged._replace(
        statement=None, reason=reason, rule=f"{refused.reason.value}: {refused.rule}", needs=refused.needs
    )


def _close(instruments: Instruments, caller: Caller, format: Format, report: ImportReport) -> None:
    now = instruments.clock.now()

    def attempt(person: Person) -> None:
        instruments.store.write(
            lambda tx: write_event(
                tx,
                person.tenant,
                action=AuditAction.IMPORT_COMPLETED,
                policy=WRITE_POLICY,
                person=person.person,
                now=now,
                facts={
                    "format": format.value,
                    "read": report.read,
                    "taken": report.taken,
                    "already": report.already,
                    "merged": report.merged,
                    "held": dict(sorted(report.held.items())),
                    "left_out": dict(sorted(report.left_out.items())),
                    "unreadable": dict(sorted(report.unreadable.items())),
                },
            ),
            durable=True,
        )

    with_person(instruments, caller, attempt)
