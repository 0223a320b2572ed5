"""The recall pipeline, eight stages in the source's order, as a pure function of columns, request and policy.

1 tenant, 2 reach, 3 crisis, 4 suppression and lifecycle, 5 sensitive (see `gates.recall_order`), then 6 scoring,
7 conflict dedupe, 8 budget and redaction. The result does not depend on the order of the candidates. Ties: score
descending, updated_at descending, id ascending.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iris_memory.contracts.category import Surface
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.recall import (
    RecallAuditEnvelope,
    RecallHit,
    RecallRequest,
    RecallResult,
    ScoreParts,
)
from iris_memory.contracts.shape import to_micros, trusted, with_fields
from iris_memory.gates.facts import Asked, Gate, Trait
from iris_memory.gates.recall_order import RECALL_ORDER, verdict
from iris_memory.recall.columns import (
    AUTHORITIES,
    EXPIRED,
    HOLDS,
    MATTERS,
    STANDINGS,
    Codes,
    Columns,
    Ints,
    Packed,
    build,
    use_of,
)
from iris_memory.recall.lexical import share
from iris_memory.recall.options import DEFAULT_OPTIONS, Dedupe, RecallOptions
from iris_memory.recall.packing import pack
from iris_memory.recall.rationale import rationale
from iris_memory.recall.weighing import Scored, injected, score_columns
from iris_memory.tables.limits import REFERENCES_FOR_FULL_SCORE, SCORE_WEIGHTS
from iris_memory.tables.origins import ORIGINS
from iris_memory.tables.surfaces import SURFACES

_REASONS: Final = tuple(DropReason)
_CODE_OF: Final = {reason: code for code, reason in enumerate(_REASONS, start=1)}
_DEAD: Final = 255
_VERDICTS_KEPT: Final = 64
_ROW_BITS: Final = 32
"""Room for the row below a score: a score has 30 bits."""


class Evaluation(NamedTuple):
    """What the stages decided: a drop code per row (0 passed), scores, rows lost to dedupe, and rows ranked."""

    dropped: Codes
    scored: Scored
    deduplicated: list[int]
    ranked: list[int]
    over_budget: int


@dataclass(frozen=True, slots=True)
class RecallPipeline:
    """Resolves requests. One instance serves any number of threads."""

    options: RecallOptions = DEFAULT_OPTIONS

    def resolve(self, candidates: Iterable[MemoryEntry], request: RecallRequest) -> RecallResult:
        """Resolve a request over plain entries, with no store. Every right is taken from the request."""
        return self.recall(self.columns(candidates), Asked(request))

    def columns(self, candidates: Iterable[MemoryEntry]) -> Columns:
        """Lay columns over plain entries; of two with the same id, both are candidates."""
        entries = sorted(candidates, key=_canonical_order)
        packed = [
            Packed(f"{position:012}:{entry.id}", entry.id, pack(entry, key=self.options.conflict_key))
            for position, entry in enumerate(entries)
        ]
        uses = {
            row.logical_id: use_of(entry)
            for row, entry in zip(packed, entries, strict=True)
            if entry.reference_count or entry.last_referenced_at
        }
        return build(packed, uses)

    def recall(self, columns: Columns, asked: Asked) -> RecallResult:
        """Resolve a request over columns."""
        found = self.evaluate(columns, asked)
        return self.surface(columns, asked, found)

    def evaluate(self, columns: Columns, asked: Asked) -> Evaluation:
        """Run the gates, score, dedupe and rank; nothing is built yet."""
        dropped = run_gates(columns, asked)
        passed = dropped == 0
        scored = self._score(columns, asked.request, passed)
        lost = _dedupe(columns, passed, by_authority=self.options.dedupe is Dedupe.AUTHORITY)
        if lost:
            passed[lost] = False
        budget = self.budget(asked.request)
        survivors = int(np.count_nonzero(passed))
        ranked = _best(columns, scored.scores, passed, min(budget, survivors))
        return Evaluation(dropped, scored, lost, ranked, survivors - len(ranked))

    def surface(self, columns: Columns, asked: Asked, found: Evaluation) -> RecallResult:
        """Build the hits and the envelope of an evaluation."""
        request = asked.request
        shows = SURFACES[request.surface].shows_rationale
        redacts = request.surface is Surface.ADMIN and not request.dsar_workflow
        hits = tuple(self._hit(columns, row, found.scored, shows=shows, redacts=redacts) for row in found.ranked)
        tally = np.bincount(found.dropped, minlength=256)
        counts = {reason.value: int(tally[code]) for reason, code in sorted(_CODE_OF.items()) if tally[code]}
        envelope = trusted(
            RecallAuditEnvelope,
            scope_key=request.scope.text(),
            returned_ids=tuple(hit.entry.id for hit in hits),
            suppression_counts=counts,
            evaluated_count=columns.count,
            deduplicated_count=len(found.deduplicated),
            over_budget_count=found.over_budget,
            recall_version=self.options.version,
        )
        return trusted(RecallResult, hits=hits, audit_envelope=envelope)

    def budget(self, request: RecallRequest) -> int:
        """Return how many hits a request may have; its own limit only lowers the surface's budget."""
        most = self.options.budgets[request.surface]
        return most if request.limit is None else min(most, request.limit)

    def _score(self, columns: Columns, request: RecallRequest, passed: NDArray[np.bool_]) -> Scored:
        weights, semantic = self.options.weights, self.options.semantic
        scored = score_columns(
            columns,
            text="" if semantic else request.text,
            now=to_micros(request.now),
            weights=weights,
            default_weights=weights is SCORE_WEIGHTS,
        )
        if semantic is None:
            return scored
        alike = np.zeros(columns.size, dtype=np.int64)
        for row in np.flatnonzero(passed).tolist():
            alike[row] = injected(semantic, request.text, columns.entry(row))
        return Scored(scored.scores + alike * weights["semantic"], scored.recency, alike)

    def _hit(self, columns: Columns, row: int, scored: Scored, *, shows: bool, redacts: bool) -> RecallHit:
        entry = columns.entry(row)
        if redacts and entry.multi_actor is not None:
            entry = with_fields(entry, multi_actor=None)
        references = int(columns.use.references[row])
        parts = trusted(
            ScoreParts,
            recency=int(scored.recency[row]),
            semantic=int(scored.semantic[row]) if scored.semantic is not None else 0,
            reference_count=share(min(references, REFERENCES_FOR_FULL_SCORE), REFERENCES_FOR_FULL_SCORE),
            origin=ORIGINS[entry.origin].weight,
        )
        return trusted(
            RecallHit,
            entry=entry,
            score=int(scored.scores[row]),
            score_parts=parts,
            surface_rationale=rationale(parts, entry, self.options.weights) if shows else None,
            provenance_chain=entry.provenance_chain,
        )


