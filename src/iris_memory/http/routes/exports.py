"""Exports: made, watched, taken along. The subject is the token's; what opens much needs a fresh sign-in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Final

from fastapi import APIRouter, Body, Path
from fastapi.openapi.models import Example
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from iris_memory.contracts.bundle import StoredExport
from iris_memory.contracts.rights import RightsRefused
from iris_memory.contracts.shape import Contract, Identifier, Storable
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Caller, FreshCaller
from iris_memory.http.problems import StepRefusedError, documented

router = APIRouter(prefix="/v1/exports", tags=["data rights"])

RequestId = Annotated[str, Path(description="the id of the request for the export", min_length=1, max_length=128)]
ZIP: Final = "application/zip"
SEALED: Final = "application/octet-stream"


class MakeBody(Contract):
    """The request whose export is to be made; it has to be verified."""

    request_id: Identifier


class SealBody(Contract):
    """To whom the file is encrypted: a passphrase of 12 characters or more, or an X25519 public key in base64."""

    passphrase: Annotated[str, Field(min_length=12, max_length=1_000), Storable] | None = None
    recipient: Annotated[str, Field(min_length=44, max_length=44), Storable] | None = None


class Discarded(Contract):
    """Whether there was an export to drop."""

    dropped: bool


_MAKE: Final[dict[str, Example]] = {
    "made": {"summary": "A request that is verified", "value": {"request_id": "the id that submitting it answered"}}
}
_SEAL: Final[dict[str, Example]] = {
    "passphrase": {"summary": "To a passphrase", "value": {"passphrase": "correct horse battery staple"}}
}


@router.post("", status_code=201, summary="Make the export of a request", responses=documented(403, 404, 409, 415, 507))
def make_export(
    caller: FreshCaller, wish: Annotated[MakeBody, as_json(MakeBody), Body(openapi_examples=_MAKE)]
) -> StoredExport:
    """It waits sealed for seven days, and goes at once when something in it is forgotten."""
    exports = caller.memory().exports
    done = exports.make(wish.request_id)
    if isinstance(done, RightsRefused):
        raise StepRefusedError(done)
    return _standing(exports.status(wish.request_id))


@router.get("/{request_id}", summary="See where an export stands", responses=documented(404, 409))
def show_export(caller: Caller, request_id: RequestId) -> StoredExport:
    """While it is made, how many chunks there are; afterwards its size and digest, and until when it waits."""
    return _standing(caller.memory().exports.status(request_id))


@router.delete("/{request_id}", summary="Drop an export before its time", responses=documented(404))
def discard_export(caller: Caller, request_id: RequestId) -> Discarded:
    """Its key is destroyed with it."""
    return Discarded(dropped=caller.memory().exports.discard(request_id))


@router.get(
    "/{request_id}/file",
    summary="Download an export",
    response_class=StreamingResponse,
    responses={
        200: {"description": "A zip that `iris rights verify FILE` checks offline", "content": {ZIP: {}}},
        **documented(403, 404, 409),
    },
)
def download_export(caller: FreshCaller, request_id: RequestId) -> StreamingResponse:
    """One that was asked for encrypted is fetched with POST, which says to whom."""
    return _answer(caller.memory().exports.collect(request_id), ZIP, "iris-export.zip")


@router.post(
    "/{request_id}/file",
    summary="Download an export encrypted",
    response_class=StreamingResponse,
    responses={
        200: {"description": "A sealed file that `iris rights unlock` opens", "content": {SEALED: {}}},
        **documented(403, 404, 409, 415),
    },
)
def download_sealed(
    caller: FreshCaller,
    request_id: RequestId,
    wish: Annotated[SealBody, as_json(SealBody), Body(openapi_examples=_SEAL)],
) -> StreamingResponse:
    """Encrypted on its way out; the passphrase is kept nowhere."""
    pieces = caller.memory().exports.collect(request_id, passphrase=wish.passphrase, recipient=wish.recipient)
    return _answer(pieces, SEALED, "iris-export.sealed")


def _standing(found: StoredExport | RightsRefused) -> StoredExport:
    if isinstance(found, RightsRefused):
        raise StepRefusedError(found)
    return found


def _answer(pieces: Iterator[bytes] | RightsRefused, media: str, name: str) -> StreamingResponse:
    if isinstance(pieces, RightsRefused):
        raise StepRefusedError(pieces)
    first = next(pieces, b"")  # what can go wrong at once does so before the answer begins
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(_streamed(first, pieces), media_type=media, headers=headers)


async def _streamed(first: bytes, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    piece = first
    while piece:
        yield piece
        piece = await run_in_threadpool(next, pieces, b"")
