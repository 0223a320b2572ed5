"""Hooks of LangGraph, in a real graph: a node that stands for a model, and the real `ToolNode`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from guard_world import EMAIL, NAME, PHONE, SECRET, Owner, owner_of
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from iris_memory.contracts.masking import Mode
from iris_memory.errors import GuardStoppedError
from iris_memory.guards.hooks.guarded_run import GuardedRun
from iris_memory.guards.hooks.langgraph import async_tool_wrapper, guarded_node, tool_wrapper

CONFIG = "destinations: {archive: [email]}\n"


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path, config=CONFIG)


def graph_of(run: GuardedRun, name: str, *, asynchronous: bool) -> tuple[Any, list[Any], list[Any]]:
    """Return a graph whose model calls a tool with what it read, then answers; with what model and tool were given."""
    prompts: list[Any] = []
    calls: list[Any] = []

    @tool
    def archive(to: str) -> str:
        """Archive."""
        calls.append(to)
        return f"archived for {to}"

    @tool
    def send(to: str) -> str:
        """Send."""
        calls.append(to)
        return f"sent to {to}"

    def answer(state: MessagesState) -> dict[str, list[BaseMessage]]:
        prompts.append([message.text for message in state["messages"]])
        last = state["messages"][-1]
        if isinstance(last, ToolMessage):
            return {"messages": [AIMessage(content=f"done: {last.text}")]}
        call = {"name": name, "args": {"to": last.text}, "id": "1", "type": "tool_call"}
        return {"messages": [AIMessage(content="", tool_calls=[call])]}

    async def answer_later(state: MessagesState) -> dict[str, list[BaseMessage]]:
        return answer(state)

    builder = StateGraph(MessagesState)
    builder.add_node("model", guarded_node(run, answer_later if asynchronous else answer))
    builder.add_node(
        "tools",
        ToolNode(
            [archive, send],
            wrap_tool_call=tool_wrapper(run),
            awrap_tool_call=async_tool_wrapper(run),
            handle_tool_errors=False,
        ),
    )
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile(), prompts, calls


def invoked(graph: Any, text: str, *, asynchronous: bool) -> list[BaseMessage]:
    state = {"messages": [HumanMessage(content=text)]}
    return (asyncio.run(graph.ainvoke(state)) if asynchronous else graph.invoke(state))["messages"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_model_sees_pseudonyms_and_the_state_never_does(owner: Owner, asynchronous: bool) -> None:
    graph, prompts, calls = graph_of(GuardedRun(owner.guard()), "archive", asynchronous=asynchronous)
    messages = invoked(graph, f"{EMAIL} of {NAME}", asynchronous=asynchronous)
    assert prompts[0] == [f"[owner:email#1] of {NAME}"]
    assert prompts[1] == [prompts[0][0], "", f"archived for [owner:email#1] of {NAME}"]
    assert calls == [f"{EMAIL} of {NAME}"]
    assert messages[-1].text == f"done: archived for {EMAIL} of {NAME}"


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("text", [EMAIL, PHONE])
def test_a_tool_that_is_no_destination_is_not_called(owner: Owner, text: str, asynchronous: bool) -> None:
    graph, _, calls = graph_of(GuardedRun(owner.guard()), "send", asynchronous=asynchronous)
    with pytest.raises(GuardStoppedError, match="owner-pii-denied"):
        invoked(graph, text, asynchronous=asynchronous)
    assert calls == []


def test_a_secret_is_never_turned_back(owner: Owner) -> None:
    graph, prompts, calls = graph_of(GuardedRun(owner.guard()), "send", asynchronous=False)
    messages = invoked(graph, f"the code {SECRET}", asynchronous=False)
    assert calls == ["the code [owner:secret#1]"]
    assert SECRET not in str(prompts)
    assert messages[0].text == f"the code {SECRET}"


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
def test_off_and_shadow_change_nothing(owner: Owner, mode: Mode) -> None:
    graph, prompts, calls = graph_of(GuardedRun(owner.guard(mode)), "send", asynchronous=False)
    invoked(graph, EMAIL, asynchronous=False)
    assert prompts[0] == [EMAIL]
    assert calls == [EMAIL]
