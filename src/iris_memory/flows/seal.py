"""Seal: sign the head of a tenant's chain as a checkpoint, keep it, and copy it outside the database.

A copied head covers the fsynced prefix only, so that a power cut never makes an honest store look rolled back.
"""

from __future__ import annotations

from functools import partial

from iris_memory.chain.checkpoint import (
    Checkpoint,
    Signer,
    VerifierKey,
    open_checkpoint,
    sign_checkpoint,
    tenant_origin,
)
from iris_memory.chain.export import KeyPeriod
from iris_memory.chain.merkle import Frontier, leaf_hash
from iris_memory.errors import IrisError, StoreRolledBackError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of
from iris_memory.ports.rows import CheckpointRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.ports.vault import SigningKey

_PAGE = 4_096
_KEPT_EVERY = 1_000
"""Events after which a checkpoint made in passing is kept in the store as well."""


def signer_of(instruments: Instruments, tenant: str, *, size: int | None = None) -> Signer:
    """Return the tenant's newest signing key that signs for a chain size; without one, the newest."""
    keys = [key for key in instruments.vault.signing_keys(tenant) if size is None or key.from_size <= size]
    return Signer(tenant_origin(tenant), keys[-1].private)


def key_periods(instruments: Instruments, tenant: str) -> tuple[KeyPeriod, ...]:
    """Return the tenant's verifier keys with the chain sizes each signs for."""
    return tuple(_period(tenant, key) for key in instruments.vault.signing_keys(tenant))


def seal(instruments: Instruments, tenant: str, *, keep: bool = True) -> str:
    """Sign the tenant's head and copy it outside; return the note.

    Everything committed so far is made durable first, so the copy never runs ahead of the disk. With `keep` the
    checkpoint is kept in the store too; without, only when the chain has grown a good deal since the last that was.
    """
    with instruments.store.read() as reading:
        head = head_of(reading, tenant)
        known = reading.checkpoints(tenant)
    # after the head was read, and always: another process or thread may have committed it without waiting for the disk
    instruments.store.sync()
    if known and known[-1].size == head.size:
        note = known[-1].note
    else:
        checkpoint = Checkpoint(tenant_origin(tenant), head.size, head.frontier.root())
        keep = keep or not known or head.size - known[-1].size >= _KEPT_EVERY
        note = sign(instruments, tenant, checkpoint, keep=keep)
    instruments.heads.keep(tenant, note)
    instruments.sealed[tenant] = head.size
    return note


def sign(instruments: Instruments, tenant: str, checkpoint: Checkpoint, *, keep: bool = True) -> str:
    """Sign a checkpoint with the key in use at its size and, with `keep`, keep it in the store; return the note.

    A key that is retired while it signs is noticed afterwards, and the checkpoint is signed anew.
    """
    while True:
        signer = signer_of(instruments, tenant, size=checkpoint.size)
        row = CheckpointRow(checkpoint.size, sign_checkpoint(checkpoint, signer=signer))
        if keep:
            instruments.store.write(partial(_keep, tenant=tenant, row=row), durable=True)
        if signer_of(instruments, tenant, size=checkpoint.size) == signer:
            return row.note


def _keep(tx: Transaction, *, tenant: str, row: CheckpointRow) -> None:
    tx.add_checkpoint(tenant, row)


def seal_all(instruments: Instruments) -> int:
    """Seal every tenant whose chain has grown since its outside head; return how many.

    One that cannot be sealed costs the others nothing; its error is raised when they are done.
    """
    with instruments.store.read() as reading:
        tenants = reading.tenants()
        sizes = {tenant: head_of(reading, tenant).size for tenant in tenants}
    sealed, failure = 0, None
    for tenant in tenants:
        if instruments.sealed.get(tenant) == sizes[tenant]:
            continue
        try:
            if _kept_size(instruments, tenant) != sizes[tenant]:
                seal(instruments, tenant, keep=False)
                sealed += 1
        except (IrisError, OSError) as problem:
            failure = failure or problem
        else:
            instruments.sealed[tenant] = sizes[tenant]
    if failure is not None:
        raise failure
    return sealed


def require_not_rolled_back(instruments: Instruments) -> None:
    """Refuse a store that is older than a head kept outside it, or that tells another story.

    Raises:
        StoreRolledBackError: page an operator; do not serve.
    """
    for tenant in instruments.heads.tenants():
        note = instruments.heads.kept(tenant)
        if note is None:
            continue
        keys = [period.key for period in key_periods(instruments, tenant)]
        outside = open_checkpoint(note, keys=keys)
        if root_at(instruments, tenant, outside.size) != outside.root:
            raise StoreRolledBackError(
                "the audit chain does not contain a head that was kept outside the store: an older or another copy"
                " was put in its place; restore the newest copy, or see what `iris restore` says of this one"
            )


def root_at(instruments: Instruments, tenant: str, size: int) -> bytes | None:
    """Return the root of the tenant's tree at a size; None where the chain is shorter."""
    with instruments.store.read() as reading:
        head = head_of(reading, tenant)
        if head.size == size:
            return head.frontier.root()
        if head.size < size:
            return None
        frontier, start = Frontier(), 1
        while start <= size:
            rows = reading.audit_lines(tenant, start=start, limit=min(_PAGE, size - start + 1))
            if not rows:
                return None
            frontier = frontier.extend([leaf_hash(row.line) for row in rows])
            start += len(rows)
        return frontier.root()


def _kept_size(instruments: Instruments, tenant: str) -> int | None:
    note = instruments.heads.kept(tenant)
    return int(note.split("\n", 2)[1]) if note else None


def _period(tenant: str, key: SigningKey) -> KeyPeriod:
    return KeyPeriod(VerifierKey(tenant_origin(tenant), key.public), key.from_size, key.until_size)
