"""Screening: which sensitive matters a text looks to be about, and does it read like an order to an assistant (POI-5).

Laws:
- the answer depends on the text and `SCREENING_VERSION` alone;
- every rule looks at a bounded window of tokens once, so the time is linear in the length of the text;
- a hit lowers trust (the row waits for the person, the entry is quarantined); no hit proves nothing. Screening is not
  the wall: labels, ceilings and confirmation are.

What the rules miss and hit by mistake is published in docs/reference/screening.md and held by tests.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.rules.screening_fold import fold, tokens, without_accents
from iris_memory.rules.screening_lexicon import (
    ANY_TOPIC,
    HAS,
    HEAD,
    IS,
    OWNER,
    STEM_LEAST,
    TOPIC_SIGNS,
    TOPICS,
    Lexicon,
    Slot,
    TopicSigns,
    lexicon,
)
from iris_memory.rules.screening_markup import (
    ENCODED_LEAST,
    carries_encoded_text,
    hidden_orders,
)
from iris_memory.rules.screening_scripts import orders_in_other_scripts
from iris_memory.rules.screening_shapes import SHAPES, Shape
from iris_memory.rules.screening_signs import ANY_VERB, VERBS, Sign

SCREENING_VERSION: Final = "1"
"""Changes whenever a list, a shape or the reading of them changes an answer."""

_OWNED_WITHIN: Final = 3
_HAD_WITHIN: Final = 5
_BEING_WITHIN: Final = 3
_PAIRED_WITHIN: Final = 12

_STOP: Final = int(Sign.STOP)
_CLAUSE: Final = int(Sign.CLAUSE)
_MARKS: Final = dict.fromkeys(".!?;\n…", _STOP) | dict.fromkeys(',"()<>{}[]*>#|=-—–«»', _CLAUSE)
_MARKS[":"] = int(Sign.CLAUSE | Sign.COLON)

_PLAIN_BELOW: Final = 15
"""Letters alone, fewer than these, have no shape: no address, no account, nothing encoded."""

_NO_OWNERS: Final = frozenset(
    ["it", "that", "what", "let", "there", "here", "he", "she", "who", "how", "where", "when", "everything", "nothing"]
)
"""What an `'s` makes no genitive of."""


class Screening(NamedTuple):
    """What a text looks like. `rules` names what fired, never words of the text."""

    sensitive: tuple[Category, ...]
    instruction_like: bool
    rules: tuple[str, ...]


def screen(text: str, *, orders_too: bool = True) -> Screening:
    """Say what a text looks like. Never raises; linear in the length of the text.

    Args:
        text: any text.
        orders_too: look for orders as well; without, for sensitive matters alone, in half the time.
    """
    folded = fold(text)
    words = tokens(without_accents(folded))
    signs = _read(words, lexicon())
    topics = _topics(words, signs)
    if not orders_too:
        return Screening(
            tuple(each for each, _ in topics), instruction_like=False, rules=tuple(rule for _, rule in topics)
        )
    orders = [*_orders(words, signs), *hidden_orders(folded), *orders_in_other_scripts(folded)]
    if any(sign & _ENCODED for sign in signs) and carries_encoded_text(text):
        orders.append("encoded-text")
    return Screening(
        sensitive=tuple(category for category, _ in topics),
        instruction_like=bool(orders),
        rules=(*(rule for _, rule in topics), *sorted(set(orders))),
    )


def _read(words: list[str], known: Lexicon) -> list[int]:
    """Return what each token stands for, phrases and traps applied."""
    exact, stems = known.words.get, known.stems.get
    signs: list[int] = []
    heads: list[tuple[int, str]] = []
    for at, word in enumerate(words):
        sign = exact(word)
        if sign is None:
            sign = 0
            if len(word) >= STEM_LEAST:
                likely = stems(word[:STEM_LEAST])
                if likely is not None:
                    for stem, signs_of_stem in likely:
                        if word.startswith(stem):
                            sign |= signs_of_stem
                            if signs_of_stem & HEAD:
                                heads.append((at, stem + "*"))
                if not sign and not (len(word) < _PLAIN_BELOW and word.isalpha()):
                    sign = _shape_of(word)
            else:
                sign = _MARKS.get(word, 0) or (_CLAUSE if word[-1] in "'\"" else 0)
        elif word == "s" and at and words[at - 1] in _NO_OWNERS:
            sign = 0
        elif sign & HEAD:
            heads.append((at, word))
        signs.append(sign)
    if heads:
        _apply_phrases(words, signs, heads, known)
    return signs


def _shape_of(word: str) -> int:
    """Return what an unknown word is by its shape: an address, an account number, perhaps encoded text."""
    if "@" in word or "://" in word or word.startswith("www."):
        return int(Sign.ADDRESS)
    # the shape of an IBAN: two letters, two digits, then eleven to thirty characters, most of them digits
    account = 15 <= len(word) <= 34 and word[:2].isalpha() and word[2:4].isdigit() and _digits(word) >= 10
    encoded = len(word) >= ENCODED_LEAST or (len(word) == 8 and not word.strip("01"))
    return (_ACCOUNT if account else 0) | (_ENCODED if encoded else 0)


def _digits(word: str) -> int:
    return sum(mark.isdigit() for mark in word)


def _apply_phrases(words: list[str], signs: list[int], heads: list[tuple[int, str]], known: Lexicon) -> None:
    """Add what a phrase stands for to its last word, a verb's to its first; take all signs from the words of a trap."""
    silent = 0
    last = len(words) - 1
    for at, head in heads:
        if at < silent or at == last:
            continue
        phrases, second = known.phrases[head], words[at + 1]
        found = phrases.by_word.get(second, ())
        if phrases.others:
            found += tuple(phrase for slot, phrase in phrases.others if slot.takes(second))
        for phrase in found:
            end = at + 2 + len(phrase.rest)
            if end > len(words) or (phrase.rest and not _follow(words, at + 2, phrase.rest)):
                continue
            if phrase.signs:
                signs[at if phrase.signs & ANY_VERB else end - 1] |= phrase.signs
            else:
                signs[at:end] = [0] * (end - at)
                silent = end
                break


