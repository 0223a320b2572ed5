"""Import: an export of another product, uploaded and taken in row by row."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool

from iris_memory.flows.import_ import ImportWish, Into
from iris_memory.formats import Author, Format
from iris_memory.http import examples
from iris_memory.http.answers import HeldRows, ImportAnswer
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented

router = APIRouter(prefix="/v1", tags=["import"])


@router.post(
    "/import",
    summary="Import an export of another product",
    responses=documented(403, 507),
    openapi_extra={"requestBody": examples.IMPORT},
)
async def import_export(
    caller: Caller,
    request: Request,
    format: Annotated[Format, Query(description="The product the file comes from.")],
    into: Into = Into.PROFILE,
    dry_run: bool = False,
    authors: Annotated[frozenset[Author] | None, Query(description="Whose words to take; left out, all.")] = None,
    accept: Annotated[
        list[str] | None, Query(max_length=1_000, description="Held rows to take in as they are.")
    ] = None,
) -> ImportAnswer:
    """The body is the file itself, a zip or JSON. Importing again takes what is new; nothing comes in twice.

    What looks sensitive or like an instruction is held by reference, counted, and listed under `/v1/held`.
    """
    wish = ImportWish(dry_run=dry_run, into=into, accept=frozenset(accept or ()))
    if authors:
        wish = ImportWish(dry_run=dry_run, into=into, accept=wish.accept, authors=authors)
    path = await _received(request)
    try:
        report = await run_in_threadpool(caller.memory().import_file, path, format=format, wish=wish)
    finally:
        path.unlink(missing_ok=True)
    if report.refused is not None:
        raise RefusedError(report.refused)
    return ImportAnswer.of(report)


@router.get("/held", summary="List imported rows that wait for the person", responses=documented())
def list_held(caller: Caller) -> HeldRows:
    """Places, reasons and what would let each in; no words."""
    return HeldRows(held=tuple(caller.memory().held()))


async def _received(request: Request) -> Path:
    """Write the body to a file of mode 0600 that the caller removes."""
    handle, name = tempfile.mkstemp(prefix="iris-import-")
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            async for chunk in request.stream():
                await run_in_threadpool(file.write, chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
