"""Hooks of LangGraph: a node that calls a model, and the wrapper of a `ToolNode`.

builder.add_node("model", guarded_node(run, call_model))
builder.add_node("tools", ToolNode(tools, wrap_tool_call=tool_wrapper(run), awrap_tool_call=async_tool_wrapper(run)))
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from iris_memory.guards.hooks.guarded_run import GuardedRun


def guarded_node(run: GuardedRun, node: Callable[..., Any]) -> Callable[..., Any]:
    """Return a node that reads its state masked, and whose writes are turned back. A coroutine stays one."""
    if inspect.iscoroutinefunction(node):

        async def asked_later(state: Any) -> Any:
            asked = run.asked(state)
            return asked.turned_back(await node(asked.prompt))

        return asked_later

    def asked_now(state: Any) -> Any:
        asked = run.asked(state)
        return asked.turned_back(node(asked.prompt))

    return asked_now


def tool_wrapper(run: GuardedRun) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """Return what a `ToolNode` takes as `wrap_tool_call`; a stopped call raises GuardStoppedError in the node."""

    def wrap(request: Any, execute: Callable[[Any], Any]) -> Any:
        return execute(_passed(run, request))

    return wrap


def async_tool_wrapper(run: GuardedRun) -> Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]:
    """Return what a `ToolNode` takes as `awrap_tool_call`."""

    async def wrap(request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        return await execute(_passed(run, request))

    return wrap


def _passed(run: GuardedRun, request: Any) -> Any:
    call = request.tool_call
    arguments = run.called(call["name"], call["args"])
    return request if arguments == call["args"] else request.override(tool_call={**call, "args": arguments})
