"""Memory: everything that is remembered, grouped by scope; and one fact with its five answers."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.blueprint import AtExpiry
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Origin, SuppressionReason
from iris_memory.contracts.retaining import ExpandedSource
from iris_memory.contracts.rights import LegalHold
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows.reading import Order
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, RETENTION
from iris_memory.tables.categories import CATEGORIES as CATEGORY_ROWS
from iris_memory.web.consent_words import consent_words
from iris_memory.web.differences import changes
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.sought import open_words, seal_words
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, CONSUMERS, ORIGINS, SCOPES, listed

router = APIRouter()

PAGE: Final = 40
EVENTS_SHOWN: Final = 100
LogicalId = Annotated[str, Path(min_length=1, max_length=128)]
_Cursor = Annotated[str, Query(max_length=200)]

_THEN: Final = {
    AtExpiry.SUMMARIZE: ", then it is summarised",
    AtExpiry.AGGREGATE: ", then only measures of it are kept",
    AtExpiry.REVIEW: ", then you are asked",
    AtExpiry.NONE: "",
}


@router.get("/")
def front(visitor: Visits) -> Response:
    """Lead to what most people come for."""
    del visitor
    return RedirectResponse("/memory", SEE_OTHER)


@router.get("/memory")
def index(
    request: Request,
    visitor: Visits,
    category: str = "",
    scope: str = "",
    origin: str = "",
    sort: str = "",
    cursor: _Cursor = "",
) -> Response:
    """List what is remembered, with how many there are and how many the filters let by."""
    return _list(request, visitor, category, scope, origin, sort, cursor)


@router.post("/memory/search")
def search(request: Request, visitor: Visits, words: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Lead to what holds some words. They travel in the body, and stand in the address sealed."""
    if not words.strip():
        wrong = [("words", "Type the words to search for.")]
        return _list(request, visitor, "", "", "", "", "", mistakes=wrong, status=422)
    return RedirectResponse(f"/memory/found/{seal_words(visitor, words.strip())}", SEE_OTHER)


@router.get("/memory/found/{sought}")
def found(
    request: Request,
    visitor: Visits,
    sought: str,
    category: str = "",
    scope: str = "",
    origin: str = "",
    sort: str = "",
    cursor: _Cursor = "",
) -> Response:
    """List what holds the words that were sought."""
    words = open_words(visitor, sought)
    if not words:
        return RedirectResponse("/memory", SEE_OTHER)
    return _list(request, visitor, category, scope, origin, sort, cursor, words=words, sought=sought)


