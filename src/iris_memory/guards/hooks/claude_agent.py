"""Hooks of the Claude Agent SDK: prompts blocked, tool arguments denied or rewritten, results with pseudonyms.

The SDK's model runs behind a program of its own, so a prompt cannot be rewritten: one with something to mask in it is
blocked. Register them with the SDK's matchers, each with `on_failure="block"`:

    hooks = {name: [HookMatcher(hooks=[hook], on_failure="block")] for name, hook in claude_hooks(run).items()}
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from iris_memory.contracts.masking import Mode
from iris_memory.errors import GuardStoppedError
from iris_memory.guards.hooks.guarded_run import GuardedRun

Hook = Callable[[Mapping[str, Any], str | None, Any], Awaitable[dict[str, Any]]]

CAPABILITY = "tool"
"""Results of all tools are one capability: a pseudonym of one may be handed to another."""


def claude_hooks(run: GuardedRun) -> dict[str, Hook]:
    """Return the hooks by the name of their event."""

    async def before_tool(given: Mapping[str, Any], number: str | None, context: Any) -> dict[str, Any]:
        arguments = given.get("tool_input")
        try:
            passed = run.called(str(given.get("tool_name")), arguments)
        except GuardStoppedError as stopped:
            return _said("PreToolUse", permissionDecision="deny", permissionDecisionReason=str(stopped))
        # no permission is given here: that is asked for as it would be without a guard
        return {} if passed == arguments else _said("PreToolUse", updatedInput=passed)

    async def after_tool(given: Mapping[str, Any], number: str | None, context: Any) -> dict[str, Any]:
        result = given.get("tool_response")
        try:
            passed = run.returned(CAPABILITY, result)
        except GuardStoppedError as stopped:
            return _said("PostToolUse", updatedToolOutput=str(stopped))
        return {} if passed == result else _said("PostToolUse", updatedToolOutput=passed)

    async def prompt(given: Mapping[str, Any], number: str | None, context: Any) -> dict[str, Any]:
        try:
            asked = run.asked(given.get("prompt"))
        except GuardStoppedError as stopped:
            return _blocked(str(stopped))
        if run.guard.mode is Mode.ENFORCE and asked.prompt != given.get("prompt"):
            return _blocked("the prompt holds identity of the owner that does not go to this model; leave it out")
        return {}

    return {"PreToolUse": before_tool, "PostToolUse": after_tool, "UserPromptSubmit": prompt}


def _said(event: str, **more: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **more}}


def _blocked(reason: str) -> dict[str, Any]:
    said = _said("UserPromptSubmit", suppressOriginalPrompt=True)
    return {"decision": "block", "reason": reason, **said}
