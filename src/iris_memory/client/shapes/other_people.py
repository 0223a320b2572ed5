"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from enum import StrEnum

from iris_memory.client.shape import Shape
from iris_memory.contracts.category import Category
from iris_memory.contracts.inference import InboxQuestion
from iris_memory.contracts.others import MentionedPerson
from iris_memory.contracts.write import AskUser, Written


class CategoryDecision(StrEnum):
    """What the person may say to a category question."""

    FILE_THERE = "file-there"
    KEEP_AS_SAID = "keep-as-said"
    DROP = "drop"


class CategoryAnswerBody(Shape):
    """The person's decision, bound to the words that were shown by their digest."""

    question_id: str
    decision: CategoryDecision
    digest: str
    category: Category | None = None


class CategoryAnswered(Shape):
    """What became of the words; nothing where they were dropped."""

    outcome: Written | AskUser | None


class CategoryQuestions(Shape):
    """Statements that look sensitive and wait in the memory of this process, oldest first."""

    questions: tuple[InboxQuestion, ...]


class ForgetMentionsBody(Shape):
    """Whom to forget: the name as it was said, in any case, or the handle. With `scan` every file is searched after."""

    mention: str
    scan: bool | None = None


class Mentions(Shape):
    """Everybody the person mentioned, the latest first."""

    mentions: tuple[MentionedPerson, ...]
