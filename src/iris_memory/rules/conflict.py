"""Conflict on write: which of two different statements about one thing stands.

Laws, first that fits:
1. what an operator's copilot noted never overwrites what the person said or confirmed;
2. of an explicit statement and an inferred one, the explicit one stands;
3. of a confirmed fact and an inferred one, the confirmed one stands;
4. what came from an untrusted source never replaces what came from a more trusted one (POI-3);
5. otherwise the most recent wins, and where both are the person's own words and differ, the person is asked.

Whether two memories are about one thing (scope kind and conflict key) is for the caller to find.
"""

from __future__ import annotations

from typing import NamedTuple

from iris_memory.contracts.decision import ConflictOutcome, ConflictRule
from iris_memory.contracts.entry import Label, Origin
from iris_memory.tables.labels import LABELS, UNTRUSTED_AT_MOST
from iris_memory.tables.origins import INFERRED_AT_MOST, ORIGINS, SourceKind


class Side(NamedTuple):
    """One side of a conflict: how it came to be and who wrote its bytes."""

    origin: Origin
    label: Label


class ConflictDecision(NamedTuple):
    """The rule that fits and what becomes of the new statement."""

    rule: ConflictRule
    outcome: ConflictOutcome


def decide(*, prior: Side, new: Side) -> ConflictDecision:
    """Decide between a stored memory and a new statement whose texts differ after normalisation."""
    before, after = ORIGINS[prior.origin], ORIGINS[new.origin]
    if after.source is SourceKind.ADMIN_COPILOT_INFERRED and before.own_words:
        return ConflictDecision(ConflictRule.ADMIN_COPILOT_NEVER_TRUMPS, ConflictOutcome.KEEP_EXISTING)
    for source, rule in (
        (SourceKind.EXPLICIT_USER, ConflictRule.EXPLICIT_USER_TRUMPS),
        (SourceKind.USER_CONFIRMED, ConflictRule.USER_CONFIRMED_TRUMPS),
    ):
        if after.source is source and before.authority <= INFERRED_AT_MOST:
            return ConflictDecision(rule, ConflictOutcome.REPLACE)
        if before.source is source and after.authority <= INFERRED_AT_MOST:
            return ConflictDecision(rule, ConflictOutcome.KEEP_EXISTING)
    if is_outranked(new.label, by=prior.label):
        return ConflictDecision(ConflictRule.UNTRUSTED_NEVER_WINS, ConflictOutcome.KEEP_EXISTING)
    if before.own_words and after.own_words:
        return ConflictDecision(ConflictRule.MOST_RECENT_WINS, ConflictOutcome.ASK_USER)
    return ConflictDecision(ConflictRule.MOST_RECENT_WINS, ConflictOutcome.REPLACE)


def is_outranked(label: Label, *, by: Label) -> bool:
    """Say whether a label is untrusted and stands below another."""
    return LABELS[label].trust <= UNTRUSTED_AT_MOST and LABELS[label].trust < LABELS[by].trust
