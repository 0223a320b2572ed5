"""Sensitivity: words that look sensitive under a harmless category, and words that carry somebody else's details.

It lowers trust and is not the wall: what it sees becomes a question or an offer, what it misses is stored as it was
filed. What a sensitive category lets out is decided by gates, for which the category alone counts. Rates are
published in docs/reference/screening.md.

Laws:
- words filed under a sensitive category are never doubted: their own consent and gate hold them already;
- a doubt names categories, never a word of the text.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import category_consent
from iris_memory.rules.screening import Screening
from iris_memory.tables.categories import is_sensitive

_ABOUT: Final = {
    Category.MEDICAL: "a medical matter",
    Category.PHYSICAL_HEALTH: "physical health",
    Category.MENTAL_HEALTH: "mental health",
    Category.SUBSTANCE_USE: "substance use",
    Category.BIOMETRIC: "biometrics",
    Category.POSE_ALIGNMENT: "posture",
    Category.SEXUAL: "sexual life",
    Category.SEXUALITY: "sexual orientation",
    Category.GENDER_IDENTITY: "gender identity",
    Category.SPIRITUAL: "spirituality",
    Category.RELIGION_USER_REDACTED: "religion",
    Category.FINANCIAL: "finances",
    Category.FINANCIAL_DISTRESS: "financial distress",
    Category.LEGAL: "a legal matter",
    Category.LEGAL_JEOPARDY: "legal jeopardy",
    Category.IMMIGRATION_STATUS: "immigration status",
    Category.ABUSE_HISTORY: "past abuse",
    Category.RELATIONSHIP_VIOLENCE: "violence in a relationship",
    Category.SAFETY: "safety",
}


def doubted(category: Category, look: Screening) -> tuple[Category, ...]:
    """Return the sensitive categories that words filed under a category look to be about; none where they may stand."""
    return () if is_sensitive(category) else look.sensitive


def needs(looks_like: Collection[Category], consents: Collection[str]) -> tuple[str, ...]:
    """Return the consents that categories need and the person has not given."""
    return tuple(name for name in map(category_consent, looks_like) if name not in consents)


def question(said: Category, looks_like: Collection[Category]) -> str:
    """Return what the person is asked. It holds no word of the text."""
    about = " or ".join(_ABOUT[category] for category in looks_like)
    return (
        f"This looks like it is about {about}, and was filed as {said.value}."
        " File it there (this needs that consent), keep it as it was filed, or drop it?"
    )
