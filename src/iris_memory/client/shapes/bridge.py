"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
from iris_memory.contracts.bridge import Turn, TurnLogged
from iris_memory.contracts.category import Context, Surface


class BridgeRecallBody(Shape):
    """What the assistant needs memory for."""

    text: str | None = None
    contexts: frozenset[Context] | None = None
    surface: Surface | None = None
    crisis_frame: bool | None = None
    safety_critical_context: bool | None = None
    limit: int | None = None


class RedactBody(Shape):
    """Whose words go: the turns named, or with none every turn of the session."""

    turn_ids: tuple[str, ...] | None = None


class Redacted(Shape):
    """How many turns lost their words."""

    redacted: int


class TurnLog(Shape):
    """The turns of the session, in order."""

    turns: tuple[TurnLogged, ...]


class TurnsBody(Shape):
    """Turns in order. One that is there already changes nothing."""

    turns: tuple[Turn, ...]
