"""Hooks of the OpenAI Agents SDK, in real runs over a model of the tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    InputGuardrail,
    InputGuardrailTripwireTriggered,
    Model,
    ModelResponse,
    OutputGuardrail,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    Runner,
    ToolInputGuardrail,
    Usage,
    function_tool,
)
from guard_world import EMAIL, NAME, PHONE, SECRET, Owner, owner_of
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)
from proxy_world import without_canaries

from iris_memory.contracts.masking import Audience, Mode
from iris_memory.guards.hooks.guarded_run import GuardedRun
from iris_memory.guards.hooks.openai_agents import AgentsHooks

QUIET = RunConfig(tracing_disabled=True)


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path, config="destinations: {archive: [email]}\n")


def said(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])


class Echo(Model):
    """A model that calls a tool with the last text it was given, where it is told one, and then says what it got."""

    def __init__(self, tool: str | None = None) -> None:
        """Take the name of the tool."""
        self.tool = tool
        self.prompts: list[str] = []

    def answer(self, instructions: str | None, given: Any) -> list[Any]:
        self.prompts.append(json.dumps([instructions, given]))
        last = given if isinstance(given, str) else given[-1]
        if isinstance(last, dict) and last.get("type") == "function_call_output":
            return [said(f"done: {last['output']}")]
        text = last if isinstance(last, str) else last["content"]
        if self.tool is None:
            return [said(text)]
        return [
            ResponseFunctionToolCall(
                type="function_call", name=self.tool, call_id="c", arguments=json.dumps({"to": text})
            )
        ]

    async def get_response(self, system_instructions: str | None, input: Any, *rest: Any, **more: Any) -> ModelResponse:
        return ModelResponse(output=self.answer(system_instructions, input), usage=Usage(), response_id=None)

    async def stream_response(
        self, system_instructions: str | None, input: Any, *rest: Any, **more: Any
    ) -> AsyncIterator[Any]:
        output = self.answer(system_instructions, input)
        text = output[0].content[0].text
        place: dict[str, Any] = {"item_id": "m", "output_index": 0, "content_index": 0, "logprobs": []}
        for number, letter in enumerate(text):
            yield ResponseTextDeltaEvent(
                type="response.output_text.delta", delta=letter, sequence_number=number, **place
            )
        whole = Response(
            id="r", created_at=1, model="m", object="response", output=output,
            parallel_tool_calls=True, tool_choice="auto", tools=[],
        )  # fmt: skip
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=len(text))


def world(run: GuardedRun, tool: str | None = None, **more: Any) -> tuple[Agent[Any], Echo, list[str]]:
    calls: list[str] = []

    @function_tool
    def archive(to: str) -> str:
        """Archive."""
        calls.append(to)
        return f"archived for {to}, {PHONE}"

    @function_tool
    def send(to: str) -> str:
        """Send."""
        calls.append(to)
        return to

    hooks, model = AgentsHooks(run), Echo(tool)
    agent = Agent(
        name="a",
        instructions=f"You write for {EMAIL}",
        model=hooks.model(model),
        tools=[hooks.tool(archive), hooks.tool(send)],
        **more,
    )
    return agent, model, calls


def ran(agent: Agent[Any], text: str) -> Any:
    return asyncio.run(Runner.run(agent, text, run_config=QUIET))


def test_a_model_sees_pseudonyms_and_the_history_never_does(owner: Owner) -> None:
    agent, model, calls = world(GuardedRun(owner.guard()), "archive")
    result = ran(agent, f"{EMAIL} of {NAME}")
    without_canaries("".join(model.prompts).replace(NAME, ""))
    assert calls == [f"{EMAIL} of {NAME}"]
    assert result.final_output == f"done: archived for {EMAIL} of {NAME}, {PHONE}"
    assert "[owner:" not in json.dumps(result.to_input_list())


def test_a_tool_that_is_no_destination_answers_why(owner: Owner) -> None:
    agent, _, calls = world(GuardedRun(owner.guard()), "send")
    assert ran(agent, EMAIL).final_output == "done: stopped by the owner's guard: owner-pii-denied (email)"
    assert calls == []


def test_a_stream_is_turned_back(owner: Owner) -> None:
    agent, model, _ = world(GuardedRun(owner.guard()))
    text = f"to {EMAIL}, {PHONE}"

    async def run() -> tuple[str, Any]:
        result = Runner.run_streamed(agent, text, run_config=QUIET)
        deltas = [
            event.data.delta
            async for event in result.stream_events()
            if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent)
        ]
        return "".join(deltas), result.final_output

    assert asyncio.run(run()) == (text, text)
    without_canaries("".join(model.prompts))


def test_guardrails_trip_where_they_cannot_rewrite(owner: Owner) -> None:
    run = GuardedRun(owner.guard(), audience=Audience.OTHER)
    hooks = AgentsHooks(run)
    agent, _, _ = world(run, output_guardrails=[OutputGuardrail(hooks.output_guardrail)])
    with pytest.raises(OutputGuardrailTripwireTriggered) as raised:
        ran(agent, EMAIL)
    without_canaries(str(raised.value) + str(raised.value.guardrail_result.output.output_info))
    assert ran(agent, "hello").final_output == "hello"


def test_a_prompt_that_may_not_go_even_masked_trips(tmp_path: Path) -> None:
    run = GuardedRun(owner_of(tmp_path, config="guards: {phone: {tier3: deny}}\n").guard())
    agent, model, _ = world(
        run, input_guardrails=[InputGuardrail(AgentsHooks(run).input_guardrail, run_in_parallel=False)]
    )
    with pytest.raises(InputGuardrailTripwireTriggered) as raised:
        ran(agent, PHONE)
    assert raised.value.guardrail_result.output.output_info == "stopped by the owner's guard: owner-pii-denied (phone)"
    assert model.prompts == []


def test_a_tool_guardrail_rejects_what_it_cannot_rewrite(owner: Owner) -> None:
    calls: list[str] = []
    run = GuardedRun(owner.guard(), sends_to={"search": ["search_engine"]})

    @function_tool(tool_input_guardrails=[ToolInputGuardrail(guardrail_function=AgentsHooks(run).tool_guardrail)])
    def search(to: str) -> str:
        """Search."""
        calls.append(to)
        return to

    agent = Agent(name="a", model=Echo("search"), tools=[search])
    assert ran(agent, NAME).final_output == "done: owner-pii-masked: leave it out"
    assert "owner-pii-denied (secret)" in ran(agent, SECRET).final_output
    assert ran(agent, "plums").final_output == "done: plums"
    assert calls == ["plums"]


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
def test_off_and_shadow_change_nothing(owner: Owner, mode: Mode) -> None:
    agent, model, calls = world(GuardedRun(owner.guard(mode)), "send")
    assert ran(agent, EMAIL).final_output == f"done: {EMAIL}"
    assert EMAIL in model.prompts[0]
    assert calls == [EMAIL]
