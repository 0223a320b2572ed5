"""The metrics of the process."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from iris_memory.access.tokens import bearer_token
from iris_memory.http.metrics import MEDIA_TYPE, PATH, Metrics, may_read
from iris_memory.http.problems import ProblemCode, problem_of, respond

router = APIRouter()


@router.get(PATH, include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Counts and latencies by route and status, for this machine or an auditor; to others there is nothing here."""
    token = bearer_token(request.scope["headers"])
    holder = None if token is None else await run_in_threadpool(request.app.state.tokens.holder, token)
    if not may_read(request.scope, holder):
        return respond(problem_of(ProblemCode.NO_SUCH_ADDRESS))
    known: Metrics = request.app.state.metrics
    return Response(known.text(), media_type=MEDIA_TYPE)
