"""Summarize: what a handful of memories becomes. It runs before the transaction, so that nobody waits for it.

A summarizer that the deployment names may fail, or answer what may not stand; then the extractive one takes its place.
What may stand: clean text within the room there is, that reads like no order, looks like no sensitive matter beyond
its own category, and holds no number that its sources do not hold.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from iris_memory.contracts.entry import BODY_MOST, Label, MemoryEntry
from iris_memory.contracts.retaining import Fate
from iris_memory.flows.people import Person, Snapshot
from iris_memory.ports.summarizer import Summarizer
from iris_memory.rules.aggregating import AGGREGATE_NAME, aggregate
from iris_memory.rules.compaction import room
from iris_memory.rules.extracting import EXTRACTIVE_NAME, Digest, extract
from iris_memory.rules.hygiene import Cleaned, clean, normalise_for_match
from iris_memory.rules.screening import screen
from iris_memory.tables.categories import is_sensitive

_NUMBER: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"[!-~]{1,100}")
_log = logging.getLogger(__name__)


class Made(NamedTuple):
    """A digest and the name of what made it."""

    digest: Digest
    by: str


class Extractive:
    """The default summarizer: whole sentences of the sources and no other word."""

    name: Final = EXTRACTIVE_NAME

    def summarize(self, texts: Sequence[str], *, most: int) -> Digest | None:
        """Return the weightiest sentences in their order."""
        return extract(texts, most=most)


def condense(
    summarizer: Summarizer | None, person: Person, snapshot: Snapshot, sources: Sequence[MemoryEntry], fate: Fate
) -> Made | None:
    """Return what a handful of memories becomes; None where nothing of it may be kept.

    Args:
        summarizer: the one the deployment names, if any.
        person: whose memories they are.
        snapshot: what is known of them; words they had forgotten do not come back.
        sources: the memories, which share a group.
        fate: `summarize` or `aggregate`.
    """
    texts = [entry.body for entry in sources]
    if fate is Fate.AGGREGATE:
        digest = aggregate(texts)
        return Made(digest, AGGREGATE_NAME) if digest is not None else None
    barred = _barring(person, snapshot, sources)
    if summarizer is not None and not any(map(barred, texts)):
        made = _asked(summarizer, sources, texts)
        if made is not None and not barred(made.digest.text):
            return made
    # a sentence longer than the room is better than none: a source that is one sentence has no shorter form
    digest = extract(texts, most=room(texts), barred=barred) or extract(texts, most=BODY_MOST, barred=barred)
    return Made(digest, EXTRACTIVE_NAME) if digest is not None else None


def _barring(person: Person, snapshot: Snapshot, sources: Sequence[MemoryEntry]) -> Callable[[str], bool]:
    is_typed = all(entry.label is Label.USER_TYPED for entry in sources)
    is_harmless = not is_sensitive(sources[0].category)
    forgotten = snapshot.forgotten

    def barred(text: str) -> bool:
        if forgotten and person.tag("forgotten", normalise_for_match(text)) in forgotten:
            return True
        if is_typed and not is_harmless:
            return False
        looks = screen(text)
        return (looks.instruction_like and not is_typed) or (bool(looks.sensitive) and is_harmless)

    return barred


def _asked(summarizer: Summarizer, sources: Sequence[MemoryEntry], texts: Sequence[str]) -> Made | None:
    most = room(texts)
    try:
        digest = summarizer.summarize(texts, most=most)
    except Exception as problem:
        _log.warning("the summarizer failed with %s; the extractive one takes its place", type(problem).__name__)
        return None
    if digest is None or not _NAME.fullmatch(summarizer.name):
        return None
    cleaned = clean(digest.text)
    if not isinstance(cleaned, Cleaned) or cleaned.text != digest.text or len(digest.text) > most:
        return None
    looks = screen(digest.text)
    known = {category for text in texts for category in screen(text).sensitive} | {sources[0].category}
    numbers = {number for text in texts for number in _NUMBER.findall(text)}
    if looks.instruction_like or not set(looks.sensitive) <= known:
        return None
    if not set(_NUMBER.findall(digest.text)) <= numbers or not _fits(digest, len(texts)):
        return None
    return Made(digest, summarizer.name)


def _fits(digest: Digest, count: int) -> bool:
    """Say whether the parts of a digest, where it names any, cover its words and lie within them."""
    if digest.parts is None:
        return True
    covered = bytearray(len(digest.text))
    for part in digest.parts:
        if not (0 <= part.source < count and 0 <= part.start < part.end <= len(digest.text)):
            return False
        covered[part.start : part.end] = b"\x01" * (part.end - part.start)
    return all(mark or digest.text[place].isspace() for place, mark in enumerate(covered))
