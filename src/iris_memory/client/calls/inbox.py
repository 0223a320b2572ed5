"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.inbox import AskBody, InboxAnswerBody, InboxPage, InferenceBody, PromoteBody
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
from iris_memory.contracts.inference import Answered, InboxQuestion, Observed, Promoted
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.write import ActorMention, AskUser, Written

_OBSERVE: Final[Operation[Observed | Written | AskUser]] = Operation(
    "POST", "/v1/inferences", Observed | Written | AskUser
)
_LIST_INBOX: Final[Operation[InboxPage]] = Operation("GET", "/v1/inbox", InboxPage)
_ANSWER_INBOX: Final[Operation[Answered]] = Operation("POST", "/v1/inbox/{question_id}/answer", Answered)
_ASK_ABOUT: Final[Operation[InboxQuestion]] = Operation("POST", "/v1/memories/{logical_id}/question", InboxQuestion)
_PROMOTE: Final[Operation[Promoted | AskUser]] = Operation(
    "POST", "/v1/memories/{logical_id}/promotion", Promoted | AskUser
)


class InboxCalls(Calls):
    """Calls of `inbox`."""

    def observe(
        self,
        *,
        body: str,
        label: Label,
        session_id: str,
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
        provenance: tuple[ProvenanceLink, ...] | Unset = UNSET,
        actor: ActorMention | Unset | None = UNSET,
        ask: bool | Unset = UNSET,
    ) -> Observed | Written | AskUser:
        """Note an inference."""
        return self._call(
            _OBSERVE,
            body=InferenceBody.of(
                body=body,
                category=category,
                subject=subject,
                scope=scope,
                adapter_scope=adapter_scope,
                origin=origin,
                label=label,
                session_id=session_id,
                provenance=provenance,
                actor=actor,
                ask=ask,
            ),
        )

    def list_inbox(self) -> InboxPage:
        """List everything the person is asked."""
        return self._call(_LIST_INBOX)

    def answer_inbox(
        self,
        question_id: str,
        *,
        decision: str,
        digest: str,
        after_untrusted: bool,
        terms: str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
    ) -> Answered:
        """Answer a question of the inbox."""
        return self._call(
            _ANSWER_INBOX,
            path={"question_id": question_id},
            body=InboxAnswerBody.of(
                decision=decision, digest=digest, after_untrusted=after_untrusted, terms=terms, session_id=session_id
            ),
        )

    def ask_about(self, logical_id: str, *, session_id: str | Unset | None = UNSET) -> InboxQuestion:
        """Ask about an inferred memory."""
        return self._call(_ASK_ABOUT, path={"logical_id": logical_id}, body=AskBody.of(session_id=session_id))

    def promote(self, logical_id: str, *, explicit: bool, session_id: str | Unset | None = UNSET) -> Promoted | AskUser:
        """Promote a memory of a session to the profile."""
        return self._call(
            _PROMOTE, path={"logical_id": logical_id}, body=PromoteBody.of(explicit=explicit, session_id=session_id)
        )


class AsyncInboxCalls(AsyncCalls):
    """Calls of `inbox`, awaited."""

    async def observe(
        self,
        *,
        body: str,
        label: Label,
        session_id: str,
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
        provenance: tuple[ProvenanceLink, ...] | Unset = UNSET,
        actor: ActorMention | Unset | None = UNSET,
        ask: bool | Unset = UNSET,
    ) -> Observed | Written | AskUser:
        """Note an inference."""
        return await self._call(
            _OBSERVE,
            body=InferenceBody.of(
                body=body,
                category=category,
                subject=subject,
                scope=scope,
                adapter_scope=adapter_scope,
                origin=origin,
                label=label,
                session_id=session_id,
                provenance=provenance,
                actor=actor,
                ask=ask,
            ),
        )

    async def list_inbox(self) -> InboxPage:
        """List everything the person is asked."""
        return await self._call(_LIST_INBOX)

    async def answer_inbox(
        self,
        question_id: str,
        *,
        decision: str,
        digest: str,
        after_untrusted: bool,
        terms: str | Unset | None = UNSET,
        session_id: str | Unset | None = UNSET,
    ) -> Answered:
        """Answer a question of the inbox."""
        return await self._call(
            _ANSWER_INBOX,
            path={"question_id": question_id},
            body=InboxAnswerBody.of(
                decision=decision, digest=digest, after_untrusted=after_untrusted, terms=terms, session_id=session_id
            ),
        )

    async def ask_about(self, logical_id: str, *, session_id: str | Unset | None = UNSET) -> InboxQuestion:
        """Ask about an inferred memory."""
        return await self._call(_ASK_ABOUT, path={"logical_id": logical_id}, body=AskBody.of(session_id=session_id))

    async def promote(
        self, logical_id: str, *, explicit: bool, session_id: str | Unset | None = UNSET
    ) -> Promoted | AskUser:
        """Promote a memory of a session to the profile."""
        return await self._call(
            _PROMOTE, path={"logical_id": logical_id}, body=PromoteBody.of(explicit=explicit, session_id=session_id)
        )
