"""Gate 5, sensitive categories: only with the category's own consent, and only in a context that needs it."""

from __future__ import annotations

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category, Context, Surface
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.recall import RecallRequest
from iris_memory.gates.facts import Asked, Gate, Matter, Trait
from iris_memory.tables.categories import CATEGORIES, MULTI_ACTOR_CONTEXTS, SAFETY_CRITICAL


def check(matter: Matter, asked: Asked) -> DropReason | None:
    """Let what is not sensitive pass; of the rest, count a missing consent before a wrong context."""
    request = asked.request
    row = CATEGORIES[matter.category]
    if not row.sensitive and not matter.sensitive_interaction:
        return None
    if row.sensitive and matter.category not in request.consented_categories:
        return DropReason.WITHOUT_CONSENT
    if matter.sensitive_interaction and MULTI_ACTOR_SENSITIVE not in request.consented_categories:
        return DropReason.WITHOUT_CONSENT
    contexts = contexts_of(request)
    if row.sensitive and not (row.contexts & contexts):
        return DropReason.OUTSIDE_CONTEXT
    if matter.sensitive_interaction and not (MULTI_ACTOR_CONTEXTS & contexts):
        return DropReason.OUTSIDE_CONTEXT
    if request.surface is Surface.ADMIN and not _may_reach_operator(matter.category, request):
        return DropReason.OUTSIDE_CONTEXT
    return None


def contexts_of(request: RecallRequest) -> frozenset[Context]:
    """Return the contexts of a request; a crisis frame implies the context `crisis`."""
    return request.contexts | {Context.CRISIS} if request.crisis_frame else request.contexts


def _may_reach_operator(category: Category, request: RecallRequest) -> bool:
    # an authorised data-rights workflow, or the safety-critical exception; nothing else reaches the admin surface
    return request.dsar_workflow or (category in SAFETY_CRITICAL and request.safety_critical_context)


SENSITIVE = Gate("sensitive", Trait.MATTER, "sensitive memory needs its own consent and a context that needs it", check)
