"""What recall may show, stated a second time: plain words and sets, shared with no table, gate or rule.

The suites compare the product with this page. Whoever changes a policy changes it in both places, knowingly.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final, NamedTuple

from iris_memory.contracts.scope import Scope

CONTEXTS: Final = (
    "general",
    "health",
    "safety",
    "crisis",
    "identity",
    "spiritual",
    "financial",
    "legal",
    "relationship",
    "work",
)
PLAIN: Final = (
    "fact",
    "preference",
    "goal",
    "relationship",
    "commitment",
    "identity",
    "spatial",
    "work",
    "family",
    "other",
)

_GRAVE: Final = ("safety", "crisis")
SENSITIVE: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        ("medical", "physical_health", "mental_health", "substance_use", "biometric", "pose_alignment"),
        frozenset({"health", *_GRAVE}),
    ),
    **dict.fromkeys(("sexual", "sexuality", "gender_identity"), frozenset({"identity", *_GRAVE})),
    **dict.fromkeys(("spiritual", "religion_user_redacted"), frozenset({"spiritual"})),
    **dict.fromkeys(("financial", "financial_distress"), frozenset({"financial", *_GRAVE})),
    **dict.fromkeys(("legal", "legal_jeopardy", "immigration_status"), frozenset({"legal", *_GRAVE})),
    **dict.fromkeys(("abuse_history", "relationship_violence"), frozenset({"relationship", *_GRAVE})),
    "safety": frozenset(_GRAVE),
}
"""The contexts that let each sensitive category surface."""

ABOUT_SOMEBODY: Final = frozenset({"relationship", *_GRAVE})
"""The contexts that let an entry about a sensitive interaction with somebody else surface, beside its own rule."""

CONSUMER_CONTEXTS: Final[Mapping[str, frozenset[str]]] = {
    "assistant": frozenset(CONTEXTS),
    "tara": frozenset({"general", "health", "safety", "crisis", "relationship"}),
    "arete": frozenset({"general", "work", "identity", "relationship"}),
    "veritas": frozenset({"general", "work", "financial", "legal"}),
    "nyx": frozenset({"general", "spiritual", "identity", "relationship"}),
    "nisaba": frozenset({"general", "work"}),
    "metis": frozenset({"general", "work"}),
    "studio": frozenset({"general", "work"}),
    "admin": frozenset({"general", "safety", "crisis"}),
    "support": frozenset({"general"}),
}
_EVERYDAY: Final = frozenset({"assistant", "tara", "arete", "veritas", "nyx", "nisaba", "metis"})
SCOPE_CONSUMERS: Final[Mapping[str, frozenset[str]]] = {
    "assistant_profile": _EVERYDAY,
    "session": _EVERYDAY,
    "domain": _EVERYDAY,
    "scene": frozenset({"assistant", "tara", "nyx"}),
    "conversation": frozenset({"assistant", "support"}),
    "notebook": frozenset({"assistant", "nisaba", "metis", "studio"}),
    "tenant": frozenset({"assistant", "metis", "admin"}),
    "crisis": frozenset({"assistant", "tara"}),
}
"""Who may read the scopes that the suites use."""

SURFACES: Final = ("assistant", "shell", "notebook", "admin")

_SEES: Final[Mapping[str, tuple[str, ...]]] = {
    "profile": ("profile",),
    "session": ("session", "profile"),
    "scene": ("scene", "session", "profile"),
    "pose": ("pose", "scene", "session", "profile"),
    "notebook": ("notebook", "profile"),
    "crisis": ("crisis", "session", "profile"),
    "tenant": ("tenant",),
    "operator-copilot": ("operator-copilot",),
}
_IDENTIFIERS: Final = (
    "user_id",
    "tenant_id",
    "operator_id",
    "session_id",
    "notebook_id",
    "scene_id",
    "room_id",
    "pose_id",
)


class Situation(NamedTuple):
    """What a request says and what the person's records say, in plain words."""

    contexts: Set[str] = frozenset()
    consents: Set[str] = frozenset()
    surface: str = "assistant"
    crisis: bool = False
    safety_critical: bool = False
    data_rights: bool = False


def may_surface(category: str, given: Situation, *, about_somebody: bool = False) -> bool:
    """Say whether what is about a category may be shown; `consents` name categories and `multi-actor-sensitive`."""
    if given.crisis and not (category == "safety" and given.safety_critical):
        return False
    contexts = {*given.contexts, *({"crisis"} if given.crisis else ())}
    if category in SENSITIVE and (category not in given.consents or not contexts & SENSITIVE[category]):
        return False
    if about_somebody and ("multi-actor-sensitive" not in given.consents or not contexts & ABOUT_SOMEBODY):
        return False
    if given.surface == "admin" and (category in SENSITIVE or about_somebody):
        return given.data_rights or (category == "safety" and given.safety_critical)
    return True


def sees(request: Scope, entry: Scope, *, tenant_policy: bool = False) -> bool:
    """Say whether a request's scope reaches an entry's: by kind, with every identifier they share the same."""
    kinds = _SEES[str(request.kind)]
    if tenant_policy and str(request.kind) == "notebook":
        kinds = (*kinds, "tenant")
    shared = [name for name in _IDENTIFIERS if hasattr(request, name) and hasattr(entry, name)]
    return str(entry.kind) in kinds and all(getattr(request, name) == getattr(entry, name) for name in shared)
