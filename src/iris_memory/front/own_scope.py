"""Scopes as a surface names them: without their person, who is the credential's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.scope import SCOPE_CLASSES, Scope, ScopeKind
from iris_memory.contracts.shape import Contract, Identifier


class OwnProfile(Contract):
    """What is known about the person wherever they are."""

    kind: Literal[ScopeKind.PROFILE]


class OwnSession(Contract):
    """One session of the person."""

    kind: Literal[ScopeKind.SESSION]
    session_id: Identifier


class OwnNotebook(Contract):
    """One notebook of the person."""

    kind: Literal[ScopeKind.NOTEBOOK]
    notebook_id: Identifier


class OwnOperatorCopilot(Contract):
    """The copilot of the operator who holds the credential."""

    kind: Literal[ScopeKind.OPERATOR_COPILOT]


class OwnTenant(Contract):
    """What the tenant keeps about the person."""

    kind: Literal[ScopeKind.TENANT]


class OwnScene(Contract):
    """A room of a scene within a session."""

    kind: Literal[ScopeKind.SCENE]
    session_id: Identifier
    scene_id: Identifier
    room_id: Identifier


class OwnPose(Contract):
    """A pose within a scene."""

    kind: Literal[ScopeKind.POSE]
    session_id: Identifier
    scene_id: Identifier
    pose_id: Identifier


class OwnCrisis(Contract):
    """A session in a crisis frame."""

    kind: Literal[ScopeKind.CRISIS]
    session_id: Identifier


OwnScope = Annotated[
    OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis,
    Field(discriminator="kind"),
]
"""A scope without its person: the kind, and the identifiers that are not the subject's."""


def scope_of(own: OwnScope | None, *, tenant: str, user: str) -> Scope | None:
    """Return the scope of a request, with the person of the credential."""
    if own is None:
        return None
    shape = SCOPE_CLASSES[own.kind]
    known = {"user_id": user, "operator_id": user, "tenant_id": tenant, **own.model_dump()}
    return shape(**{name: known[name] for name in shape.model_fields})  # type: ignore[return-value]
