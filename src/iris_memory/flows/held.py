"""Held: what a legal hold keeps from being destroyed. Every path that destroys asks here, in its transaction (DSR-7).

A hold is in force once a second person confirmed it, until it is released or its time is over. It is kept with the
person's rows under the tenant's key, so that it can be read without the person's. What cannot be opened, and so may be
held, counts as held.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from iris_memory.contracts.entry import TombstoneReason
from iris_memory.contracts.rights import HoldState, LegalHold
from iris_memory.contracts.shape import Contract, Identifier, Instant, to_micros
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import TENANT, Person
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.recall.packing import unpack

NOBODY: Final = ""
"""The user of a person that is opened by its pseudonym alone."""


class KeptHold(Contract):
    """A hold as it is kept, with the user it is about, so that what waited can go on when it ends."""

    hold: LegalHold
    user_id: Identifier


class Wish(Contract):
    """What was to be destroyed and is held: it goes when the hold does. No words."""

    wish_id: Identifier
    tenant: Identifier
    person: Identifier
    reason: TombstoneReason
    asked_at: Instant
    logical_ids: Annotated[tuple[str, ...], Field(strict=False)]
    whole_person: bool = False
    user_id: Identifier | None = None


def is_in_force(hold: LegalHold, now: datetime) -> bool:
    """Say whether a hold holds."""
    return hold.state is HoldState.IN_FORCE and now < hold.expires_at


def holds_of(instruments: Instruments, reading: Reading, tenant: str, subject: str) -> list[KeptHold]:
    """Return every hold on a person, oldest first, those that are over included."""
    rows = reading.records(tenant, subject, RecordKind.LEGAL_HOLD)
    kept = [KeptHold.model_validate_json(open_row(instruments, tenant, subject, row)) for row in rows]
    return sorted(kept, key=lambda one: (one.hold.placed_at, one.hold.hold_id))


def in_force(
    instruments: Instruments, reading: Reading, tenant: str, subject: str, *, now: datetime
) -> list[LegalHold]:
    """Return the holds that hold now."""
    return [kept.hold for kept in holds_of(instruments, reading, tenant, subject) if is_in_force(kept.hold, now)]


def held_among(
    instruments: Instruments, reading: Reading, tenant: str, subject: str, names: Sequence[str], *, now: datetime
) -> frozenset[str]:
    """Return which of these memories a hold keeps. A memory is held for what any of its revisions says."""
    holds = in_force(instruments, reading, tenant, subject, now=now)
    if not holds or not names:
        return frozenset()
    if any(hold.target.is_whole for hold in holds):
        return frozenset(names)
    held = {name for hold in holds for name in hold.target.logical_ids} & set(names)
    scopes = {scope for hold in holds for scope in hold.target.scopes}
    categories = {category for hold in holds for category in hold.target.categories}
    rest = [name for name in names if name not in held]
    if (not scopes and not categories) or not rest:
        return frozenset(held)
    person = opened(instruments, tenant, subject)
    if person is None:
        return frozenset(names)
    for name in rest:
        rows = reading.revisions(tenant, subject, name)
        entries = [unpack(packed.pack) for packed in person.open_entries(rows)]
        if len(entries) < len(rows) or any(
            entry.adapter_scope in scopes or entry.category in categories for entry in entries
        ):
            held.add(name)
    return frozenset(held)


def keeps_whole(instruments: Instruments, reading: Reading, tenant: str, subject: str, *, now: datetime) -> bool:
    """Say whether a hold keeps everything of a person, their ledger included."""
    return any(hold.target.is_whole for hold in in_force(instruments, reading, tenant, subject, now=now))


def keep_wish(instruments: Instruments, tx: Transaction, wish: Wish) -> None:
    """Keep what was to be destroyed, until nothing holds it."""
    row = sealed_row(
        instruments, wish.tenant, TENANT, RecordKind.HELD_WISH, wish.wish_id, wish.model_dump_json(), at=wish.asked_at
    )
    tx.put_record(wish.tenant, TENANT, row)


def wishes_of(instruments: Instruments, reading: Reading, tenant: str, subject: str | None = None) -> list[Wish]:
    """Return what waits for holds to end, oldest first: of one person, or of everybody in a tenant."""
    rows = reading.records(tenant, TENANT, RecordKind.HELD_WISH)
    waiting = [Wish.model_validate_json(open_row(instruments, tenant, TENANT, row)) for row in rows]
    wanted = [wish for wish in waiting if subject is None or wish.person == subject]
    return sorted(wanted, key=lambda wish: (wish.asked_at, wish.wish_id))


def drop_wish(tx: Transaction, wish: Wish) -> None:
    """Drop a wish that came true."""
    tx.drop_records(wish.tenant, TENANT, RecordKind.HELD_WISH, [wish.wish_id])


def sealed_row(
    instruments: Instruments,
    tenant: str,
    owner: str,
    kind: RecordKind,
    key: str,
    value: str,
    *,
    at: datetime,
    due: datetime | None = None,
) -> RecordRow:
    """Return a record sealed under the tenant's key, whoever's rows it lies with."""
    location = record_location(tenant, owner, kind.value, key, 0)
    sealing = derived(instruments.vault.tenant_key(tenant), "records")
    blob = seal(sealing, value.encode(), location=location, nonce=instruments.ids.secret(NONCE_LENGTH))
    return RecordRow(kind, key, 0, to_micros(at), to_micros(due) if due else None, 0, blob)


def open_row(instruments: Instruments, tenant: str, owner: str, row: RecordRow) -> bytes:
    """Return the JSON bytes of a record sealed under the tenant's key."""
    location = record_location(tenant, owner, row.kind.value, row.key, row.slot)
    return open_sealed(derived(instruments.vault.tenant_key(tenant), "records"), row.blob, location=location)


def opened(instruments: Instruments, tenant: str, subject: str) -> Person | None:
    """Return a person by their pseudonym: as this process knows them, or opened with no user."""
    for person in instruments.people.known():
        if (person.tenant, person.person) == (tenant, subject):
            return person
    found = instruments.vault.open_subject(tenant, subject)
    if found is None:
        return None
    key = instruments.vault.tenant_key(tenant)
    return Person(found, NOBODY, tenant_key=key, vault=instruments.vault, secret=instruments.ids.secret)
