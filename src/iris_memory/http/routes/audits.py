"""The tenant's audit chain: checked, exported, and the keys that anybody needs to check it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import islice

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from iris_memory.flows.seal import key_periods
from iris_memory.http.answers import AuditCheck, SigningKey, SigningKeys
from iris_memory.http.caller import Auditor
from iris_memory.http.problems import documented

router = APIRouter(prefix="/v1/audit", tags=["audit"])

_LINES = 512
NDJSON = "application/x-ndjson"


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
