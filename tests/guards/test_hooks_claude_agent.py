"""Hooks of the Claude Agent SDK, called as the SDK calls them. Its own program is not started: it needs the network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, Transport
from claude_agent_sdk._internal.query import Query
from guard_world import EMAIL, NAME, PHONE, Owner, owner_of
from proxy_world import without_canaries

from iris_memory.contracts.guarding import SendsTo
from iris_memory.contracts.masking import Mode, PiiKind
from iris_memory.guards.hooks.claude_agent import claude_hooks
from iris_memory.guards.hooks.guarded_run import GuardedRun


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path)


class Wire(Transport):
    """Stands where the program of the SDK would: it takes what is written."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.written: list[Any] = []

    async def connect(self) -> None:
        """Do nothing."""

    async def write(self, data: str) -> None:
        """Keep a message."""
        self.written.append(json.loads(data))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """Say nothing."""
        return
        yield {}

    async def close(self) -> None:
        """Do nothing."""

    def is_ready(self) -> bool:
        """Say yes."""
        return True

    async def end_input(self) -> None:
        """Do nothing."""


def fired(run: GuardedRun, event: str, **given: Any) -> Any:
    """Fire a hook through the SDK's own control protocol, and return what its program would be told."""
    matchers = {name: [HookMatcher(hooks=[hook], on_failure="block")] for name, hook in claude_hooks(run).items()}
    assert ClaudeAgentOptions(hooks=matchers).hooks == matchers
    wire = Wire()

    async def fire() -> None:
        query = Query(transport=wire, is_streaming_mode=True, hooks={})
        query.hook_callbacks["hook_0"] = matchers[event][0].hooks[0]
        request = {
            "subtype": "hook_callback",
            "callback_id": "hook_0",
            "tool_use_id": "t",
            "input": {"hook_event_name": event, "session_id": "s", **given},
        }
        await query._handle_control_request({"type": "control_request", "request_id": "r", "request": request})
        query._message_send.close()
        query._message_receive.close()

    asyncio.run(fire())
    response = wire.written[-1]["response"]
    assert response["subtype"] == "success", response
    return response["response"]


def test_a_tool_call_is_denied_with_a_reason(owner: Owner) -> None:
    answer = fired(GuardedRun(owner.guard()), "PreToolUse", tool_name="Bash", tool_input={"command": f"mail {EMAIL}"})
    assert answer["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "stopped by the owner's guard: owner-pii-denied (email)",
    }


def test_a_search_is_rewritten_and_permission_still_asked_for(owner: Owner) -> None:
    run = GuardedRun(owner.guard(), sends_to={"WebSearch": [SendsTo.SEARCH_ENGINE]})
    answer = fired(run, "PreToolUse", tool_name="WebSearch", tool_input={"query": NAME})
    assert answer["hookSpecificOutput"] == {"hookEventName": "PreToolUse", "updatedInput": {"query": "[owner:name#1]"}}
    assert fired(run, "PreToolUse", tool_name="WebSearch", tool_input={"query": "plums"}) == {}


def test_a_result_is_read_with_pseudonyms_and_they_find_their_way_back(owner: Owner) -> None:
    run = GuardedRun(owner.guard(), restore=frozenset({PiiKind.EMAIL}))
    result = {"stdout": f"{EMAIL} {PHONE}", "stderr": "", "interrupted": False}
    answer = fired(run, "PostToolUse", tool_name="Bash", tool_input={}, tool_response=result)
    shown = answer["hookSpecificOutput"]["updatedToolOutput"]
    assert shown == {"stdout": "[owner:email#1] [owner:phone#1]", "stderr": "", "interrupted": False}
    answer = fired(run, "PreToolUse", tool_name="Mail", tool_input={"to": shown["stdout"]})
    assert answer["hookSpecificOutput"]["updatedInput"] == {"to": f"{EMAIL} [owner:phone#1]"}
    other = GuardedRun(owner.guard(), caller="other", restore=frozenset(PiiKind))
    assert fired(other, "PreToolUse", tool_name="Mail", tool_input={"to": shown["stdout"]}) == {}


def test_a_prompt_that_would_have_to_be_masked_is_blocked(owner: Owner) -> None:
    answer = fired(GuardedRun(owner.guard()), "UserPromptSubmit", prompt=f"I am at {EMAIL}")
    assert answer["decision"] == "block"
    assert answer["hookSpecificOutput"]["suppressOriginalPrompt"] is True
    without_canaries(json.dumps(answer))
    assert fired(GuardedRun(owner.guard()), "UserPromptSubmit", prompt=f"I am {NAME}") == {}


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
def test_off_and_shadow_have_no_opinion(owner: Owner, mode: Mode) -> None:
    run = GuardedRun(owner.guard(mode))
    assert fired(run, "PreToolUse", tool_name="Bash", tool_input={"command": EMAIL}) == {}
    assert fired(run, "PostToolUse", tool_name="Bash", tool_input={}, tool_response=EMAIL) == {}
    assert fired(run, "UserPromptSubmit", prompt=EMAIL) == {}
