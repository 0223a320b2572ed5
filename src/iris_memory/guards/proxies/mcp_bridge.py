"""MCP on standard input and output for a server behind an address: the client speaks lines, the server HTTP.

The transport (sessions, streams, cancellation, resumption) is that of the `mcp` package; the messages are not: they are
read as JSON-RPC alone, so that any version of the protocol passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, Final

import anyio
import anyio.to_thread
import httpx2
from anyio.abc import TaskGroup
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import NAME_BEARING_METHODS, mcp_param_headers, x_mcp_header_map
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from iris_memory.guards.proxies.event_streams import EVENT_MOST
from iris_memory.guards.proxies.exact_json import UnreadableError, read
from iris_memory.guards.proxies.forwarding import CONNECT_SECONDS, READ_SECONDS
from iris_memory.guards.proxies.mcp_conversation import McpConversation
from iris_memory.guards.proxies.mcp_headers import as_header
from iris_memory.guards.proxies.mcp_stdio import LINE_MOST

VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_REST_SECONDS: Final = 10.0
"""How long answers are waited for once the client has hung up."""


async def stand_before(
    url: str, conversation: McpConversation, *, source: IO[bytes], sink: IO[bytes], headers: Mapping[str, str]
) -> None:
    """Stand between the client at `source` and `sink` and the server at `url` until the client hangs up."""
    timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=timeout, trust_env=False) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=EVENT_MOST) as (answers, questions),
        anyio.create_task_group() as tasks,
    ):
        lines = _Lines(conversation, sink)
        tasks.start_soon(_hand_back, answers, questions, lines)
        await _hand_on(source, questions, lines, tasks)


async def _hand_on(source: IO[bytes], questions: Any, lines: _Lines, tasks: TaskGroup) -> None:
    while line := await anyio.to_thread.run_sync(source.readline, LINE_MOST, abandon_on_cancel=True):
        body = line.strip()
        if not body:
            continue
        passage = await anyio.to_thread.run_sync(lines.conversation.to_server, body)
        if passage.back is not None:
            await lines.write(passage.back)
        message = None if passage.onward is None else _message(passage.onward)
        if message is not None:
            await questions.send(SessionMessage(message, ClientMessageMetadata(headers=lines.headers(message))))
            if getattr(message, "method", None) == "initialize":
                # what comes next belongs to the session that this opens
                with anyio.move_on_after(CONNECT_SECONDS):
                    await lines.answered()
    with anyio.move_on_after(_REST_SECONDS):
        await lines.answered()
    tasks.cancel_scope.cancel()


async def _hand_back(answers: Any, questions: Any, lines: _Lines) -> None:
    async for item in answers:
        if isinstance(item, Exception):
            # the transport's own trouble: its text may hold what the server said
            continue
        said = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8")
        passage = await anyio.to_thread.run_sync(lines.conversation.to_client, said)
        if passage.back is not None and (message := _message(passage.back)) is not None:
            await questions.send(SessionMessage(message))
        if passage.onward is not None:
            await lines.write(passage.onward)
            lines.learn(passage.onward)


def _message(raw: bytes) -> JSONRPCMessage | None:
    try:
        return jsonrpc_message_adapter.validate_json(raw, by_name=False)
    except ValidationError:
        return None


class _Lines:
    """The client's side: what it is written, what it waits for, and what its requests say in headers."""

    def __init__(self, conversation: McpConversation, sink: IO[bytes]) -> None:
        self.conversation = conversation
        self._sink = sink
        self._version: str | None = None
        self._marked: dict[str, dict[tuple[str, ...], str]] = {}
        self._waiting: set[Any] = set()
        self._quiet = anyio.Event()

    async def write(self, message: bytes) -> None:
        def put() -> None:
            self._sink.write(message + b"\n")
            self._sink.flush()

        await anyio.to_thread.run_sync(put)

    async def answered(self) -> None:
        """Wait until nothing is waited for."""
        while self._waiting:
            self._quiet = anyio.Event()
            await self._quiet.wait()

    def headers(self, message: JSONRPCMessage) -> dict[str, str]:
        """Return what the headers of a request repeat of it, for versions of the protocol that ask for that."""
        method, params = getattr(message, "method", None), getattr(message, "params", None) or {}
        number = getattr(message, "id", None)
        if method is not None and number is not None:
            self._waiting.add(number)
        meta = params.get("_meta")
        version = meta.get(VERSION) if isinstance(meta, Mapping) else None
        if not isinstance(version, str):
            return {} if self._version is None else {"mcp-protocol-version": self._version}
        said = {"mcp-protocol-version": version, "mcp-method": str(method)}
        name = params.get(NAME_BEARING_METHODS.get(str(method), ""))
        if isinstance(name, str):
            said["mcp-name"] = as_header(name)
        arguments = params.get("arguments")
        if method == "tools/call" and isinstance(arguments, Mapping):
            said |= mcp_param_headers(self._marked.get(str(name), {}), arguments)
        return said

    def learn(self, raw: bytes) -> None:
        """Take from an answer which version was agreed on, and which arguments tools want in headers."""
        try:
            message = read(raw)
        except UnreadableError:
            return
        if isinstance(message, Mapping) and "method" not in message:
            self._waiting.discard(message.get("id"))
            if not self._waiting:
                self._quiet.set()
        result = message.get("result") if isinstance(message, Mapping) else None
        if not isinstance(result, Mapping):
            return
        if isinstance(result.get("protocolVersion"), str):
            self._version = result["protocolVersion"]
        for tool in result.get("tools") or ():
            if isinstance(tool, Mapping) and isinstance(tool.get("inputSchema"), Mapping):
                self._marked[str(tool.get("name"))] = x_mcp_header_map(tool["inputSchema"])
