"""The audit trail of a tenant: events a page at a time, the state of the chain, and proofs to take away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pydantic import ValidationError

from iris_memory.chain.checkpoint import VerifierKey
from iris_memory.chain.event_proof import is_proved
from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.audit_trail import EventProof, TrailFilter, TrailLine, TrailPage
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.errors import CheckpointError, ContractError
from iris_memory.flows import audit, audit_trail
from iris_memory.flows.audit import OnlineReport
from iris_memory.flows.instruments import Instruments
from iris_memory.front.given import identifier, instant, member

PAGE_MOST = 500


class AuditTrail:
    """What an auditor reads: ids, codes and counts, never words. Cheap to make; safe for many threads."""

    def __init__(self, instruments: Instruments, tenant: str) -> None:
        """Bind a tenant; use `Iris.audit_trail`."""
        self._instruments = instruments
        self._tenant = identifier(tenant, what="tenant")

    def events(
        self,
        *,
        action: AuditAction | str | None = None,
        severity: Severity | str | None = None,
        person: str | None = None,
        object_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> TrailPage:
        """Return events, newest first.

        Args:
            action: one kind of event.
            severity: `info` or `warning`.
            person: one pseudonym.
            object_id: an id that the event names.
            since: from this instant on.
            until: before this instant.
            before: go on below this sequence (`next_before` of the page before).
            limit: how many at most.

        Raises:
            ContractError: a value cannot be one.
        """
        if not 1 <= limit <= PAGE_MOST:
            raise ContractError(f"limit is a number between 1 and {PAGE_MOST}")
        wanted = TrailFilter(
            action=member(AuditAction, action) if action is not None else None,
            severity=member(Severity, severity) if severity is not None else None,
            person=identifier(person, what="person") if person is not None else None,
            object_id=identifier(object_id, what="object_id") if object_id is not None else None,
            since=instant(since, what="since") if since is not None else None,
            until=instant(until, what="until") if until is not None else None,
        )
        return audit_trail.read_trail(self._instruments, self._tenant, wanted, before=before, limit=limit)

    def event(self, sequence: int) -> TrailLine:
        """Return one event. Raises UnknownMemoryError where there is none."""
        return audit_trail.trail_line(self._instruments, self._tenant, sequence)

    def proof(self, sequence: int) -> EventProof:
        """Return the proof that an event is part of the log. Raises UnknownMemoryError where there is none."""
        return audit_trail.prove_event(self._instruments, self._tenant, sequence)

    def verify(self) -> OnlineReport:
        """Check the chain where it lies."""
        return audit.verify_audit(self._instruments, self._tenant)

    def export(self) -> Iterator[bytes]:
        """Yield the lines of an export, which `iris audit verify FILE` checks offline."""
        return audit.export_audit(self._instruments, self._tenant)


def is_event_proved(proof: EventProof | str, *, vkeys: tuple[str, ...] | None = None) -> bool:
    """Say whether a proof holds, without a store.

    Args:
        proof: the proof, or its JSON.
        vkeys: whose signature counts, known from elsewhere; by default the keys that the proof declares for itself,
            which then only vouches for itself.

    Raises:
        ContractError: it is no proof.
    """
    if isinstance(proof, str):
        try:
            proof = EventProof.model_validate_json(proof)
        except ValidationError as problem:
            refuse_invalid(problem, what="proof")
    try:
        keys = [VerifierKey.from_vkey(text) for text in (proof.vkeys if vkeys is None else vkeys)]
    except CheckpointError:
        return False
    return is_proved(
        proof.line.encode(),
        tenant_id=proof.tenant_id,
        sequence=proof.sequence,
        hashes=proof.hashes,
        checkpoint=proof.checkpoint,
        keys=keys,
    )
