"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape


class AuditProblem(Shape):
    """One finding: its code, and the sequence and line it is about."""

    code: str
    sequence: int | None
    line: int | None


class AuditCheck(Shape):
    """What a check of the tenant's chain found. `covered` is the size of the newest checkpoint it agrees with."""

    ok: bool
    tenant_id: str
    size: int
    root: str
    covered: int
    problems: tuple[AuditProblem, ...]


class SigningKey(Shape):
    """A verifier key (C2SP signed note) and the sizes of the chain it signs for, both included."""

    vkey: str
    from_size: int
    until_size: int | None


class SigningKeys(Shape):
    """The keys that the tenant's checkpoints and receipts are signed with."""

    keys: tuple[SigningKey, ...]
