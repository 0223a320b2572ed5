"""An MCP conversation between one client and one server, seen from the middle, message by message.

Laws:

* `off` and `shadow` hand every message on byte by byte; `shadow` writes a row about each;
* in `enforce` what goes to the server is decided by the egress column (and web search, where a tool is declared one)
  for the destination `mcp_<server>_<tool>`, or `mcp_<server>_<method>`; a stopped tool call is a tool result that says
  why, any other stopped request an error;
* what comes from the server is written with pseudonyms of this client's conversation. They are turned back in what goes
  to the server after it was decided, so a literal returns to the server it came from and to nobody else: in texts for
  the kinds in `restore`, in what the server itself uses as a name (an address, a cursor) for every kind but secrets;
* a message that is no JSON that everybody reads alike is handed to nobody.

It works on JSON-RPC 2.0 and knows no version of the protocol.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from iris_memory.contracts.guarding import GuardOutcome, SendsTo
from iris_memory.contracts.masking import OWNER_PII_KINDS, Mode, PiiKind
from iris_memory.guards.decision import GuardDecision
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.guards.proxies.binary_parts import closed, opened
from iris_memory.guards.proxies.exact_json import UnreadableError, read, written
from iris_memory.guards.proxies.mcp_headers import NAME, as_header, repeated
from iris_memory.guards.proxies.turning_back import turned_back
from iris_memory.guards.telling import reason_of, stopped_kinds, told
from iris_memory.masking.pseudonyms import Exchange

PARSE_ERROR: Final = -32700
STOPPED: Final = -32001
"""The JSON-RPC error code of what a guard stopped, in the range that is left to servers."""

NAMES: Final = frozenset(
    {
        ("id",),
        *(("params", name) for name in ("uri", "name", "cursor", "requestState", "taskId")),
        ("params", "ref", "uri"),
        ("params", "ref", "name"),
        (NAME,),
    }
)
"""Where a message, or a header, says what the server itself uses as a name: the client only hands it back."""

_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_FRAME: Final = "jsonrpc"
_CANCELLED: Final = "notifications/cancelled"
_NOTHING: Final[Mapping[str, str]] = {}
_NOWHERE: Final[frozenset[SendsTo]] = frozenset()


class Passage(NamedTuple):
    """What becomes of a message: what goes on, with the headers to change, and what its sender is answered."""

    onward: bytes | None
    back: bytes | None = None
    headers: Mapping[str, str] = _NOTHING


class McpConversation:
    """One client's conversation with one server. Threads may share it."""

    def __init__(
        self,
        guard: OwnerGuard,
        *,
        server: str,
        client: str = "mcp-client",
        conversation: str = "",
        restore: frozenset[PiiKind] = frozenset(),
        sends_to: Mapping[str, Iterable[SendsTo]] | None = None,
    ) -> None:
        """Take the guard and who talks to whom.

        Args:
            guard: of the owner whose identity stays in. Grants of `client` for `mcp_<server>` come through unmasked.
            server: what destinations call the server, without `mcp_`.
            client: who reads the results: pseudonyms are numbered for it.
            conversation: within which they are.
            restore: the kinds that are turned back in what goes to the server.
            sends_to: where tools send what they are given, by tool; `*` stands for all of them.
        """
        self.mode = guard.mode
        self._guard = guard
        self._capability = f"mcp_{server}"
        self._stamp = guard.stamp(client, conversation=conversation)
        self._within = f"{client}:{conversation}"
        self._restore = restore & OWNER_PII_KINDS
        self._sends_to = {tool: frozenset(where) for tool, where in (sends_to or {}).items()}
        self._issued: Exchange | None = None
        self._lock = threading.RLock()

    # -- the two ways ----------------------------------------------------------------------------------------------

    def to_server(self, raw: bytes, *, headers: Mapping[str, str] = _NOTHING) -> Passage:
        """Decide about a message of the client. `headers` are those it came with over HTTP."""
        if self.mode is Mode.OFF:
            return Passage(raw)
        with self._lock:
            try:
                message = read(raw)
            except UnreadableError:
                return self._unreadable_out(raw)
            if isinstance(message, list):
                return self._batch_out(raw, message)
            return self._out(raw, message, repeated(headers))

    def to_client(self, raw: bytes) -> Passage:
        """Decide about a message of the server."""
        if self.mode is Mode.OFF:
            return Passage(raw)
        with self._lock:
            try:
                message = read(raw)
            except UnreadableError:
                if self.mode is Mode.SHADOW:
                    self._guard.tool_result(self._stamp, self._capability, raw)
                    return Passage(raw)
                return Passage(None)
            if isinstance(message, list):
                return self._batch_in(raw, message)
            return self._in(raw, message)

    def text_to_client(self, text: str) -> str:
        """Return what a client may read of a text that is no message: an error page, a line of a server's own log."""
        if self.mode is Mode.OFF:
            return text
        with self._lock:
            decision = self._guard.tool_result(self._stamp, self._capability, text)
            self._issued = decision.exchange or self._issued
        return str(decision.value) if decision.goes_on else told(decision)

    # -- to the server ---------------------------------------------------------------------------------------------

    def _out(self, raw: bytes, message: Any, headers: Mapping[str, str]) -> Passage:
        content = _content(message)
        decision = self._asked(message, content)
        if self.mode is Mode.SHADOW:
            return Passage(raw)
        repeats = None
        if decision.goes_on and headers:
            # what a body says, its headers may repeat; they are judged like it
            repeats = self._asked(message, dict(headers), exchange=decision.exchange)
            decision = decision if repeats.goes_on else repeats
        if not decision.goes_on:
            return self._stopped(message, decision)
        value = self._back_in(decision.value, decision)
        put = {} if repeats is None else self._back_in(repeats.value, repeats)
        onward = raw if value == content else written(_with_content(message, value))
        return Passage(onward, headers={name: as_header(text) for name, text in put.items() if text != headers[name]})

    def _asked(self, message: Any, content: Any, *, exchange: Exchange | None = None) -> GuardDecision:
        tool = _tool(message)
        return self._guard.pre_tool_use(
            f"{self._capability}_{_named(message) if tool is None else tool}",
            content,
            network=True,
            sends_to=() if tool is None else self._sends_to.get(tool, _NOWHERE) | self._sends_to.get("*", _NOWHERE),
            conversation=self._within,
            exchange=exchange,
        )

    def _stopped(self, message: Any, decision: GuardDecision) -> Passage:
        """Answer a message of the client that does not go to the server."""
        params = message.get("params") if isinstance(message, Mapping) else None
        if isinstance(params, Mapping) and message.get("method") == _CANCELLED and len(params) > 1:
            # what it cancels is cancelled; why stays here
            plain = {**message, "params": {"requestId": params.get("requestId")}}
            return self._out(written(plain), plain, _NOTHING)
        return _stopped_out(message, decision)

    def _batch_out(self, raw: bytes, messages: list[Any]) -> Passage:
        """Decide about a batch: one message that is stopped stops them all."""
        passages = [self._out(written(message), message, {}) for message in messages]
        if self.mode is Mode.SHADOW or all(
            passage.onward == written(message) for passage, message in zip(passages, messages, strict=True)
        ):
            return Passage(raw)
        if any(passage.back is not None or passage.onward is None for passage in passages):
            backs = [_denied(message, "the batch it came in was stopped", {}) for message in messages]
            answers = [passage.back or back for passage, back in zip(passages, backs, strict=True)]
            return Passage(None, _joined(answer for answer in answers if answer is not None))
        return Passage(_joined(passage.onward for passage in passages if passage.onward is not None))

    def _unreadable_out(self, raw: bytes) -> Passage:
        # the guard cannot read bytes either, and writes a row that says so
        self._guard.pre_tool_use(self._capability, raw, network=True)
        if self.mode is Mode.SHADOW:
            return Passage(raw)
        error = {"code": PARSE_ERROR, "message": "a message is no JSON that everybody reads alike"}
        return Passage(None, written({"jsonrpc": "2.0", "id": None, "error": error}))

    def _back_in(self, value: Any, decision: GuardDecision) -> Any:
        if self._issued is None and decision.outcome is GuardOutcome.ALLOW:
            return value
        wrote = decision.exchange if decision.outcome is GuardOutcome.TRANSFORM else None
        return turned_back(value, issued=self._issued, wrote=wrote, kinds=self._restore, names=NAMES)

    # -- to the client ---------------------------------------------------------------------------------------------

    def _in(self, raw: bytes, message: Any) -> Passage:
        content = _content(message)
        parts = opened(content)
        decision = self._guard.tool_result(self._stamp, self._capability, parts)
        if self.mode is Mode.SHADOW:
            return Passage(raw)
        self._issued = decision.exchange or self._issued
        if not decision.goes_on:
            return _stopped_in(message, decision)
        if decision.outcome is GuardOutcome.ALLOW:
            return Passage(raw)
        return Passage(written(_with_content(message, closed(decision.value, original=content))))

    def _batch_in(self, raw: bytes, messages: list[Any]) -> Passage:
        passages = [self._in(written(message), message) for message in messages]
        if all(passage.onward == written(message) for passage, message in zip(passages, messages, strict=True)):
            return Passage(raw)
        onward = [passage.onward for passage in passages if passage.onward is not None]
        back = [passage.back for passage in passages if passage.back is not None]
        return Passage(_joined(onward) if onward else None, _joined(back) if back else None)


