"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape


class Pause(Shape):
    """A session that is off the record."""

    session_id: str
    since: str


class PauseBody(Shape):
    """What goes off the record: one session, or every session where none is named."""

    session_id: str | None = None


class Pauses(Shape):
    """What is off the record."""

    pauses: tuple[Pause, ...]


class Resumed(Shape):
    """Whether the session was off the record."""

    was_paused: bool
