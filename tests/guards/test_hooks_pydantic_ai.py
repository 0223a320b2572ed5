"""Hooks of pydantic-ai, in a real agent over its function model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from guard_world import EMAIL, NAME, PHONE, Owner, owner_of
from proxy_world import without_canaries
from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from iris_memory.contracts.masking import Mode
from iris_memory.errors import GuardStoppedError
from iris_memory.guards.hooks.guarded_run import GuardedRun
from iris_memory.guards.hooks.pydantic_ai import pydantic_ai_hooks


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path, config="destinations: {archive: [email, phone]}\n")


def agent_of(run: GuardedRun, name: str) -> tuple[Agent[None, str], list[str], list[Any]]:
    prompts: list[str] = []
    calls: list[Any] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompts.append(repr(messages) + repr(info.instructions))
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse(parts=[TextPart(f"done: {last.content}")])
        arguments = '{"to": "[owner:email#1]"}' if run.guard.mode is Mode.ENFORCE else f'{{"to": "{EMAIL}"}}'
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    hooks: Any = Hooks(**pydantic_ai_hooks(run))
    agent = Agent(FunctionModel(answer), instructions=f"You write for {EMAIL}", capabilities=[hooks])

    @agent.tool_plain
    def archive(to: str) -> str:
        """Archive."""
        calls.append(to)
        return f"archived for {to}, {PHONE}"

    @agent.tool_plain
    def send(to: str) -> str:
        """Send."""
        calls.append(to)
        return to

    return agent, prompts, calls


def test_a_model_sees_pseudonyms_and_the_history_never_does(owner: Owner) -> None:
    agent, prompts, calls = agent_of(GuardedRun(owner.guard()), "archive")
    result = asyncio.run(agent.run(f"write to {EMAIL}, {NAME}"))
    without_canaries("".join(prompts).replace(NAME, ""))
    assert "[owner:phone#1]" in prompts[1]
    assert calls == [EMAIL]
    assert result.output == f"done: archived for {EMAIL}, {PHONE}"
    assert "[owner:" not in "".join(repr(message.parts) for message in result.all_messages())


def test_a_tool_that_is_no_destination_is_not_called(owner: Owner) -> None:
    agent, _, calls = agent_of(GuardedRun(owner.guard()), "send")
    with pytest.raises(GuardStoppedError, match="owner-pii-denied"):
        asyncio.run(agent.run("write"))
    assert calls == []


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
def test_off_and_shadow_change_nothing(owner: Owner, mode: Mode) -> None:
    agent, prompts, calls = agent_of(GuardedRun(owner.guard(mode)), "send")
    assert asyncio.run(agent.run(f"write to {EMAIL}")).output == f"done: {EMAIL}"
    assert EMAIL in prompts[0]
    assert calls == [EMAIL]
