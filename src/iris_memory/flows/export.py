"""Export: everything that is held of a person, as one signed zip that they can take elsewhere (DSR-14, DSR-15).

It is made of one state of the store, in bounded memory, and the same state gives the same bytes: its time is when the
request was taken up. It is kept sealed, chunk by chunk, until it is collected. Whatever is forgotten while it waits
takes it along, because it was in it; whatever is forgotten while it is made ends the making.

Details of other people are masked where the subject did not write them. Of poses only aggregates are given. What lives
in a session alone was never stored and is not in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from iris_memory.contracts.audit import RIGHTS_POLICY, AuditAction
from iris_memory.contracts.bundle import ExportedOptOut, ExportedRecord, ExportState, Payload, StoredExport
from iris_memory.contracts.category import Category
from iris_memory.contracts.disclosure import ProcessingInformation
from iris_memory.contracts.entry import BODY_MOST, SUBJECT_MOST, Label, MemoryEntry, Origin, Tombstone, UsageRecord
from iris_memory.contracts.entry import TombstoneReason as Reason
from iris_memory.contracts.rights import ExportPayload, RightsRefusal, RightsRefused, RightsRequest, RightsState
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import from_micros
from iris_memory.errors import ContractError, StoreCorruptError
from iris_memory.flows import exports_kept
from iris_memory.flows.disclose import information_of, recalls_of
from iris_memory.flows.exports_kept import ExportDroppedError, Keeping
from iris_memory.flows.held import holds_of, open_row
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.register import REGISTER
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.rights_records import load_all
from iris_memory.flows.seal import signer_of
from iris_memory.flows.turns import typed_turns
from iris_memory.formats.bundle import INFORMATION, MEMORY_PAYLOADS, PAGE, BundleWriter
from iris_memory.formats.bundle_page import PageFacts, page
from iris_memory.formats.consent_record import consent_record
from iris_memory.formats.sealed_file import Passphrase, Recipient, seal_stream
from iris_memory.masking.others import mask_others
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.columns import Columns
from iris_memory.recall.packing import unpack
from iris_memory.rules.lifecycle import as_superseded
from iris_memory.rules.rights import refuse

PAYLOAD_OF: Final[Mapping[AdapterScope, Payload]] = MappingProxyType(
    {
        AdapterScope.NOTEBOOK: Payload.NOTEBOOKS,
        AdapterScope.SESSION: Payload.SESSION_MEMORY,
        AdapterScope.CONVERSATION: Payload.SESSION_MEMORY,
        AdapterScope.SCENE: Payload.SCENE_MEMORY,
        AdapterScope.POSE: Payload.POSE_MEMORY,
    }
)
"""The payload of a scope's memory; of any other scope it is `memories`."""

_OWN_PAYLOAD: Final = frozenset(
    {
        RecordKind.CONSENT,
        RecordKind.SETTING,
        RecordKind.RECALL,
        RecordKind.RIGHTS,
        RecordKind.LEGAL_HOLD,
        RecordKind.EXPORT,
        RecordKind.EXPORT_PART,
    }
)
"""Records that stand in a payload of their own, or are this export."""

_SAY_NOTHING: Final = frozenset(
    {RecordKind.RIGHTS_CHALLENGE, RecordKind.FORGOTTEN, RecordKind.IMPORT, RecordKind.DECIDED}
)
"""Keyed tags and digests that nobody can read."""

_MACHINE_WORDS: Final = frozenset({RecordKind.INFERENCE_QUESTION})
"""Records whose words the subject did not write."""

_GONE: Final = "there is no export to collect: it was not made, its time is over, or something in it was forgotten"


class _Place(NamedTuple):
    """Where a memory stands in its payload."""

    created: int
    logical_id: str
    row: int


class _Seen(NamedTuple):
    """What the information of Art. 15 asks of a memory."""

    adapter_scope: AdapterScope
    category: Category
    label: Label


@dataclass(slots=True)
class _State:
    """One state of what is held of a person: everything but earlier revisions, which are read page by page."""

    person: Person
    request: RightsRequest
    payload: ExportPayload
    as_of: datetime
    columns: Columns
    places: dict[Payload, list[_Place]]
    small: dict[Payload, list[str]]
    information: ProcessingInformation
    raw_poses: int
    silent: int
    masked: int = 0
    masking_key: bytes = field(default=b"", repr=False)
    typed_turns: frozenset[str] = frozenset()
    """Keys of the turns whose words the subject typed."""

    def mask(self, text: str) -> str:
        """Return a text the subject did not write without details of other people."""
        found = mask_others(text, key=self.masking_key)
        self.masked += len(found.tokens)
        return found.text


