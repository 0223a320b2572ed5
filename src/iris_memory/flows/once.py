"""Once: a call that makes something makes it once under an idempotency key, however often it is sent.

Before the call a mark is kept, and after it the id of what was made. The same key with the same body is answered with
what was made then, as it stands now. A mark without an id says that the call is still going on, or that its process
died on the way: what came of it is not known, and nothing is made again. A mark holds keyed tags and an id, and no word
of what was said; it goes after a week.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from iris_memory.contracts.shape import Contract, Identifier
from iris_memory.errors import IdempotencyConflictError, IdempotencyPendingError, IrisError
from iris_memory.flows.held import open_row, sealed_row
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import TENANT
from iris_memory.flows.sealing import derived, tag
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.tables.limits import IDEMPOTENCY_LIFETIME

T = TypeVar("T")


class Call(NamedTuple):
    """One call: whose it is, what it asks for, its idempotency key and its body."""

    tenant: str
    holder: str
    operation: str
    key: str
    body: str


class Mark(Contract):
    """What is kept of a call: the tag of its body, and the id of what it made, once it has."""

    body_tag: str
    made: Identifier | None = None


def once(
    instruments: Instruments,
    call: Call,
    make: Callable[[], T],
    *,
    name: Callable[[T], str | None],
    again: Callable[[str], T],
) -> T:
    """Make something, or return what was made before under the key, as it stands now.

    Args:
        instruments: the store and the clock.
        call: whose call it is.
        make: makes it. What it raises as `IrisError` made nothing.
        name: returns the id of what was made; None where nothing was.
        again: returns what an id names.

    Raises:
        IdempotencyConflictError: the key was used before with another body.
        IdempotencyPendingError: a call under the key began, and what came of it is not known.
    """
    key_tag, body_tag = _tags(instruments, call)
    known = instruments.store.write(lambda tx: _begun(instruments, tx, call, key_tag, body_tag), durable=True)
    if known is not None:
        if known.body_tag != body_tag:
            raise IdempotencyConflictError("this idempotency key was used before with another body")
        if known.made is None:
            raise IdempotencyPendingError("a call under this idempotency key began and its outcome is not known")
        return again(known.made)
    try:
        outcome = make()
    except IrisError:
        _drop(instruments, call, key_tag)
        raise
    made = name(outcome)
    if made is None:
        _drop(instruments, call, key_tag)
    else:
        mark = Mark(body_tag=body_tag, made=made)
        instruments.store.write(lambda tx: _keep(instruments, tx, call, key_tag, mark), durable=True)
    return outcome


def _tags(instruments: Instruments, call: Call) -> tuple[str, str]:
    key = derived(instruments.vault.tenant_key(call.tenant), "once")
    return tag(key, "key", call.holder, call.operation, call.key), tag(key, "body", call.body)


def _begun(instruments: Instruments, tx: Transaction, call: Call, key_tag: str, body_tag: str) -> Mark | None:
    """Return the mark of an earlier call, or keep one of this call and return None."""
    row = tx.record(call.tenant, TENANT, RecordKind.IDEMPOTENCY, key_tag)
    if row is not None:
        return Mark.model_validate_json(open_row(instruments, call.tenant, TENANT, row))
    _keep(instruments, tx, call, key_tag, Mark(body_tag=body_tag))
    return None


def _keep(instruments: Instruments, tx: Transaction, call: Call, key_tag: str, mark: Mark) -> None:
    now = instruments.clock.now()
    due = now + IDEMPOTENCY_LIFETIME
    plain = mark.model_dump_json()
    row = sealed_row(instruments, call.tenant, TENANT, RecordKind.IDEMPOTENCY, key_tag, plain, at=now, due=due)
    tx.put_record(call.tenant, TENANT, row)


def _drop(instruments: Instruments, call: Call, key_tag: str) -> None:
    instruments.store.write(
        lambda tx: tx.drop_records(call.tenant, TENANT, RecordKind.IDEMPOTENCY, [key_tag]), durable=True
    )
