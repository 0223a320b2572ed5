"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
from iris_memory.contracts.write import Answer, Question


class AnswerBody(Shape):
    """The person's decision, bound to the texts that were shown by their digest."""

    decision: Answer
    digest: str


class Questions(Shape):
    """The questions that wait for the person, oldest first."""

    questions: tuple[Question, ...]
