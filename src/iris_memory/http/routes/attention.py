"""What waits for the person or keeps them off the record: questions and pauses."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.write import Refused
from iris_memory.flows.people import Pause
from iris_memory.http import examples
from iris_memory.http.answers import Pauses, Questions, Resumed
from iris_memory.http.bodies import AnswerBody, PauseBody, as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import RefusedError, documented

router = APIRouter(prefix="/v1")

QuestionId = Annotated[str, Path(min_length=1, max_length=128)]


@router.get("/questions", tags=["questions"], summary="List the questions that wait", responses=documented())
def list_questions(caller: Caller) -> Questions:
    """Oldest first. One that nobody answers keeps what was there and lets the draft go after 30 days."""
    return Questions(questions=tuple(caller.memory().questions()))


@router.post(
    "/questions/{question_id}/answer",
    tags=["questions"],
    summary="Answer a question",
    responses=documented(403, 404, 409, 415, 507),
)
def answer_question(
    caller: Caller,
    question_id: QuestionId,
    wish: Annotated[AnswerBody, as_json(AnswerBody), Body(openapi_examples=examples.ANSWER)],
) -> MemoryEntry:
    """Keep what was there, replace it, or keep both. Answers with the memory that stands now."""
    outcome = caller.memory().answer(question_id, wish.decision, digest=wish.digest)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome


@router.get("/pause", tags=["pause"], summary="List what is off the record", responses=documented())
def list_pauses(caller: Caller) -> Pauses:
    """A session of `*` is every session. A pause survives a restart."""
    return Pauses(pauses=tuple(caller.memory().pauses()))


@router.post("/pause", tags=["pause"], summary="Go off the record", responses=documented(415, 507))
def pause(
    caller: Caller, wish: Annotated[PauseBody, as_json(PauseBody), Body(openapi_examples=examples.PAUSE)]
) -> Pause:
    """Nothing is written in the session and recall answers nothing, until it is resumed."""
    return caller.memory().pause(wish.session_id)


@router.delete("/pause", tags=["pause"], summary="Go back on the record", responses=documented())
def resume(caller: Caller, session_id: Annotated[str | None, Query(min_length=1, max_length=128)] = None) -> Resumed:
    """Ends the pause of one session, or the pause of every session where none is named."""
    return Resumed(was_paused=caller.memory().resume(session_id))
