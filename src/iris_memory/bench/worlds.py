"""Worlds to measure in: people with memories of ordinary length, varied words, subjects, categories and sessions."""

from __future__ import annotations

from hashlib import blake2b

from iris_memory.contracts.category import Category
from iris_memory.contracts.scope import ProfileScope, SessionScope
from iris_memory.contracts.write import Statement
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.tables.categories import SENSITIVE_CATEGORIES
from iris_memory.tables.limits import BATCH_MOST

TENANT = "bench"
_VOCABULARY = 3_000
_CATEGORIES = tuple(Category)
CONSENTS = ("data_processing", "data_storage", *(f"category:{category}" for category in sorted(SENSITIVE_CATEGORIES)))


def draw(seed: str, below: int) -> int:
    """Return a number below another, the same for the same seed everywhere."""
    return int.from_bytes(blake2b(seed.encode(), digest_size=8).digest(), "little") % below


def word(number: int) -> str:
    """Return one word of the vocabulary."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    made = ""
    for _ in range(3):
        number, first = divmod(number, len(consonants))
        number, second = divmod(number, len(vowels))
        made += consonants[first] + vowels[second]
    return made


def sentence(seed: str, length: int = 12) -> str:
    """Return words drawn from the vocabulary."""
    return " ".join(word(draw(f"{seed}:{place}", _VOCABULARY)) for place in range(length))


def statement(user: str, number: int) -> Statement:
    """Return one memory of a person."""
    seed = f"{user}/{number}"
    in_session = draw(seed + "scope", 10) < 3
    scope = (
        SessionScope(user_id=user, session_id=f"s{draw(seed + 'session', 40)}")
        if in_session
        else ProfileScope(user_id=user)
    )
    return Statement(
        body=sentence(seed),
        category=_CATEGORIES[draw(seed + "category", len(_CATEGORIES))],
        subject=f"slot {user} {number}" if draw(seed + "subject", 4) == 0 else None,
        scope=scope,
    )


def person(iris: Iris, user: str, size: int, *, tenant: str = TENANT) -> PersonMemory:
    """Fill a store with one person's memories and return them."""
    memory = iris.for_user(tenant=tenant, user=user)
    memory.consent.grant(*CONSENTS, terms="everything, for a benchmark")
    for start in range(0, size, BATCH_MOST):
        memory.remember_many([statement(user, number) for number in range(start, min(size, start + BATCH_MOST))])
    return memory
