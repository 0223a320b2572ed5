"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.memories import (
    BatchAnswer,
    BatchBody,
    Events,
    Foreseen,
    History,
    Holdings,
    MadeFrom,
    MemoryDetail,
    MemoryPage,
    RememberBody,
    ReviseBody,
    ScopeBody,
    SearchBody,
)
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
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, Origin, ProvenanceLink
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.write import ActorMention, AskCategory, AskUser, Written

_REMEMBER: Final[Operation[Written | AskUser | AskCategory]] = Operation(
    "POST", "/v1/memories", Written | AskUser | AskCategory
)
_LIST_MEMORIES: Final[Operation[MemoryPage]] = Operation("GET", "/v1/memories", MemoryPage)
_REMEMBER_BATCH: Final[Operation[BatchAnswer]] = Operation("POST", "/v1/memories/batch", BatchAnswer)
_SEARCH_MEMORIES: Final[Operation[MemoryPage]] = Operation("POST", "/v1/memories/search", MemoryPage)
_SHOW_MEMORY: Final[Operation[MemoryDetail]] = Operation("GET", "/v1/memories/{logical_id}", MemoryDetail)
_REVISE_MEMORY: Final[Operation[Written | AskUser | AskCategory]] = Operation(
    "PATCH", "/v1/memories/{logical_id}", Written | AskUser | AskCategory
)
_LIST_REVISIONS: Final[Operation[History]] = Operation("GET", "/v1/memories/{logical_id}/history", History)
_PREVIEW_REVISION: Final[Operation[Foreseen]] = Operation("POST", "/v1/memories/{logical_id}/preview", Foreseen)
_CHANGE_SCOPE: Final[Operation[Written | AskUser]] = Operation(
    "POST", "/v1/memories/{logical_id}/scope", Written | AskUser
)
_SHOW_HOLDINGS: Final[Operation[Holdings]] = Operation("GET", "/v1/holdings", Holdings)
_LIST_MADE_FROM: Final[Operation[MadeFrom]] = Operation("GET", "/v1/memories/{logical_id}/made-from", MadeFrom)
_LIST_MEMORY_EVENTS: Final[Operation[Events]] = Operation("GET", "/v1/memories/{logical_id}/events", Events)


