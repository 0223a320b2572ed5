"""Answering: an answer that a contract has written already goes out as it is, and recalls go together.

A recall takes about a millisecond. A hand-over to a thread and back, and a commit, take as long again; so whatever asks
while others are answered is answered together next, by the thread that is at it, with one commit.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from anyio import CapacityLimiter, to_thread
from fastapi import Response
from pydantic import BaseModel

from iris_memory.contracts.recall import RecallResult
from iris_memory.errors import IrisError
from iris_memory.front.asking import Ask, recall_all
from iris_memory.front.iris import Iris

TOGETHER: Final = 32
"""How many recalls are answered together at most: nobody waits for more than so many others to be computed."""

FAR_LINES: Final = 4
"""How many threads recall from a database across a connection, where each waits for its own round trip."""


def answer(told: BaseModel) -> Response:
    """Return a contract as a response. It is not checked again: it was checked when it was made."""
    return Response(told.model_dump_json(), media_type="application/json")


class _Waiting(NamedTuple):
    ask: Ask
    future: asyncio.Future[Response]


class RecallLine:
    """Where recalls wait, apart from the framework's own threads, which long work may hold.

    One event loop's. A thread works while somebody waits and no longer; nobody is answered after they have gone.
    """

    def __init__(self, iris: Iris) -> None:
        """Start with nobody in line."""
        self._iris = iris
        self._guard = threading.Lock()
        self._waiting: deque[_Waiting] = deque()
        self._working = 0
        self._limiter: CapacityLimiter | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def recall(self, ask: Ask) -> Response:
        """Return the answer to a recall.

        Raises:
            IrisError: what `PersonMemory.recall` raises.
        """
        if not ask.is_short:  # it reads a memory first, and keeps nobody in line waiting
            return await to_thread.run_sync(_alone, ask)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Response] = loop.create_future()
        with self._guard:
            self._waiting.append(_Waiting(ask, future))
            is_needed = self._working < self._lines()
            self._working += is_needed
        if is_needed:
            task = loop.create_task(self._work(loop))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await future

    def _is_far(self) -> bool:
        return self._iris.opened.database is not None

    def _lines(self) -> int:
        return FAR_LINES if self._is_far() else 1

    async def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._limiter is None:  # a limiter belongs to the loop that runs when it is made
            self._limiter = CapacityLimiter(self._lines())
        await to_thread.run_sync(self._answer_all, loop, limiter=self._limiter)

    def _answer_all(self, loop: asyncio.AbstractEventLoop) -> None:
        while group := self._next():
            answers = _answers([one.ask for one in group])
            loop.call_soon_threadsafe(_hand_out, [one.future for one in group], answers)

    def _next(self) -> list[_Waiting]:
        most = 1 if self._is_far() else TOGETHER
        with self._guard:
            group: list[_Waiting] = []
            while self._waiting and len(group) < most:
                one = self._waiting.popleft()
                if not one.future.cancelled():
                    group.append(one)
            self._working -= not group
        return group


def _alone(ask: Ask) -> Response:
    (told,) = recall_all([ask])
    if isinstance(told, IrisError):
        raise told
    return answer(told)


def _answers(asks: Sequence[Ask]) -> Sequence[Response | Exception]:
    try:
        return [_answer(told) for told in recall_all(asks)]
    except Exception as problem:
        return [problem] * len(asks)


def _answer(told: RecallResult | IrisError) -> Response | IrisError:
    return told if isinstance(told, IrisError) else answer(told)


def _hand_out(futures: Sequence[asyncio.Future[Response]], answers: Sequence[Response | Exception]) -> None:
    for future, told in zip(futures, answers, strict=True):
        if future.done():  # whoever asked has gone
            continue
        if isinstance(told, Exception):
            future.set_exception(told)
        else:
            future.set_result(told)
