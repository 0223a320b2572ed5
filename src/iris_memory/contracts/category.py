"""Categories of memory, contexts in which they may surface, and the parties that ask."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

MULTI_ACTOR_SENSITIVE: Literal["multi-actor-sensitive"] = "multi-actor-sensitive"
"""The consent that an entry about a sensitive interaction with somebody else needs, beside its category's own."""


class Category(StrEnum):
    """What a memory is about."""

    FACT = "fact"
    PREFERENCE = "preference"
    GOAL = "goal"
    RELATIONSHIP = "relationship"
    COMMITMENT = "commitment"
    IDENTITY = "identity"
    SPATIAL = "spatial"
    POSE_ALIGNMENT = "pose_alignment"
    BIOMETRIC = "biometric"
    SPIRITUAL = "spiritual"
    MEDICAL = "medical"
    SEXUAL = "sexual"
    FINANCIAL = "financial"
    LEGAL = "legal"
    WORK = "work"
    FAMILY = "family"
    SAFETY = "safety"
    PHYSICAL_HEALTH = "physical_health"
    MENTAL_HEALTH = "mental_health"
    SUBSTANCE_USE = "substance_use"
    SEXUALITY = "sexuality"
    GENDER_IDENTITY = "gender_identity"
    RELIGION_USER_REDACTED = "religion_user_redacted"
    ABUSE_HISTORY = "abuse_history"
    IMMIGRATION_STATUS = "immigration_status"
    FINANCIAL_DISTRESS = "financial_distress"
    RELATIONSHIP_VIOLENCE = "relationship_violence"
    LEGAL_JEOPARDY = "legal_jeopardy"
    OTHER = "other"


class Context(StrEnum):
    """What a conversation is about at the moment it asks."""

    GENERAL = "general"
    HEALTH = "health"
    SAFETY = "safety"
    CRISIS = "crisis"
    IDENTITY = "identity"
    SPIRITUAL = "spiritual"
    FINANCIAL = "financial"
    LEGAL = "legal"
    RELATIONSHIP = "relationship"
    WORK = "work"


class Consumer(StrEnum):
    """The subsystem that asks."""

    ASSISTANT = "assistant"
    TARA = "tara"
    ARETE = "arete"
    VERITAS = "veritas"
    NYX = "nyx"
    NISABA = "nisaba"
    METIS = "metis"
    STUDIO = "studio"
    ADMIN = "admin"
    SUPPORT = "support"


class Surface(StrEnum):
    """Where a recall is shown."""

    ASSISTANT = "assistant"
    SHELL = "shell"
    NOTEBOOK = "notebook"
    ADMIN = "admin"
