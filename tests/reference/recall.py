"""A naive recall: what the contract says, one plain step after another, with no regard for speed.

It shares nothing with the engine but the shapes of the contracts. Policy comes from docs/spec/tables, written by hand.
"""

from __future__ import annotations

import csv
import unicodedata
from datetime import timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Any, NamedTuple

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import RecallRequest

TABLES = Path(__file__).parents[2] / "docs" / "spec" / "tables"
EXACT = Context(prec=50, rounding=ROUND_HALF_UP)
WEIGHTS = {"recency": 400, "semantic": 350, "reference_count": 150, "origin": 100}
IDENTIFIERS = {
    "profile": ["user_id"],
    "session": ["user_id", "session_id"],
    "notebook": ["user_id", "notebook_id"],
    "operator-copilot": ["tenant_id", "operator_id"],
    "tenant": ["tenant_id", "user_id"],
    "scene": ["user_id", "session_id", "scene_id", "room_id"],
    "pose": ["user_id", "session_id", "scene_id", "pose_id"],
    "crisis": ["user_id", "session_id"],
}


def table(name: str) -> dict[str, dict[str, str]]:
    """Return a hand-written table: its rows by their first column."""
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return {next(iter(row.values())): row for row in csv.DictReader(lines)}


CATEGORIES, SCOPES, ORIGINS, SURFACES = table("categories"), table("scopes"), table("origins"), table("surfaces")


class Account(NamedTuple):
    """What a recall should give back: hits as (id, score, parts), and every count."""

    hits: list[tuple[str, int, dict[str, int]]]
    dropped: dict[str, int]
    evaluated: int
    deduplicated: int
    over_budget: int


def reason(
    entry: MemoryEntry, request: RecallRequest, paused: bool = False, closed: tuple[str, ...] = ()
) -> str | None:
    """Return the reason of the first stage that drops an entry, or None."""
    here, there = entry.scope, request.scope
    if [entry.tenant_id, getattr(here, "tenant_id", request.tenant_id)] != [request.tenant_id, request.tenant_id]:
        return "tenant-mismatch"
    owner = getattr(here, "operator_id", getattr(here, "user_id", ""))
    shared = [name for name in IDENTIFIERS[here.kind] if name in IDENTIFIERS[there.kind]]
    reached = ["always", "tenant-policy"] if request.tenant_policy else ["always"]
    if entry.user_id != request.user_id or owner != request.user_id or SCOPES[there.kind][here.kind] not in reached:
        return "scope-mismatch"
    if [getattr(here, name) for name in shared] != [getattr(there, name) for name in shared]:
        return "scope-mismatch"
    if entry.adapter_scope in closed:
        return "scope-suppressed"
    critical = CATEGORIES[entry.category]["safety_critical"] == "yes" and request.safety_critical_context
    if request.crisis_frame and not critical:
        return "crisis-frame"
    if paused:
        return "user-pause"
    held = entry.suppression
    if held and (held.ends_at is None or held.ends_at > request.now):
        return held.reason.value
    if entry.quarantine:
        return "quarantined"
    if entry.lifecycle != "active":
        return "lifecycle-" + entry.lifecycle
    if entry.expires_at and entry.expires_at <= request.now:
        return "lifecycle-expired"
    rules = [CATEGORIES[entry.category]] if CATEGORIES[entry.category]["sensitive"] == "yes" else []
    if entry.multi_actor and entry.multi_actor.sensitive_interaction:
        rules = [*rules, CATEGORIES["multi-actor-sensitive"]]
    if [rule for rule in rules if rule["category"] not in list(request.consented_categories)]:
        return "sensitive-category-without-consent"
    contexts = [*request.contexts, "crisis"] if request.crisis_frame else [*request.contexts]
    if [rule for rule in rules if "yes" not in [rule[context] for context in contexts]]:
        return "sensitive-category-outside-relevant-context"
    if rules and request.surface == "admin" and not (request.dsar_workflow or critical):
        return "sensitive-category-outside-relevant-context"
    return None


def millionths(share: Decimal) -> int:
    """Return a share in millionths, rounded half up."""
    return int(EXACT.multiply(share, Decimal(1_000_000)).to_integral_value(ROUND_HALF_UP))


def words(text: str) -> list[str]:
    """Return the distinct words of a text that are longer than two characters."""
    found, word = list[str](), ""
    for mark in [*unicodedata.normalize("NFKC", text).casefold(), " "]:
        if unicodedata.category(mark) == "Nd" or unicodedata.category(mark)[0] in ["L", "M"]:
            word += mark
        else:
            found, word = [*found, word], ""
    return list(dict.fromkeys(word for word in found if len(word) > 2))


def parts(entry: MemoryEntry, request: RecallRequest) -> dict[str, int]:
    """Return the four parts of a score in millionths."""
    age = max((request.now - (entry.last_referenced_at or entry.updated_at)) // timedelta(minutes=1), 0)
    asked, held = words(request.text), words(entry.body)
    either, both = [*asked, *(word for word in held if word not in asked)], [word for word in held if word in asked]
    return {
        "recency": millionths(EXACT.exp(EXACT.divide(Decimal(-age), Decimal(30 * 24 * 60)))),
        "semantic": millionths(EXACT.divide(Decimal(len(both)), Decimal(len(either)))) if asked and held else 0,
        "reference_count": millionths(EXACT.divide(Decimal(min(entry.reference_count, 10)), Decimal(10))),
        "origin": millionths(Decimal(ORIGINS[entry.origin]["weight"])),
    }


def key(entry: MemoryEntry) -> tuple[str, ...] | None:
    """Return the conflict key of an entry; None where it has no subject."""
    subject = unicodedata.normalize("NFKC", entry.subject or "").casefold().strip()
    handle = [entry.multi_actor.actor_handle] if entry.multi_actor else []
    return (entry.category, subject, *handle) if subject else None


def recall(candidates: list[MemoryEntry], request: RecallRequest, by_authority: bool = True, **policy: Any) -> Account:
    """Resolve a request the slow way. `policy` is what a store knows: `paused` and `closed` scopes."""
    reasons = [reason(entry, request, **policy) for entry in candidates]
    passed = [entry for entry, why in zip(candidates, reasons, strict=True) if why is None]
    claims = sorted(sorted(passed, key=lambda entry: entry.id), key=lambda entry: entry.updated_at, reverse=True)
    if by_authority:
        claims = sorted(claims, key=lambda entry: -int(ORIGINS[entry.origin]["authority"]))
    keys = [key(entry) for entry in claims]
    kept = [entry for place, entry in enumerate(claims) if keys[place] is None or keys[place] not in keys[:place]]
    scored = [(entry, parts(entry, request)) for entry in kept]
    hits = [(entry, sum(WEIGHTS[name] * part[name] for name in WEIGHTS), part) for entry, part in scored]
    hits = sorted(sorted(hits, key=lambda hit: hit[0].id), key=lambda hit: (hit[1], hit[0].updated_at), reverse=True)
    budget = min(int(SURFACES[request.surface]["budget"]), len(hits) if request.limit is None else request.limit)
    return Account(
        hits=[(entry.id, score, part) for entry, score, part in hits[:budget]],
        dropped={why: reasons.count(why) for why in reasons if why is not None},
        evaluated=len(candidates),
        deduplicated=len(passed) - len(kept),
        over_budget=len(hits) - len(hits[:budget]),
    )
