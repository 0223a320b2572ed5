"""Extracting: a summary made of whole sentences of its sources, in their order. No word in it is new.

Sentences are weighed by integers alone, so the same sources give the same summary on every machine. Those that carry a
date or a number go first; among them, and then among the rest, how often their words occur in all the sources counts,
and a little that a sentence opens a source. The heaviest are taken until the room is spent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from iris_memory.rules.hygiene import normalise_for_match

EXTRACTIVE_NAME: Final = "iris-extractive-1"
"""Changes with every change of what is extracted from the same sources."""

SEPARATOR: Final = "\n"
_END: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|[。！？]\s*|\n+")
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(])(?:\w|Dr|Mr|Mrs|Ms|Prof|Sr|Jr|St|No|e\.g|i\.e|etc|vs|approx|ca)\.$", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_DIGIT: Final = re.compile(r"\d")
_SCALE: Final = 1_000
_NUMBER_BONUS: Final = 1_000 * _SCALE
_OPENING_BONUS: Final = _SCALE // 2
_SMOOTHING: Final = 4
"""Added to the number of words a sentence's weight is divided by, so that a single frequent word is no summary."""


class Part(NamedTuple):
    """Where the text of one source stands in a digest: code points from `start` to before `end`."""

    source: int
    start: int
    end: int


class Digest(NamedTuple):
    """A summary. `parts` says which piece came from which source; None: every piece may come from every source."""

    text: str
    parts: tuple[Part, ...] | None


class Sentence(NamedTuple):
    """A sentence with the source it stands in first, its place there, and every source it stands in."""

    source: int
    place: int
    text: str
    sources: tuple[int, ...]


def extract(
    texts: Sequence[str], *, most: int, barred: Callable[[str], bool] = lambda sentence: False
) -> Digest | None:
    """Return the weightiest sentences of texts, in at most `most` code points; None where none fits.

    Args:
        texts: the sources.
        most: the room there is.
        barred: says of a sentence that it may not be taken over.
    """
    candidates = [sentence for sentence in sentences(texts) if not barred(sentence.text)]
    counts = Counter(word for sentence in candidates for word in _words(sentence.text))
    heaviest = sorted(candidates, key=lambda one: (-_weight(one, counts), one.source, one.place))
    chosen: list[Sentence] = []
    left = most
    for sentence in heaviest:
        needs = len(sentence.text) + (len(SEPARATOR) if chosen else 0)
        if needs <= left:
            chosen.append(sentence)
            left -= needs
    return join([(sentence.sources, sentence.text) for sentence in sorted(chosen)])


def join(pieces: Collection[tuple[Collection[int], str]]) -> Digest | None:
    """Return pieces, each with the numbers of its sources, as one digest; None where there are none."""
    text, parts = "", []
    for sources, piece in pieces:
        start = len(text) + len(SEPARATOR) if text else 0
        text = f"{text}{SEPARATOR}{piece}" if text else piece
        parts += [Part(source, start, start + len(piece)) for source in sources]
    return Digest(text, tuple(parts)) if parts else None


def sentences(texts: Sequence[str]) -> list[Sentence]:
    """Return the sentences of texts in order, each once: where another source says the same, both are its sources."""
    seen: dict[str, Sentence] = {}
    for source, text in enumerate(texts):
        for place, sentence in enumerate(split(text)):
            key = normalise_for_match(sentence)
            known = seen.get(key)
            if known is None:
                seen[key] = Sentence(source, place, sentence, (source,))
            elif known.sources[-1] != source:
                seen[key] = known._replace(sources=(*known.sources, source))
    return list(seen.values())


def split(text: str) -> list[str]:
    """Return the sentences of one text. What looks like an abbreviation ends none."""
    pieces, start = [], 0
    for end in _END.finditer(text):
        # a closing mark belongs to the sentence before it, and so does a full stop written without a space
        stop = end.start() + len(end.group().rstrip()) if end.group().strip() else end.start()
        if "\n" not in end.group() and _ABBREVIATED.search(text[start:stop]):
            continue
        pieces.append(text[start:stop].strip())
        start = end.end()
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _weight(sentence: Sentence, counts: Counter[str]) -> int:
    words = _words(sentence.text)
    weight = _SCALE * sum(counts[word] for word in words) // (len(words) + _SMOOTHING)
    if _DIGIT.search(sentence.text):
        weight += _NUMBER_BONUS
    return weight + (_OPENING_BONUS if sentence.place == 0 else 0)
