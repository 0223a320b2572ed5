"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from typing import Literal

from iris_memory.client.shape import Shape


class OwnCrisis(Shape):
    """A session in a crisis frame."""

    kind: Literal["crisis"]
    session_id: str


class OwnNotebook(Shape):
    """One notebook of the person."""

    kind: Literal["notebook"]
    notebook_id: str


class OwnOperatorCopilot(Shape):
    """The copilot of the operator who holds the credential."""

    kind: Literal["operator-copilot"]


class OwnPose(Shape):
    """A pose within a scene."""

    kind: Literal["pose"]
    session_id: str
    scene_id: str
    pose_id: str


class OwnProfile(Shape):
    """What is known about the person wherever they are."""

    kind: Literal["profile"]


class OwnScene(Shape):
    """A room of a scene within a session."""

    kind: Literal["scene"]
    session_id: str
    scene_id: str
    room_id: str


class OwnSession(Shape):
    """One session of the person."""

    kind: Literal["session"]
    session_id: str


class OwnTenant(Shape):
    """What the tenant keeps about the person."""

    kind: Literal["tenant"]
