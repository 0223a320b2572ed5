"""The bridge between a conversation and memory: turns that come in, sessions, and what became of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.entry import Label
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Storable

TURN_TEXT_MOST = 20_000


class BridgeMode(StrEnum):
    """Whose memory a bridge speaks to: the customer's own, or the admin assistant's about its work."""

    CUSTOMER = "customer"
    ADMIN = "admin"


class TurnRole(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Turn(Contract):
    """One turn of a conversation. `sequence` counts from 1 without a gap within the session."""

    turn_id: Identifier
    sequence: Annotated[int, Field(ge=1)]
    role: TurnRole
    text: Annotated[str, Field(max_length=TURN_TEXT_MOST), Storable]
    label: Label = Label.USER_TYPED


class TurnLogged(Contract):
    """A turn of the log. `text` is None once it was redacted; the reference stays until its time is over."""

    turn_id: Identifier
    session_id: Identifier
    sequence: Annotated[int, Field(ge=1)]
    role: TurnRole
    label: Label
    at: Instant
    kept_until: Instant
    text: str | None


class TurnsKept(Contract):
    """What became of turns that were appended: new ones, and those that were there already."""

    session_id: Identifier
    appended: Count
    already: Count
    last_sequence: Count


class BridgeSession(Contract):
    """Where a session stands: what a runtime needs to go on after its connection broke."""

    session_id: Identifier
    mode: BridgeMode
    began_at: Instant
    last_sequence: Count
    ended_at: Instant | None = None
    off_the_record: bool = False


class SessionEnded(Contract):
    """The end of a session: what lived in it alone is gone."""

    session_id: Identifier
    last_sequence: Count
    forgotten: Count
    was_over: bool
