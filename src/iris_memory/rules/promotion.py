"""Promotion: may a memory of a session become one of the profile? A session's memory is never promoted silently.

Laws, first that fits:
1. the person asked for this one: it may;
2. it recurs in as many distinct sessions of user-typed text as the threshold says: it may;
3. nobody asked: it may not;
4. somebody asked on the person's behalf, and it never recurred: an implicit promotion is blocked;
5. it recurred, but too seldom: it may not.
"""

from __future__ import annotations

from typing import NamedTuple

from iris_memory.contracts.inference import PromotionReason
from iris_memory.tables.limits import PROMOTION_THRESHOLD


class PromotionDecision(NamedTuple):
    """Whether a promotion is allowed, and the reason either way."""

    allowed: bool
    reason: PromotionReason


def evaluate_session_profile_promotion(
    *, requested: bool, explicit: bool, occurrences: int, threshold: int = PROMOTION_THRESHOLD
) -> PromotionDecision:
    """Decide about one memory of a session.

    Args:
        requested: somebody asked for the promotion.
        explicit: the person asked for it; without `requested` it says nothing.
        occurrences: distinct sessions of user-typed text that say the same, this one included.
        threshold: how many occurrences promote without being asked for.
    """
    if requested and explicit:
        return PromotionDecision(True, PromotionReason.EXPLICIT)
    if occurrences >= threshold:
        return PromotionDecision(True, PromotionReason.THRESHOLD_MET)
    if not requested:
        return PromotionDecision(False, PromotionReason.NOT_REQUESTED)
    if occurrences <= 1:
        return PromotionDecision(False, PromotionReason.IMPLICIT_BLOCKED)
    return PromotionDecision(False, PromotionReason.THRESHOLD_NOT_MET)
