"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
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
from iris_memory.contracts.scope import AdapterScope


class RecallBody(Shape):
    """What memory is asked. It narrows what the person's records allow and widens nothing."""

    text: str | None = None
    contexts: frozenset[Context] | None = None
    scope: (
        OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis | None
    ) = None
    adapter_scope: AdapterScope | None = None
    surface: Surface | None = None
    session_id: str | None = None
    crisis_frame: bool | None = None
    safety_critical_context: bool | None = None
    limit: int | None = None
