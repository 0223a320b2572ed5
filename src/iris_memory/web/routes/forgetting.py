"""Forgetting: one memory, a category, somebody mentioned, a source, everything. Its reach before, its receipt after."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt
from iris_memory.contracts.others import MentionedPerson
from iris_memory.contracts.rights import DeleteMode, DeletePayload, RightsRequest, RightsState
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import UnknownMemoryError
from iris_memory.web.rendering import render
from iris_memory.web.routes.memory import LogicalId
from iris_memory.web.routes.rights import carried_out
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, counted

router = APIRouter()

GRACE: Final = timedelta(days=7)
"""How long everything can be brought back after it was set aside."""

Handle = Annotated[str, Path(min_length=1, max_length=128)]


@router.get("/forget")
def index(request: Request, visitor: Visits) -> Response:
    """Show what can be forgotten together, and the receipts of what was."""
    memory = visitor.memory
    listing = memory.list(limit=0)
    counts = {category: listing.by_category.get(category.value, 0) for category in Category}
    return render(
        request,
        "forget/index.html",
        visitor,
        total=listing.total,
        categories={category: count for category, count in counts.items() if count},
        mentions=memory.others.mentions(),
        waiting=waiting_deletion(visitor),
        receipts=memory.overview.receipts(),
    )


@router.get("/memory/{logical_id}/forget")
def reach_of_one(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show what forgetting one memory reaches."""
    visitor.require_fresh()
    entry, _ = visitor.memory.show(logical_id)
    preview = visitor.memory.preview_forget(logical_id)
    return _reach(
        request,
        visitor,
        preview,
        title="Forget this",
        quote=entry.body,
        button="Forget this",
        back=f"/memory/{logical_id}",
    )


@router.post("/memory/{logical_id}/forget")
def forget_one(visitor: Visits, logical_id: LogicalId) -> Response:
    """Forget one memory for good."""
    visitor.require_fresh(f"/memory/{logical_id}/forget")
    return _receipt_of(visitor.memory.forget(logical_id))


@router.get("/memory/{logical_id}/sources/{place}/forget")
def reach_of_source(request: Request, visitor: Visits, logical_id: LogicalId, place: int) -> Response:
    """Show what forgetting everything of one source reaches. The source is named by its place, never in the address."""
    visitor.require_fresh()
    ref = _source(visitor, logical_id, place)
    preview = visitor.memory.overview.preview_forget_source(ref)
    count = counted(preview.memories, "memory", "memories")
    return _reach(
        request,
        visitor,
        preview,
        title="Forget everything from this source",
        quote=f"Source: {ref}"
        if ref != "direct"
        else "Source: what was said directly, in no conversation that has a name",
        note="What you typed yourself goes only where it first came from this source.",
        button=f"Forget {count} from this source",
        back=f"/memory/{logical_id}",
    )


@router.post("/memory/{logical_id}/sources/{place}/forget")
def forget_source(visitor: Visits, logical_id: LogicalId, place: int) -> Response:
    """Forget everything that came from one source."""
    visitor.require_fresh(f"/memory/{logical_id}/sources/{place}/forget")
    return _receipt_of(visitor.memory.inbox.forget_source(_source(visitor, logical_id, place), scan=True))


@router.get("/forget/categories/{category}")
def reach_of_category(request: Request, visitor: Visits, category: Category) -> Response:
    """Show what forgetting a category reaches."""
    visitor.require_fresh()
    preview = visitor.memory.preview_forget(category=category)
    word, count = CATEGORIES[category], preview.memories
    return _reach(
        request,
        visitor,
        preview,
        title=f"Forget all in {word}",
        note=f"This reaches what is filed under {word} now, and what once was.",
        button=f"Forget all {count:,} in {word}" if count != 1 else f"Forget the one in {word}",
        back="/forget",
    )


@router.post("/forget/categories/{category}")
def forget_category(visitor: Visits, category: Category) -> Response:
    """Forget a category for good."""
    visitor.require_fresh(f"/forget/categories/{category.value}")
    return _receipt_of(visitor.memory.forget(category=category))


