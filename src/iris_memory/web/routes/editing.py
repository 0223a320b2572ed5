"""Changing one memory: correct its words, move it to another scope, set it aside and take it back into use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import BODY_MOST, SUBJECT_MOST, MemoryEntry
from iris_memory.contracts.rights import RestrictPayload
from iris_memory.contracts.scope import DEFAULT_ADAPTER, NotebookScope, ProfileScope, Scope, ScopeKind
from iris_memory.contracts.write import AskUser, Refused
from iris_memory.tables.scope_changes import SCOPE_CHANGES, Passage
from iris_memory.web.rendering import render
from iris_memory.web.routes.memory import LogicalId, restriction_of
from iris_memory.web.routes.rights import carried_out
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, REFUSALS, SCOPES

router = APIRouter()

Mistakes = list[tuple[str, str]]

_FIELD_OF: Final = {
    RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT: "category",
    RefusalReason.LOOKS_SENSITIVE: "category",
    RefusalReason.ALREADY_EXPIRED: "ends",
    RefusalReason.HIDDEN_CHARACTERS: "body",
    RefusalReason.EMPTY_AFTER_CLEANING: "body",
    RefusalReason.FORGOTTEN_BEFORE: "body",
    RefusalReason.CONFLICT_KEPT_EXISTING: "subject",
}


class Way(NamedTuple):
    """One scope a memory may go to: its code in the form, its word, and the rule."""

    code: str
    word: str
    rule: str


@router.get("/memory/{logical_id}/edit")
def show_edit(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show a memory field by field."""
    entry, _ = visitor.memory.show(logical_id)
    return _edit_page(request, visitor, entry, _as_it_stands(entry))


@router.post("/memory/{logical_id}/edit")
def edit(
    request: Request,
    visitor: Visits,
    logical_id: LogicalId,
    seen: Annotated[str, Form()],
    body: Annotated[str, Form()] = "",
    category: Annotated[str, Form()] = "",
    subject: Annotated[str, Form()] = "",
    ends: Annotated[str, Form()] = "",
    again: Annotated[bool, Form()] = False,
) -> Response:
    """Save a correction; where it goes against something else the person said, lead to the question."""
    memory = visitor.memory
    entry, _ = memory.show(logical_id)
    body, subject = body.replace("\r\n", "\n").strip(), subject.strip()
    typed = {"body": body, "category": category, "subject": subject, "ends": ends}
    day, mistakes = _read(typed, visitor.now, before=_as_it_stands(entry)["ends"])
    if mistakes:
        return _edit_page(request, visitor, entry, typed, mistakes=mistakes, status=422)
    changed = {
        "body": body if body != entry.body else None,
        "category": Category(category) if category != entry.category.value else None,
        "subject": subject if subject and subject != entry.subject else None,
        "expires_at": day,
    }
    if not any(changed.values()):
        return RedirectResponse(f"/memory/{logical_id}?done=unchanged", SEE_OTHER)
    outcome = memory.revise(logical_id, expected=seen, again=again, **changed)  # type: ignore[arg-type]
    if isinstance(outcome, AskUser):
        return RedirectResponse(f"/questions/{outcome.question_id}", SEE_OTHER)
    if isinstance(outcome, Refused):
        return _edit_page(request, visitor, entry, typed, refused=outcome, status=422)
    return RedirectResponse(f"/memory/{logical_id}?done=saved", SEE_OTHER)


