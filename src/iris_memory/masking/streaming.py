"""Streaming: masking and unmasking a text that comes in pieces.

Law: however a text is cut into pieces, what comes out is what comes out of the whole. What could still change is held
back: the masker holds what `encodings.horizon` says for the reach of the corpus (the longest stretch any rule looks
at), and a secret or a weak name whose end or neighbourhood has not come yet; the unmasker holds what could become a
pseudonym.
"""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.errors import MaskingError
from iris_memory.masking.corpus import Corpus
from iris_memory.masking.decide import Verdicts, span_of
from iris_memory.masking.encodings import horizon, unescaped
from iris_memory.masking.matchers.secret import ISSUER_PREFIXES, is_unfinished
from iris_memory.masking.pattern import Hit
from iris_memory.masking.pseudonyms import Exchange, look_alikes
from iris_memory.masking.render import MASKED_ACTIONS, Edit, any_of, edit_of, edited, with_escapes
from iris_memory.masking.scan import EXTENT_MOST, WINDOW, Resolver, Stretch, candidates, is_strong, together

LOOK_ALIKE_REACH: Final = 64
"""How many visible code points something that reads like a pseudonym may take up."""


class MaskStream:
    """Masks one text that comes in pieces. Feed it, then finish it; it is used once.

    `verdicts` come from `decide.verdicts_of`. `personal` says whether owner identity was met so far.
    """

    def __init__(self, *, corpus: Corpus, verdicts: Verdicts, exchange: Exchange) -> None:
        self._corpus = corpus
        self._verdicts = verdicts
        self._exchange = exchange
        self._reach = max(corpus.lexicon.reach, LOOK_ALIKE_REACH)
        self._text = ""
        self._decided = 0
        self._written = 0
        self._resolver = Resolver()
        self._edits: list[Edit] = []
        self._finished = False
        self.personal = False

    @property
    def held_back(self) -> int:
        """How many code points were fed and not given out yet."""
        return len(self._text) - self._written

    def feed(self, piece: str) -> str:
        """Take a piece and return what is decided by now."""
        if self._finished:
            raise MaskingError("a stream was fed after it was finished")
        self._text += piece
        if len(self._text) - self._decided <= self._reach:
            return ""
        return self._advance(horizon(self._text, reach=self._reach))

    def finish(self) -> str:
        """Return what was held back."""
        self._finished = True
        return self._advance(len(self._text), last=True)

    def _advance(self, limit: int, *, last: bool = False) -> str:
        if limit <= self._decided and not last:
            return ""
        hits = candidates(self._text, self._corpus)
        if not last:
            limit = min(limit, self._unfinished_from(limit), _pending_from(hits, limit, self._decided))
            if limit <= self._decided:
                return ""
        for hit in together(hits):
            if self._decided <= hit.start < limit or (last and hit.start >= self._decided):
                self._settle(self._resolver.take(hit))
        if last or self._resolver.open_until <= limit:
            self._settle(self._resolver.close())
        self._decided = limit
        open_from = self._resolver.open_from
        return self._write(limit if open_from is None else min(limit, open_from))

    def _settle(self, stretch: Stretch | None) -> None:
        if stretch is None:
            return
        self.personal = True
        span = span_of(stretch, self._verdicts)
        if span.action in MASKED_ACTIONS:
            self._edits.append(edit_of(self._text, span, corpus=self._corpus, exchange=self._exchange))

    def _write(self, until: int) -> str:
        """Give out everything before `until`, and forget what no later decision looks at."""
        found = [look for look in look_alikes(self._text) if self._written <= look.start < until]
        until = self._whole(until, [(look.start, look.end) for look in found])
        found = [look for look in found if look.start < until]
        now = [edit for edit in self._edits if edit.start < until]
        self._edits = self._edits[len(now) :]
        changes = with_escapes(self._text, now, found, exchange=self._exchange)
        low = self._written
        out = edited(self._text[low:until], [Edit(edit.start - low, edit.end - low, edit.text) for edit in changes])
        self._written = until
        self._forget(min(until, horizon(self._text[: self._decided], reach=self._reach + WINDOW + EXTENT_MOST)))
        return out

    def _whole(self, until: int, found: list[tuple[int, int]]) -> int:
        """Move a place to the left until it cuts neither an edit nor a look-alike."""
        stretches = found + [(edit.start, edit.end) for edit in self._edits]
        while any(low < until < high for low, high in stretches):
            until = min(low for low, high in stretches if low < until < high)
        return max(until, self._written)

    def _forget(self, before: int) -> None:
        if before <= 0:
            return
        self._text = self._text[before:]
        self._decided -= before
        self._written -= before
        self._resolver.shift(before)
        self._edits = [Edit(edit.start - before, edit.end - before, edit.text) for edit in self._edits]

    def _unfinished_from(self, limit: int) -> int:
        """Return where the first secret starts that more text could make or lengthen."""
        first = limit
        for reading in unescaped(self._text):
            plain, kept = reading.in_ascii
            for prefix, start in _unfinished(plain):
                offset = start if kept is None else int(kept[start])
                place = reading.original(offset, offset + 1)[0]
                if self._decided <= place and is_unfinished(plain, prefix=prefix, start=start):
                    first = min(first, place)
        return first


def _unfinished(plain: str) -> list[tuple[int, int]]:
    return [(index, place) for index, prefix in enumerate(ISSUER_PREFIXES) for place in _places(plain, prefix)]


def _places(text: str, word: str) -> list[int]:
    places, place = [], text.find(word)
    while place >= 0:
        places.append(place)
        place = text.find(word, place + 1)
    return places


def _pending_from(hits: list[Hit], limit: int, decided: int) -> int:
    """Return where the first weak hit starts whose neighbourhood is not decided yet.

    A strong hit that is decided settles it: nothing that comes later takes that away.
    """
    certain = [hit for hit in hits if hit.start < limit and is_strong(hit)]
    for hit in hits:
        waits = hit.weak and decided <= hit.start < limit < hit.end + WINDOW
        if waits and len(together([*certain, hit])) == len(certain):
            return hit.start
    return limit


class UnmaskStream:
    """Turns pseudonyms back in a text that comes in pieces: those that were issued when the stream began."""

    def __init__(self, *, exchange: Exchange, grants: frozenset[PiiKind]) -> None:
        self._exchange = exchange
        self._grants = grants
        words = exchange.vocabulary()
        self._pattern = any_of(words) if words else None
        self._beginnings = frozenset(word[:size] for word in words for size in range(1, len(word)))
        self._longest = max(map(len, words), default=0)
        self._text = ""

    @property
    def held_back(self) -> int:
        """How many code points were fed and not given out yet: less than the longest pseudonym has."""
        return len(self._text)

    def feed(self, piece: str) -> str:
        """Take a piece and return what is complete by now."""
        if self._pattern is None:
            return piece
        self._text += piece
        place = 0
        out: list[str] = []
        for found in self._pattern.finditer(self._text):
            out += (
                self._text[place : found.start()],
                self._exchange.turned_back(found[0], grants=self._grants),
            )
            place = found.end()
        held = self._held(place)
        out.append(self._text[place : len(self._text) - held])
        self._text = self._text[len(self._text) - held :]
        return "".join(out)

    def _held(self, place: int) -> int:
        most = min(self._longest - 1, len(self._text) - place)
        return next((size for size in range(most, 0, -1) if self._text[-size:] in self._beginnings), 0)

    def finish(self) -> str:
        """Return what was held back."""
        rest, self._text = self._text, ""
        return rest
