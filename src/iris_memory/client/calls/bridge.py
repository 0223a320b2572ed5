"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.bridge import BridgeRecallBody, RedactBody, Redacted, TurnLog, TurnsBody
from iris_memory.contracts.bridge import BridgeMode, BridgeSession, SessionEnded, Turn, TurnsKept
from iris_memory.contracts.category import Context, Surface
from iris_memory.contracts.recall import RecallResult

_APPEND_TURNS: Final[Operation[TurnsKept]] = Operation("POST", "/v1/bridge/sessions/{session_id}/turns", TurnsKept)
_READ_TURNS: Final[Operation[TurnLog]] = Operation("GET", "/v1/bridge/sessions/{session_id}/turns", TurnLog)
_REDACT_TURNS: Final[Operation[Redacted]] = Operation("POST", "/v1/bridge/sessions/{session_id}/redact", Redacted)
_RECONNECT_SESSION: Final[Operation[BridgeSession]] = Operation(
    "GET", "/v1/bridge/sessions/{session_id}", BridgeSession
)
_END_BRIDGE_SESSION: Final[Operation[SessionEnded]] = Operation(
    "DELETE", "/v1/bridge/sessions/{session_id}", SessionEnded
)
_RECALL_RELEVANT_MEMORY: Final[Operation[RecallResult]] = Operation(
    "POST", "/v1/bridge/sessions/{session_id}/recall", RecallResult
)


class BridgeCalls(Calls):
    """Calls of `bridge`."""

    def append_turns(self, session_id: str, *, turns: tuple[Turn, ...], mode: BridgeMode | Unset = UNSET) -> TurnsKept:
        """Append turns of a session."""
        return self._call(
            _APPEND_TURNS, path={"session_id": session_id}, query={"mode": mode}, body=TurnsBody.of(turns=turns)
        )

    def read_turns(self, session_id: str, *, mode: BridgeMode | Unset = UNSET) -> TurnLog:
        """Read the log of a session."""
        return self._call(_READ_TURNS, path={"session_id": session_id}, query={"mode": mode})

    def redact_turns(
        self, session_id: str, *, mode: BridgeMode | Unset = UNSET, turn_ids: tuple[str, ...] | Unset = UNSET
    ) -> Redacted:
        """Destroy the words of turns."""
        return self._call(
            _REDACT_TURNS, path={"session_id": session_id}, query={"mode": mode}, body=RedactBody.of(turn_ids=turn_ids)
        )

    def reconnect_session(self, session_id: str, *, mode: BridgeMode | Unset = UNSET) -> BridgeSession:
        """Reconnect to a session."""
        return self._call(_RECONNECT_SESSION, path={"session_id": session_id}, query={"mode": mode})

    def end_bridge_session(self, session_id: str, *, mode: BridgeMode | Unset = UNSET) -> SessionEnded:
        """End a session."""
        return self._call(_END_BRIDGE_SESSION, path={"session_id": session_id}, query={"mode": mode})

    def recall_relevant_memory(
        self,
        session_id: str,
        *,
        mode: BridgeMode | Unset = UNSET,
        text: str | Unset = UNSET,
        contexts: frozenset[Context] | Unset = UNSET,
        surface: Surface | Unset = UNSET,
        crisis_frame: bool | Unset = UNSET,
        safety_critical_context: bool | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> RecallResult:
        """Recall what is relevant to a session."""
        return self._call(
            _RECALL_RELEVANT_MEMORY,
            path={"session_id": session_id},
            query={"mode": mode},
            body=BridgeRecallBody.of(
                text=text,
                contexts=contexts,
                surface=surface,
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )


class AsyncBridgeCalls(AsyncCalls):
    """Calls of `bridge`, awaited."""

    async def append_turns(
        self, session_id: str, *, turns: tuple[Turn, ...], mode: BridgeMode | Unset = UNSET
    ) -> TurnsKept:
        """Append turns of a session."""
        return await self._call(
            _APPEND_TURNS, path={"session_id": session_id}, query={"mode": mode}, body=TurnsBody.of(turns=turns)
        )

    async def read_turns(self, session_id: str, *, mode: BridgeMode | Unset = UNSET) -> TurnLog:
        """Read the log of a session."""
        return await self._call(_READ_TURNS, path={"session_id": session_id}, query={"mode": mode})

    async def redact_turns(
        self, session_id: str, *, mode: BridgeMode | Unset = UNSET, turn_ids: tuple[str, ...] | Unset = UNSET
    ) -> Redacted:
        """Destroy the words of turns."""
        return await self._call(
            _REDACT_TURNS, path={"session_id": session_id}, query={"mode": mode}, body=RedactBody.of(turn_ids=turn_ids)
        )

    async def reconnect_session(self, session_id: str, *, mode: BridgeMode | Unset = UNSET) -> BridgeSession:
        """Reconnect to a session."""
        return await self._call(_RECONNECT_SESSION, path={"session_id": session_id}, query={"mode": mode})

    async def end_bridge_session(self, session_id: str, *, mode: BridgeMode | Unset = UNSET) -> SessionEnded:
        """End a session."""
        return await self._call(_END_BRIDGE_SESSION, path={"session_id": session_id}, query={"mode": mode})

    async def recall_relevant_memory(
        self,
        session_id: str,
        *,
        mode: BridgeMode | Unset = UNSET,
        text: str | Unset = UNSET,
        contexts: frozenset[Context] | Unset = UNSET,
        surface: Surface | Unset = UNSET,
        crisis_frame: bool | Unset = UNSET,
        safety_critical_context: bool | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> RecallResult:
        """Recall what is relevant to a session."""
        return await self._call(
            _RECALL_RELEVANT_MEMORY,
            path={"session_id": session_id},
            query={"mode": mode},
            body=BridgeRecallBody.of(
                text=text,
                contexts=contexts,
                surface=surface,
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )
