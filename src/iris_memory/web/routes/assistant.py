"""The admin assistant: a conversation, and beneath it, shut, the memory of the operator who is signed in.

The operator is the session's; no address and no form names one. A note's address is a keyed digest, so that what it is
about stands in no log.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.operator_note import (
    NOTE_VALUE_MOST,
    NoteListing,
    NoteMarker,
    NoteRollout,
    NoteScope,
    NoteSource,
    OperatorNote,
)
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.front.operator_notes import OperatorNotes
from iris_memory.tables.totality import total
from iris_memory.web.choices import Filled, filled
from iris_memory.web.doors import Door, opened
from iris_memory.web.echoing import MESSAGE_MOST, TURNS_MOST, Turn, answer_to, offer_in
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits

router = APIRouter(prefix="/assistant")

Ref = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
Form = Annotated[Filled, Depends(filled)]

SOURCES: Final = total(
    "note source words",
    NoteSource,
    [
        (NoteSource.ASSISTANT_CONFIRMATION, "Confirmed in assistant chat"),
        (NoteSource.MEMORY_CONTROLS, "Saved in memory controls"),
    ],
)
_SCOPES: Final = total(
    "note scope words",
    NoteScope,
    [(NoteScope.OPERATOR_PROFILE, "Operator profile"), (NoteScope.SESSION_ONLY, "Session only")],
)
_LABELS: Final = {"value": "Value", "said": "Message", "sure": "Confirmation"}
_DONE: Final = {
    "kept": "The note was kept.",
    "corrected": "The correction was saved. It has not been used in a prompt yet.",
    "forgotten": "The note was forgotten: its keys are destroyed.",
    "all": "Every note was forgotten: their keys are destroyed.",
}


@router.get("")
def show(request: Request, visitor: Visits, memory: str = "", did: str = "") -> Response:
    """Show the conversation with nothing said yet. Listing marks no use."""
    return _page(request, visitor, Filled(), [], is_open=memory == "open", done=_DONE.get(did, ""))


@router.post("")
def say(request: Request, visitor: Visits, form: Form) -> Response:
    """Answer a message by rule, in development; what was said before comes with the form and is kept nowhere."""
    notes = _notes(visitor)
    before = [
        Turn(form.typed.get(f"said-{place}", "")[:MESSAGE_MOST], form.typed.get(f"answer-{place}", "")[:MESSAGE_MOST])
        for place in range(TURNS_MOST)
        if f"said-{place}" in form.typed
    ]
    if not request.app.state.for_development:
        raise UnknownMemoryError("there is no assistant here")
    said = form.text("said", most=MESSAGE_MOST, missing="Write a message.")
    if not form.is_sound:
        return _page(request, visitor, form, before, status=422)
    offer = offer_in(said)
    if offer is not None:
        turn = Turn(said, "Keep this note? It is kept exactly as it stands here, and only if you say so.", offer=offer)
    else:
        recalled = notes.recall(said)
        turn = Turn(said, answer_to(recalled), hits=recalled.hits)
    return _page(request, visitor, Filled(), [*before, turn][-TURNS_MOST:])


@router.post("/notes")
def keep(request: Request, visitor: Visits, form: Form) -> Response:
    """Keep a note that the operator confirmed, exactly as it was shown."""
    notes = _notes(visitor)
    given = {name: form.typed.get(name, "") for name in ("category", "slot", "value")}
    try:
        outcome = notes.confirm(**given, marker=form.typed.get("marker", ""))
    except ContractError:
        return _told_no(
            request, visitor, "A note needs a category, a slot and a value, and that you say it is to be kept."
        )
    if isinstance(outcome, Refused):
        return _told_no(request, visitor, f"The rule: {outcome.rule}.")
    return RedirectResponse("/assistant?memory=open&did=kept", SEE_OTHER)


@router.get("/notes/forget-all")
def ask_to_forget_all(request: Request, visitor: Visits) -> Response:
    """Show every note that would go."""
    listing = _kept(visitor)
    visitor.require_fresh()
    return render(request, "assistant/forget_all.html", visitor, listing=listing, form=Filled(), labels=_LABELS)


@router.post("/notes/forget-all")
def forget_all(request: Request, visitor: Visits, form: Form) -> Response:
    """Forget every note of this operator, and of nobody else."""
    listing = _kept(visitor)
    visitor.require_fresh("/assistant/notes/forget-all")
    if not form.is_ticked("sure", missing="Tick this to say that every note is to go."):
        return render(
            request, "assistant/forget_all.html", visitor, status=422, listing=listing, form=form, labels=_LABELS
        )
    outcome = _notes(visitor).forget_all(marker=_marker(form))
    if isinstance(outcome, Refused):
        return _told_no(request, visitor, f"The rule: {outcome.rule}.")
    return RedirectResponse("/assistant?memory=open&did=all", SEE_OTHER)


@router.get("/notes/{ref}/correct")
def ask_to_correct(request: Request, visitor: Visits, ref: Ref) -> Response:
    """Show a note with its value in a field."""
    return _correct_page(request, visitor, ref, _note(visitor, ref), Filled())


@router.post("/notes/{ref}/correct")
def correct(request: Request, visitor: Visits, ref: Ref, form: Form) -> Response:
    """Save a correction; its last use is none again."""
    note = _note(visitor, ref)
    value = form.text("value", most=NOTE_VALUE_MOST, missing="Write the value. To end the note, forget it.")
    if form.is_sound and value == note.value:
        form.mistakes["value"] = "This is the value already; change it, or leave it as it is."
    if not form.is_sound:
        return _correct_page(request, visitor, ref, note, form, status=422)
    try:
        outcome = _notes(visitor).correct(category=note.category, slot=note.slot, value=value, marker=_marker(form))
    except ContractError:
        form.mistakes["value"] = "These words cannot be kept: use plain text without control characters."
        return _correct_page(request, visitor, ref, note, form, status=422)
    if isinstance(outcome, Refused):
        form.mistakes["value"] = f"The rule is against it: {outcome.rule}."
        return _correct_page(request, visitor, ref, note, form, status=409)
    return RedirectResponse("/assistant?memory=open&did=corrected", SEE_OTHER)


@router.get("/notes/{ref}/forget")
def ask_to_forget(request: Request, visitor: Visits, ref: Ref) -> Response:
    """Show exactly what would go."""
    note = _note(visitor, ref)
    visitor.require_fresh()
    return render(request, "assistant/forget.html", visitor, note=note, ref=ref, sources=SOURCES)


@router.post("/notes/{ref}/forget")
def forget(request: Request, visitor: Visits, ref: Ref, form: Form) -> Response:
    """Forget exactly one note, by both its names."""
    note = _note(visitor, ref)
    visitor.require_fresh(f"/assistant/notes/{ref}/forget")
    outcome = _notes(visitor).forget(category=note.category, slot=note.slot, marker=_marker(form))
    if isinstance(outcome, Refused):
        return _told_no(request, visitor, f"The rule: {outcome.rule}.")
    return RedirectResponse("/assistant?memory=open&did=forgotten", SEE_OTHER)


def _notes(visitor: Visitor) -> OperatorNotes:
    opened(visitor, Door.ASSISTANT)
    session = visitor.session
    return visitor.iris.operator_notes(tenant=session.tenant, issuer=session.issuer, sub=session.user)


def _marker(form: Filled) -> str:
    # the form carries the marker in so many words; what carries none, or another, is refused by the flow
    given = form.typed.get("marker", "")
    if given not in set(NoteMarker):
        raise ContractError("the form does not say what is to be done")
    return given


def _kept(visitor: Visitor) -> NoteListing:
    listing = _notes(visitor).list()
    if listing.scope is NoteScope.SESSION_ONLY or not listing.notes:
        raise UnknownMemoryError("there is no note")
    return listing


def _note(visitor: Visitor, ref: str) -> OperatorNote:
    found = next((note for note in _notes(visitor).list().notes if _ref(visitor, note) == ref), None)
    if found is None:
        raise UnknownMemoryError("there is no such note")
    return found


def _ref(visitor: Visitor, note: OperatorNote) -> str:
    key = visitor.iris.deployment_key("note-addresses")
    named = "\x00".join((note.operator_sub, note.category, note.slot))
    return hmac.new(key, named.encode(), sha256).hexdigest()[:32]


def _page(
    request: Request,
    visitor: Visitor,
    form: Filled,
    turns: list[Turn],
    *,
    is_open: bool = False,
    done: str = "",
    status: int = 200,
) -> Response:
    listing = _notes(visitor).list()
    return render(
        request,
        "assistant/index.html",
        visitor,
        status=status,
        form=form,
        labels=_LABELS,
        turns=turns,
        listing=listing,
        notes=[(_ref(visitor, note), note) for note in listing.notes],
        is_kept=listing.scope is NoteScope.OPERATOR_PROFILE,
        scope=_SCOPES[listing.scope],
        sources=SOURCES,
        is_open=is_open,
        done=done,
        has_assistant=request.app.state.for_development,
        rollout=visitor.iris.instruments.notes_rollout,
        NoteRollout=NoteRollout,
    )


def _correct_page(
    request: Request, visitor: Visitor, ref: str, note: OperatorNote, form: Filled, *, status: int = 200
) -> Response:
    return render(
        request,
        "assistant/correct.html",
        visitor,
        status=status,
        note=note,
        ref=ref,
        form=form,
        labels=_LABELS,
        sources=SOURCES,
        most=NOTE_VALUE_MOST,
    )


def _told_no(request: Request, visitor: Visitor, words: str) -> Response:
    return render(
        request,
        "told.html",
        visitor,
        status=409,
        title="Not done",
        words=f"{words} Nothing was changed.",
        back="/assistant?memory=open",
        back_word="To the admin assistant",
    )
