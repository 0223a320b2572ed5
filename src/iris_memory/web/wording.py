"""The words of the pages: what each code is called, once, in plain English, sentence case."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, Origin
from iris_memory.contracts.scope import AdapterScope
from iris_memory.tables.totality import total

CATEGORIES: Final[Mapping[Category, str]] = MappingProxyType(
    {category: category.value.replace("_", " ").capitalize() for category in Category}
    | {Category.RELIGION_USER_REDACTED: "Religion", Category.POSE_ALIGNMENT: "Posture"}
)

_O = Origin
ORIGINS: Final = total(
    "origin words",
    Origin,
    [
        (_O.USER_STATED, "Said by you"),
        (_O.USER_CONFIRMED, "Confirmed by you"),
        (_O.MODEL_INFERRED, "Inferred"),
        (_O.SUMMARIZED_FROM_SESSION, "Summarised"),
        (_O.IMPORTED, "Imported"),
        (_O.OPERATOR_COPILOT, "Operator"),
    ],
)

_S = AdapterScope
SCOPES: Final = total(
    "scope words",
    AdapterScope,
    [
        (_S.ASSISTANT_PROFILE, "Profile"),
        (_S.SESSION, "Session"),
        (_S.SCENE, "Scene"),
        (_S.POSE, "Pose"),
        (_S.CONVERSATION, "Conversation"),
        (_S.DOMAIN, "Subject areas"),
        (_S.CROSS_DOMAIN, "Across subject areas"),
        (_S.NOTEBOOK, "Notebook"),
        (_S.OPERATOR_COPILOT, "Operator notes"),
        (_S.TENANT, "Kept by the organisation"),
        (_S.ADMIN_REVIEW, "Operator review"),
        (_S.CRISIS, "Crisis"),
    ],
)

_L = Lifecycle
LIFECYCLES: Final = total(
    "lifecycle words",
    Lifecycle,
    [
        (_L.DRAFT, "In question"),
        (_L.ACTIVE, ""),
        (_L.PAUSED, "Paused"),
        (_L.SUPERSEDED, "Replaced"),
        (_L.TOMBSTONED, "Forgotten"),
    ],
)

_UNITS: Final = (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def ago(then: datetime, now: datetime) -> str:
    """Return how long ago an instant was, or how far ahead it is, in the largest unit that counts one or more."""
    seconds = int((now - then) / timedelta(seconds=1))
    ahead, seconds = seconds < 0, abs(seconds)
    for name, length in _UNITS:
        count = seconds // length
        if count:
            told = f"{count} {name}{'' if count == 1 else 's'}"
            return f"in {told}" if ahead else f"{told} ago"
    return "in a moment" if ahead else "just now"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 memory`, `3 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
