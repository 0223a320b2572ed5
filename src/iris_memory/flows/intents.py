"""Intents: what is being forgotten, kept under the tenant's key until it is done. No words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.shape import Contract, Count, Instant, to_micros
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import TENANT
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Transaction


class Intent(Contract):
    """What is being forgotten, kept until it is done. It holds no words."""

    receipt_id: str
    tenant: str
    person: str
    reason: TombstoneReason
    asked_at: Instant
    logical_ids: Annotated[tuple[str, ...], Field(strict=False)]
    slots: Annotated[tuple[int, ...], Field(strict=False)]
    whole_person: bool = False
    has_receipt: bool = False
    """Whether its completion is told by a receipt, written with it."""
    reached: dict[str, Count] = Field(default_factory=dict)
    """What the receipt says was reached, by where it lives."""
    keys: Count = 0
    """How many keys stood when it began, of a person that goes whole."""
    keys_made: Count = 0
    """How many keys that person ever had."""


@dataclass(frozen=True, slots=True)
class Going:
    """An intent in progress, with what a residue scan must not find afterwards (never written anywhere)."""

    intent: Intent
    seq: int = 0
    texts: tuple[str, ...] = ()
    blobs: tuple[bytes, ...] = ()

    @property
    def logical_ids(self) -> tuple[str, ...]:
        """Return what is going."""
        return self.intent.logical_ids


@dataclass(frozen=True, slots=True)
class Gone:
    """What a forget reached."""

    keys_destroyed: int
    rows: dict[str, int]
    audit_size: int
    audit_root: str
    destroyed_at: datetime | None = None
    completed_at: datetime | None = None
    read_back: dict[str, int] = field(default_factory=dict)


def keep_intent(instruments: Instruments, tx: Transaction, intent: Intent) -> None:
    """Keep an intent under the tenant's key."""
    location = record_location(intent.tenant, TENANT, RecordKind.INTENT.value, intent.receipt_id, 0)
    key = derived(instruments.vault.tenant_key(intent.tenant), "records")
    nonce = instruments.ids.secret(NONCE_LENGTH)
    blob = seal(key, intent.model_dump_json().encode(), location=location, nonce=nonce)
    row = RecordRow(RecordKind.INTENT, intent.receipt_id, 0, to_micros(intent.asked_at), None, 0, blob)
    tx.put_record(intent.tenant, TENANT, row)


def read_intent(instruments: Instruments, tenant: str, row: RecordRow) -> Intent:
    """Return a kept intent."""
    location = record_location(tenant, TENANT, RecordKind.INTENT.value, row.key, 0)
    key = derived(instruments.vault.tenant_key(tenant), "records")
    return Intent.model_validate_json(open_sealed(key, row.blob, location=location))


def ranges_of(numbers: Iterable[int]) -> tuple[str, ...]:
    """Return numbers as ranges, such as `3` and `7-12`, in order."""
    told: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if told and told[-1][1] == number - 1:
            told[-1] = (told[-1][0], number)
        else:
            told.append((number, number))
    return tuple(f"{first}" if first == last else f"{first}-{last}" for first, last in told)
