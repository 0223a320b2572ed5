"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from typing import Literal

from iris_memory.client.shape import Shape


class ConfirmNoteBody(Shape):
    """What the operator confirmed, exactly as it was shown to them."""

    category: str
    slot: str
    value: str
    marker: Literal["confirm-entry"]


class CorrectNoteBody(Shape):
    """The new value of a note."""

    category: str
    slot: str
    value: str
    marker: Literal["save-correction"]


class ForgetAllNotesBody(Shape):
    """Every note of the operator."""

    marker: Literal["forget-all"]


class ForgetNoteBody(Shape):
    """Exactly one note, by both its names."""

    category: str
    slot: str
    marker: Literal["forget-entry"]


class RecallNotesBody(Shape):
    """What the prompt is about."""

    text: str | None = None
    limit: int | None = None