def run_gates(columns: Columns, asked: Asked) -> Codes:
    """Return, per row, 0 where every gate lets it pass, else the code of the first gate's reason (255: a dead row)."""
    dropped = np.zeros(columns.size, dtype=np.uint8)
    if columns.dead:
        dropped[~columns.alive] = _DEAD
    now = to_micros(asked.request.now)
    for gate, verdicts in zip(RECALL_ORDER, _compiled(columns, asked), strict=True):
        if verdicts is not None:
            np.copyto(dropped, verdicts[_codes_at(gate.trait, columns, now)], where=dropped == 0)
    return dropped


def reason_of(code: int) -> DropReason | None:
    """Return the reason behind a drop code."""
    return _REASONS[code - 1] if 0 < code <= len(_REASONS) else None


def _compiled(columns: Columns, asked: Asked) -> tuple[Codes | None, ...]:
    """Return each gate's verdict per code of its trait; None where it lets everything pass.

    A verdict hangs on traits and on these fields of the question alone, so it is kept for the next one.
    """
    request = asked.request
    key = (
        request.tenant_id, request.user_id, request.scope, request.surface, request.contexts,
        request.consented_categories, request.crisis_frame, request.safety_critical_context, request.dsar_workflow,
        request.tenant_policy, asked.suppressed_scopes, asked.paused, asked.closed_scopes,
    )  # fmt: skip
    known = columns.verdicts.get(key)
    if known is None:
        present: dict[Trait, tuple[Sequence[object], Iterable[int]]] = {
            Trait.ADDRESS: (columns.addresses, range(len(columns.addresses))),
            Trait.MATTER: (MATTERS, columns.traits.matters),
            Trait.HOLD: (HOLDS, {0, *columns.traits.holds}),
            Trait.STANDING: (
                STANDINGS,
                (code + late for code in columns.traits.standings for late in (0, EXPIRED)),
            ),
        }
        known = tuple(_verdicts(gate, *present[gate.trait], asked) for gate in RECALL_ORDER)
        if len(columns.verdicts) >= _VERDICTS_KEPT:
            columns.verdicts.clear()
        columns.verdicts[key] = known
    return known


