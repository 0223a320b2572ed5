"""Whether one line is part of the log that a checkpoint signs. It needs the proof and the keys, and no store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_memory.chain.checkpoint import VerifierKey, open_checkpoint, tenant_origin
from iris_memory.chain.merkle import leaf_hash, verify_inclusion
from iris_memory.errors import CheckpointError


def is_proved(
    line: bytes,
    *,
    tenant_id: str,
    sequence: int,
    hashes: Sequence[str],
    checkpoint: str,
    keys: Iterable[VerifierKey],
) -> bool:
    """Say whether a line is the one at `sequence` of a tenant's log (RFC 9162 §2.1.3.2).

    Args:
        line: the line as it is stored, without its newline.
        tenant_id: whose log it is.
        sequence: its place, from 1.
        hashes: the proof, in hex.
        checkpoint: a signed note over the log.
        keys: whose signature counts; ask for them elsewhere than where the proof came from.
    """
    try:
        signed = open_checkpoint(checkpoint, keys=keys)
        path = [bytes.fromhex(one) for one in hashes]
    except (CheckpointError, ValueError):
        return False
    if signed.origin != tenant_origin(tenant_id) or not 1 <= sequence <= signed.size:
        return False
    return verify_inclusion(leaf_hash(line), index=sequence - 1, size=signed.size, proof=path, root=signed.root)
