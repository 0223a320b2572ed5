"""Operator notes: the admin assistant's memory of the operator behind the token, and of nobody else."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Body, Depends, Query
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.access.issuers import Role
from iris_memory.contracts.operator_note import (
    NoteListing,
    NoteName,
    NoteRecall,
    NotesForgotten,
    NoteValue,
    OperatorNote,
    RolloutReport,
)
from iris_memory.contracts.recall import REQUEST_TEXT_MOST
from iris_memory.contracts.shape import Contract, Storable
from iris_memory.contracts.write import Refused
from iris_memory.front.operator_notes import OperatorNotes
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Caller
from iris_memory.http.problems import NotPermittedError, RefusedError, documented

router = APIRouter(prefix="/v1/operator/notes", tags=["operator notes"])


class ConfirmNoteBody(Contract):
    """What the operator confirmed, exactly as it was shown to them."""

    category: NoteName
    slot: NoteName
    value: NoteValue
    marker: Literal["confirm-entry"]


class CorrectNoteBody(Contract):
    """The new value of a note."""

    category: NoteName
    slot: NoteName
    value: NoteValue
    marker: Literal["save-correction"]


class ForgetNoteBody(Contract):
    """Exactly one note, by both its names."""

    category: NoteName
    slot: NoteName
    marker: Literal["forget-entry"]


class ForgetAllNotesBody(Contract):
    """Every note of the operator."""

    marker: Literal["forget-all"]


class RecallNotesBody(Contract):
    """What the prompt is about."""

    text: Annotated[str, Field(max_length=REQUEST_TEXT_MOST), Storable] = ""
    limit: Annotated[int, Field(ge=0, le=25)] = 25


def _example(summary: str, **value: Any) -> dict[str, Example]:
    return {"one": {"summary": summary, "value": value}}


_NOTE: Final = {"category": "style", "slot": "tone"}
_CONFIRM: Final = _example("A note", **_NOTE, value="Short answers, no greetings", marker="confirm-entry")
_CORRECT: Final = _example("Another value", **_NOTE, value="Long answers", marker="save-correction")
_FORGET: Final = _example("One note", **_NOTE, marker="forget-entry")
_FORGET_ALL: Final = _example("All of them", marker="forget-all")
_RECALL: Final = _example("For a prompt about a report", text="the weekly report", limit=5)


def _asking(caller: Caller) -> Asking:
    # the subject is the token's: no request has a field for it
    if Role.ADMIN not in caller.holder.roles:
        raise NotPermittedError
    return caller


Admin = Annotated[Asking, Depends(_asking)]


def _notes(admin: Asking) -> OperatorNotes:
    holder = admin.holder
    return admin.iris.operator_notes(tenant=holder.tenant, issuer=holder.issuer, sub=holder.user)


@router.get("", summary="List the operator's notes", responses=documented(403))
def list_operator_notes(admin: Admin) -> NoteListing:
    """Everything that is kept, with where to end it. Listing marks no use; `session-only` has nothing to change."""
    return _notes(admin).list()


@router.post("", status_code=201, summary="Keep a confirmed note", responses=documented(403, 415, 507))
def confirm_operator_note(
    admin: Admin, wish: Annotated[ConfirmNoteBody, as_json(ConfirmNoteBody), Body(openapi_examples=_CONFIRM)]
) -> OperatorNote:
    """A note that is there is superseded and stays in its history. What reads like an order is kept aside."""
    return _told(_notes(admin).confirm(**wish.model_dump()))


@router.post("/corrections", summary="Correct a note", responses=documented(403, 404, 415, 507))
def correct_operator_note(
    admin: Admin, wish: Annotated[CorrectNoteBody, as_json(CorrectNoteBody), Body(openapi_examples=_CORRECT)]
) -> OperatorNote:
    """The corrected value has not been in a prompt, so its last use is none."""
    return _told(_notes(admin).correct(**wish.model_dump()))


@router.post("/forget", summary="Forget exactly one note", responses=documented(403, 404, 415, 507))
def forget_operator_note(
    admin: Admin, wish: Annotated[ForgetNoteBody, as_json(ForgetNoteBody), Body(openapi_examples=_FORGET)]
) -> NotesForgotten:
    """Its keys first, then its row. A request with one name alone is refused, never widened."""
    return _gone(_notes(admin).forget(**wish.model_dump()))


@router.post("/forget-all", summary="Forget every note of the operator", responses=documented(403, 415, 507))
def forget_all_operator_notes(
    admin: Admin, wish: Annotated[ForgetAllNotesBody, as_json(ForgetAllNotesBody), Body(openapi_examples=_FORGET_ALL)]
) -> NotesForgotten:
    """Of the operator behind the token alone."""
    return _gone(_notes(admin).forget_all(marker=wish.marker))


@router.post("/recall", summary="Recall notes for a prompt", responses=documented(403, 415))
def recall_operator_notes(
    admin: Admin, wish: Annotated[RecallNotesBody, as_json(RecallNotesBody), Body(openapi_examples=_RECALL)]
) -> NoteRecall:
    """Best first. What is given out is marked as used in the transaction that reads it."""
    return _notes(admin).recall(wish.text, limit=wish.limit)


@router.get("/report", summary="Report what operator notes did", responses=documented(403))
def report_operator_notes(admin: Admin, days: Annotated[int, Query(ge=1, le=366)] = 7) -> RolloutReport:
    """Counts of the tenant, from its audit chain: no note, no operator."""
    return admin.iris.notes_report(tenant=admin.holder.tenant, days=days)


def _told(outcome: OperatorNote | Refused) -> OperatorNote:
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome


def _gone(outcome: NotesForgotten | Refused) -> NotesForgotten:
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome
