"""Memories: written, listed, shown, corrected."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Header, Path, Query, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Origin
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.write import AskCategory, AskUser, Refused, Written
from iris_memory.http import examples
from iris_memory.http.answers import BatchAnswer, Foreseen, History, Kept, MemoryDetail, MemoryPage
from iris_memory.http.bodies import BatchBody, RememberBody, ReviseBody, SearchBody, as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented

router = APIRouter(prefix="/v1", tags=["memories"])

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=128,
        description="The same key and body are answered the same again for seven days; another body is a conflict.",
    ),
]
LogicalId = Annotated[
    str, Path(min_length=1, max_length=128, description="The id that ties the revisions of one memory together.")
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        max_length=200,
        description="The ETag of the revision that was seen; another one in force is refused as `stale-revision`.",
    ),
]


@router.post(
    "/memories",
    status_code=201,
    summary="Remember something",
    responses={
        201: {"description": "It is remembered"},
        202: {
            "description": "It waits for the person's answer: as a draft, or (what looks sensitive) not stored at all",
            "model": AskUser | AskCategory,
        },
        **documented(403, 409, 415, 507),
    },
)
def remember(
    caller: Caller,
    wish: Annotated[RememberBody, as_json(RememberBody), Body(openapi_examples=examples.REMEMBER)],
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Kept:
    """Consent, policy, hygiene, integrity and the conflict ladder decide; what is written is on the disk."""
    outcome = caller.memory().remember(wish.statement(caller.holder), idempotency_key=idempotency_key)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    if not isinstance(outcome, Written):
        response.status_code = 202
    if isinstance(outcome, AskCategory):
        return outcome
    response.headers["Location"] = f"/v1/memories/{outcome.entry.logical_id}"
    response.headers["ETag"] = etag(outcome.entry.id)
    return outcome


@router.post(
    "/memories/batch",
    summary="Remember many things in one transaction",
    responses=documented(409, 415, 507),
)
def remember_batch(
    caller: Caller,
    wish: Annotated[BatchBody, as_json(BatchBody), Body(openapi_examples=examples.BATCH)],
    idempotency_key: IdempotencyKey = None,
) -> BatchAnswer:
    """Each statement has an outcome of its own; a refusal is a value here and stops no other statement."""
    statements = [each.statement(caller.holder) for each in wish.statements]
    outcomes = caller.memory().remember_many(statements, idempotency_key=idempotency_key)
    return BatchAnswer(outcomes=tuple(outcomes))


@router.get("/memories", summary="List what is remembered", responses=documented())
def list_memories(
    caller: Caller,
    category: Category | None = None,
    adapter_scope: AdapterScope | None = None,
    origin: Origin | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
) -> MemoryPage:
    """Newest change first; drafts, paused and quarantined memories are listed too: what you see is all there is."""
    listing = caller.memory().list(
        category=category, adapter_scope=adapter_scope, origin=origin, limit=limit, cursor=cursor
    )
    return MemoryPage.of(listing)


@router.post("/memories/search", summary="List what holds some words", responses=documented(415))
def search_memories(
    caller: Caller, wish: Annotated[SearchBody, as_json(SearchBody), Body(openapi_examples=examples.SEARCH)]
) -> MemoryPage:
    """A listing narrowed to memories whose body holds the words, in any case. Words never stand in an address."""
    listing = caller.memory().list(
        category=wish.category,
        adapter_scope=wish.adapter_scope,
        origin=wish.origin,
        words=wish.words,
        limit=wish.limit,
        cursor=wish.cursor,
    )
    return MemoryPage.of(listing)


@router.get("/memories/{logical_id}", summary="Show one memory", responses=documented(404))
def show_memory(caller: Caller, logical_id: LogicalId, response: Response) -> MemoryDetail:
    """The memory with its sources, and when and why it was used. The ETag is the id of the revision in force."""
    entry, usage = caller.memory().show(logical_id)
    response.headers["ETag"] = etag(entry.id)
    return MemoryDetail(memory=entry, usage=usage)


@router.get("/memories/{logical_id}/history", summary="List every revision of one memory", responses=documented(404))
def list_revisions(caller: Caller, logical_id: LogicalId) -> History:
    """Oldest first. Nothing is edited in place: a correction writes the next revision."""
    return History(revisions=tuple(caller.memory().history(logical_id)))


@router.patch(
    "/memories/{logical_id}",
    summary="Correct a memory",
    responses={
        202: {"description": "Another memory has the slot: it waits for the person's answer", "model": AskUser},
        **documented(403, 404, 409, 412, 415, 507),
    },
)
def revise_memory(
    caller: Caller,
    logical_id: LogicalId,
    wish: Annotated[ReviseBody, as_json(ReviseBody), Body(openapi_examples=examples.REVISE)],
    response: Response,
    if_match: IfMatch = None,
) -> Kept:
    """The next revision, in the person's own words; where another memory has the slot, a question about both."""
    outcome = caller.memory(wish.session_id).revise(
        logical_id,
        wish.body,
        category=wish.category,
        subject=wish.subject,
        expires_at=wish.expires_at,
        expected=expected(if_match),
    )
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    if isinstance(outcome, AskUser):
        response.status_code = 202
    response.headers["ETag"] = etag(outcome.entry.id)
    return outcome


@router.post("/memories/{logical_id}/preview", summary="See what a correction would do", responses=documented(404, 415))
def preview_revision(
    caller: Caller,
    logical_id: LogicalId,
    wish: Annotated[ReviseBody, as_json(ReviseBody), Body(openapi_examples=examples.REVISE)],
    if_match: IfMatch = None,
) -> Foreseen:
    """The next revision, a question about both, or a refusal; nothing is written, and the ids shown are not kept."""
    outcome = caller.memory(wish.session_id).preview_revise(
        logical_id,
        wish.body,
        category=wish.category,
        subject=wish.subject,
        expires_at=wish.expires_at,
        expected=expected(if_match),
    )
    return Foreseen(outcome=outcome)


def etag(revision_id: str) -> str:
    return f'"{revision_id}"'


def expected(if_match: str | None) -> str | None:
    # RFC 9110 §13.1.1: `*` fits any revision; a weak tag fits none
    if if_match is None or if_match.strip() == "*":
        return None
    given = if_match.strip()
    return given[1:-1] if len(given) > 2 and given[0] == given[-1] == '"' else given
