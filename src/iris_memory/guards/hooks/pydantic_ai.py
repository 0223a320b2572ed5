"""Hooks of pydantic-ai, in the words its `Hooks` capability takes them by:

    agent = Agent(model, capabilities=[Hooks(**pydantic_ai_hooks(run))])

Streamed events of a run show pseudonyms; the response that the run goes on with, and its result, do not. Instructions
are kept in the history as they were sent.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

from iris_memory.guards.hooks.guarded_run import GuardedRun


def pydantic_ai_hooks(run: GuardedRun) -> dict[str, Callable[..., Awaitable[Any]]]:
    """Return the hooks by the name of the argument they are."""

    async def model_request(context: Any, /, *, request_context: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        asked = run.asked([request_context.messages, _instructions(request_context)])
        messages, instructions = asked.prompt
        passed = dataclasses.replace(request_context, messages=messages)
        if instructions is not None:
            parameters = dataclasses.replace(passed.model_request_parameters, instruction_parts=instructions)
            passed = dataclasses.replace(passed, model_request_parameters=parameters)
        return asked.turned_back(await handler(passed))

    async def before_tool_execute(context: Any, /, *, call: Any, tool_def: Any, args: Any) -> Any:
        return run.called(tool_def.name, args)

    return {"model_request": model_request, "before_tool_execute": before_tool_execute}


def _instructions(request_context: Any) -> Any:
    return getattr(request_context.model_request_parameters, "instruction_parts", None)
