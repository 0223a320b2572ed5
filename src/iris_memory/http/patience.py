"""Patience: an answer that does not begin in time is a problem instead, and what it was about may still happen.

A route of the framework runs in a thread, and a thread cannot be ended; so the caller is answered and let go, what the
thread says later goes nowhere, and the thread is free again when it is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.types import Message, Receive, Scope, Send

from iris_memory.http.problems import ProblemCode, problem_of, respond


class Patience:
    """The time one answer may take to begin. A stream that has begun may go on."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, *, late: Callable[[], None]) -> None:
        """Take one request, and what is told when its answer is late."""
        self._scope, self._receive, self._send = scope, receive, send
        self._late = late
        self._timer: asyncio.TimerHandle | None = None
        self._answering: asyncio.Task[None] | None = None
        self.has_begun = False

    async def run(self, answer: Callable[[Send], Awaitable[None]], *, seconds: float) -> None:
        """Answer, or say in `seconds` that it takes too long; 0 waits for ever."""
        if seconds:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._end)
        try:
            await answer(self.send)
        finally:
            if self._timer is not None:
                self._timer.cancel()
            if self._answering is not None:
                await self._answering

    async def send(self, message: Message) -> None:
        """Pass on what the answer says, unless it comes too late."""
        if self._answering is not None:
            return
        if not self.has_begun:
            self.has_begun = True
            if self._timer is not None:
                self._timer.cancel()
        await self._send(message)

    def _end(self) -> None:
        self._late()
        self.has_begun = True
        problem = respond(problem_of(ProblemCode.TOOK_TOO_LONG))
        self._answering = asyncio.get_running_loop().create_task(problem(self._scope, self._receive, self._send))
