"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shapes.questions import AnswerBody, Questions
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.write import Answer

_LIST_QUESTIONS: Final[Operation[Questions]] = Operation("GET", "/v1/questions", Questions)
_ANSWER_QUESTION: Final[Operation[MemoryEntry]] = Operation("POST", "/v1/questions/{question_id}/answer", MemoryEntry)


class QuestionsCalls(Calls):
    """Calls of `questions`."""

    def list_questions(self) -> Questions:
        """List the questions that wait."""
        return self._call(_LIST_QUESTIONS)

    def answer_question(self, question_id: str, *, decision: Answer, digest: str) -> MemoryEntry:
        """Answer a question."""
        return self._call(
            _ANSWER_QUESTION, path={"question_id": question_id}, body=AnswerBody.of(decision=decision, digest=digest)
        )


class AsyncQuestionsCalls(AsyncCalls):
    """Calls of `questions`, awaited."""

    async def list_questions(self) -> Questions:
        """List the questions that wait."""
        return await self._call(_LIST_QUESTIONS)

    async def answer_question(self, question_id: str, *, decision: Answer, digest: str) -> MemoryEntry:
        """Answer a question."""
        return await self._call(
            _ANSWER_QUESTION, path={"question_id": question_id}, body=AnswerBody.of(decision=decision, digest=digest)
        )
