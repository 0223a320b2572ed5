"""Incident keys: whose signature vouches for an incident, registered and revoked per tenant.

A reference is good while its key is registered and not revoked, its signature verifies, it is of this tenant and about
this person, and its time has come and is not over.
"""

from __future__ import annotations

import binascii
from datetime import datetime
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from iris_memory.chain.canonical import canonical
from iris_memory.contracts.inspection import (
    IncidentKey,
    IncidentReference,
    InspectionDenial,
    InspectionRefusal,
    InspectionRefused,
)
from iris_memory.errors import ContractError
from iris_memory.flows.held import open_row, sealed_row
from iris_memory.flows.inspection_records import Inspector, nobody, refuse, tell_governed
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import TENANT
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.tables.inspectors import APPROVERS, INCIDENT_LIFETIME_MOST

_UNSIGNED: Final = {"key_id", "signature"}


def incident_text(reference: IncidentReference) -> bytes:
    """Return what is signed: the canonical JSON (RFC 8785) of the reference without its key id and signature."""
    return canonical(reference.model_dump(mode="json", exclude=_UNSIGNED))


def key_id_of(public_key: bytes) -> str:
    """Return the name of a key: the first 8 bytes of its SHA-256, in lower-case hex."""
    return sha256(public_key).hexdigest()[:16]


def register_incident_key(
    instruments: Instruments, by: Inspector, *, public_key: str, label: str
) -> IncidentKey | InspectionRefused:
    """Trust a key (32 bytes of Ed25519, in hex) for incidents of the tenant. A revoked key never comes back.

    Raises:
        ContractError: it is no Ed25519 public key.
    """
    if by.role not in APPROVERS:
        return _not_permitted()
    now = instruments.clock.now()
    raw = _raw_key(public_key)

    def work(tx: Transaction) -> IncidentKey | InspectionRefused:
        known = tx.record(by.tenant, TENANT, RecordKind.INCIDENT_KEY, key_id_of(raw))
        if known is not None:
            kept = _opened(instruments, by.tenant, known.key, tx)
            if kept.revoked_at is not None:
                return refuse(InspectionRefusal.NOT_WAITING, "a key that was revoked is not trusted again")
            return kept
        key = IncidentKey(
            key_id=key_id_of(raw), public_key=raw.hex(), label=label, registered_by=by.actor, registered_at=now
        )
        _keep(instruments, tx, by, key, what="incident-key-registered", now=now)
        return key

    return instruments.store.write(work, durable=True)


def revoke_incident_key(instruments: Instruments, by: Inspector, key_id: str) -> IncidentKey | InspectionRefused:
    """Stop trusting a key: from now on nothing it signed opens anything.

    Raises:
        UnknownMemoryError: the tenant has no such key.
    """
    if by.role not in APPROVERS:
        return _not_permitted()
    now = instruments.clock.now()

    def work(tx: Transaction) -> IncidentKey:
        kept = _opened(instruments, by.tenant, key_id, tx)
        if kept.revoked_at is not None:
            return kept
        gone = kept.model_copy(update={"revoked_by": by.actor, "revoked_at": now})
        _keep(instruments, tx, by, gone, what="incident-key-revoked", now=now)
        return gone

    return instruments.store.write(work, durable=True)


def incident_keys(instruments: Instruments, tenant: str) -> list[IncidentKey]:
    """Return the keys of a tenant, oldest first, revoked ones included."""
    with instruments.store.read() as reading:
        rows = reading.records(tenant, TENANT, RecordKind.INCIDENT_KEY)
        opened = [IncidentKey.model_validate_json(open_row(instruments, tenant, TENANT, row)) for row in rows]
    return sorted(opened, key=lambda key: (key.registered_at, key.key_id))


def vouching_key(
    instruments: Instruments,
    reading: Reading,
    reference: IncidentReference | None,
    *,
    tenant: str,
    targets: frozenset[str],
    now: datetime,
) -> IncidentKey | None:
    """Return the key that vouches, now, for a signed reference about a person of a tenant; None where none does."""
    if reference is None or reference.tenant_id != tenant or reference.target not in targets:
        return None
    if not reference.issued_at <= now < reference.expires_at:
        return None
    if reference.expires_at - reference.issued_at > INCIDENT_LIFETIME_MOST:
        return None
    row = reading.record(tenant, TENANT, RecordKind.INCIDENT_KEY, reference.key_id)
    if row is None:
        return None
    key = IncidentKey.model_validate_json(open_row(instruments, tenant, TENANT, row))
    if key.revoked_at is not None:
        return None
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.public_key))
        public.verify(bytes.fromhex(reference.signature), incident_text(reference))
    except (InvalidSignature, ValueError):
        return None
    return key


def _opened(instruments: Instruments, tenant: str, key_id: str, reading: Reading) -> IncidentKey:
    row = reading.record(tenant, TENANT, RecordKind.INCIDENT_KEY, key_id)
    if row is None:
        nobody()
    return IncidentKey.model_validate_json(open_row(instruments, tenant, TENANT, row))


def _keep(
    instruments: Instruments, tx: Transaction, by: Inspector, key: IncidentKey, *, what: str, now: datetime
) -> None:
    plain = key.model_dump_json()
    row = sealed_row(instruments, by.tenant, TENANT, RecordKind.INCIDENT_KEY, key.key_id, plain, at=key.registered_at)
    tx.put_record(by.tenant, TENANT, row)
    tell_governed(tx, by, what=what, now=now, object_ids=(key.key_id,))


def _raw_key(public_key: str) -> bytes:
    try:
        raw = binascii.unhexlify(public_key)
        Ed25519PublicKey.from_public_bytes(raw)
    except ValueError:
        raise ContractError("a public key is 32 bytes of Ed25519, written as 64 hex digits") from None
    return raw


def _not_permitted() -> InspectionRefused:
    return refuse(InspectionDenial.ROLE_NOT_PERMITTED, "keys are for those who approve", *APPROVERS)
