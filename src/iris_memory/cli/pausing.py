"""Pause and resume: off the record, and back on it."""

from __future__ import annotations

from iris_memory.cli.answers import Told, good, warn
from iris_memory.cli.commands import Place


def pause(place: Place) -> Told:
    """Go off the record.

    In the session, or everywhere without one. Nothing is written and recall answers nothing, until it is resumed.
    """
    with place.person() as me:
        held = me.pause()
    where = f"in session {place.session}" if place.session else "everywhere"
    return Told(held, [warn(f"Off the record {where}, until `iris resume`.")])


def resume(place: Place) -> Told:
    """Go back on the record."""
    with place.person() as me:
        was_paused = me.resume()
    line = good("On the record again.") if was_paused else "It was not paused."
    return Told({"was_paused": was_paused}, [line])
