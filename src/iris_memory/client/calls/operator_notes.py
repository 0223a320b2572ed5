"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final, Literal

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.operator_notes import (
    ConfirmNoteBody,
    CorrectNoteBody,
    ForgetAllNotesBody,
    ForgetNoteBody,
    RecallNotesBody,
)
from iris_memory.contracts.operator_note import NoteListing, NoteRecall, NotesForgotten, OperatorNote, RolloutReport

_LIST_OPERATOR_NOTES: Final[Operation[NoteListing]] = Operation("GET", "/v1/operator/notes", NoteListing)
_CONFIRM_OPERATOR_NOTE: Final[Operation[OperatorNote]] = Operation("POST", "/v1/operator/notes", OperatorNote)
_CORRECT_OPERATOR_NOTE: Final[Operation[OperatorNote]] = Operation(
    "POST", "/v1/operator/notes/corrections", OperatorNote
)
_FORGET_OPERATOR_NOTE: Final[Operation[NotesForgotten]] = Operation("POST", "/v1/operator/notes/forget", NotesForgotten)
_FORGET_ALL_OPERATOR_NOTES: Final[Operation[NotesForgotten]] = Operation(
    "POST", "/v1/operator/notes/forget-all", NotesForgotten
)
_RECALL_OPERATOR_NOTES: Final[Operation[NoteRecall]] = Operation("POST", "/v1/operator/notes/recall", NoteRecall)
_REPORT_OPERATOR_NOTES: Final[Operation[RolloutReport]] = Operation("GET", "/v1/operator/notes/report", RolloutReport)


class OperatorNotesCalls(Calls):
    """Calls of `operator_notes`."""

    def list_operator_notes(self) -> NoteListing:
        """List the operator's notes."""
        return self._call(_LIST_OPERATOR_NOTES)

    def confirm_operator_note(
        self, *, category: str, slot: str, value: str, marker: Literal["confirm-entry"]
    ) -> OperatorNote:
        """Keep a confirmed note."""
        return self._call(
            _CONFIRM_OPERATOR_NOTE, body=ConfirmNoteBody.of(category=category, slot=slot, value=value, marker=marker)
        )

    def correct_operator_note(
        self, *, category: str, slot: str, value: str, marker: Literal["save-correction"]
    ) -> OperatorNote:
        """Correct a note."""
        return self._call(
            _CORRECT_OPERATOR_NOTE, body=CorrectNoteBody.of(category=category, slot=slot, value=value, marker=marker)
        )

    def forget_operator_note(self, *, category: str, slot: str, marker: Literal["forget-entry"]) -> NotesForgotten:
        """Forget exactly one note."""
        return self._call(_FORGET_OPERATOR_NOTE, body=ForgetNoteBody.of(category=category, slot=slot, marker=marker))

    def forget_all_operator_notes(self, *, marker: Literal["forget-all"]) -> NotesForgotten:
        """Forget every note of the operator."""
        return self._call(_FORGET_ALL_OPERATOR_NOTES, body=ForgetAllNotesBody.of(marker=marker))

    def recall_operator_notes(self, *, text: str | Unset = UNSET, limit: int | Unset = UNSET) -> NoteRecall:
        """Recall notes for a prompt."""
        return self._call(_RECALL_OPERATOR_NOTES, body=RecallNotesBody.of(text=text, limit=limit))

    def report_operator_notes(self, *, days: int | Unset = UNSET) -> RolloutReport:
        """Report what operator notes did."""
        return self._call(_REPORT_OPERATOR_NOTES, query={"days": days})


class AsyncOperatorNotesCalls(AsyncCalls):
    """Calls of `operator_notes`, awaited."""

    async def list_operator_notes(self) -> NoteListing:
        """List the operator's notes."""
        return await self._call(_LIST_OPERATOR_NOTES)

    async def confirm_operator_note(
        self, *, category: str, slot: str, value: str, marker: Literal["confirm-entry"]
    ) -> OperatorNote:
        """Keep a confirmed note."""
        return await self._call(
            _CONFIRM_OPERATOR_NOTE, body=ConfirmNoteBody.of(category=category, slot=slot, value=value, marker=marker)
        )

    async def correct_operator_note(
        self, *, category: str, slot: str, value: str, marker: Literal["save-correction"]
    ) -> OperatorNote:
        """Correct a note."""
        return await self._call(
            _CORRECT_OPERATOR_NOTE, body=CorrectNoteBody.of(category=category, slot=slot, value=value, marker=marker)
        )

    async def forget_operator_note(
        self, *, category: str, slot: str, marker: Literal["forget-entry"]
    ) -> NotesForgotten:
        """Forget exactly one note."""
        return await self._call(
            _FORGET_OPERATOR_NOTE, body=ForgetNoteBody.of(category=category, slot=slot, marker=marker)
        )

    async def forget_all_operator_notes(self, *, marker: Literal["forget-all"]) -> NotesForgotten:
        """Forget every note of the operator."""
        return await self._call(_FORGET_ALL_OPERATOR_NOTES, body=ForgetAllNotesBody.of(marker=marker))

    async def recall_operator_notes(self, *, text: str | Unset = UNSET, limit: int | Unset = UNSET) -> NoteRecall:
        """Recall notes for a prompt."""
        return await self._call(_RECALL_OPERATOR_NOTES, body=RecallNotesBody.of(text=text, limit=limit))

    async def report_operator_notes(self, *, days: int | Unset = UNSET) -> RolloutReport:
        """Report what operator notes did."""
        return await self._call(_REPORT_OPERATOR_NOTES, query={"days": days})
