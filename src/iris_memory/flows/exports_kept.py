"""Exports that wait to be collected: chunks sealed under one slot each, which goes when anything in them is forgotten.

A header says where an export stands; its chunks are sealed under a key derived from the header's slot, so that one
destroyed key takes every copy of an export along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Final

from iris_memory.contracts.bundle import ExportState, Payload, StoredExport
from iris_memory.contracts.rights import ExportPayload, RightsRequest
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import KeyDestroyedError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.tables.limits import EXPORT_COLLECTED_LIFETIME, EXPORT_LIFETIME

KINDS: Final = (RecordKind.EXPORT, RecordKind.EXPORT_PART)


class ExportDroppedError(Exception):
    """An export went while it was being made: something in it was forgotten."""


def find(person: Person, reading: Reading, request_id: str) -> StoredExport | None:
    """Return where a person's export stands; None where there is none."""
    row = reading.record(person.tenant, person.person, RecordKind.EXPORT, request_id)
    plain = person.open_record(row) if row is not None else None
    return StoredExport.model_validate_json(plain) if plain is not None else None


def drop_exports(tx: Transaction, tenant: str, subject: str, *, request_id: str | None = None) -> list[int]:
    """Drop a person's exports, or one; return the slots that are to be destroyed with them."""
    rows = tx.records(tenant, subject, RecordKind.EXPORT)
    if request_id is not None:
        rows = [row for row in rows if row.key == request_id]
    if not rows:
        return []
    if request_id is None:
        tx.drop_records(tenant, subject, RecordKind.EXPORT_PART, None)
    else:
        _drop_parts(tx, tenant, subject, request_id)
    tx.drop_records(tenant, subject, RecordKind.EXPORT, [row.key for row in rows])
    return [row.slot for row in rows if row.slot]


def let_exports_go(instruments: Instruments) -> int:
    """Drop every export whose time is over, and its key; return how many there were."""
    now = to_micros(instruments.clock.now())
    with instruments.store.read() as reading:
        due = [
            (tenant, subject, row.key)
            for tenant, subject, row in reading.records_everywhere(RecordKind.EXPORT)
            if row.expires_at is not None and row.expires_at <= now
        ]
    for tenant, subject, request_id in due:
        discard(instruments, tenant, subject, request_id)
    return len(due)


def discard(instruments: Instruments, tenant: str, subject: str, request_id: str | None) -> None:
    """Drop an export (all of a person's without a name) and destroy its key."""
    slots = instruments.store.write(lambda tx: drop_exports(tx, tenant, subject, request_id=request_id), durable=True)
    if slots:
        instruments.vault.destroy_slots(tenant, subject, slots)
        for person in instruments.people.known():
            if (person.tenant, person.person) == (tenant, subject):
                person.drop_keys(slots)


class Keeping:
    """Keeps an export chunk by chunk while it is made. Each chunk is kept only while its header stands."""

    def __init__(self, instruments: Instruments, person: Person, request: RightsRequest, *, now: datetime) -> None:
        """Begin: a header with a slot of its own, in the place of one that was not finished."""
        assert isinstance(request.payload, ExportPayload)
        self._instruments, self._person, self._now = instruments, person, now
        self._digest = sha256()
        self.export = StoredExport(
            request_id=request.request_id,
            state=ExportState.BUILDING,
            made_at=now,
            expires_at=now + EXPORT_LIFETIME,
            encrypted=request.payload.encrypted,
            delivery_channel=request.payload.delivery_channel,
        )
        discard(instruments, person.tenant, person.person, request.request_id)
        person.ensure_slots(1)

        def work(tx: Transaction) -> RecordRow:
            seq = tx.state(person.tenant, person.person).version
            row = person.record(
                RecordKind.EXPORT,
                request.request_id,
                self.export,
                seq=seq,
                now=now,
                expires_at=self.export.expires_at,
            )
            tx.put_record(person.tenant, person.person, row)
            return row

        self._row = instruments.store.write(work, durable=True)
        self._key = person.keys([self._row.slot])[self._row.slot]

    def chunk(self, piece: bytes) -> None:
        """Keep a piece.

        Raises:
            ExportDroppedError: the export went meanwhile.
        """
        self._digest.update(piece)
        self.export = self.export.model_copy(
            update={"size": self.export.size + len(piece), "chunks": self.export.chunks + 1}
        )
        sealed = self._sealed(
            RecordKind.EXPORT_PART, part_key(self.export.request_id, self.export.chunks), piece, of_part=True
        )
        self._put(sealed, self._header(), durable=False)

    def ready(self, tx: Transaction, counts: Mapping[Payload, int]) -> StoredExport:
        """Note in a transaction that every chunk is there; return the header."""
        self.export = self.export.model_copy(
            update={"state": ExportState.READY, "sha256": self._digest.hexdigest(), "counts": dict(counts)}
        )
        self._require_standing(tx)
        tx.put_record(self._person.tenant, self._person.person, self._header())
        return self.export

    def _header(self) -> RecordRow:
        return self._sealed(RecordKind.EXPORT, self.export.request_id, self.export.model_dump_json().encode())

    def _sealed(self, kind: RecordKind, key: str, plain: bytes, *, of_part: bool = False) -> RecordRow:
        person, slot = self._person, self._row.slot
        location = record_location(person.tenant, person.person, kind.value, key, slot)
        nonce = self._instruments.ids.secret(NONCE_LENGTH)
        under = derived(self._key, "export-part") if of_part else self._key
        blob = seal(under, plain, location=location, nonce=nonce)
        return self._row._replace(kind=kind, key=key, blob=blob)

    def _put(self, *rows: RecordRow, durable: bool) -> None:
        def work(tx: Transaction) -> None:
            self._require_standing(tx)
            for row in rows:
                tx.put_record(self._person.tenant, self._person.person, row)

        self._instruments.store.write(work, durable=durable)

    def _require_standing(self, tx: Transaction) -> None:
        person = self._person
        row = tx.record(person.tenant, person.person, RecordKind.EXPORT, self.export.request_id)
        if row is None or row.slot != self._row.slot:
            raise ExportDroppedError


def chunks_of(instruments: Instruments, person: Person, export: StoredExport) -> Iterator[bytes]:
    """Yield the chunks of an export.

    Raises:
        KeyDestroyedError: it went meanwhile.
    """
    for number in range(1, export.chunks + 1):
        with instruments.store.read() as reading:
            key = part_key(export.request_id, number)
            row = reading.record(person.tenant, person.person, RecordKind.EXPORT_PART, key)
        slot_key = person.keys([row.slot]).get(row.slot) if row is not None else None
        if row is None or slot_key is None:
            raise KeyDestroyedError("the export is gone: something in it was forgotten meanwhile")
        location = record_location(person.tenant, person.person, row.kind.value, row.key, row.slot)
        yield open_sealed(derived(slot_key, "export-part"), row.blob, location=location)


def mark_collected(
    instruments: Instruments, person: Person, tx: Transaction, export: StoredExport, *, now: datetime
) -> StoredExport | None:
    """Note that an export was collected: it stays a while for another try, then it goes."""
    row = tx.record(person.tenant, person.person, RecordKind.EXPORT, export.request_id)
    if row is None:
        return None
    ends = min(export.expires_at, now + EXPORT_COLLECTED_LIFETIME)
    told = export.model_copy(update={"state": ExportState.COLLECTED, "expires_at": ends})
    key = person.keys([row.slot])[row.slot]
    location = record_location(person.tenant, person.person, row.kind.value, row.key, row.slot)
    nonce = instruments.ids.secret(NONCE_LENGTH)
    blob = seal(key, told.model_dump_json().encode(), location=location, nonce=nonce)
    tx.put_record(person.tenant, person.person, row._replace(blob=blob, expires_at=to_micros(ends)))
    return told


def part_key(request_id: str, number: int) -> str:
    """Return the key of a chunk."""
    return f"{request_id}.{number:06d}"


def _drop_parts(tx: Transaction, tenant: str, subject: str, request_id: str) -> None:
    number = 1
    while True:
        keys = [part_key(request_id, place) for place in range(number, number + _DROP_AT_ONCE)]
        if not tx.drop_records(tenant, subject, RecordKind.EXPORT_PART, keys):
            return
        number += _DROP_AT_ONCE


_DROP_AT_ONCE: Final = 64