@router.get("/forget/people/{handle}")
def reach_of_person(request: Request, visitor: Visits, handle: Handle) -> Response:
    """Show what forgetting every mention of somebody reaches. Their handle says nothing, and their name is not kept."""
    visitor.require_fresh()
    one = _mentioned(visitor, handle)
    preview = visitor.memory.others.preview_forget(handle)
    count = counted(preview.memories, "memory", "memories")
    return _reach(
        request,
        visitor,
        preview,
        title="Forget every mention of somebody",
        quote="; ".join(one.relationship_notes),
        button=f"Forget {count} about them",
        back="/forget",
    )


@router.post("/forget/people/{handle}")
def forget_person(visitor: Visits, handle: Handle) -> Response:
    """Forget every mention of somebody for good."""
    visitor.require_fresh(f"/forget/people/{handle}")
    _mentioned(visitor, handle)
    return _receipt_of(visitor.memory.others.forget_mentions(handle))


@router.get("/forget/everything")
def reach_of_everything(request: Request, visitor: Visits) -> Response:
    """Show what forgetting everything reaches, and the two ways: with a week to change one's mind, or at once."""
    visitor.require_fresh()
    return _everything(request, visitor)


@router.post("/forget/everything")
def forget_everything(request: Request, visitor: Visits, when: Annotated[str, Form()] = "") -> Response:
    """Set everything aside for a week and forget it then, or forget it at once."""
    visitor.require_fresh("/forget/everything")
    if when == "now":
        return _receipt_of(visitor.memory.forget(everything=True))
    if when != "later":
        return _everything(request, visitor, [("when", "Choose when everything is to be forgotten.")], status=422)
    payload = DeletePayload(
        mode=DeleteMode.SOFT,
        scopes=tuple(AdapterScope),
        retention_grace_ms=int(GRACE / timedelta(milliseconds=1)),
    )
    done = carried_out(visitor, payload)
    return RedirectResponse(f"/rights/{done.duplicate_of or done.request_id}", SEE_OTHER)


@router.get("/receipts/{receipt_id}")
def receipt(request: Request, visitor: Visits, receipt_id: Annotated[str, Path(max_length=128)]) -> Response:
    """Show a receipt: what went, what stays, and how to verify it."""
    found = visitor.memory.overview.receipt(receipt_id)
    return render(request, "forget/receipt.html", visitor, receipt=found)


@router.get("/receipts/{receipt_id}/file")
def receipt_file(visitor: Visits, receipt_id: Annotated[str, Path(max_length=128)]) -> Response:
    """Give a receipt as the file that can be verified."""
    found = visitor.memory.overview.receipt(receipt_id)
    name = f"iris-receipt-{found.completed_at:%Y-%m-%d}.json"
    return Response(
        found.model_dump_json(indent=2) + "\n",
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def waiting_deletion(visitor: Visitor) -> RightsRequest | None:
    """Return the soft deletion whose grace runs, where there is one."""
    return next(
        (
            one
            for one in visitor.memory.rights.list()
            if one.grace_ends_at is not None and one.state is RightsState.IN_PROGRESS
        ),
        None,
    )


def _everything(
    request: Request, visitor: Visitor, mistakes: list[tuple[str, str]] | None = None, *, status: int = 200
) -> Response:
    return render(
        request,
        "forget/everything.html",
        visitor,
        status=status,
        preview=visitor.memory.preview_forget(everything=True),
        days=GRACE.days,
        waiting=waiting_deletion(visitor),
        mistakes=mistakes or [],
    )


def _reach(request: Request, visitor: Visitor, preview: ForgetPreview, **facts: Any) -> Response:
    return render(request, "forget/reach.html", visitor, preview=preview, **{"quote": "", "note": "", **facts})


def _receipt_of(receipt: ForgetReceipt) -> Response:
    return RedirectResponse(f"/receipts/{receipt.receipt_id}", SEE_OTHER)


def _source(visitor: Visitor, logical_id: str, place: int) -> str:
    sources = visitor.memory.expand(logical_id).sources
    if not 1 <= place <= len(sources):
        raise UnknownMemoryError("there is no such source")
    return sources[place - 1].ref


def _mentioned(visitor: Visitor, handle: str) -> MentionedPerson:
    found = next((one for one in visitor.memory.others.mentions() if one.handle == handle), None)
    if found is None:
        raise UnknownMemoryError("nobody of this handle is mentioned")
    return found
