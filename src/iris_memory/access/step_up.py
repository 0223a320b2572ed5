"""Step-up: acts that destroy or open much need a person who proved who they are a moment ago (RFC 9470, AUT-10).

What counts is when they did (`auth_time` of their token, or the sign-in of their session); no wish of a request, and no
age of the token, stands in for it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from iris_memory.access.tokens import Holder
from iris_memory.tables.regimes import FRESH_MINUTES

FRESH_FOR: Final = timedelta(minutes=FRESH_MINUTES)
"""How long ago a sign-in may be for an act that needs a fresh one."""

CHALLENGE: Final = (
    'Bearer error="insufficient_user_authentication", error_description="a fresh sign-in is needed",'
    f" max_age={int(FRESH_FOR.total_seconds())}"
)
"""What an act that needs a fresh sign-in answers without one (RFC 9470 §3)."""


class StepUpNeededError(Exception):
    """The act needs a fresh sign-in."""


def is_fresh(holder: Holder, *, now: datetime) -> bool:
    """Say whether a holder signed in so shortly ago that they may destroy. A sign-in in the future is none."""
    if holder.always_fresh:
        return True
    if holder.signed_in_at is None:
        return False
    return timedelta(0) <= now - holder.signed_in_at <= FRESH_FOR