@router.get("/memory/{logical_id}/move")
def show_move(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show where a memory may go, by which rule, and where not."""
    entry, _ = visitor.memory.show(logical_id)
    return _move_page(request, visitor, entry)


@router.post("/memory/{logical_id}/move")
def move(
    request: Request,
    visitor: Visits,
    logical_id: LogicalId,
    seen: Annotated[str, Form()],
    to: Annotated[str, Form()] = "",
    notebook: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Move a memory, or copy it read-only where that is the rule."""
    entry, _ = visitor.memory.show(logical_id)
    ways = {way.code for way in _ways(entry)[0]}
    typed = {"typed_to": to, "typed_notebook": notebook}
    if to not in ways:
        wrong = [("to", "Choose where it is to go.")]
        return _move_page(request, visitor, entry, mistakes=wrong, status=422, **typed)
    if to == ScopeKind.NOTEBOOK and not 0 < len(notebook.strip()) <= 128:
        wrong = [("notebook", "Type the name of the notebook, 128 characters at most.")]
        return _move_page(request, visitor, entry, mistakes=wrong, status=422, **typed)
    target: Scope = ProfileScope(user_id=visitor.session.user)
    if to == ScopeKind.NOTEBOOK:
        target = NotebookScope(user_id=visitor.session.user, notebook_id=notebook.strip())
    is_copy = SCOPE_CHANGES[entry.scope.kind, target.kind].passage is Passage.COPY
    outcome = visitor.memory.change_scope(logical_id, target, read_only_copy=is_copy, expected=seen)
    if isinstance(outcome, AskUser):
        return RedirectResponse(f"/questions/{outcome.question_id}", SEE_OTHER)
    if isinstance(outcome, Refused):
        wrong = [("to", REFUSALS.get(outcome.reason, "It may not go there."))]
        return _move_page(request, visitor, entry, mistakes=wrong, status=422, **typed)
    done = "copied" if is_copy else "moved"
    return RedirectResponse(f"/memory/{outcome.entry.logical_id}?done={done}", SEE_OTHER)


@router.post("/memory/{logical_id}/set-aside")
def set_aside(visitor: Visits, logical_id: LogicalId) -> Response:
    """Keep a memory and use it no more: a restriction of one memory, carried out at once."""
    visitor.memory.show(logical_id)
    request = carried_out(visitor, RestrictPayload(logical_ids=(logical_id,)))
    done = "set-aside" if request.state.value == "completed" else "refused"
    return RedirectResponse(f"/memory/{logical_id}?done={done}", SEE_OTHER)


@router.post("/memory/{logical_id}/use")
def use_again(visitor: Visits, logical_id: LogicalId) -> Response:
    """Take a memory that was set aside back into use."""
    restriction = restriction_of(visitor, logical_id)
    if restriction is not None:
        visitor.memory.rights.lift_restriction(restriction)
    done = "in-use" if restriction is not None else "refused"
    return RedirectResponse(f"/memory/{logical_id}?done={done}", SEE_OTHER)


def _as_it_stands(entry: MemoryEntry) -> dict[str, str]:
    return {
        "body": entry.body,
        "category": entry.category.value,
        "subject": entry.subject or "",
        "ends": f"{entry.expires_at:%Y-%m-%d}" if entry.expires_at else "",
    }


def _read(typed: dict[str, str], now: datetime, *, before: str) -> tuple[datetime | None, Mistakes]:
    mistakes: Mistakes = []
    if not typed["body"]:
        mistakes.append(("body", "Type what is to be remembered. To have it gone, forget it instead."))
    elif len(typed["body"]) > BODY_MOST:
        over = len(typed["body"]) - BODY_MOST
        mistakes.append(("body", f"Shorten it by {over:,} characters; {BODY_MOST:,} fit."))
    if typed["category"] not in set(Category):
        mistakes.append(("category", "Choose a category of the list."))
    if len(typed["subject"]) > SUBJECT_MOST:
        mistakes.append(("subject", f"Shorten it; {SUBJECT_MOST} characters fit."))
    day = None
    if typed["ends"] and typed["ends"] != before:
        try:
            day = datetime.strptime(typed["ends"], "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)
        except ValueError:
            mistakes.append(("ends", "Type a day as year, month and day, such as 2027-03-27."))
        else:
            if day <= now:
                mistakes.append(("ends", "Choose a day that lies ahead."))
    return day, mistakes


def _edit_page(
    request: Request,
    visitor: Visitor,
    entry: MemoryEntry,
    typed: dict[str, str],
    *,
    mistakes: Mistakes | None = None,
    refused: Refused | None = None,
    status: int = 200,
) -> Response:
    wrong = list(mistakes or [])
    if refused is not None:
        words = REFUSALS.get(refused.reason, "It was not saved, by a rule of what may be remembered.")
        wrong.append((_FIELD_OF.get(refused.reason, ""), words))
    is_stale = refused is not None and refused.reason is RefusalReason.STALE_REVISION
    return render(
        request,
        "memory/edit.html",
        visitor,
        status=status,
        entry=entry,
        typed=typed,
        mistakes=wrong,
        stands=entry.body if is_stale else "",
        ask_again=refused is not None and refused.reason is RefusalReason.FORGOTTEN_BEFORE,
        categories=CATEGORIES,
    )


def _ways(entry: MemoryEntry) -> tuple[list[Way], list[tuple[str, str]]]:
    """Return where a memory may go and where not, each with its rule, as the table of scope changes has it."""
    rules = {
        ScopeKind.PROFILE: "It is known wherever you are, and kept until you forget it.",
        ScopeKind.NOTEBOOK: "It is known where that notebook is open, and kept until you forget it.",
    }
    ways, closed = list[Way](), list[tuple[str, str]]()
    for kind in ScopeKind:
        cell, word = SCOPE_CHANGES[entry.scope.kind, kind], SCOPES[DEFAULT_ADAPTER[kind]]
        if cell.passage is Passage.MOVE:
            ways.append(
                Way(kind.value, f"To {'your profile' if kind is ScopeKind.PROFILE else 'a notebook'}", rules[kind])
            )
        elif cell.passage is Passage.COPY:
            ways.append(
                Way(kind.value, "A copy in your profile", "It cannot be changed there, and ends with its source.")
            )
        else:
            assert cell.refused is not None
            closed.append((word, _stays(entry, kind, cell.refused)))
    return ways, closed


def _stays(entry: MemoryEntry, kind: ScopeKind, reason: RefusalReason) -> str:
    if entry.scope.kind is kind:
        return "It is of that kind already."
    if kind in {ScopeKind.SESSION, ScopeKind.SCENE, ScopeKind.POSE, ScopeKind.CRISIS}:
        return "That ends with a conversation. What is kept longer does not go into it."
    return REFUSALS[reason]


def _move_page(
    request: Request,
    visitor: Visitor,
    entry: MemoryEntry,
    *,
    mistakes: Mistakes | None = None,
    status: int = 200,
    **typed: Any,
) -> Response:
    ways, closed = _ways(entry)
    facts = {"typed_to": "", "typed_notebook": "", **typed}
    return render(
        request,
        "memory/move.html",
        visitor,
        status=status,
        entry=entry,
        ways=ways,
        closed=closed,
        mistakes=mistakes or [],
        **facts,
    )
