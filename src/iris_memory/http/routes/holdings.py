"""All that is held of a person, and what stands beside their memory: receipts, what was made from it, its trail."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path
from fastapi.openapi.models import Example

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt
from iris_memory.contracts.shape import Contract, Count, Identifier
from iris_memory.flows.overview import EventAbout
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import documented
from iris_memory.http.routes.memories import LogicalId

router = APIRouter(prefix="/v1")


class Receipts(Contract):
    """Receipts of what was forgotten, newest first."""

    receipts: tuple[ForgetReceipt, ...]


class Holdings(Contract):
    """How much every place that can hold personal data has of the person, by the name of the place."""

    holdings: dict[str, Count]


class MadeFrom(Contract):
    """Memories that were made from one."""

    memories: tuple[MemoryEntry, ...]


class Events(Contract):
    """The audit events about any revision of a memory, newest first."""

    events: tuple[EventAbout, ...]


class SourcePreviewBody(Contract):
    """Which source a forget would be of: what a provenance link calls it."""

    ref: Identifier


_SOURCE: dict[str, Example] = {"session": {"summary": "A session", "value": {"ref": "tuesday"}}}


@router.get("/holdings", tags=["memories"], summary="Count all that is held of the person", responses=documented())
def show_holdings(caller: Caller) -> Holdings:
    """Every place that can hold personal data, empty ones included: what is listed here is all there is."""
    return Holdings(holdings=caller.memory().overview.holdings())


@router.get("/receipts", tags=["forgetting"], summary="List receipts of what was forgotten", responses=documented())
def list_receipts(caller: Caller) -> Receipts:
    """Newest first, as long as the person is known; a receipt verifies without the store."""
    return Receipts(receipts=tuple(caller.memory().overview.receipts()))


@router.get("/receipts/{receipt_id}", tags=["forgetting"], summary="Show one receipt", responses=documented(404))
def show_receipt(caller: Caller, receipt_id: Annotated[str, Path(max_length=128)]) -> ForgetReceipt:
    """As it was given: signed, and naming no word of what went."""
    return caller.memory().overview.receipt(receipt_id)


@router.get(
    "/memories/{logical_id}/made-from",
    tags=["memories"],
    summary="List what was made from a memory",
    responses=documented(404),
)
def list_made_from(caller: Caller, logical_id: LogicalId) -> MadeFrom:
    """Summaries and what else has it as a source."""
    return MadeFrom(memories=tuple(caller.memory().overview.made_from(logical_id)))


@router.get(
    "/memories/{logical_id}/events",
    tags=["memories"],
    summary="List the audit events about a memory",
    responses=documented(404),
)
def list_memory_events(caller: Caller, logical_id: LogicalId) -> Events:
    """Newest first: every line of the chain that names a revision of it."""
    return Events(events=tuple(caller.memory().overview.events(logical_id)))


@router.post(
    "/forget/source/preview",
    tags=["forgetting"],
    summary="Count what forgetting a source would reach",
    responses=documented(404, 415),
)
def preview_forget_source(
    caller: Caller,
    wish: Annotated[SourcePreviewBody, as_json(SourcePreviewBody), Body(openapi_examples=_SOURCE)],
) -> ForgetPreview:
    """Nothing is changed."""
    return caller.memory().overview.preview_forget_source(wish.ref)
