"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.other_people import (
    CategoryAnswerBody,
    CategoryAnswered,
    CategoryDecision,
    CategoryQuestions,
    ForgetMentionsBody,
    Mentions,
)
from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt

_LIST_MENTIONS: Final[Operation[Mentions]] = Operation("GET", "/v1/others", Mentions)
_PREVIEW_FORGET_MENTIONS: Final[Operation[ForgetPreview]] = Operation(
    "POST", "/v1/others/forget/preview", ForgetPreview
)
_FORGET_MENTIONS: Final[Operation[ForgetReceipt]] = Operation("POST", "/v1/others/forget", ForgetReceipt)
_LIST_CATEGORY_QUESTIONS: Final[Operation[CategoryQuestions]] = Operation(
    "GET", "/v1/category-questions", CategoryQuestions
)
_ANSWER_CATEGORY_QUESTION: Final[Operation[CategoryAnswered]] = Operation(
    "POST", "/v1/category-questions/answer", CategoryAnswered
)


class OtherPeopleCalls(Calls):
    """Calls of `other_people`."""

    def list_mentions(self) -> Mentions:
        """List who was mentioned."""
        return self._call(_LIST_MENTIONS)

    def preview_forget_mentions(self, *, mention: str, scan: bool | Unset = UNSET) -> ForgetPreview:
        """Count what mentions somebody."""
        return self._call(_PREVIEW_FORGET_MENTIONS, body=ForgetMentionsBody.of(mention=mention, scan=scan))

    def forget_mentions(self, *, mention: str, scan: bool | Unset = UNSET) -> ForgetReceipt:
        """Forget all mentions of somebody."""
        return self._call(_FORGET_MENTIONS, body=ForgetMentionsBody.of(mention=mention, scan=scan))

    def list_category_questions(self) -> CategoryQuestions:
        """List what looks sensitive and waits."""
        return self._call(_LIST_CATEGORY_QUESTIONS)

    def answer_category_question(
        self, *, question_id: str, decision: CategoryDecision, digest: str, category: Category | Unset | None = UNSET
    ) -> CategoryAnswered:
        """Decide where words belong."""
        return self._call(
            _ANSWER_CATEGORY_QUESTION,
            body=CategoryAnswerBody.of(question_id=question_id, decision=decision, digest=digest, category=category),
        )


class AsyncOtherPeopleCalls(AsyncCalls):
    """Calls of `other_people`, awaited."""

    async def list_mentions(self) -> Mentions:
        """List who was mentioned."""
        return await self._call(_LIST_MENTIONS)

    async def preview_forget_mentions(self, *, mention: str, scan: bool | Unset = UNSET) -> ForgetPreview:
        """Count what mentions somebody."""
        return await self._call(_PREVIEW_FORGET_MENTIONS, body=ForgetMentionsBody.of(mention=mention, scan=scan))

    async def forget_mentions(self, *, mention: str, scan: bool | Unset = UNSET) -> ForgetReceipt:
        """Forget all mentions of somebody."""
        return await self._call(_FORGET_MENTIONS, body=ForgetMentionsBody.of(mention=mention, scan=scan))

    async def list_category_questions(self) -> CategoryQuestions:
        """List what looks sensitive and waits."""
        return await self._call(_LIST_CATEGORY_QUESTIONS)

    async def answer_category_question(
        self, *, question_id: str, decision: CategoryDecision, digest: str, category: Category | Unset | None = UNSET
    ) -> CategoryAnswered:
        """Decide where words belong."""
        return await self._call(
            _ANSWER_CATEGORY_QUESTION,
            body=CategoryAnswerBody.of(question_id=question_id, decision=decision, digest=digest, category=category),
        )
