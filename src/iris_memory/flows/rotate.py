"""Rotate: new root, tenant and signing keys. Rotation re-wraps; what is sealed stays, and old heads still verify."""

from __future__ import annotations

from iris_memory.chain.checkpoint import open_checkpoint
from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of, write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.seal import key_periods, seal, sign
from iris_memory.ports.vault import KeyProvider


def rotate_root(instruments: Instruments, provider: KeyProvider) -> None:
    """Re-wrap every tenant's keys under the root key of a provider."""
    instruments.vault.rotate_root_key(provider)
    with instruments.store.read() as reading:
        tenants = reading.tenants()
    for tenant in tenants:
        _tell(instruments, tenant, "root")


def rotate_tenant(instruments: Instruments, tenant: str) -> None:
    """Make a new wrapping key for a tenant and re-wrap everything under it."""
    instruments.vault.rotate_tenant_key(tenant)
    _tell(instruments, tenant, "tenant")


def rotate_signing(instruments: Instruments, tenant: str) -> None:
    """Retire the tenant's signing key at the present head and make the next."""
    seal(instruments, tenant)
    with instruments.store.read() as reading:
        size = head_of(reading, tenant).size
    instruments.vault.rotate_signing_key(tenant, size=size)
    _sign_anew(instruments, tenant, beyond=size)
    _tell(instruments, tenant, "signing")
    seal(instruments, tenant)


def _sign_anew(instruments: Instruments, tenant: str, *, beyond: int) -> None:
    """Sign anew what somebody signed with the retired key while it was being retired, at sizes it is not for."""
    with instruments.store.read() as reading:
        late = [row.note for row in reading.checkpoints(tenant) if row.size > beyond]
    keys = [period.key for period in key_periods(instruments, tenant)]
    for note in late:
        sign(instruments, tenant, open_checkpoint(note, keys=keys))


def _tell(instruments: Instruments, tenant: str, which: str) -> None:
    now = instruments.clock.now()
    instruments.store.write(
        lambda tx: write_event(
            tx,
            tenant,
            action=AuditAction.KEY_ROTATED,
            policy=WRITE_POLICY,
            person=TENANT,
            now=now,
            facts={"key": which},
        ),
        durable=True,
    )
