"""Privacy: the storage gate and the sensitive gate, for whoever has entries and no store.

Both are the gates themselves and no second truth: what these let pass is what admission and recall let pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.write import Refused
from iris_memory.gates import admission
from iris_memory.gates.facts import Asked, matter_of
from iris_memory.gates.recall_order import verdict
from iris_memory.gates.sensitive import SENSITIVE


class Filtered(NamedTuple):
    """What may surface, in the order given, and how much was held back by reason."""

    entries: tuple[MemoryEntry, ...]
    held_back: dict[str, int]


def evaluate_privacy_storage_gate(
    category: Category, consents: Collection[str], *, sensitive_interaction: bool = False
) -> Refused | None:
    """Return why nothing of a category may be stored under these consents, and what it needs; None where it may.

    Args:
        category: what it is about.
        consents: names of the consents in force, such as `category:medical`.
        sensitive_interaction: it is about a sensitive interaction with somebody else.
    """
    return admission.storage(category, consents, sensitive_interaction=sensitive_interaction)


def filter_privacy_aware_recall(entries: Iterable[MemoryEntry], request: RecallRequest) -> Filtered:
    """Return the entries that the sensitive gate lets surface for a request. A gate that fails holds back.

    The request's contexts, consents, surface and flags count; whose the entries are is not looked at.
    """
    asked = Asked(request)
    kept: list[MemoryEntry] = []
    held: Counter[str] = Counter()
    for entry in entries:
        reason = verdict(SENSITIVE, matter_of(entry), asked)
        if reason is None:
            kept.append(entry)
        else:
            held[reason.value] += 1
    return Filtered(tuple(kept), dict(sorted(held.items())))