@router.get("/memory/{logical_id}")
def detail(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show one fact in full, and answer: since when, who said it, why and until when it is kept, who can see it."""
    memory = visitor.memory
    entry, usage = memory.show(logical_id)
    is_set_aside = entry.lifecycle is Lifecycle.PAUSED or (
        entry.suppression is not None and entry.suppression.reason is SuppressionReason.USER_PAUSE
    )
    contexts = sorted(one.value for one in CATEGORY_ROWS[entry.category].contexts)
    return render(
        request,
        "memory/detail.html",
        visitor,
        entry=entry,
        usage=usage,
        changes=changes(memory.history(logical_id)),
        sources=_sources(visitor, logical_id),
        made=memory.overview.made_from(logical_id),
        consumers=_consumers(entry),
        contexts=contexts,
        why=_why(entry),
        then=_THEN[RETENTION[entry.adapter_scope].at_expiry],
        holds=[hold for hold in memory.rights.holds() if covers(hold, entry)],
        is_set_aside=is_set_aside,
        is_in_question=entry.lifecycle is Lifecycle.DRAFT,
        can_edit=entry.lifecycle in {Lifecycle.ACTIVE, Lifecycle.PAUSED},
        restriction=restriction_of(visitor, logical_id) if is_set_aside else None,
        deletion=_deletion_of(visitor, logical_id) if is_set_aside else None,
    )


@router.get("/memory/{logical_id}/audit")
def audit(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show every event of the audit chain about one memory."""
    entry, _ = visitor.memory.show(logical_id)
    events = visitor.memory.overview.events(logical_id)
    runs = [list(group) for _, group in groupby(events, key=lambda event: event.action)]
    shown = runs[:EVENTS_SHOWN]
    more = len(runs) > len(shown)
    return render(request, "memory/audit.html", visitor, entry=entry, total=len(events), rows=shown, more=more)


def restriction_of(visitor: Visitor, logical_id: str) -> str | None:
    """Return the id of the request by which the person set a memory aside, where that was so."""
    for one in reversed(visitor.memory.rights.list()):
        named = getattr(one.payload, "logical_ids", ())
        lifted = any(event.event.value == "restriction-lifted" for event in one.trail)
        if logical_id in named and one.state.value == "completed" and not lifted:
            return one.request_id
    return None


def _deletion_of(visitor: Visitor, logical_id: str) -> str | None:
    """Return the id of the request that will forget a memory when its grace is over, where there is one."""
    waiting = [one for one in visitor.memory.rights.list() if one.grace_ends_at is not None]
    return next((one.request_id for one in waiting if logical_id in one.set_aside), None)


def covers(hold: LegalHold, entry: MemoryEntry) -> bool:
    """Say whether a legal hold keeps a memory."""
    target = hold.target
    return (
        target.is_whole
        or entry.adapter_scope in target.scopes
        or entry.category in target.categories
        or entry.logical_id in target.logical_ids
    )


def _list(
    request: Request,
    visitor: Visitor,
    category: str,
    scope: str,
    origin: str,
    sort: str,
    cursor: str,
    *,
    words: str = "",
    sought: str = "",
    mistakes: list[tuple[str, str]] | None = None,
    status: int = 200,
) -> Response:
    chosen = Order(sort) if sort in set(Order) else Order.CHANGED
    listing = visitor.memory.list(
        category=Category(category) if category in set(Category) else None,
        adapter_scope=AdapterScope(scope) if scope in set(AdapterScope) else None,
        origin=Origin(origin) if origin in set(Origin) else None,
        words=words,
        order=chosen,
        limit=PAGE,
        cursor=cursor or None,
    )
    facts: dict[str, Any] = {
        "listing": listing,
        "groups": _by_scope(listing.entries),
        "filters": {"category": category, "scope": scope, "origin": origin, "sort": chosen.value, "cursor": cursor},
        "is_filtered": bool(category or scope or origin or words),
        "is_narrowed": bool(category or scope or origin or sort),
        "questions": len(visitor.memory.inbox.questions()),
        "looked": next(iter(visitor.memory.looked()), None),
        "notices": len(visitor.memory.notices()),
        "categories": CATEGORIES,
        "origins": ORIGINS,
        "scopes": SCOPES,
        "words": words,
        "sought": sought,
        "page_size": PAGE,
        "mistakes": mistakes or [],
    }
    return render(request, "memory/index.html", visitor, status=status, **facts)


def _by_scope(entries: list[MemoryEntry]) -> list[tuple[AdapterScope, list[MemoryEntry]]]:
    order = list(AdapterScope)
    ranked = sorted(entries, key=lambda entry: order.index(entry.adapter_scope))
    return [(scope, list(group)) for scope, group in groupby(ranked, key=lambda entry: entry.adapter_scope)]


def _sources(visitor: Visitor, logical_id: str) -> tuple[ExpandedSource, ...]:
    try:
        return visitor.memory.expand(logical_id).sources
    except UnknownMemoryError:
        return ()  # it lives in its session alone


def _consumers(entry: MemoryEntry) -> list[str]:
    return [CONSUMERS[one] for one in CONSUMERS if one in ADAPTER_SCOPES[entry.adapter_scope].consumers]


def _why(entry: MemoryEntry) -> str:
    needed = [consent_words(one.value).title for one in ADAPTER_SCOPES[entry.adapter_scope].required_consents]
    needed += [CATEGORIES[one.category] for one in entry.consents]
    return f"Because you agreed to {listed([f'“{word}”' for word in dict.fromkeys(needed)])}."
