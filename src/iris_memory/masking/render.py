"""Rendering: the text with pseudonyms where a guard masks, and back again.

Law: the rendered text differs from the original only inside spans and at escaped look-alikes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from iris_memory.contracts.masking import Action, PiiKind, Span
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.folding import fold
from iris_memory.masking.pseudonyms import ESCAPE, Exchange, LookAlike, look_alikes

MASKED_ACTIONS: Final = frozenset({Action.MASK, Action.DENY, Action.HALT})
"""The actions that leave no literal in a text. Denying and halting are the guard's; if it renders, nothing is shown."""


class Edit(NamedTuple):
    """One change: `[start, end)` of the original becomes `text`."""

    start: int
    end: int
    text: str


class Masked(NamedTuple):
    """A rendered text. `personal` says that owner identity was in it, masked or not."""

    text: str
    personal: bool


def masked(text: str, spans: Sequence[Span], *, corpus: Corpus, exchange: Exchange) -> Masked:
    """Write a text with pseudonyms. `spans` are those that `decide` found in this very text."""
    if exchange.is_own(text):
        return Masked(text, bool(spans))
    edits = [edit_of(text, span, corpus=corpus, exchange=exchange) for span in spans if span.action in MASKED_ACTIONS]
    edits = with_escapes(text, edits, look_alikes(text), exchange=exchange)
    out = edited(text, edits)
    exchange.gave_out(out)
    return Masked(out, bool(spans))


def unmasked(text: str, *, exchange: Exchange, grants: frozenset[PiiKind]) -> str:
    """Turn back what this exchange issued and these grants allow; look-alikes come back as they were typed."""
    words = exchange.vocabulary()
    if not words:
        return text
    return any_of(words).sub(lambda found: exchange.turned_back(found[0], grants=grants), text)


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of exactly these words, the longest first."""
    return re.compile("|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))))


def edit_of(text: str, span: Span, *, corpus: Corpus, exchange: Exchange) -> Edit:
    """Return the change that puts a pseudonym in the place of a span."""
    written = text[span.start : span.end]
    whole = span.literal >= 0 and span.kinds == {span.kind}
    token = exchange.issue(
        span.kind,
        corpus.canonicals[span.literal] if whole else fold(written) or written,
        meaning=corpus.literals[span.literal].text if whole else written,
        kinds=span.kinds,
    )
    return Edit(span.start, span.end, token)


def with_escapes(text: str, edits: Sequence[Edit], found: Iterable[LookAlike], *, exchange: Exchange) -> list[Edit]:
    """Add the escapes of look-alikes that no edit covers, and return all edits in order. `edits` are in order."""
    out = list(edits)
    starts = [edit.start for edit in edits]
    for look in found:
        written = text[look.start : look.end]
        if look.at is None:
            exchange.note(written, escaped=None)
        elif not ((index := bisect_left(starts, look.at)) and look.at < edits[index - 1].end):
            place = look.at - look.start
            exchange.note(written, escaped=written[:place] + ESCAPE + written[place:])
            out.append(Edit(look.at, look.at, ESCAPE))
    return sorted(set(out))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap."""
    parts: list[str] = []
    place = 0
    for start, end, put in edits:
        parts += (text[place:start], put)
        place = end
    return "".join([*parts, text[place:]])
