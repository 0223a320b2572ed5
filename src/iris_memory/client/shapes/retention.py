"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.retaining import Review, ReviewDecision
from iris_memory.contracts.write import Written


class Decided(Shape):
    """What became of it: the revision that is kept on, or the receipt of what was ended."""

    kept: Written | None = None
    receipt: ForgetReceipt | None = None


class ReviewBody(Shape):
    """The decision; with `expected` it counts for the revision that was seen alone."""

    decision: ReviewDecision
    expected: str | None = None
    scan: bool | None = None


class Reviews(Shape):
    """Memories that wait for a decision, those that end first coming first."""

    reviews: tuple[Review, ...]
