"""Numbers of events, bridges and webhooks."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

EVENTS_KEPT: Final = 256
"""Events of a person that a reader who comes back can still be given."""

EVENTS_LIFETIME: Final = timedelta(minutes=10)
"""And how long at most."""

PEOPLE_KEPT: Final = 1_000
"""People whose events are kept for readers who come back; the one nobody read for longest goes first."""

QUEUE_MOST: Final = 256
"""Events that wait for one subscriber; beyond it the oldest goes and is counted as missed."""

SUBSCRIBERS_MOST: Final = 8
"""Subscribers per person; one more ends the oldest."""

TURN_LIFETIME: Final = timedelta(days=1)
"""How long a turn is kept: the raw window of a session."""

TURNS_MOST: Final = 2_000
"""Turns of one session."""

TURN_BATCH_MOST: Final = 100
"""Turns in one call."""

WEBHOOKS_MOST: Final = 10
"""Webhooks per tenant."""

FIRST_PAUSE: Final = timedelta(seconds=5)
LONGEST_PAUSE: Final = timedelta(hours=1)
"""Pauses between attempts double from the first to the longest."""

LEASE: Final = timedelta(seconds=60)
"""How long one process has a webhook to itself while it sends."""

SEND_SECONDS: Final = 10
"""How long one attempt may take."""

EVENTS_A_TURN: Final = 100
"""Events sent to one webhook before others have their turn."""