def _verdicts(gate: Gate, traits: Sequence[object], present: Iterable[int], asked: Asked) -> Codes | None:
    verdicts = np.zeros(len(traits), dtype=np.uint8)
    for code in present:
        reason = verdict(gate, traits[code], asked)
        if reason is not None:
            verdicts[code] = _CODE_OF[reason]
    return verdicts if verdicts.any() else None


def _codes_at(trait: Trait, columns: Columns, now: int) -> NDArray[np.integer]:
    """Return the code of a trait per row at an instant: a suppression may be over, an entry expired."""
    traits = columns.traits
    if trait is Trait.ADDRESS:
        return columns.address
    if trait is Trait.MATTER:
        return traits.matter
    codes, rows, change = (
        (traits.hold, traits.hold_rows[traits.hold_ends <= now], None)
        if trait is Trait.HOLD
        else (traits.standing, traits.expiry_rows[traits.expiries <= now], EXPIRED)
    )
    if not len(rows):
        return codes
    codes = codes.copy()
    codes[rows] = 0 if change is None else codes[rows] + change
    return codes


def _dedupe(columns: Columns, passed: NDArray[np.bool_], *, by_authority: bool) -> list[int]:
    """Return the rows that lose their conflict cluster: higher authority wins, then newest, then smaller id."""
    lost: list[int] = []
    rivals = columns.rivals if by_authority else np.sort(columns.rivals)  # strongest claim first
    living = rivals[passed[rivals]]
    if len(living):
        clusters, places = columns.conflict[living], np.arange(len(living), dtype=np.int64)
        winners = np.full(int(clusters.max()) + 1, len(living), dtype=np.int64)
        np.minimum.at(winners, clusters, places)
        lost = living[winners[clusters] != places].tolist()
    if columns.size > columns.base:
        lost = _dedupe_tail(columns, passed, lost, by_authority=by_authority)
    return lost


def _dedupe_tail(columns: Columns, passed: NDArray[np.bool_], lost: list[int], *, by_authority: bool) -> list[int]:
    tail = np.arange(columns.base, columns.size, dtype=np.int64)
    tail = tail[passed[tail] & (columns.conflict[tail] >= 0)]
    if not len(tail):
        return lost
    clashing = np.unique(columns.conflict[tail])
    alive = passed.copy()
    alive[lost] = False
    rows = np.flatnonzero(alive & np.isin(columns.conflict, clashing)).tolist()

    def claim(row: int) -> tuple[int, int, str]:
        authority = int(AUTHORITIES[columns.traits.origin[row]]) if by_authority else 0
        return (-authority, -int(columns.traits.updated[row]), columns.ids[row])

    best: dict[int, int] = {}
    for row in rows:
        key = int(columns.conflict[row])
        if key not in best or claim(row) < claim(best[key]):
            best[key] = row
    kept = set(best.values())
    return [*lost, *(row for row in rows if row not in kept)]


def _best(columns: Columns, scores: Ints, passed: NDArray[np.bool_], most: int) -> list[int]:
    """Return the best rows in order; `most` is not more than have passed."""
    if most <= 0:
        return []
    base = columns.base
    rows = np.flatnonzero(passed[:base])
    if len(rows) > most:
        # rows below `base` stand in tie order, so score and row make one distinct number: the greatest are the best.
        # Distinct numbers also keep the selection linear where thousands of scores are equal.
        ranks = (scores[rows] << _ROW_BITS) - rows
        rows = rows[np.argpartition(ranks, len(rows) - most)[len(rows) - most :]]
    if columns.size > base:
        rows = np.concatenate([rows, base + np.flatnonzero(passed[base:])])
    ordered = sorted(
        rows.tolist(),
        key=lambda row: (-int(scores[row]), -int(columns.traits.updated[row]), columns.ids[row], columns.keys[row]),
    )
    return ordered[:most]


def _canonical_order(entry: MemoryEntry) -> tuple[str, str]:
    return (entry.id, entry.model_dump_json())
