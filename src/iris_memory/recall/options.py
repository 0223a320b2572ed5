"""What a deployment may set about recall: weights, budgets, dedupe rule, conflict key, semantic function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from iris_memory.contracts.category import Surface
from iris_memory.errors import SettingError
from iris_memory.recall.lexical import TOKENISER, UNICODE_VERSION, Semantic
from iris_memory.recall.packing import ConflictKey, conflict_key
from iris_memory.tables.limits import SCORE_WEIGHTS
from iris_memory.tables.surfaces import SURFACES


class Dedupe(StrEnum):
    """Which of two entries with one conflict key stays: by authority first, or the newest alone (the source's rule)."""

    AUTHORITY = "authority"
    RECENCY = "recency"


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """Options of a pipeline. `semantic_name` stands for an injected function in the recall version."""

    weights: Mapping[str, int] = field(default_factory=lambda: SCORE_WEIGHTS)
    budgets: Mapping[Surface, int] = field(
        default_factory=lambda: {surface: row.budget for surface, row in SURFACES.items()}
    )
    dedupe: Dedupe = Dedupe.AUTHORITY
    conflict_key: ConflictKey = conflict_key
    semantic: Semantic | None = None
    semantic_name: str = "jaccard"

    def __post_init__(self) -> None:
        """Refuse weights that do not add up, budgets that are not there and rules that are not known."""
        try:
            object.__setattr__(self, "dedupe", Dedupe(self.dedupe))
        except ValueError:
            raise SettingError(f"dedupe is one of {', '.join(Dedupe)}") from None
        if not all(isinstance(number, int) for number in (*self.weights.values(), *self.budgets.values())):
            raise SettingError("weights and budgets are integers")
        if set(self.weights) != set(SCORE_WEIGHTS) or any(weight < 0 for weight in self.weights.values()):
            raise SettingError(f"weights name exactly {', '.join(SCORE_WEIGHTS)}, none below zero")
        if sum(self.weights.values()) != sum(SCORE_WEIGHTS.values()):
            raise SettingError("weights are thousandths and add up to 1,000")
        if set(self.budgets) != set(Surface) or any(budget < 0 for budget in self.budgets.values()):
            raise SettingError(f"budgets name exactly {', '.join(Surface)}, none below zero")
        if self.semantic is not None and self.semantic_name == "jaccard":
            raise SettingError("an injected semantic function needs a semantic_name of its own")

    @property
    def version(self) -> str:
        """Name what decides the bytes of a result: weights, tokeniser, Unicode version, dedupe, semantic function."""
        weights = ".".join(str(self.weights[name]) for name in SCORE_WEIGHTS)
        rule = "" if self.dedupe is Dedupe.AUTHORITY else f";dedupe={self.dedupe.value}"
        words = f"semantic={self.semantic_name};tokens={TOKENISER};unicode={UNICODE_VERSION}"
        return f"iris-recall-1;weights={weights};{words}{rule}"


DEFAULT_OPTIONS = RecallOptions()
