"""What a word can stand for in an order to an assistant."""

from __future__ import annotations

from enum import IntFlag, auto
from typing import Final


class Sign(IntFlag):
    """What a word can stand for in an order. The verbs come first: each has an imperative twin `VERBS` bits higher."""

    OVERRIDE = auto()
    UNFOLLOW = auto()
    REVEAL = auto()
    ANSWER = auto()
    TELL = auto()
    UTTER = auto()
    SHAPE = auto()
    CODEC = auto()
    SEND = auto()
    ACT = auto()
    VISIT = auto()
    ROLE = auto()
    STORE = auto()
    DECODE = auto()
    ASSEMBLE = auto()
    NEW_ORDERS = auto()
    OBEY = auto()
    RECITE = auto()
    # the imperative twins lie here
    STOP = 1 << 40
    CLAUSE = auto()
    OPENER = auto()
    JOIN = auto()
    SUBJECT = auto()
    NEGATION = auto()
    REPORTED = auto()
    YOU = auto()
    YOURS = auto()
    YOU_MUST = auto()
    MODAL = auto()
    PRIOR = auto()
    ORDERS = auto()
    RULES = auto()
    EVERYTHING = auto()
    ABOVE = auto()
    TOLD = auto()
    SECRET = auto()
    WHAT = auto()
    MODEL = auto()
    ADDRESSED = auto()
    USERS = auto()
    ASKED = auto()
    WHEN = auto()
    PERSONAL = auto()
    DATA = auto()
    YOUR_ANSWER = auto()
    MESSAGE = auto()
    FORM = auto()
    STANDING = auto()
    FROM_NOW = auto()
    FREE = auto()
    BECOME = auto()
    MODE = auto()
    MODE_IF_MODEL = auto()
    MEMORY = auto()
    AUTHORISED = auto()
    CONCEAL = auto()
    AUTHORITY = auto()
    CODE_BLOCK = auto()
    CIPHER = auto()
    PARTS = auto()
    COLON = auto()
    ADDRESS = auto()
    ACCOUNT = auto()
    TOWARDS = auto()
    ENCODED = auto()
    VOID = auto()
    OBLIGED = auto()
    TEXT_ABOVE = auto()
    CLAIMED = auto()
    PRIVILEGE = auto()


VERBS: Final = 18
"""How far a verb's imperative twin lies above it."""

ANY_VERB: Final = (1 << VERBS) - 1
