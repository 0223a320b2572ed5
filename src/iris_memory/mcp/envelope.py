"""The one shape of every answer: `{ok, data, error}`. A refusal is an answer with its reason, not a broken call."""

from __future__ import annotations

from typing import Any, Final

from iris_memory.contracts.shape import Contract
from iris_memory.contracts.write import Refused
from iris_memory.errors import (
    ContractError,
    IdempotencyConflictError,
    IrisError,
    StorageError,
    StoreBusyError,
    StoreFullError,
    UnknownMemoryError,
)


class Failure(Contract):
    """Why a tool did not do what was asked. `needs` names what would be needed, such as a consent."""

    code: str
    detail: str
    needs: tuple[str, ...] = ()


class Envelope(Contract):
    """What every tool answers."""

    ok: bool
    data: dict[str, Any] | None = None
    error: Failure | None = None


_CODES: Final[tuple[tuple[type[IrisError], str, str], ...]] = (
    (UnknownMemoryError, "unknown-memory", "there is no such thing here"),
    (IdempotencyConflictError, "idempotency-conflict", "this idempotency key was used before with another body"),
    (StoreBusyError, "store-busy", "the store is busy; try again"),
    (StoreFullError, "store-full", "there is no room left; nothing was half-written"),
    (StorageError, "storage-failed", "the store cannot be read or written; what was acknowledged stays"),
)


def answered(data: Contract) -> Envelope:
    """Return the answer of a tool that did its work."""
    return Envelope(ok=True, data=data.model_dump(mode="json"))


def refused(refusal: Refused) -> Envelope:
    """Return the answer of a flow that refused."""
    failure = Failure(code=refusal.reason.value, detail=refusal.rule, needs=refusal.needs)
    return Envelope(ok=False, error=failure)


def failed(problem: Exception) -> Envelope:
    """Return the answer of a call that broke; only a message that is made for callers is repeated."""
    if isinstance(problem, ContractError):
        return Envelope(ok=False, error=Failure(code="invalid", detail=str(problem)))
    for kind, code, detail in _CODES:
        if isinstance(problem, kind):
            return Envelope(ok=False, error=Failure(code=code, detail=detail))
    return Envelope(
        ok=False, error=Failure(code="defect", detail="something went wrong here; what was acknowledged stays")
    )
