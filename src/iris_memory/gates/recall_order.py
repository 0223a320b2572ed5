"""The only list of recall gates, in the order in which they run. An entry is counted under the first that drops it.

Scoring, conflict dedupe, budget and redaction follow the gates (see `recall.pipeline`).
"""

from __future__ import annotations

from typing import Any, Final

from iris_memory.contracts.decision import DropReason
from iris_memory.gates.crisis import CRISIS
from iris_memory.gates.facts import Asked, Gate
from iris_memory.gates.lifecycle import LIFECYCLE
from iris_memory.gates.reach import SCOPE_REACH
from iris_memory.gates.sensitive import SENSITIVE
from iris_memory.gates.suppression import SUPPRESSION
from iris_memory.gates.tenant import TENANT

RECALL_ORDER: Final[tuple[Gate, ...]] = (TENANT, SCOPE_REACH, CRISIS, SUPPRESSION, LIFECYCLE, SENSITIVE)


def verdict(gate: Gate, facts: Any, asked: Asked) -> DropReason | None:
    """Ask one gate about one trait. A gate that raises denies."""
    try:
        return gate.check(facts, asked)
    except Exception:
        return DropReason.GATE_FAILED
