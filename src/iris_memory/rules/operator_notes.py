"""Operator notes: which may be recalled, and whose text is set aside before anybody relies on it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final
from urllib.parse import quote

from iris_memory.contracts.entry import Label, Quarantine, QuarantineReason
from iris_memory.contracts.operator_note import OperatorNote
from iris_memory.rules.screening import screen
from iris_memory.tables.operator_notes import FADES_AFTER

_OWN_WORDS: Final = frozenset({Label.USER_TYPED, Label.OPERATOR})


class Withheld(StrEnum):
    """Why a note does not go into a prompt."""

    QUARANTINED = "quarantined"
    FADED = "faded"
    OVER_BUDGET = "over-budget"
    SHADOW = "shadow"


def canonical_operator(*, tenant: str, issuer: str, sub: str) -> str:
    """Return the one spelling of an operator. Two operators never share one, whatever their names hold."""
    return ":".join(quote(part, safe="/.-_~@") for part in (tenant, issuer, sub))


def quarantine_of(value: str, *, label: Label, now: datetime) -> Quarantine | None:
    """Return why a note is kept aside: it reads like an order, or its words are not the operator's own (POI-3, POI-5).

    It is shown with its reason, never recalled, and comes back when the operator writes it in words of their own.
    """
    if screen(value).instruction_like:
        return Quarantine(reason=QuarantineReason.INSTRUCTION_LIKE, since=now)
    if label not in _OWN_WORDS:
        return Quarantine(reason=QuarantineReason.LOW_TRUST_SOURCE, since=now)
    return None


def withheld(note: OperatorNote, now: datetime) -> Withheld | None:
    """Return why a note stays out of every prompt; None where it may go in."""
    if note.quarantine is not None:
        return Withheld.QUARANTINED
    latest = max(note.confirmed_at, note.last_used_at or note.confirmed_at)
    return Withheld.FADED if now - latest > FADES_AFTER else None