def build(instruments: Instruments, caller: Caller, request: RightsRequest) -> StoredExport | RightsRefused | None:
    """Make the export of a request that is in progress, and keep it until it is collected; None where nobody is there.

    What was made before is found made. A kill in the middle leaves a header and chunks that the next try replaces.
    """
    assert isinstance(request.payload, ExportPayload)

    def attempt(person: Person) -> StoredExport | RightsRefused:
        instruments.people.usage.flush(instruments.store)
        with instruments.store.read() as reading:
            known = exports_kept.find(person, reading, request.request_id)
            if known is not None and known.state is not ExportState.BUILDING:
                return known
            state = _state_of(instruments, person, reading, request)
        keeping = Keeping(instruments, person, request, now=instruments.clock.now())
        try:
            counts = _write(instruments, state, keeping)
            return _done(instruments, person, keeping, counts, masked=state.masked)
        except ExportDroppedError:
            return refuse(RightsRefusal.FULFILMENT_REFUSED, "something was forgotten while it was made; make it again")

    return with_known_person(instruments, caller, attempt, nobody=lambda: None)


def stored(instruments: Instruments, caller: Caller, request_id: str) -> StoredExport | RightsRefused:
    """Return where an export stands: how much of it is made, or until when it waits."""

    def attempt(person: Person) -> StoredExport | RightsRefused:
        with instruments.store.read() as reading:
            return exports_kept.find(person, reading, request_id) or _no_export()

    return with_known_person(instruments, caller, attempt, nobody=_no_export)


def collect(
    instruments: Instruments, caller: Caller, request_id: str, *, to: Passphrase | Recipient | None = None
) -> Iterator[bytes] | RightsRefused:
    """Return the bytes of an export; with `to` they are encrypted on the way out, and only there.

    Raises:
        ContractError: it was asked for encrypted, and nobody to encrypt it to is named.
        FormatError: the passphrase is too short, or the key is none.
    """

    def attempt(person: Person) -> Iterator[bytes] | RightsRefused:
        with instruments.store.read() as reading:
            export = exports_kept.find(person, reading, request_id)
        if export is None or export.state is ExportState.BUILDING:
            return _no_export()
        if export.encrypted and to is None:
            raise ContractError("the export was asked for encrypted: give a passphrase or a public key")
        plain = _collecting(instruments, person, export)
        return plain if to is None else seal_stream(plain, to=to, secret=instruments.ids.secret)

    return with_known_person(instruments, caller, attempt, nobody=_no_export)


def discard(instruments: Instruments, caller: Caller, request_id: str) -> bool:
    """Drop an export before its time; say whether there was one."""

    def attempt(person: Person) -> bool:
        with instruments.store.read() as reading:
            known = exports_kept.find(person, reading, request_id)
        if known is not None:
            exports_kept.discard(instruments, person.tenant, person.person, request_id)
        return known is not None

    return with_known_person(instruments, caller, attempt, nobody=lambda: False)


def _collecting(instruments: Instruments, person: Person, export: StoredExport) -> Iterator[bytes]:
    yield from exports_kept.chunks_of(instruments, person, export)
    now = instruments.clock.now()

    def work(tx: Transaction) -> None:
        if exports_kept.mark_collected(instruments, person, tx, export, now=now) is not None:
            _tell(tx, person, AuditAction.EXPORT_COLLECTED, export, now)

    instruments.store.write(work, durable=True)


def _done(
    instruments: Instruments, person: Person, keeping: Keeping, counts: Mapping[Payload, int], *, masked: int
) -> StoredExport:
    now = instruments.clock.now()

    def work(tx: Transaction) -> StoredExport:
        export = keeping.ready(tx, counts)
        _tell(tx, person, AuditAction.EXPORT_MADE, export, now, masked=masked)
        return export

    return instruments.store.write(work, durable=True)


def _tell(
    tx: Transaction, person: Person, action: AuditAction, export: StoredExport, now: datetime, **more: int
) -> None:
    write_event(
        tx,
        person.tenant,
        action=action,
        policy=RIGHTS_POLICY,
        person=person.person,
        now=now,
        facts={
            "object_ids": [export.request_id],
            "counts": {payload.value: count for payload, count in sorted(export.counts.items())},
            "size": export.size,
            **more,
        },
    )


