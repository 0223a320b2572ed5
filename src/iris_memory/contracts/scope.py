"""Scope: the boundary that decides which contexts may read or write a memory.

The canonical text form is the kind and its identifiers joined by `:`; a `:` or `%` inside an identifier is
percent-encoded in upper case, so that the text parses back to the same key.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from iris_memory.contracts.shape import Contract, Identifier, refuse_invalid
from iris_memory.errors import ContractError


class ScopeKind(StrEnum):
    """The kinds of the canonical scope key."""

    PROFILE = "profile"
    SESSION = "session"
    NOTEBOOK = "notebook"
    OPERATOR_COPILOT = "operator-copilot"
    TENANT = "tenant"
    SCENE = "scene"
    POSE = "pose"
    CRISIS = "crisis"


class AdapterScope(StrEnum):
    """The policy-and-retention layer over the canonical kinds: the eleven of the adapter, and `crisis` beside them."""

    ASSISTANT_PROFILE = "assistant_profile"
    SESSION = "session"
    SCENE = "scene"
    POSE = "pose"
    CONVERSATION = "conversation"
    DOMAIN = "domain"
    CROSS_DOMAIN = "cross_domain"
    NOTEBOOK = "notebook"
    OPERATOR_COPILOT = "operator_copilot"
    TENANT = "tenant"
    ADMIN_REVIEW = "admin_review"
    CRISIS = "crisis"


class ScopeKey(Contract):
    """One boundary, addressed by exactly the identifiers its kind needs."""

    def identifiers(self) -> tuple[str, ...]:
        """Return the identifiers in canonical order, without the kind."""
        return tuple(getattr(self, name) for name in type(self).model_fields if name != "kind")

    def text(self) -> str:
        """Return the canonical text form."""
        kind: ScopeKind = self.kind  # type: ignore[attr-defined]
        return ":".join((kind.value, *(_encode(part) for part in self.identifiers())))


class ProfileScope(ScopeKey):
    """What is known about a person wherever they are."""

    kind: Literal[ScopeKind.PROFILE] = ScopeKind.PROFILE
    user_id: Identifier


class SessionScope(ScopeKey):
    """One session of a person."""

    kind: Literal[ScopeKind.SESSION] = ScopeKind.SESSION
    user_id: Identifier
    session_id: Identifier


class NotebookScope(ScopeKey):
    """One notebook of a person."""

    kind: Literal[ScopeKind.NOTEBOOK] = ScopeKind.NOTEBOOK
    user_id: Identifier
    notebook_id: Identifier


class OperatorCopilotScope(ScopeKey):
    """The copilot of one operator of a tenant."""

    kind: Literal[ScopeKind.OPERATOR_COPILOT] = ScopeKind.OPERATOR_COPILOT
    tenant_id: Identifier
    operator_id: Identifier


class TenantScope(ScopeKey):
    """What a tenant keeps about a person."""

    kind: Literal[ScopeKind.TENANT] = ScopeKind.TENANT
    tenant_id: Identifier
    user_id: Identifier


class SceneScope(ScopeKey):
    """A room of a scene within a session."""

    kind: Literal[ScopeKind.SCENE] = ScopeKind.SCENE
    user_id: Identifier
    session_id: Identifier
    scene_id: Identifier
    room_id: Identifier


class PoseScope(ScopeKey):
    """A pose within a scene."""

    kind: Literal[ScopeKind.POSE] = ScopeKind.POSE
    user_id: Identifier
    session_id: Identifier
    scene_id: Identifier
    pose_id: Identifier


class CrisisScope(ScopeKey):
    """A session in a crisis frame."""

    kind: Literal[ScopeKind.CRISIS] = ScopeKind.CRISIS
    user_id: Identifier
    session_id: Identifier


Scope = (
    ProfileScope
    | SessionScope
    | NotebookScope
    | OperatorCopilotScope
    | TenantScope
    | SceneScope
    | PoseScope
    | CrisisScope
)
AnyScope = Annotated[Scope, Field(discriminator="kind")]
SCOPE_CLASSES: dict[ScopeKind, type[ScopeKey]] = {
    ScopeKind.PROFILE: ProfileScope,
    ScopeKind.SESSION: SessionScope,
    ScopeKind.NOTEBOOK: NotebookScope,
    ScopeKind.OPERATOR_COPILOT: OperatorCopilotScope,
    ScopeKind.TENANT: TenantScope,
    ScopeKind.SCENE: SceneScope,
    ScopeKind.POSE: PoseScope,
    ScopeKind.CRISIS: CrisisScope,
}
_SCOPE: TypeAdapter[Scope] = TypeAdapter(AnyScope)

DEFAULT_ADAPTER: dict[ScopeKind, AdapterScope] = {
    ScopeKind.PROFILE: AdapterScope.ASSISTANT_PROFILE,
    ScopeKind.SESSION: AdapterScope.SESSION,
    ScopeKind.NOTEBOOK: AdapterScope.NOTEBOOK,
    ScopeKind.OPERATOR_COPILOT: AdapterScope.OPERATOR_COPILOT,
    ScopeKind.TENANT: AdapterScope.TENANT,
    ScopeKind.SCENE: AdapterScope.SCENE,
    ScopeKind.POSE: AdapterScope.POSE,
    ScopeKind.CRISIS: AdapterScope.CRISIS,
}
"""The adapter scope of an entry or request that names none."""


SCOPE_TEXT_MOST: Final = 1_600
"""Room for every canonical text form: four identifiers of 128 characters, each percent-encoded, and the kind."""


def adapter_scope_after_kind(fields: dict[str, Any]) -> AdapterScope:
    """Return the default adapter scope for the validated `scope` among a model's fields."""
    scope = fields.get("scope")
    return DEFAULT_ADAPTER[scope.kind] if scope is not None else AdapterScope.ASSISTANT_PROFILE


def parse_scope(form: str) -> Scope:
    """Return the key of a canonical text form; raise ContractError when it is not one."""
    kind, *parts = form.split(":")
    shape = SCOPE_CLASSES.get(ScopeKind(kind)) if kind in set(ScopeKind) else None
    if shape is None:
        raise ContractError(f"a scope starts with one of {', '.join(ScopeKind)}")
    names = [name for name in shape.model_fields if name != "kind"]
    if len(parts) != len(names):
        raise ContractError(f"a {kind} scope is written {kind}:" + ":".join(f"<{name}>" for name in names))
    try:
        scope = _SCOPE.validate_python({"kind": ScopeKind(kind), **dict(zip(names, map(_decode, parts), strict=True))})
    except ValidationError as problem:
        refuse_invalid(problem, what="scope")
    if scope.text() != form:
        raise ContractError("a scope percent-encodes only `:` and `%`, in upper case")
    return scope


def owner_of(scope: Scope) -> str:
    """Return the id of the person (for an operator-copilot scope, the operator) a scope belongs to."""
    return scope.operator_id if isinstance(scope, OperatorCopilotScope) else scope.user_id


def _encode(part: str) -> str:
    return part.replace("%", "%25").replace(":", "%3A")


def _decode(part: str) -> str:
    return part.replace("%3A", ":").replace("%25", "%")
