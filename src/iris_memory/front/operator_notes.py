"""One operator's notes, bound once: nothing that is asked through it can reach another operator's."""

from __future__ import annotations

from pydantic import ValidationError

from iris_memory.contracts.entry import Label
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.operator_note import (
    NoteListing,
    NoteMarker,
    NoteName,
    NoteRecall,
    NotesForgotten,
    NoteValue,
    OperatorNote,
)
from iris_memory.contracts.shape import Contract, refuse_invalid
from iris_memory.contracts.write import Refused
from iris_memory.flows import operator_notes
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.operator_notes import Operator
from iris_memory.front.given import member


class _Named(Contract):
    category: NoteName
    slot: NoteName


class _Valued(_Named):
    value: NoteValue


class OperatorNotes:
    """What the admin assistant remembers for one operator. Cheap to make; safe for many threads."""

    def __init__(self, instruments: Instruments, operator: Operator) -> None:
        """Bind an operator; use `Iris.operator_notes`."""
        self._instruments = instruments
        self._operator = operator

    def list(self) -> NoteListing:
        """Return every note, by category and slot. It marks no use."""
        return operator_notes.list_notes(self._instruments, self._operator)

    def confirm(
        self,
        *,
        category: str,
        slot: str,
        value: str,
        marker: NoteMarker | str,
        label: Label | str = Label.OPERATOR,
    ) -> OperatorNote | Refused:
        """Keep what the operator confirmed in the chat, exactly as it was shown; the marker is `confirm-entry`."""
        given = _valued(category, slot, value)
        return operator_notes.confirm_note(
            self._instruments,
            self._operator,
            category=given.category,
            slot=given.slot,
            value=given.value,
            marker=member(NoteMarker, marker),
            label=member(Label, label),
        )

    def correct(self, *, category: str, slot: str, value: str, marker: NoteMarker | str) -> OperatorNote | Refused:
        """Correct a note; the marker is `save-correction`. Its last use is none again."""
        given = _valued(category, slot, value)
        return operator_notes.correct_note(
            self._instruments,
            self._operator,
            category=given.category,
            slot=given.slot,
            value=given.value,
            marker=member(NoteMarker, marker),
        )

    def forget(self, *, category: str, slot: str, marker: NoteMarker | str) -> NotesForgotten | Refused:
        """Forget exactly one note; the marker is `forget-entry`."""
        given = _named(category, slot)
        return operator_notes.forget_note(
            self._instruments,
            self._operator,
            category=given.category,
            slot=given.slot,
            marker=member(NoteMarker, marker),
        )

    def forget_all(self, *, marker: NoteMarker | str) -> NotesForgotten | Refused:
        """Forget every note of this operator; the marker is `forget-all`."""
        return operator_notes.forget_all_notes(self._instruments, self._operator, marker=member(NoteMarker, marker))

    def recall(self, text: str = "", *, limit: int = 25) -> NoteRecall:
        """Return notes for a prompt, best first, and mark them used in the transaction that reads them."""
        return operator_notes.recall_notes(self._instruments, self._operator, text, limit=limit)

    def erase(self) -> ForgetReceipt | None:
        """End everything kept for the operator: their account was erased."""
        return operator_notes.erase_operator(self._instruments, self._operator)


def _named(category: str, slot: str) -> _Named:
    try:
        return _Named(category=category, slot=slot)
    except ValidationError as problem:
        refuse_invalid(problem, what="note")


def _valued(category: str, slot: str, value: str) -> _Valued:
    try:
        return _Valued(category=category, slot=slot, value=value)
    except ValidationError as problem:
        refuse_invalid(problem, what="note")
