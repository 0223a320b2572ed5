"""Memory: everything that is remembered, grouped by scope; and one fact with its five answers."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import MemoryEntry, Origin
from iris_memory.contracts.scope import AdapterScope
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visits
from iris_memory.web.wording import CATEGORIES, ORIGINS, SCOPES

router = APIRouter()

PAGE = 50
LogicalId = Annotated[str, Path(min_length=1, max_length=128)]


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
    cursor: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """List what is remembered, newest change first, with how many there are and how many the filters let by."""
    filters = {"category": category, "scope": scope, "origin": origin}
    listing = visitor.memory.list(
        category=Category(category) if category in set(Category) else None,
        adapter_scope=AdapterScope(scope) if scope in set(AdapterScope) else None,
        origin=Origin(origin) if origin in set(Origin) else None,
        limit=PAGE,
        cursor=cursor or None,
    )
    facts: dict[str, Any] = {
        "listing": listing,
        "groups": _by_scope(listing.entries),
        "filters": filters,
        "is_filtered": any(filters.values()),
        "questions": len(visitor.memory.questions()),
        "categories": CATEGORIES,
        "origins": ORIGINS,
        "scopes": SCOPES,
    }
    return render(request, "memory/index.html", visitor, **facts)


@router.get("/memory/{logical_id}")
def detail(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show one fact in full, and answer: since when, who said it, why and until when it is kept, who can see it."""
    entry, usage = visitor.memory.show(logical_id)
    history = visitor.memory.history(logical_id)
    return render(request, "memory/detail.html", visitor, entry=entry, usage=usage, history=history)


def _by_scope(entries: list[MemoryEntry]) -> list[tuple[AdapterScope, list[MemoryEntry]]]:
    order = list(AdapterScope)
    ranked = sorted(entries, key=lambda entry: order.index(entry.adapter_scope))
    return [(scope, list(group)) for scope, group in groupby(ranked, key=lambda entry: entry.adapter_scope)]