def _tool(message: Any) -> str | None:
    """Return the tool that a message calls."""
    if not isinstance(message, Mapping) or message.get("method") != "tools/call":
        return None
    params = message.get("params")
    name = params.get("name") if isinstance(params, Mapping) else None
    return name if isinstance(name, str) else ""


def _named(message: Any) -> str:
    method = message.get("method") if isinstance(message, Mapping) else None
    return method.replace("/", "_") if isinstance(method, str) else "answer"


def _content(message: Any) -> Any:
    """Return what a message says: everything in it but its frame. What is no message is all content."""
    if not isinstance(message, Mapping):
        return message
    return {name: value for name, value in message.items() if name != _FRAME}


def _with_content(message: Any, content: Any) -> Any:
    if not isinstance(message, Mapping):
        return content
    return {name: value for name, value in message.items() if name == _FRAME} | dict(content)


def _stopped_out(message: Any, decision: GuardDecision) -> Passage:
    """Answer a message of the client that does not go to the server."""
    data = {"reason": reason_of(decision), "kinds": stopped_kinds(decision)}
    if not isinstance(message, Mapping):
        return Passage(None)
    if "method" not in message:
        # the client's answer to a request of the server: the server is told, since it waits
        return Passage(_denied(message, told(decision), data))
    if "id" not in message or _tool(message) is None:
        return Passage(None, _denied(message, told(decision), data))
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": told(decision)}],
        "isError": True,
        "_meta": {"iris/stopped": data},
    }
    meta = message["params"].get("_meta") if isinstance(message.get("params"), Mapping) else None
    if isinstance(meta, Mapping) and _VERSION in meta:
        result["resultType"] = "complete"
    return Passage(None, written({"jsonrpc": "2.0", "id": message["id"], "result": result}))


def _stopped_in(message: Any, decision: GuardDecision) -> Passage:
    """Answer for a message of the server that could not be read: the client does not wait for what never comes."""
    data = {"reason": reason_of(decision), "kinds": stopped_kinds(decision)}
    if not isinstance(message, Mapping) or "id" not in message:
        return Passage(None)
    denied = _denied(message, told(decision), data)
    return Passage(None, denied) if "method" in message else Passage(denied)


def _denied(message: Any, text: str, data: Mapping[str, Any]) -> bytes | None:
    """Return the error that answers a request, or stands for an answer; None for a notification."""
    if not isinstance(message, Mapping) or "id" not in message:
        return None
    error = {"code": STOPPED, "message": text, "data": dict(data)}
    return written({"jsonrpc": "2.0", "id": message["id"], "error": error})


def _joined(parts: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(parts) + b"]"
