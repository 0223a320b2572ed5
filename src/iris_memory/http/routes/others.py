"""Other people in memory: who was mentioned, forgetting all mentions of somebody, and words that look sensitive."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt
from iris_memory.contracts.inference import InboxQuestion
from iris_memory.contracts.others import MentionedPerson
from iris_memory.contracts.shape import Contract, Identifier, Storable
from iris_memory.contracts.write import AskUser, Refused, Written
from iris_memory.flows.sensitive_question import CategoryDecision
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented

router = APIRouter(prefix="/v1", tags=["other people"])


class Mentions(Contract):
    """Everybody the person mentioned, the latest first."""

    mentions: tuple[MentionedPerson, ...]


class ForgetMentionsBody(Contract):
    """Whom to forget: the name as it was said, in any case, or the handle. With `scan` every file is searched after."""

    mention: Annotated[str, Field(min_length=1, max_length=200), Storable]
    scan: bool = True


class CategoryQuestions(Contract):
    """Statements that look sensitive and wait in the memory of this process, oldest first."""

    questions: tuple[InboxQuestion, ...]


class CategoryAnswerBody(Contract):
    """The person's decision, bound to the words that were shown by their digest."""

    question_id: Identifier
    decision: CategoryDecision
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    category: Category | None = None


class CategoryAnswered(Contract):
    """What became of the words; nothing where they were dropped."""

    outcome: Annotated[Written | AskUser, Field(discriminator="outcome")] | None


_FORGET: Final[dict[str, Example]] = {
    "name": {"summary": "Everything tagged with somebody", "value": {"mention": "Anna Schmidt"}},
}
_ANSWER: Final[dict[str, Example]] = {
    "keep": {
        "summary": "The words stay as they were filed; `digest` is the question's",
        "value": {"question_id": "category-" + "0" * 32, "decision": "keep-as-said", "digest": "0" * 64},
    }
}

Wish = Annotated[ForgetMentionsBody, as_json(ForgetMentionsBody), Body(openapi_examples=_FORGET)]


@router.get("/others", summary="List who was mentioned", responses=documented())
def list_mentions(caller: Caller) -> Mentions:
    """Opaque handles, what they are to the person, and counts. There is no name and no fact about them to ask for."""
    return Mentions(mentions=tuple(caller.memory().others.mentions()))


@router.post("/others/forget/preview", summary="Count what mentions somebody", responses=documented(404, 415))
def preview_forget_mentions(caller: Caller, wish: Wish) -> ForgetPreview:
    """Nothing is changed."""
    return caller.memory().others.preview_forget(wish.mention)


@router.post("/others/forget", summary="Forget all mentions of somebody", responses=documented(404, 415, 507))
def forget_mentions(caller: Caller, wish: Wish) -> ForgetReceipt:
    """Every memory tagged with them, in all revisions, and their handle. A name never stands in an address."""
    return caller.memory().others.forget_mentions(wish.mention, scan=wish.scan)


@router.get("/category-questions", summary="List what looks sensitive and waits", responses=documented())
def list_category_questions(caller: Caller) -> CategoryQuestions:
    """They live in the memory of this process, and go with it."""
    return CategoryQuestions(questions=tuple(caller.memory().doubts.waiting()))


@router.post(
    "/category-questions/answer",
    summary="Decide where words belong",
    responses=documented(403, 404, 409, 415, 507),
)
def answer_category_question(
    caller: Caller, wish: Annotated[CategoryAnswerBody, as_json(CategoryAnswerBody), Body(openapi_examples=_ANSWER)]
) -> CategoryAnswered:
    """`file-there` needs the consent of that category; without it this is refused and the question waits on."""
    outcome = caller.memory().doubts.answer(wish.question_id, wish.decision, digest=wish.digest, category=wish.category)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return CategoryAnswered(outcome=outcome)
