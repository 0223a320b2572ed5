"""The audit trail as an auditor reads it: lines of the chain, newest first, and the proof that one line is in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant

HexHash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class TrailFilter(Contract):
    """Which lines are asked for; what is left out does not narrow."""

    action: AuditAction | None = None
    severity: Severity | None = None
    person: Identifier | None = None
    object_id: Identifier | None = None
    since: Instant | None = None
    until: Instant | None = None


class TrailLine(Contract):
    """One event: ids, codes and counts. `facts` are the fields of its own, each as JSON.

    `person` is a pseudonym; an event of the tenant itself has the tenant's own mark there.
    """

    sequence: Annotated[int, Field(ge=1)]
    at: Instant
    action: str
    policy_id: str
    severity: str
    person: Annotated[str, Field(max_length=200)]
    facts: dict[str, str] = Field(default_factory=dict)


class TrailPage(Contract):
    """A page of lines, newest first. `looked_at` counts the lines that were compared with the filter.

    `next_before` is where to go on: the lines below it were not looked at yet. None: there are none.
    """

    lines: Annotated[tuple[TrailLine, ...], Field(strict=False)]
    size: Count
    looked_at: Count
    next_before: Annotated[int, Field(ge=1)] | None = None


class EventProof(Contract):
    """Proof that a line is part of a log that a checkpoint signs (RFC 9162 §2.1.3). It is checked without the store.

    `line` is the line as it is stored; the leaf hash covers its UTF-8 bytes. `vkeys` are the keys the tenant declares.
    """

    format: Literal["iris-event-proof"] = "iris-event-proof"
    version: Literal[1] = 1
    tenant_id: Identifier
    sequence: Annotated[int, Field(ge=1)]
    line: str
    hashes: Annotated[tuple[HexHash, ...], Field(strict=False, max_length=64)]
    checkpoint: str
    vkeys: Annotated[tuple[str, ...], Field(strict=False)]
