"""Generated worlds: entries and requests made from a few bytes each, so that they come fast and shrink well.

Each byte picks one fact from a pool; byte 0 picks the plainest, so a shrunk example is an active, plain, reachable one.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Context, Surface
from iris_memory.contracts.entry import (
    ConsentEntry,
    ConsentSource,
    Label,
    Lifecycle,
    MemoryEntry,
    MultiActor,
    Origin,
    ProvenanceKind,
    ProvenanceLink,
    Quarantine,
    QuarantineReason,
    Suppression,
    SuppressionReason,
)
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import (
    AdapterScope,
    CrisisScope,
    NotebookScope,
    OperatorCopilotScope,
    PoseScope,
    ProfileScope,
    SceneScope,
    Scope,
    SessionScope,
    TenantScope,
)

T = TypeVar("T")
EFFORT = int(os.environ.get("IRIS_TEST_EFFORT", "1"))
"""Multiplies the number of examples of every property here."""

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MICRO = timedelta(microseconds=1)


def effort(usual: int) -> settings:
    """Return settings for a property: `usual` examples, times IRIS_TEST_EFFORT."""
    return settings(
        max_examples=usual * EFFORT, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
    )


USERS = [*["u"] * 31, "v:1%"]
TENANTS = [*["t"] * 31, "s"]


def scope_of(kind: int, who: str, tenant: str, place: int) -> Scope:
    """Return a scope of one of the eight kinds; `place` picks among two of each identifier."""
    a, b, c = (f"{name}{place >> shift & 1}" for shift, name in enumerate(("s", "n:", "r%")))
    scopes: list[Scope] = [
        ProfileScope(user_id=who),
        SessionScope(user_id=who, session_id=a),
        NotebookScope(user_id=who, notebook_id=a),
        SceneScope(user_id=who, session_id=a, scene_id=b, room_id=c),
        PoseScope(user_id=who, session_id=a, scene_id=b, pose_id=c),
        CrisisScope(user_id=who, session_id=a),
        TenantScope(tenant_id=tenant, user_id=who),
        OperatorCopilotScope(tenant_id=tenant, operator_id=who),
    ]
    return scopes[kind % 8]


AGES = [
    timedelta(0), MICRO, MINUTE - MICRO, MINUTE, MINUTE + MICRO, 3 * MINUTE, 20 * DAY, 30 * DAY, 30 * DAY - MICRO,
    300 * DAY, 434 * DAY, 436 * DAY, 4_000 * DAY, -MICRO, -3 * MINUTE, -DAY, 720_000 * DAY,
]  # fmt: skip
SUBJECTS = [
    None, "seat preference", "seat preference", "Seat Preference", " SEAT PREFERENCE\u00a0", "seat  preference",
    "ﬁsh", "FISH", "Straße", "STRASSE", "İ", "   ", "b :: seat preference", "座席",
]  # fmt: skip
WORDS = [
    "window", "Window", "WINDOWS", "seat", "an", "of", "ﬁne", "fine", "STRASSE", "straße", "окно", "ОКНО", "θέση",
    "ΘΈΣΗ", "ΘΈΣΗΣ", "नमस्ते", "مرحبا", "座席番号", "ที่นั่ง", "١٢٣", "123", "１２３", "x²³",
    "e\u0301te\u0301", "été", "İstanbul",    "🪟🪟🪟", "a_b", "won't", "ﷺ", "Ⅷ", "ab\u200dc", "\u0301\u0301\u0301",
]  # fmt: skip
COMMON = ["window", "seat", "fine", "окно", "座席番号"]
GLUE = [" ", ", ", "-", "\u00a0", "\n", "", "_", "\u3000", "·"]
ACTORS = [
    *[None] * 20, ("a", False), ("a", True), ("b", False), ("a :: b", False), ("b :: seat preference", True),
]  # fmt: skip
CATEGORIES = [*[Category.PREFERENCE] * 30, *[Category.FACT] * 10, *[Category.SAFETY] * 10, *Category]
LIFECYCLES = [*[Lifecycle.ACTIVE] * 75, *Lifecycle]
ENDS = [None, NOW, NOW + MICRO, NOW - MICRO, NOW + DAY, NOW - DAY]
HOLDS: list[Suppression | None] = [
    *[None] * 200,
    *(Suppression(reason=why, started_at=NOW - DAY, ends_at=end) for why in SuppressionReason for end in ENDS),
]
QUARANTINES = [*[None] * 25, Quarantine(reason=QuarantineReason.INSTRUCTION_LIKE, since=NOW - DAY)]
EXPIRIES = [*[None] * 80, *ENDS]
USES = [0, 0, 0, 1, 3, 5, 9, 10, 11, 1_000]
LAST_USES = [None, None, *(NOW - age for age in AGES)]
IDS = ["m", "M", "10-", "9-", "é", "a:", "%", "座", "z"]
ADAPTERS = [None, None, None, None, *AdapterScope]
ENTRY_BYTES, REQUEST_BYTES = 44, 36


class Picks:
    """Picks from pools, one byte a pick."""

    def __init__(self, seed: bytes) -> None:
        self.seed = iter(seed)

    def number(self) -> int:
        return next(self.seed, 0)

    def one(self, pool: list[T]) -> T:
        return pool[self.number() % len(pool)]

    def text(self, most: int) -> str:
        return "".join(
            self.one(COMMON if self.flag(2) else WORDS) + self.one(GLUE) for _ in range(self.number() % (most + 1))
        )

    def flag(self, one_in: int) -> bool:
        return self.number() % one_in == one_in - 1


def entry_of(seed: bytes, place: int = 0, **fixed: Any) -> MemoryEntry:
    """Return the entry that bytes stand for; `place` makes its ids unique."""
    pick = Picks(seed)
    user, tenant = pick.one(USERS), pick.one(TENANTS)
    scope = scope_of(pick.one([*[0] * 20, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7]), user, tenant, pick.one([0, 0, 0, 1, 2, 4, 7]))
    adapter = pick.one(ADAPTERS)
    actor = pick.one(ACTORS)
    label = pick.one(list(Label))
    fields: dict[str, Any] = {
        "id": f"{pick.one(IDS)}{place}",
        "logical_id": f"{pick.one(IDS)}{place}",
        "tenant_id": tenant if pick.number() % 32 < 31 else "s",
        "user_id": user if pick.number() % 32 < 31 else "v:1%",
        "scope": scope,
        **({"adapter_scope": adapter} if adapter else {}),
        "category": pick.one(CATEGORIES),
        "subject": pick.one(SUBJECTS),
        "origin": pick.one(list(Origin)),
        "lifecycle": pick.one(LIFECYCLES),
        "label": label,
        "quarantine": pick.one(QUARANTINES),
        "suppression": pick.one(HOLDS),
        "multi_actor": MultiActor(actor_handle=actor[0], sensitive_interaction=actor[1]) if actor else None,
        "reference_count": pick.one(USES),
        "last_referenced_at": pick.one(LAST_USES),
        "updated_at": NOW - pick.one(AGES) - (pick.number() // 128) * MINUTE,
        "expires_at": pick.one(EXPIRIES),
        "created_at": NOW - 400 * DAY,
        "provenance_chain": (
            ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref=f"turn-{place}", captured_at=NOW, label=label),
        ),
        "consents": (
            ConsentEntry(category=Category.MEDICAL, granted_at=NOW - DAY, source=ConsentSource.INLINE_PROMPT),
        ),
        "body": pick.text(5) or "nothing",
    }
    return MemoryEntry(**{**fields, **fixed})


def request_of(seed: bytes, **fixed: Any) -> RecallRequest:
    """Return the request that bytes stand for."""
    pick = Picks(seed)
    user, tenant = pick.one(USERS), pick.one(TENANTS)
    consented = {Category.SAFETY} if pick.flag(2) else set()
    consented |= set(Category) if pick.flag(2) else {list(Category)[pick.number() % len(Category)]}
    contexts = {context for context in Context if pick.flag(3)}
    fields: dict[str, Any] = {
        "tenant_id": tenant,
        "user_id": user,
        "scope": scope_of(
            pick.one([0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7]), user, tenant, pick.number()
        ),
        "surface": pick.one(list(Surface)),
        "contexts": frozenset(contexts),
        "consented_categories": frozenset(consented | ({MULTI_ACTOR_SENSITIVE} if pick.flag(2) else set())),
        "crisis_frame": pick.flag(8),
        "safety_critical_context": pick.flag(2),
        "dsar_workflow": pick.flag(3),
        "tenant_policy": pick.flag(2),
        "limit": pick.one([None, None, None, None, None, 0, 1, 2, 5, 100, 10**30]),
        "now": NOW,
        "text": pick.text(4),
    }
    return RecallRequest(**{**fields, **fixed})


def seeds(length: int) -> st.SearchStrategy[bytes]:
    """Return a strategy for bytes: some that shrink to nothing, some evenly spread."""
    even = st.integers(0, 2**32 - 1).map(lambda number: Random(number).randbytes(length))
    return st.binary(min_size=length, max_size=length) | even


def worlds(*, most: int = 24, least: int = 0) -> st.SearchStrategy[list[MemoryEntry]]:
    """Return a strategy for lists of entries with distinct ids."""
    rows = st.lists(seeds(ENTRY_BYTES), min_size=least, max_size=most)
    return rows.map(lambda found: [entry_of(seed, place) for place, seed in enumerate(found)])


def requests(**fixed: Any) -> st.SearchStrategy[RecallRequest]:
    """Return a strategy for requests, with some fields fixed."""
    return seeds(REQUEST_BYTES).map(lambda seed: request_of(seed, **fixed))
