"""Entries and requests for suites that need no store."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Context, Surface
from iris_memory.contracts.entry import Label, MemoryEntry, MultiActor, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import (
    CrisisScope,
    NotebookScope,
    OperatorCopilotScope,
    PoseScope,
    ProfileScope,
    SceneScope,
    Scope,
    SessionScope,
    TenantScope,
)
from iris_memory.evals.expected import Situation
from iris_memory.evals.stage import DAWN, Draws

_LABEL: Final = {
    Origin.OPERATOR_COPILOT: Label.OPERATOR,
    Origin.IMPORTED: Label.IMPORT,
    Origin.MODEL_INFERRED: Label.ASSISTANT,
}
WORDS: Final = ("harbour", "violin", "bicycle", "lemon", "winter", "garden", "letter", "copper", "station", "river")


def entry_of(
    name: str, *, tenant: str = "acme", user: str = "ada", scope: Scope | None = None, **fields: Any
) -> MemoryEntry:
    """Return an entry with an id of its own and what else is given."""
    origin = fields.pop("origin", Origin.USER_STATED)
    label = fields.pop("label", _LABEL.get(origin, Label.USER_TYPED))
    updated = fields.pop("updated_at", DAWN)
    somebody = fields.pop("about_somebody", False)
    link = ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref="turn", captured_at=updated, label=label)
    return MemoryEntry(
        **{
            "id": name,
            "logical_id": name,
            "tenant_id": tenant,
            "user_id": user,
            "scope": scope or ProfileScope(user_id=user),
            "category": Category.FACT,
            "body": f"a note about the {WORDS[0]}",
            "origin": origin,
            "label": label,
            "provenance_chain": (link,),
            "multi_actor": MultiActor(actor_handle="actor-1", sensitive_interaction=True) if somebody else None,
            "created_at": updated,
            "updated_at": updated,
            **fields,
        }
    )


def request_of(
    given: Situation,
    *,
    tenant: str = "acme",
    user: str = "ada",
    scope: Scope | None = None,
    text: str = "",
    now: datetime = DAWN + timedelta(days=1),
    tenant_policy: bool = False,
) -> RecallRequest:
    """Return the request of a situation."""
    return RecallRequest(
        tenant_id=tenant,
        user_id=user,
        scope=scope or ProfileScope(user_id=user),
        surface=Surface(given.surface),
        text=text,
        contexts=frozenset(Context(name) for name in given.contexts),
        consented_categories=frozenset(
            MULTI_ACTOR_SENSITIVE if name == "multi-actor-sensitive" else Category(name) for name in given.consents
        ),
        crisis_frame=given.crisis,
        safety_critical_context=given.safety_critical,
        dsar_workflow=given.data_rights,
        tenant_policy=tenant_policy,
        now=now,
    )


def scope_drawn(draws: Draws, *, tenant: str, user: str) -> Scope:
    """Return a scope of a person, of any kind, over few enough ids that two often meet."""
    session, scene = draws.one(("s1", "s2")), draws.one(("c1", "c2"))
    scopes: tuple[Scope, ...] = (
        ProfileScope(user_id=user),
        SessionScope(user_id=user, session_id=session),
        NotebookScope(user_id=user, notebook_id=draws.one(("n1", "n2"))),
        TenantScope(tenant_id=tenant, user_id=user),
        OperatorCopilotScope(tenant_id=tenant, operator_id=user),
        SceneScope(user_id=user, session_id=session, scene_id=scene, room_id=draws.one(("r1", "r2"))),
        PoseScope(user_id=user, session_id=session, scene_id=scene, pose_id=draws.one(("p1", "p2"))),
        CrisisScope(user_id=user, session_id=session),
    )
    return draws.one(scopes)


def sentence_drawn(draws: Draws) -> str:
    """Return a few of the suite's words."""
    return " ".join(draws.one(WORDS) for _ in range(4))
