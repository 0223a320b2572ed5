"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.recall import RecallBody
from iris_memory.client.shapes.several_tags import (
    OwnCrisis,
    OwnNotebook,
    OwnOperatorCopilot,
    OwnPose,
    OwnProfile,
    OwnScene,
    OwnSession,
    OwnTenant,
)
from iris_memory.contracts.category import Context, Surface
from iris_memory.contracts.recall import Explanation, RecallResult
from iris_memory.contracts.scope import AdapterScope

_RECALL: Final[Operation[RecallResult]] = Operation("POST", "/v1/recall", RecallResult)
_EXPLAIN: Final[Operation[Explanation]] = Operation("POST", "/v1/explain/{logical_id}", Explanation)


class RecallCalls(Calls):
    """Calls of `recall`."""

    def recall(
        self,
        *,
        text: str | Unset = UNSET,
        contexts: frozenset[Context] | Unset = UNSET,
        scope: OwnProfile
        | OwnSession
        | OwnNotebook
        | OwnOperatorCopilot
        | OwnTenant
        | OwnScene
        | OwnPose
        | OwnCrisis
        | Unset
        | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        surface: Surface | Unset = UNSET,
        session_id: str | Unset | None = UNSET,
        crisis_frame: bool | Unset = UNSET,
        safety_critical_context: bool | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> RecallResult:
        """Recall what is relevant and allowed."""
        return self._call(
            _RECALL,
            body=RecallBody.of(
                text=text,
                contexts=contexts,
                scope=scope,
                adapter_scope=adapter_scope,
                surface=surface,
                session_id=session_id,
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )

    def explain(
        self,
        logical_id: str,
        *,
        text: str | Unset = UNSET,
        contexts: frozenset[Context] | Unset = UNSET,
        scope: OwnProfile
        | OwnSession
        | OwnNotebook
        | OwnOperatorCopilot
        | OwnTenant
        | OwnScene
        | OwnPose
        | OwnCrisis
        | Unset
        | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        surface: Surface | Unset = UNSET,
        session_id: str | Unset | None = UNSET,
        crisis_frame: bool | Unset = UNSET,
        safety_critical_context: bool | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> Explanation:
        """Explain one memory for one request."""
        return self._call(
            _EXPLAIN,
            path={"logical_id": logical_id},
            body=RecallBody.of(
                text=text,
                contexts=contexts,
                scope=scope,
                adapter_scope=adapter_scope,
                surface=surface,
                session_id=session_id,
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )


class AsyncRecallCalls(AsyncCalls):
    """Calls of `recall`, awaited."""

    async def recall(
        self,
        *,
        text: str | Unset = UNSET,
        contexts: frozenset[Context] | Unset = UNSET,
        scope: OwnProfile
        | OwnSession
        | OwnNotebook
        | OwnOperatorCopilot
        | OwnTenant
        | OwnScene
        | OwnPose
        | OwnCrisis
        | Unset
        | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        surface: Surface | Unset = UNSET,
        session_id: str | Unset | None = UNSET,
        crisis_frame: bool | Unset = UNSET,
        safety_critical_context: bool | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> RecallResult:
        """Recall what is relevant and allowed."""
        return await self._call(
            _RECALL,
            body=RecallBody.of(
                text=text,
                contexts=contexts,
                scope=scope,
                adapter_scope=adapter_scope,
                surface=surface,
                session_id=session_id,
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )

    async def explain(
        self,
        logical_id: str,
        *,
        text: str | Unset = UNSET,
        contexts: frozenset[Context] | Unset = UNSET,
        scope: OwnProfile
        | OwnSession
        | OwnNotebook
        | OwnOperatorCopilot
        | OwnTenant
        | OwnScene
        | OwnPose
        | OwnCrisis
        | Unset
        | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        surface: Surface | Unset = UNSET,
        session_id: str | Unset | None = UNSET,
        crisis_frame: bool | Unset = UNSET,
        safety_critical_context: bool | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> Explanation:
        """Explain one memory for one request."""
        return await self._call(
            _EXPLAIN,
            path={"logical_id": logical_id},
            body=RecallBody.of(
                text=text,
                contexts=contexts,
                scope=scope,
                adapter_scope=adapter_scope,
                surface=surface,
                session_id=session_id,
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )
