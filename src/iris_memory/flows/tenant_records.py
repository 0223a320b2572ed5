"""Records of a tenant: small and sealed under its key. They hold nothing of a person."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from iris_memory.contracts.shape import to_micros
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import TENANT
from iris_memory.flows.sealing import NONCE_LENGTH, derived, open_sealed, record_location, seal
from iris_memory.ports.rows import RecordKind, RecordRow


def tenant_record(
    instruments: Instruments, tenant: str, kind: RecordKind, key: str, value: BaseModel, *, now: datetime, seq: int = 0
) -> RecordRow:
    """Return the row of a tenant's record."""
    location = record_location(tenant, TENANT, kind.value, key, 0)
    blob = seal(
        derived(instruments.vault.tenant_key(tenant), "records"),
        value.model_dump_json().encode(),
        location=location,
        nonce=instruments.ids.secret(NONCE_LENGTH),
    )
    return RecordRow(kind, key, seq, to_micros(now), None, 0, blob)


def open_tenant_record(instruments: Instruments, tenant: str, row: RecordRow) -> bytes:
    """Return the JSON bytes of a tenant's record."""
    location = record_location(tenant, TENANT, row.kind.value, row.key, 0)
    return open_sealed(derived(instruments.vault.tenant_key(tenant), "records"), row.blob, location=location)