def _state_of(instruments: Instruments, person: Person, reading: Reading, request: RightsRequest) -> _State:
    payload = request.payload
    assert isinstance(payload, ExportPayload)
    snapshot = person.read(reading)
    columns = snapshot.columns
    as_of = next((event.at for event in request.trail if event.event is RightsState.IN_PROGRESS), request.submitted_at)
    created = reading.created_of(person.tenant, person.person, [columns.keys[row] for row in columns.rows()])
    places: dict[Payload, list[_Place]] = {name: [] for name in _wanted(payload)}
    given, raw_poses = [], 0
    for row in columns.rows():
        entry = columns.entry(row)
        into = PAYLOAD_OF.get(entry.adapter_scope, Payload.MEMORIES)
        if into not in places or (payload.scopes and entry.adapter_scope not in payload.scopes):
            continue
        if into is Payload.POSE_MEMORY and entry.origin is not Origin.SUMMARIZED_FROM_SESSION:
            raw_poses += 1
            continue
        given.append(_Seen(entry.adapter_scope, entry.category, entry.label))
        places[into].append(_Place(created.get(columns.keys[row], 0), columns.keys[row], row))
    for found in places.values():
        found.sort()
    small, silent = _small(instruments, person, reading, snapshot, request)
    information = information_of(snapshot, given, as_of)
    state = _State(person, request, payload, as_of, columns, places, small, information, raw_poses, silent)
    state.masking_key = bytes.fromhex(person.tag("export-masking", "others"))
    state.typed_turns = typed_turns(person, reading)
    state.small[Payload.USES] = list(_uses(person, reading, columns, places))
    state.small[Payload.RECORDS] = [_record(instruments, state, row) for row in _records(person, reading)]
    return state


def _wanted(payload: ExportPayload) -> list[Payload]:
    flags = {
        Payload.MEMORIES: True,
        Payload.NOTEBOOKS: payload.include_notebooks,
        Payload.SESSION_MEMORY: payload.include_session_memory,
        Payload.SCENE_MEMORY: payload.include_scene_memory,
        Payload.POSE_MEMORY: payload.include_pose_memory,
    }
    return [name for name in MEMORY_PAYLOADS if flags[name]]


def _small(
    instruments: Instruments, person: Person, reading: Reading, snapshot: Snapshot, request: RightsRequest
) -> tuple[dict[Payload, list[str]], int]:
    """Return what is small enough to be held, by payload, and how many keyed tags say nothing."""
    tenant, subject = person.tenant, person.person
    payload = request.payload
    assert isinstance(payload, ExportPayload)
    small: dict[Payload, list[str]] = {}
    if payload.include_consents:
        small[Payload.CONSENTS] = [_json(consent_record(event)) for event in snapshot.events]
    if payload.include_opt_outs:
        small[Payload.OPT_OUTS] = [ExportedOptOut(name=name).model_dump_json() for name in sorted(snapshot.opt_outs)]
    small[Payload.REQUESTS] = [one.model_dump_json() for one in load_all(person, reading)]
    holds = [one.hold for one in holds_of(instruments, reading, tenant, subject)]
    small[Payload.LEGAL_HOLDS] = [
        hold.model_dump_json() for hold in holds if not hold.is_sealed and hold.confirmed_at is not None
    ]
    small[Payload.TOMBSTONES] = [
        Tombstone(
            logical_id=row.logical_id,
            tenant_id=tenant,
            person=subject,
            created_at=from_micros(row.created_at),
            forgotten_at=from_micros(row.forgotten_at),
            reason=Reason(row.reason),
            receipt_id=row.receipt_id,
        ).model_dump_json()
        for row in reading.tombstones(tenant, subject)
    ]
    silent = sum(len(reading.records(tenant, subject, kind)) for kind in sorted(_SAY_NOTHING))
    return small, silent


def _uses(person: Person, reading: Reading, columns: Columns, places: Mapping[Payload, list[_Place]]) -> Iterator[str]:
    recalls = recalls_of(person, reading)
    for found in places.values():
        for place in found:
            use = columns.use_at(place.row)
            if use.times:
                yield UsageRecord(
                    logical_id=place.logical_id,
                    reference_count=use.times,
                    last_referenced_at=None if use.last is None else from_micros(use.last),
                    recent=tuple(recalls.get(place.logical_id, ())),
                ).model_dump_json()


def _records(person: Person, reading: Reading) -> Iterator[RecordRow]:
    """Return every small record of the person that says something, as the register lists the kinds."""
    for holding in REGISTER:
        if not holding.name.startswith("records: "):
            continue
        kind = RecordKind(holding.name.removeprefix("records: "))
        if kind not in _OWN_PAYLOAD | _SAY_NOTHING:
            yield from reading.records(person.tenant, person.person, kind)


def _opened(instruments: Instruments, person: Person, row: RecordRow) -> bytes | None:
    """Return what a record says; of one that is sealed under the tenant's key, that it is there and no more."""
    try:
        return person.open_record(row)
    except StoreCorruptError:
        open_row(instruments, person.tenant, person.person, row)  # it raises where it is not the tenant's either
        return None


