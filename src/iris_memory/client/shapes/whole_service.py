"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from typing import Literal

from iris_memory.client.shape import Shape


class Health(Shape):
    """The process answers; `ready` says that the store does too."""

    status: Literal["ok", "ready"]