def _follow(words: list[str], at: int, slots: tuple[Slot, ...]) -> bool:
    for slot in slots:
        if not slot.takes(words[at]):
            return False
        at += 1
    return True


def _topics(words: list[str], signs: list[int]) -> list[tuple[Category, str]]:
    """Return each topic of the text with the rule that found it."""
    hits = [at for at, sign in enumerate(signs) if sign & ANY_TOPIC]
    if not hits:
        return []
    found: list[tuple[Category, str]] = []
    for topic, bits in zip(TOPICS, TOPIC_SIGNS, strict=True):
        for at in hits:
            how = _how(words, signs, at, bits)
            if how is not None:
                found.append((topic.category, f"topic:{topic.category.value}:{how}"))
                break
    return found


def _how(words: list[str], signs: list[int], at: int, bits: TopicSigns) -> str | None:
    sign = signs[at]
    if sign & bits.sure:
        return "sure"
    if sign & bits.own and _belongs(signs, at):
        return "own"
    if sign & bits.being and _before(signs, at, sign=IS, within=_BEING_WITHIN):
        return "being"
    return "pair" if sign & bits.own and _paired(words, signs, at, bits) else None


def _paired(words: list[str], signs: list[int], at: int, bits: TopicSigns) -> bool:
    weak = bits.own | bits.being | bits.pair
    around = range(max(at - _PAIRED_WITHIN, 0), min(at + _PAIRED_WITHIN + 1, len(words)))
    return any(signs[there] & weak and words[there] != words[at] for there in around)


def _belongs(signs: list[int], at: int) -> bool:
    return _before(signs, at, sign=OWNER, within=_OWNED_WITHIN) or _before(signs, at, sign=HAS, within=_HAD_WITHIN)


def _before(signs: list[int], at: int, *, sign: int, within: int) -> bool:
    for back in range(at - 1, max(at - within, 0) - 1, -1):
        if signs[back] & _STOP:
            return False
        if signs[back] & sign:
            return True
    return False


_DROPPED_AFTER_NOT: Final = int(Sign.OVERRIDE | Sign.REVEAL | Sign.SEND)
_DROPPED_AFTER_SUBJECT: Final = int(Sign.OVERRIDE | Sign.UNFOLLOW)
_UNSTARTING: Final = int(Sign.SUBJECT | Sign.REPORTED)
_BREAK: Final = _STOP | _CLAUSE
_ADDRESSEE: Final = int(Sign.YOU | Sign.YOU_MUST | Sign.MODEL)
_OPENER: Final = int(Sign.OPENER)
_STARTING: Final = int(Sign.OPENER | Sign.JOIN | Sign.STANDING | Sign.FROM_NOW)
_FROM_NOW: Final = int(Sign.FROM_NOW)
_NEGATION: Final = int(Sign.NEGATION)
_ENCODED: Final = int(Sign.ENCODED)
_ACCOUNT: Final = int(Sign.ACCOUNT)


def _orders(words: list[str], signs: list[int]) -> list[str]:
    """Return the rule of each shape the text has."""
    present = 0
    placed: list[tuple[int, int]] = []
    start, subject, negated = True, False, False
    for at, sign in enumerate(signs):
        if not sign:
            start = start and words[at].endswith("ly")
            negated = False
            continue
        if sign & _BREAK:
            start, subject, negated = True, False, False
        else:
            verbs = sign & ANY_VERB
            if verbs:
                if negated:
                    verbs &= ~_DROPPED_AFTER_NOT
                if subject:
                    verbs &= ~_DROPPED_AFTER_SUBJECT
                elif start:
                    verbs |= verbs << VERBS
                sign = sign & ~ANY_VERB | verbs
            if sign & _UNSTARTING and not sign & _FROM_NOW:  # `on` is a subject in French, and ends `from now on`
                start, subject = False, True
            else:
                if sign & _ADDRESSEE:
                    subject = False
                start = not subject and bool(sign & _STARTING)
            negated = bool(sign & _NEGATION) or (negated and bool(sign & _OPENER))
        present |= sign
        placed.append((at, sign))
    found: list[str] = []
    for shape in SHAPES:
        for step in shape.steps:
            if not step.signs & present:
                break
        else:
            if _has(placed, shape):
                found.append(shape.rule)
    return found


def _has(placed: list[tuple[int, int]], shape: Shape) -> bool:
    """Walk once: for each step remember the last place it was reached, which is the best one for the step after."""
    steps = shape.steps
    last = len(steps) - 1
    reached = [-1] * len(steps)
    for at, sign in placed:
        if sign & _STOP:
            reached = [-1] * len(steps)
            continue
        for k in range(last, -1, -1):
            if sign & steps[k].signs and (k == 0 or 0 <= reached[k - 1] >= at - steps[k].within):
                if k == last:
                    return True
                reached[k] = at
    return False
