"""Hooks of the OpenAI Agents SDK: a guarded model, guarded tools, and functions for its guardrails.

    hooks = AgentsHooks(run)
    agent = Agent(
        name=..., model=hooks.model(model), tools=[hooks.tool(tool)],
        input_guardrails=[InputGuardrail(hooks.input_guardrail)],
        output_guardrails=[OutputGuardrail(hooks.output_guardrail)],
    )

The SDK's own tracing exports what agents say unless it is switched off; a guard does not stand before it.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from iris_memory.contracts.guarding import GuardOutcome
from iris_memory.errors import GuardStoppedError
from iris_memory.guards.hooks.guarded_run import Asked, GuardedRun
from iris_memory.guards.proxies.llm_answers import AnswerStream
from iris_memory.guards.telling import told


@dataclass
class Verdict:
    """What a guardrail of the SDK answers: its shape is that of `GuardrailFunctionOutput`."""

    output_info: Any
    tripwire_triggered: bool


@dataclass
class ToolVerdict:
    """What a guardrail of a tool answers: its shape is that of `ToolGuardrailFunctionOutput`."""

    output_info: Any
    behavior: dict[str, str]


class AgentsHooks:
    """What a guarded run gives to the SDK."""

    def __init__(self, run: GuardedRun) -> None:
        """Take the run."""
        self._run = run

    def model(self, model: Any) -> Any:
        """Return a model like this one that sees prompts masked, and whose answers are turned back."""
        guarded = copy.copy(model)

        async def get_response(*given: Any, **named: Any) -> Any:
            asked, bound = self._asked(model.get_response, given, named)
            return asked.turned_back(await model.get_response(*bound.args, **bound.kwargs))

        async def stream_response(*given: Any, **named: Any) -> AsyncIterator[Any]:
            asked, bound = self._asked(model.stream_response, given, named)
            async for event in _turned(model.stream_response(*bound.args, **bound.kwargs), asked):
                yield event

        guarded.get_response = get_response
        guarded.stream_response = stream_response
        return guarded

    def tool(self, tool: Any) -> Any:
        """Return a function tool like this one whose arguments are judged; a stopped call answers why."""
        guarded = copy.copy(tool)
        invoke: Callable[[Any, str], Awaitable[Any]] = guarded.on_invoke_tool

        async def guarded_invoke(context: Any, given: str) -> Any:
            try:
                return await invoke(context, self._arguments(tool.name, given))
            except GuardStoppedError as stopped:
                return str(stopped)

        guarded.on_invoke_tool = guarded_invoke
        return guarded

    async def tool_guardrail(self, data: Any) -> ToolVerdict:
        """Reject a tool call that is stopped, or that would have to be rewritten: a guardrail cannot do that."""
        given = data.context.tool_arguments
        try:
            passed = self._arguments(data.context.tool_name, given)
        except GuardStoppedError as stopped:
            return ToolVerdict(None, {"type": "reject_content", "message": str(stopped)})
        if passed != given:
            return ToolVerdict(None, {"type": "reject_content", "message": "owner-pii-masked: leave it out"})
        return ToolVerdict(None, {"type": "allow"})

    async def input_guardrail(self, context: Any, agent: Any, given: Any) -> Verdict:
        """Trip where a prompt may not go to the model even masked."""
        try:
            self._run.asked(given)
        except GuardStoppedError as stopped:
            return Verdict(str(stopped), True)
        return Verdict(None, False)

    async def output_guardrail(self, context: Any, agent: Any, output: Any) -> Verdict:
        """Trip where a final answer would have to be masked or halted: a guardrail cannot rewrite it."""
        decision = self._run.answered(output)
        stopped = decision.outcome is not GuardOutcome.ALLOW
        return Verdict(told(decision) if stopped else None, stopped)

    def _asked(self, call: Callable[..., Any], given: Any, named: Any) -> tuple[Asked, inspect.BoundArguments]:
        bound = inspect.signature(call).bind(*given, **named)
        words = ("system_instructions", "input")
        asked = self._run.asked([bound.arguments.get(word) for word in words])
        for word, value in zip(words, asked.prompt, strict=True):
            if word in bound.arguments:
                bound.arguments[word] = value
        return asked, bound

    def _arguments(self, name: str, given: str) -> str:
        try:
            arguments = json.loads(given) if given else {}
        except (ValueError, RecursionError):
            # the tool will say what is wrong with it; what is in it is judged as text
            return str(self._run.called(name, given))
        passed = self._run.called(name, arguments)
        return given if passed == arguments else json.dumps(passed)


async def _turned(events: AsyncIterator[Any], asked: Asked) -> AsyncIterator[Any]:
    """Yield the events of a stream with what was masked turned back, however it was cut."""
    if asked.answers is None or not asked.answers.has_any:
        async for event in events:
            yield event
        return
    stream, shapes = AnswerStream(asked.answers), dict[str, Any]()
    async for event in events:
        said = event.model_dump(mode="json", exclude_unset=True, by_alias=True)
        shapes[str(said.get("type"))] = event
        *before, last = stream.feed(said)
        for put in before:
            yield type(shapes[put["type"]]).model_validate(put)
        yield event if last == said else type(event).model_validate(last)
    for put in stream.finish():
        yield type(shapes[put["type"]]).model_validate(put)
