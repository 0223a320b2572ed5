"""The audit explorer: events as ids, codes and counts; whether the chain is whole; proofs and exports to take away."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from itertools import islice
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from iris_memory.contracts.audit import AuditAction, Severity
from iris_memory.contracts.audit_trail import TrailLine, TrailPage
from iris_memory.errors import ContractError
from iris_memory.front.audit_trail import AuditTrail, is_event_proved
from iris_memory.web.choices import day_of
from iris_memory.web.doors import Door, opened
from iris_memory.web.rendering import render
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter(prefix="/operators/audit")

PAGE: Final = 50
_LINES: Final = 512
Short = Annotated[str, Query(max_length=200)]
Sequence = Annotated[int, Path(ge=1, le=2**53)]


@router.get("")
def explore(
    request: Request,
    visitor: Visits,
    action: Short = "",
    severity: Short = "",
    person: Short = "",
    object_id: Short = "",
    since: Short = "",
    until: Short = "",
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    """List events, newest first, through a filter."""
    trail = _trail(visitor)
    filters = {
        "action": action if action in set(AuditAction) else "",
        "severity": severity if severity in set(Severity) else "",
        "person": person.strip(),
        "object_id": object_id.strip(),
        "since": since,
        "until": until,
    }
    mistakes = {
        name: "Write the day as year-month-day, such as 2026-03-31."
        for name in ("since", "until")
        if filters[name] and day_of(filters[name]) is None
    }
    last_day = day_of(until)
    try:
        page = trail.events(
            action=filters["action"] or None,
            severity=filters["severity"] or None,
            person=filters["person"] or None,
            object_id=filters["object_id"] or None,
            since=day_of(since),
            until=last_day + timedelta(days=1) if last_day is not None else None,
            before=before,
            limit=PAGE,
        )
    except ContractError:
        mistakes["object_id"] = "An id has 1 to 128 characters and no control characters."
        page = TrailPage(lines=(), size=0, looked_at=0)
    return render(
        request,
        "operators/audit.html",
        visitor,
        page=page,
        named=[(line, _named(line)) for line in page.lines],
        filters=filters,
        is_filtered=any(filters.values()),
        before=before,
        mistakes=mistakes,
        actions=list(AuditAction),
        severities=list(Severity),
    )


@router.get("/check")
def check(request: Request, visitor: Visits) -> Response:
    """Check the whole chain where it lies, and say what was found."""
    found = _trail(visitor).verify()
    return render(request, "operators/audit_check.html", visitor, found=found, report=found.report)


@router.get("/export")
def export(visitor: Visits) -> Response:
    """Give the whole chain as a file that anybody can check offline."""
    trail = _trail(visitor)
    visitor.require_fresh()
    lines = trail.export()
    first = list(islice(lines, _LINES))  # what can go wrong at once does so before the answer begins
    return StreamingResponse(
        _streamed(first, lines), media_type="application/x-ndjson", headers=_attached("iris-audit.jsonl")
    )


@router.get("/{sequence}")
def one(request: Request, visitor: Visits, sequence: Sequence) -> Response:
    """Show one event in full."""
    trail = _trail(visitor)
    line = trail.event(sequence)
    object_ids = json.loads(line.facts.get("object_ids", "[]"))
    return render(request, "operators/audit_one.html", visitor, line=line, object_ids=object_ids)


@router.get("/{sequence}/proof")
def proof(request: Request, visitor: Visits, sequence: Sequence) -> Response:
    """Prove that an event is part of the log, and show what the proof consists of."""
    made = _trail(visitor).proof(sequence)
    return render(request, "operators/audit_proof.html", visitor, proof=made, holds=is_event_proved(made))


@router.get("/{sequence}/proof.json")
def proof_file(visitor: Visits, sequence: Sequence) -> Response:
    """Give the proof as a file."""
    body = _trail(visitor).proof(sequence).model_dump_json(indent=2)
    return Response(body, media_type="application/json", headers=_attached(f"iris-event-{sequence}-proof.json"))


def _named(line: TrailLine) -> list[tuple[str, str]]:
    """Return what a row shows of an event: ids first, then short codes and counts; the rest is on its own page."""
    facts = {name: json.loads(value) for name, value in line.facts.items()}
    ids = facts.pop("object_ids", [])
    shown = [
        ("ids" if len(ids) > 1 else "id", ", ".join(ids[:2]) + (f" and {len(ids) - 2} more" if len(ids) > 2 else ""))
    ]
    short = [(name, str(value)) for name, value in facts.items() if isinstance(value, str | int) and _is_short(value)]
    return [*(shown if ids else []), *((name.replace("_", " "), value) for name, value in short[:4])]


def _is_short(value: str | int) -> bool:
    return not isinstance(value, str) or (0 < len(value) <= 40 and len(value) != 32)


def _trail(visitor: Visitor) -> AuditTrail:
    opened(visitor, Door.AUDIT)
    return visitor.iris.audit_trail(tenant=visitor.session.tenant)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}


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