def _record(instruments: Instruments, state: _State, row: RecordRow) -> str:
    plain = _opened(instruments, state.person, row) if row.blob else None
    value = json.loads(plain) if plain is not None else None
    if row.kind in _MACHINE_WORDS or (row.kind is RecordKind.TURN_TEXT and row.key not in state.typed_turns):
        value = _each_text(value, state.mask)
    return ExportedRecord(
        kind=row.kind.value,
        key=row.key,
        created_at=from_micros(row.created_at),
        expires_at=from_micros(row.expires_at) if row.expires_at is not None else None,
        value=value,
    ).model_dump_json()


def _write(instruments: Instruments, state: _State, keeping: Keeping) -> dict[Payload, int]:
    writer, form = BundleWriter(keeping.chunk), state.payload.format
    for name in state.places:
        writer.payload(name, _revisions(instruments, state, name), format=form)
    for name, items in sorted(state.small.items(), key=lambda one: list(Payload).index(one[0])):
        writer.payload(name, items, format=form)
    writer.file(INFORMATION, [state.information.model_dump_json(indent=2) + "\n"])
    left_out = _left_out(state)
    writer.file(PAGE, page(_facts(state, writer.counts, left_out), _current(state)))
    writer.schemas(writer.counts)
    writer.finish(
        signer=signer_of(instruments, state.person.tenant),
        tenant_id=state.person.tenant,
        person=state.person.person,
        request_id=state.request.request_id,
        as_of=state.as_of,
        options=state.payload,
        masked=state.masked,
        left_out=left_out,
    )
    return writer.counts


def _facts(state: _State, counts: Mapping[Payload, int], left_out: tuple[str, ...]) -> PageFacts:
    return PageFacts(
        user_id=state.person.user_id,
        tenant_id=state.person.tenant,
        as_of=state.as_of,
        information=state.information,
        counts=dict(counts),
        masked=state.masked,
        left_out=left_out,
    )


def _left_out(state: _State) -> tuple[str, ...]:
    told = []
    if state.raw_poses:
        told.append(f"pose samples, of which only aggregates are given: {state.raw_poses}")
    if state.silent:
        told.append(f"keyed tags and digests that nobody can read: {state.silent}")
    flags = state.payload
    for name, is_in in (
        ("consents", flags.include_consents),
        ("opt-outs", flags.include_opt_outs),
        ("notebooks", flags.include_notebooks),
        ("session memory", flags.include_session_memory),
        ("scene memory", flags.include_scene_memory),
        ("pose memory", flags.include_pose_memory),
    ):
        if not is_in:
            told.append(f"not asked for: {name}")
    return tuple(told)


def _revisions(instruments: Instruments, state: _State, name: Payload) -> Iterator[str]:
    """Yield every revision of a payload's memories, oldest first, in one pass."""
    person, columns = state.person, state.columns
    for place in state.places[name]:
        newest = columns.entry(place.row)
        if newest.revision > 1:
            with instruments.store.read() as reading:
                rows = reading.revisions(person.tenant, person.person, place.logical_id)
            opened = {packed.entry_id: unpack(packed.pack) for packed in person.open_entries(rows)}
            if newest.id not in opened:
                raise ExportDroppedError
            for row in rows:
                entry = opened.get(row.entry_id)
                if entry is not None and entry.revision < newest.revision:
                    by = row.superseded_by
                    yield _given(state, as_superseded(entry, by=by) if by else entry).model_dump_json()
        yield _given(state, newest).model_dump_json()


def _current(state: _State) -> Iterator[tuple[Payload, MemoryEntry]]:
    """Yield the newest revision of each memory; what is masked was counted when the payload was written."""
    counted = state.masked
    for name, places in state.places.items():
        for place in places:
            yield name, _given(state, state.columns.entry(place.row))
    state.masked = counted


def _given(state: _State, entry: MemoryEntry) -> MemoryEntry:
    """Return an entry as it is given: other people masked unless the subject wrote it (DSR-15)."""
    if entry.label is Label.USER_TYPED:
        return entry
    changes: dict[str, Any] = {"body": state.mask(entry.body)[:BODY_MOST]}
    if entry.subject is not None:
        changes["subject"] = state.mask(entry.subject)[:SUBJECT_MOST]
    actor = entry.multi_actor
    if actor is not None and actor.relationship_note is not None:
        note = state.mask(actor.relationship_note)[:500]
        changes["multi_actor"] = actor.model_copy(update={"relationship_note": note})
    return entry.model_copy(update=changes)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _each_text(part, change) for name, part in value.items()}
    return [_each_text(part, change) for part in value] if isinstance(value, list) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _no_export() -> RightsRefused:
    return refuse(RightsRefusal.NOT_ALLOWED_FROM_STATE, _GONE)