class MemoriesCalls(Calls):
    """Calls of `memories`."""

    def remember(
        self,
        *,
        body: str,
        idempotency_key: str | Unset | None = UNSET,
        category: Category | Unset = UNSET,
        subject: str | Unset | None = UNSET,
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
        origin: Origin | Unset = UNSET,
        label: Label | Unset = UNSET,
        provenance: tuple[ProvenanceLink, ...] | Unset = UNSET,
        actor: ActorMention | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        confidence: int | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        again: bool | Unset = UNSET,
        as_said: str | Unset | None = UNSET,
    ) -> Written | AskUser | AskCategory:
        """Remember something."""
        return self._call(
            _REMEMBER,
            headers={"Idempotency-Key": idempotency_key},
            body=RememberBody.of(
                body=body,
                category=category,
                subject=subject,
                scope=scope,
                adapter_scope=adapter_scope,
                origin=origin,
                label=label,
                provenance=provenance,
                actor=actor,
                session_id=session_id,
                confidence=confidence,
                expires_at=expires_at,
                again=again,
                as_said=as_said,
            ),
        )

    def list_memories(
        self,
        *,
        category: Category | Unset | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        origin: Origin | Unset | None = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset | None = UNSET,
    ) -> MemoryPage:
        """List what is remembered."""
        return self._call(
            _LIST_MEMORIES,
            query={
                "category": category,
                "adapter_scope": adapter_scope,
                "origin": origin,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def remember_batch(
        self, *, statements: tuple[RememberBody, ...], idempotency_key: str | Unset | None = UNSET
    ) -> BatchAnswer:
        """Remember many things in one transaction."""
        return self._call(
            _REMEMBER_BATCH, headers={"Idempotency-Key": idempotency_key}, body=BatchBody.of(statements=statements)
        )

    def search_memories(
        self,
        *,
        words: str,
        category: Category | Unset | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        origin: Origin | Unset | None = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset | None = UNSET,
    ) -> MemoryPage:
        """List what holds some words."""
        return self._call(
            _SEARCH_MEMORIES,
            body=SearchBody.of(
                words=words, category=category, adapter_scope=adapter_scope, origin=origin, limit=limit, cursor=cursor
            ),
        )

    def show_memory(self, logical_id: str) -> MemoryDetail:
        """Show one memory."""
        return self._call(_SHOW_MEMORY, path={"logical_id": logical_id})

    def revise_memory(
        self,
        logical_id: str,
        *,
        if_match: str | Unset | None = UNSET,
        body: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        subject: str | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
    ) -> Written | AskUser | AskCategory:
        """Correct a memory."""
        return self._call(
            _REVISE_MEMORY,
            path={"logical_id": logical_id},
            headers={"If-Match": if_match},
            body=ReviseBody.of(
                body=body, category=category, subject=subject, expires_at=expires_at, session_id=session_id
            ),
        )

    def list_revisions(self, logical_id: str) -> History:
        """List every revision of one memory."""
        return self._call(_LIST_REVISIONS, path={"logical_id": logical_id})

    def preview_revision(
        self,
        logical_id: str,
        *,
        if_match: str | Unset | None = UNSET,
        body: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        subject: str | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
    ) -> Foreseen:
        """See what a correction would do."""
        return self._call(
            _PREVIEW_REVISION,
            path={"logical_id": logical_id},
            headers={"If-Match": if_match},
            body=ReviseBody.of(
                body=body, category=category, subject=subject, expires_at=expires_at, session_id=session_id
            ),
        )

    def change_scope(
        self,
        logical_id: str,
        *,
        scope: OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis,
        if_match: str | Unset | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        read_only_copy: bool | Unset = UNSET,
    ) -> Written | AskUser:
        """Move a memory to another scope."""
        return self._call(
            _CHANGE_SCOPE,
            path={"logical_id": logical_id},
            headers={"If-Match": if_match},
            body=ScopeBody.of(scope=scope, adapter_scope=adapter_scope, read_only_copy=read_only_copy),
        )

    def show_holdings(self) -> Holdings:
        """Count all that is held of the person."""
        return self._call(_SHOW_HOLDINGS)

    def list_made_from(self, logical_id: str) -> MadeFrom:
        """List what was made from a memory."""
        return self._call(_LIST_MADE_FROM, path={"logical_id": logical_id})

    def list_memory_events(self, logical_id: str) -> Events:
        """List the audit events about a memory."""
        return self._call(_LIST_MEMORY_EVENTS, path={"logical_id": logical_id})


class AsyncMemoriesCalls(AsyncCalls):
    """Calls of `memories`, awaited."""

    async def remember(
        self,
        *,
        body: str,
        idempotency_key: str | Unset | None = UNSET,
        category: Category | Unset = UNSET,
        subject: str | Unset | None = UNSET,
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
        origin: Origin | Unset = UNSET,
        label: Label | Unset = UNSET,
        provenance: tuple[ProvenanceLink, ...] | Unset = UNSET,
        actor: ActorMention | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
        confidence: int | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        again: bool | Unset = UNSET,
        as_said: str | Unset | None = UNSET,
    ) -> Written | AskUser | AskCategory:
        """Remember something."""
        return await self._call(
            _REMEMBER,
            headers={"Idempotency-Key": idempotency_key},
            body=RememberBody.of(
                body=body,
                category=category,
                subject=subject,
                scope=scope,
                adapter_scope=adapter_scope,
                origin=origin,
                label=label,
                provenance=provenance,
                actor=actor,
                session_id=session_id,
                confidence=confidence,
                expires_at=expires_at,
                again=again,
                as_said=as_said,
            ),
        )

    async def list_memories(
        self,
        *,
        category: Category | Unset | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        origin: Origin | Unset | None = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset | None = UNSET,
    ) -> MemoryPage:
        """List what is remembered."""
        return await self._call(
            _LIST_MEMORIES,
            query={
                "category": category,
                "adapter_scope": adapter_scope,
                "origin": origin,
                "limit": limit,
                "cursor": cursor,
            },
        )

    async def remember_batch(
        self, *, statements: tuple[RememberBody, ...], idempotency_key: str | Unset | None = UNSET
    ) -> BatchAnswer:
        """Remember many things in one transaction."""
        return await self._call(
            _REMEMBER_BATCH, headers={"Idempotency-Key": idempotency_key}, body=BatchBody.of(statements=statements)
        )

    async def search_memories(
        self,
        *,
        words: str,
        category: Category | Unset | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        origin: Origin | Unset | None = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset | None = UNSET,
    ) -> MemoryPage:
        """List what holds some words."""
        return await self._call(
            _SEARCH_MEMORIES,
            body=SearchBody.of(
                words=words, category=category, adapter_scope=adapter_scope, origin=origin, limit=limit, cursor=cursor
            ),
        )

    async def show_memory(self, logical_id: str) -> MemoryDetail:
        """Show one memory."""
        return await self._call(_SHOW_MEMORY, path={"logical_id": logical_id})

    async def revise_memory(
        self,
        logical_id: str,
        *,
        if_match: str | Unset | None = UNSET,
        body: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        subject: str | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
    ) -> Written | AskUser | AskCategory:
        """Correct a memory."""
        return await self._call(
            _REVISE_MEMORY,
            path={"logical_id": logical_id},
            headers={"If-Match": if_match},
            body=ReviseBody.of(
                body=body, category=category, subject=subject, expires_at=expires_at, session_id=session_id
            ),
        )

    async def list_revisions(self, logical_id: str) -> History:
        """List every revision of one memory."""
        return await self._call(_LIST_REVISIONS, path={"logical_id": logical_id})

    async def preview_revision(
        self,
        logical_id: str,
        *,
        if_match: str | Unset | None = UNSET,
        body: str | Unset | None = UNSET,
        category: Category | Unset | None = UNSET,
        subject: str | Unset | None = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
    ) -> Foreseen:
        """See what a correction would do."""
        return await self._call(
            _PREVIEW_REVISION,
            path={"logical_id": logical_id},
            headers={"If-Match": if_match},
            body=ReviseBody.of(
                body=body, category=category, subject=subject, expires_at=expires_at, session_id=session_id
            ),
        )

    async def change_scope(
        self,
        logical_id: str,
        *,
        scope: OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis,
        if_match: str | Unset | None = UNSET,
        adapter_scope: AdapterScope | Unset | None = UNSET,
        read_only_copy: bool | Unset = UNSET,
    ) -> Written | AskUser:
        """Move a memory to another scope."""
        return await self._call(
            _CHANGE_SCOPE,
            path={"logical_id": logical_id},
            headers={"If-Match": if_match},
            body=ScopeBody.of(scope=scope, adapter_scope=adapter_scope, read_only_copy=read_only_copy),
        )

    async def show_holdings(self) -> Holdings:
        """Count all that is held of the person."""
        return await self._call(_SHOW_HOLDINGS)

    async def list_made_from(self, logical_id: str) -> MadeFrom:
        """List what was made from a memory."""
        return await self._call(_LIST_MADE_FROM, path={"logical_id": logical_id})

    async def list_memory_events(self, logical_id: str) -> Events:
        """List the audit events about a memory."""
        return await self._call(_LIST_MEMORY_EVENTS, path={"logical_id": logical_id})
