"""The tenant's audit chain: checked, exported, and the keys that anybody needs to check it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BeforeValidator
from starlette.concurrency import run_in_threadpool

from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.audit_trail import EventProof, TrailLine, TrailPage
from iris_memory.contracts.shape import Identifier
from iris_memory.flows.seal import key_periods
from iris_memory.front.audit_trail import PAGE_MOST, AuditTrail
from iris_memory.http.answers import AuditCheck, SigningKey, SigningKeys
from iris_memory.http.caller import Asking, Auditor
from iris_memory.http.problems import documented

router = APIRouter(prefix="/v1/audit", tags=["audit"])

_LINES = 512
NDJSON = "application/x-ndjson"
_RFC3339: Final = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
LATEST: Final = 2**53
"""The greatest sequence that every reader of JSON tells from the next."""


def _as_written(value: object) -> object:
    if isinstance(value, str) and not _RFC3339.fullmatch(value):
        raise ValueError("an instant is a date and time with a zone, as RFC 3339 writes it")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_as_written)]
Sequence = Annotated[int, Path(ge=1, le=LATEST)]


@router.get("/verify", summary="Check the tenant's audit chain", responses=documented(403))
def verify_audit(caller: Auditor) -> AuditCheck:
    """Against its signed checkpoints and the head that is kept outside the store."""
    return AuditCheck.of(caller.iris.verify_audit(tenant=caller.holder.tenant))


@router.get(
    "/export",
    summary="Export the tenant's audit chain",
    response_class=StreamingResponse,
    responses={
        200: {"description": "One line each: the header, then every event", "content": {NDJSON: {}}},
        **documented(403),
    },
)
def export_audit(caller: Auditor) -> StreamingResponse:
    """JSON lines that `iris audit verify FILE` checks offline: ids, codes, counts and commitments, never words."""
    lines = caller.iris.export_audit(tenant=caller.holder.tenant)
    first = list(islice(lines, _LINES))  # what can go wrong at once does so before the answer begins
    headers = {"Content-Disposition": 'attachment; filename="iris-audit.jsonl"'}
    return StreamingResponse(_streamed(first, lines), media_type=NDJSON, headers=headers)


@router.get("/events", summary="List events of the audit chain", responses=documented(403))
def list_audit_events(
    caller: Auditor,
    action: Annotated[AuditAction | None, Query(description="one kind of event")] = None,
    severity: Annotated[Severity | None, Query(description="info or warning")] = None,
    person: Annotated[Identifier | None, Query(description="one pseudonym")] = None,
    object_id: Annotated[Identifier | None, Query(description="an id that the event names")] = None,
    since: Annotated[Moment | None, Query(description="from this instant on")] = None,
    until: Annotated[Moment | None, Query(description="before this instant")] = None,
    before: Annotated[int | None, Query(ge=1, le=LATEST, description="go on below: next_before of a page")] = None,
    limit: Annotated[int, Query(ge=1, le=PAGE_MOST)] = 50,
) -> TrailPage:
    """Newest first: ids, codes and counts, never words. A page ends at a sequence, so what comes in shifts nothing."""
    return _trail(caller).events(
        action=action,
        severity=severity,
        person=person,
        object_id=object_id,
        since=since,
        until=until,
        before=before,
        limit=limit,
    )


@router.get("/events/{sequence}", summary="Show one event of the audit chain", responses=documented(403, 404))
def show_audit_event(caller: Auditor, sequence: Sequence) -> TrailLine:
    """One line, with every field of its own."""
    return _trail(caller).event(sequence)


@router.get("/events/{sequence}/proof", summary="Prove that an event is in the log", responses=documented(403, 404))
def prove_audit_event(caller: Auditor, sequence: Sequence) -> EventProof:
    """The line, the hashes that lead to a signed checkpoint, and the keys: checked without the store (RFC 9162)."""
    return _trail(caller).proof(sequence)


@router.get("/keys", summary="List the keys of checkpoints and receipts", responses=documented(403))
def list_audit_keys(caller: Auditor) -> SigningKeys:
    """Verifier keys of C2SP signed notes, with the sizes each signs for."""
    periods = key_periods(caller.iris.instruments, caller.holder.tenant)
    return SigningKeys(
        keys=tuple(
            SigningKey(vkey=period.key.vkey, from_size=period.from_size, until_size=period.until_size)
            for period in periods
        )
    )


def _trail(caller: Asking) -> AuditTrail:
    return caller.iris.audit_trail(tenant=caller.holder.tenant)


async def _streamed(first: list[bytes], lines: Iterator[bytes]) -> AsyncIterator[bytes]:
    try:
        chunk = first
        while chunk:
            yield b"".join(chunk)
            chunk = await run_in_threadpool(lambda: list(islice(lines, _LINES)))
    finally:
        # a reader that goes away early must not keep a view of the store open
        close = getattr(lines, "close", None)
        if close is not None:
            close()
