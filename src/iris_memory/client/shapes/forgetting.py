"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from iris_memory.client.shape import Shape
from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetReceipt


class EraseBody(Shape):
    """Erase the person whole. `erase` says that this is meant."""

    erase: Literal["everything-about-me"]
    scan: bool | None = None


class Erased(Shape):
    """The receipt of an erasure; none where nothing was known of the person."""

    receipt: ForgetReceipt | None


class ForgetBody(Shape):
    """What to forget: exactly one of a memory, a category, everything. With `scan` every file is searched after."""

    logical_id: str | None = None
    category: Category | None = None
    everything: bool | None = None
    scan: bool | None = None


class Receipts(Shape):
    """Receipts of what was forgotten, newest first."""

    receipts: tuple[ForgetReceipt, ...]


class RollBackBody(Shape):
    """The instant to go back to."""

    to: datetime
    scan: bool | None = None


class RolledBack(Shape):
    """What going back did: the receipt of what went, and how many memories say again what they said."""

    receipt: ForgetReceipt
    restored: int


class SourceBody(Shape):
    """A reference of the provenance, such as a session, a page or a file."""

    ref: str
    scan: bool | None = None


class SourcePreviewBody(Shape):
    """Which source a forget would be of: what a provenance link calls it."""

    ref: str
