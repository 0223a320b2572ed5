"""Doubting: what a statement looks like beside what it says it is, before it is kept.

Words that look sensitive under a harmless category become a question; words with somebody else's details are kept, with
an offer to keep them masked. Both need no store: they are decided inside the caller's transaction.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import BODY_MOST, Lifecycle
from iris_memory.contracts.privacy import PiiTokenKind, RedactedText
from iris_memory.contracts.shape import with_fields
from iris_memory.contracts.write import AskCategory, MaskedOffer, Statement, Written
from iris_memory.flows.people import Person
from iris_memory.flows.unsettled import LIFETIME, Unsettled, Waiting
from iris_memory.masking.others import CONTACTS, mask_others
from iris_memory.masking.pii_shapes import details
from iris_memory.rules.screening import Screening
from iris_memory.rules.sensitivity import doubted, needs, question

_LOOK_BACK: Final = 40
_MAY_HOLD: Final = re.compile(r"[@\d]|[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]\w")
"""What no detail of anybody can do without."""
_OWN: Final = re.compile(
    r"(?<!\w)(?:my(?: own| new| work| home| private| personal)? (?:name|e-?mail|mail|phone|number|address|cell|mobile|"
    r"handle|twitter|github)|i am called|i'm called|call me|reach me|i live|i am|i'm|"
    r"mein(?:e)? (?:name|e-?mail|nummer|adresse|telefon\w*|handy\w*)|ich (?:hei(?:ß|ss)e|wohne|bin)|"
    r"mon (?:nom|e-?mail|num[eé]ro|adresse)|je m'appelle|j'habite|mi (?:nombre|correo|n[uú]mero)|me llamo|vivo en|"
    r"mi chiamo|la mia mail|il mio numero|abito in|meu (?:nome|e-?mail|n[uú]mero)|me chamo|moro na|"
    r"mijn (?:naam|e-?mail|nummer|adres)|ik (?:heet|woon))[^.!?\n]{0,24}\Z",
    re.I,
)


def category_digest(person: Person, statement: Statement) -> str:
    """Return the digest that binds an answer to the exact words and the category they were filed under (POI-8).

    It is keyed by the person, so nobody can have it who was not shown the question.
    """
    parts = (statement.category.value, statement.subject or "", statement.body)
    return person.tag("as-said", "1", *parts) + person.tag("as-said", "2", *parts)


def doubt(
    person: Person,
    unsettled: Unsettled,
    statement: Statement,
    look: Screening | None,
    *,
    consents: Collection[str],
    now: datetime,
) -> AskCategory | None:
    """Return the question that a statement becomes, kept in the memory of the process; None where it may be a fact.

    Without a look nothing is doubted: somebody has looked already.
    """
    looks_like = doubted(statement.category, look) if look is not None else ()
    if not looks_like:
        return None
    digest = category_digest(person, statement)
    if statement.as_said == digest:
        return None
    asked = AskCategory(
        question_id=f"category-{digest[:32]}",
        said=statement.category,
        looks_like=looks_like,
        needs=needs(looks_like, consents),
        question=question(statement.category, looks_like),
        digest=digest,
        expires_at=now + LIFETIME,
    )
    unsettled.put(person.person, Waiting(statement, asked, now))
    return asked


def doubts_revision(category: Category, look: Screening, *, before: Screening) -> tuple[Category, ...]:
    """Return what corrected words look to be about that the words before did not."""
    return tuple(one for one in doubted(category, look) if one not in before.sensitive)


def with_offer(person: Person, statement: Statement, outcome: Written) -> Written:
    """Return the outcome of a write, with the offer of a masked form where the words carry somebody else's details."""
    entry = outcome.entry
    if entry.lifecycle is not Lifecycle.ACTIVE:
        return outcome
    names = (statement.actor.name,) if statement.actor is not None else ()
    if not names and not _MAY_HOLD.search(entry.body):
        return outcome
    masked = masked_others(person, entry.body, names=names)
    if not masked.tokens or len(masked.text) > BODY_MOST:
        return outcome
    kinds = tuple(kind for kind in PiiTokenKind if any(token.kind is kind for token in masked.tokens))
    return with_fields(outcome, offer=MaskedOffer(body=masked.text, kinds=kinds))


def masked_others(person: Person, text: str, *, names: Collection[str] = ()) -> RedactedText:
    """Return a text with other people's details as tokens of this person's; what is said of oneself stays."""
    if not details(text, kinds=CONTACTS, names=names):
        return RedactedText(text=text)
    key = person.tag("pii-tokens").encode()
    masked = mask_others(text, key=key, names=names)
    own = [
        text[token.start : token.end]
        for token in masked.tokens
        if _OWN.search(text, max(0, token.start - _LOOK_BACK), token.start)
    ]
    return mask_others(text, key=key, names=names, own=own) if own else masked
