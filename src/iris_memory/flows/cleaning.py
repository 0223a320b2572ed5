"""Cleaning: the words of a statement as they may be kept, or why they may not."""

from __future__ import annotations

from typing import NamedTuple

from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import BODY_MOST, SUBJECT_MOST
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError
from iris_memory.rules.hygiene import Unclean, clean

_NOTE_MOST = 500


class Words(NamedTuple):
    """What a statement says, as it may be kept."""

    body: str
    subject: str | None
    note: str | None


def cleaned_words(*, body: str, subject: str | None, note: str | None = None) -> Words | Refused:
    """Return words as they may be kept, or why they may not: no text that is shown hides characters (POI-6).

    Raises:
        ContractError: a text is longer than its field once it is in Unicode normal form C.
    """
    kept: list[str] = []
    for text, most in ((body, BODY_MOST), (subject, SUBJECT_MOST), (note, _NOTE_MOST)):
        if text is None:
            kept.append("")
            continue
        cleaned = clean(text)
        if isinstance(cleaned, Unclean) and cleaned.refusal is RefusalReason.HIDDEN_CHARACTERS:
            return Refused(reason=cleaned.refusal, rule="text holds no characters that hide others")
        kept.append("" if isinstance(cleaned, Unclean) else cleaned.text)
        if len(kept[-1]) > most:
            raise ContractError(f"a text is longer than {most} code points once it is in Unicode normal form C")
    if not kept[0]:
        return Refused(reason=RefusalReason.EMPTY_AFTER_CLEANING, rule="a memory has words")
    return Words(kept[0], kept[1] or None, kept[2] or None)


def already_expired() -> Refused:
    """Return the refusal of what would be over before it begins."""
    return Refused(reason=RefusalReason.ALREADY_EXPIRED, rule="a memory ends after it begins")
