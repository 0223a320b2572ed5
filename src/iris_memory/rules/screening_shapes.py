"""The shapes of orders to an assistant, each a row of steps over `screening_signs.Sign`."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.rules.screening_signs import VERBS
from iris_memory.rules.screening_signs import Sign as S


class Step(NamedTuple):
    """A token with any of these signs, at most `within` tokens after the step before (1: the next token)."""

    signs: int
    within: int


class Shape(NamedTuple):
    """A rule id and the steps that make it. A text has the shape when one of its sentences does."""

    rule: str
    steps: tuple[Step, ...]


def told(verbs: S) -> int:
    """Return the signs of verbs in the imperative."""
    return int(verbs) << VERBS


_DROP: Final = S.OVERRIDE | S.UNFOLLOW
_SPEECH: Final = S.ANSWER | S.UTTER | S.TELL
_DOING: Final = S.SEND | S.ACT | S.REVEAL | S.SHAPE | S.CODEC


def _shape(rule: str, first: int, *rest: tuple[int, int]) -> Shape:
    return Shape(rule, (Step(int(first), 0), *(Step(int(signs), within) for signs, within in rest)))


SHAPES: Final = (
    # earlier orders are to be dropped
    _shape("override-earlier", S.OVERRIDE, (S.PRIOR, 4), (S.ORDERS, 4)),
    _shape("override-earlier", S.OVERRIDE, (S.ORDERS, 4), (S.PRIOR, 3)),
    _shape("override-earlier", S.UNFOLLOW, (S.PRIOR, 7), (S.ORDERS | S.RULES, 4)),
    _shape("override-earlier", S.UNFOLLOW, (S.ORDERS, 7), (S.PRIOR, 3)),
    _shape("override-earlier", S.PRIOR, (S.ORDERS, 3), (_DROP, 4)),
    _shape("override-rules", told(_DROP), (S.PRIOR | S.YOURS, 3), (S.RULES, 3)),
    _shape("override-rules", told(_DROP), (S.RULES, 3), (S.PRIOR | S.TOLD, 4)),
    _shape("override-rules", told(_DROP), (S.ORDERS, 1)),
    _shape("override-everything", told(_DROP), (S.EVERYTHING, 5), (S.TOLD | S.ABOVE, 6)),
    _shape("override-above", told(_DROP), (S.ABOVE, 2)),
    _shape("override-earlier", told(S.OBEY), (S.PRIOR, 3), (S.ORDERS, 3), (S.NEGATION, 3)),
    _shape("override-earlier", S.PRIOR, (S.ORDERS | S.RULES, 3), (S.VOID, 5)),
    _shape("override-earlier", S.ORDERS | S.RULES, (S.PRIOR, 2), (S.VOID, 4)),
    _shape("override-rules", told(S.ROLE), (S.OVERRIDE, 3), (S.RULES | S.ORDERS, 5)),
    _shape("override-output", told(_DROP), (told(S.ANSWER | S.UTTER), 8)),
    _shape("new-orders", told(S.NEW_ORDERS), (S.COLON, 3)),
    # what the assistant knows is to be given away
    _shape("reveal-secret", S.WHAT | told(S.REVEAL), (S.SECRET, 5)),
    _shape("reveal-secret", S.REVEAL | S.WHAT, (S.YOURS, 4), (S.SECRET, 2)),
    _shape("reveal-orders", told(S.REVEAL | S.ANSWER | S.UTTER) | S.WHAT, (S.YOURS | S.ABOVE, 5), (S.ORDERS, 3)),
    _shape("reveal-orders", told(S.REVEAL | S.UTTER), (S.PRIOR, 2), (S.ORDERS, 2)),
    _shape("reveal-orders", told(S.REVEAL | S.UTTER), (S.ORDERS, 2), (S.PRIOR | S.TOLD, 2)),
    _shape("reveal-secret", S.YOURS, (S.SECRET, 2), (S.REVEAL, 3)),
    _shape("reveal-person", S.WHAT | told(S.REVEAL | S.CODEC), (S.USERS, 10), (S.PERSONAL, 5)),
    _shape("reveal-orders", told(S.RECITE), (S.TEXT_ABOVE, 4)),
    _shape("reveal-person", S.WHAT | told(S.REVEAL), (S.PERSONAL, 6), (S.USERS, 4)),
    # somebody else is to be played
    _shape("become", S.BECOME, (S.FREE | S.MODE | S.MODEL, 10)),
    _shape("become", S.FROM_NOW, (S.BECOME, 4)),
    _shape("unbound", S.YOU | S.YOU_MUST | S.MODEL, (S.FREE, 12)),
    _shape("unbound", S.FREE, (S.MODEL | S.YOU_MUST, 12)),
    _shape("mode", S.MODE),
    _shape("mode", S.MODEL | S.YOU_MUST, (S.MODE_IF_MODEL, 12)),
    # how it is to answer, once or for good
    _shape("answer-shape", told(S.SHAPE | S.CODEC | S.UTTER), (S.YOUR_ANSWER, 16)),
    _shape("answer-shape", told(S.CODEC), (S.MESSAGE, 8)),
    _shape("answer-shape", S.YOUR_ANSWER, (told(S.SHAPE | S.CODEC | S.UTTER | S.TELL), 4)),
    _shape("answer-form", told(S.ANSWER), (S.FORM, 2)),
    _shape("standing-order", S.STANDING, (told(S.ANSWER | S.UTTER), 3)),
    _shape("standing-order", told(S.ANSWER | S.UTTER), (S.STANDING, 3)),
    _shape("standing-order", S.FROM_NOW, (told(_SPEECH | S.ROLE | S.OBEY), 3)),
    _shape("standing-order", S.FROM_NOW, (S.YOU_MUST, 3)),
    _shape("standing-order", S.YOU_MUST, (S.ANSWER | S.UTTER, 2), (S.STANDING, 8)),
    _shape("standing-order", S.OBLIGED, (S.UTTER | S.OVERRIDE | S.UNFOLLOW, 2)),
    _shape(
        "standing-order",
        S.STANDING,
        (told(_SPEECH | _DOING | S.STORE | S.OBEY), 3),
        (S.USERS | S.ADDRESS | S.MODEL, 10),
    ),
    _shape("when-asked", S.WHEN, (S.USERS, 3), (S.ASKED, 4), (told(_SPEECH | _DOING | S.OBEY), 16)),
    # what it is to remember
    _shape("remember-order", told(S.STORE), (S.YOU_MUST, 4), (_SPEECH | S.SEND | S.REVEAL | S.OBEY | S.MODEL, 8)),
    _shape("remember-order", told(S.STORE), (S.MEMORY, 10)),
    _shape("remember-order", told(S.STORE), (S.USERS, 6), (S.PRIVILEGE, 4)),
    _shape("claimed-consent", S.CLAIMED),
    _shape("claimed-consent", S.USERS, (S.ASKED, 2), (S.YOU, 1), (S.SEND | S.ACT | S.OVERRIDE, 3)),
    _shape("claimed-consent", S.USERS, (S.AUTHORISED, 4), (_DOING | S.OBEY | S.DATA, 12)),
    # who speaks, and behind whose back
    _shape("addressed-to-model", S.ADDRESSED),
    _shape("addressed-to-model", S.MODEL, (S.MODAL, 3), (_SPEECH | S.OVERRIDE | S.SEND | S.REVEAL | S.OBEY, 5)),
    _shape("addressed-to-model", S.MODEL, (S.YOU_MUST, 3), (_SPEECH | S.OVERRIDE | S.SEND | S.REVEAL | S.OBEY, 5)),
    _shape("claimed-authority", S.AUTHORITY),
    _shape("conceal", S.CONCEAL),
    # what it is to do with tools
    _shape("send-to-address", told(S.SEND), (S.TOWARDS, 20), (S.ADDRESS, 8)),
    _shape("send-data", told(S.SEND | S.ACT), (S.DATA, 6), (S.ADDRESS, 24)),
    _shape("send-data", told(S.SEND | S.ACT), (S.USERS, 4), (S.DATA | S.PERSONAL | S.SECRET, 4)),
    _shape("act-on-account", told(S.SEND | S.ACT | S.SHAPE), (S.ACCOUNT, 20)),
    _shape("act-on-account", told(S.ACT), (S.SECRET, 3), (S.USERS, 4)),
    _shape("open-link", told(S.VISIT), (S.ADDRESS, 6)),
    _shape("plant-code", S.CODE_BLOCK, (S.YOURS, 14)),
    _shape("plant-code", S.YOURS, (S.CODE_BLOCK, 12)),
    _shape("decode", told(S.DECODE), (S.CIPHER, 6)),
    _shape("assemble", told(S.ASSEMBLE), (S.PARTS, 6)),
)
"""In no order: a text has every shape it shows."""
