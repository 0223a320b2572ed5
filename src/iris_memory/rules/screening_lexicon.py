"""Lists of words become one table: what each token of a text stands for, in one lookup.

A sign is a bit. Each word carries the signs of every list it stands in; a phrase adds its signs to one of its words,
and a trap takes all signs from the words it covers. Sensitive topics have four signs each (`screening_words.Topic`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from iris_memory.rules.screening_affairs import AFFAIRS
from iris_memory.rules.screening_health import HEALTH
from iris_memory.rules.screening_manners import MANNER_WORDS
from iris_memory.rules.screening_matters import MATTER_WORDS
from iris_memory.rules.screening_person import PERSON
from iris_memory.rules.screening_signs import Sign
from iris_memory.rules.screening_traps import TRAPS
from iris_memory.rules.screening_verbs import VERB_WORDS
from iris_memory.rules.screening_words import BEING, HAVING, OWNERS, entries

STEM_LEAST: Final = 4
"""Letters before a `*`: stems are found by their first four."""

TOPICS: Final = (*HEALTH, *PERSON, *AFFAIRS)


class TopicSigns(NamedTuple):
    """The four bits of one sensitive category."""

    sure: int
    own: int
    being: int
    pair: int


_FIRST_TOPIC_BIT: Final = max(Sign).bit_length()
TOPIC_SIGNS: Final = tuple(
    TopicSigns(*(1 << (_FIRST_TOPIC_BIT + 4 * place + step) for step in range(4))) for place in range(len(TOPICS))
)
"""In the order of `TOPICS`."""

OWNER: Final = 1 << (_FIRST_TOPIC_BIT + 4 * len(TOPICS))
HAS: Final = OWNER << 1
IS: Final = OWNER << 2
HEAD: Final = OWNER << 3
"""The word begins a phrase."""
ANY_TOPIC: Final = OWNER - (1 << _FIRST_TOPIC_BIT)


class Slot(NamedTuple):
    """What may stand at one place of a phrase; `#` is any number."""

    words: frozenset[str]
    stems: tuple[str, ...]

    def takes(self, word: str) -> bool:
        return word in self.words or word.startswith(self.stems) or ("#" in self.words and word[0].isdigit())


class Phrase(NamedTuple):
    """The words after the first two, and what the phrase stands for. No signs: a trap."""

    rest: tuple[Slot, ...]
    signs: int


class Phrases(NamedTuple):
    """The phrases with one first word: by their second word, and those whose second word is a stem or a number."""

    by_word: dict[str, tuple[Phrase, ...]]
    others: tuple[tuple[Slot, Phrase], ...]


class Lexicon(NamedTuple):
    """`stems` by their first letters; `phrases` by their first word or stem, the longest traps first."""

    words: dict[str, int]
    stems: dict[str, tuple[tuple[str, int], ...]]
    phrases: dict[str, Phrases]


def _slot(place: str) -> Slot:
    choices = place.split("|")
    return Slot(
        frozenset(choice for choice in choices if not choice.endswith("*")),
        tuple(choice[:-1] for choice in choices if choice.endswith("*")),
    )


def build(lists: Iterable[tuple[int, str]]) -> Lexicon:
    """Build the table from pairs of signs and a list of words."""
    words: dict[str, int] = {}
    stems: dict[str, int] = {}
    phrases: dict[str, list[tuple[Slot, Phrase]]] = {}
    for signs, listed in lists:
        for entry in entries(listed):
            first, *rest = entry.split(" ")
            slots = tuple(_slot(place) for place in rest)
            for head in first.split("|"):
                table, key = (stems, head[:-1]) if head.endswith("*") else (words, head)
                table[key] = table.get(key, 0) | (HEAD if rest else signs)
                if rest:
                    phrases.setdefault(head, []).append((slots[0], Phrase(slots[1:], signs)))
    by_start: dict[str, list[tuple[str, int]]] = {}
    for stem, signs in stems.items():
        by_start.setdefault(stem[:STEM_LEAST], []).append((stem, signs))
    for word, signs in words.items():
        if signs:  # a word of its own list also stands where its stem does; a silenced one nowhere
            for start, signs_of_stem in by_start.get(word[:STEM_LEAST], ()):
                if word.startswith(start):
                    words[word] |= signs_of_stem & ~HEAD
    return Lexicon(
        words,
        {start: tuple(found) for start, found in by_start.items()},
        {head: _by_second_word(found) for head, found in phrases.items()},
    )


def _by_second_word(found: list[tuple[Slot, Phrase]]) -> Phrases:
    found.sort(key=lambda each: (each[1].signs != 0, -len(each[1].rest)))
    by_word: dict[str, list[Phrase]] = {}
    for slot, phrase in found:
        for word in slot.words - {"#"}:
            by_word.setdefault(word, []).append(phrase)
    return Phrases(
        {word: tuple(listed) for word, listed in by_word.items()},
        tuple((slot, phrase) for slot, phrase in found if slot.stems or "#" in slot.words),
    )


def _lists() -> Iterable[tuple[int, str]]:
    yield 0, TRAPS
    yield OWNER, OWNERS
    yield HAS, HAVING
    yield IS, BEING
    for sign, listed in (*VERB_WORDS, *MATTER_WORDS, *MANNER_WORDS):
        yield int(sign), listed
    for topic, signs in zip(TOPICS, TOPIC_SIGNS, strict=True):
        yield signs.sure, topic.sure
        yield signs.own, topic.own
        yield signs.being, topic.being
        yield signs.pair, topic.pair


@cache
def lexicon() -> Lexicon:
    """Return the table of all lists. Built when first asked for, so that starting a command does not wait for it."""
    return build(_lists())
