"""Guarding: what a guard decides about a call, what it writes of each firing, and the report an owner decides from.

No shape here has a field that could hold a literal, its length, or text around it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from iris_memory.contracts.masking import Action, Audience, Column, Mode, PiiKind, ShadowRow
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Millionths, Unordered


class GuardPoint(StrEnum):
    """Where in a host's run a guard is asked."""

    PRE_TOOL_USE = "pre_tool_use"
    PRE_LLM_CALL = "pre_llm_call"
    PRE_RESPONSE = "pre_response"
    CAPABILITY_RESULT = "capability_result"
    DISPLAY = "display"


class GuardOutcome(StrEnum):
    """What becomes of a call, from the mildest to the strictest."""

    ALLOW = "allow"
    TRANSFORM = "transform"
    DENY = "deny"
    HALT = "halt"


class GuardReason(StrEnum):
    """Why a call does not go on as it was. Additions only."""

    OWNER_PII_MASKED = "owner-pii-masked"
    OWNER_PII_DENIED = "owner-pii-denied"
    OWNER_PII_HALTED = "owner-pii-halted"
    NOT_OBSERVED = "not-observed"
    CALLER_NOT_STAMPED = "caller-not-stamped"


class Locality(StrEnum):
    """Where a model runs, as the host says it."""

    LOCAL = "local"
    CLOUD = "cloud"


class Tier(StrEnum):
    """The tier a host gives a model call. Only the third leaves the machine."""

    TIER_1 = "tier_1"
    TIER_2 = "tier_2"
    TIER_3 = "tier_3"


class SendsTo(StrEnum):
    """Where a tool's manifest says that its arguments go."""

    SEARCH_ENGINE = "search_engine"


class Unobserved(StrEnum):
    """Why a guard could not look at a call."""

    NO_CORPUS = "no_corpus"
    NO_TABLE = "no_table"
    ERROR = "error"


class GuardCount(Contract):
    """How many stretches of one kind a guard acted on, in one way."""

    guard: Column
    kind: PiiKind
    action: Action
    first_name_alone: bool = False
    log_only_destination: bool = False
    count: Annotated[int, Field(ge=1)]


class Halted(Contract):
    """A run that was halted, as its approval row keeps it: a resumed run carries the audience it was halted with."""

    point: GuardPoint
    audience: Audience | None = None
    reason: GuardReason
    kinds: Annotated[frozenset[PiiKind], *Unordered] = frozenset()


class Firing(Contract):
    """One time a guard was asked: when, where, under which mode, what became of the call, and what was seen in it.

    `enforced` are the kinds that were enforced then; none in shadow.
    """

    at: Instant
    point: GuardPoint
    mode: Mode
    enforced: Annotated[frozenset[PiiKind], *Unordered] = frozenset()
    outcome: GuardOutcome
    row: ShadowRow


DAYS_MOST: Final = 3650
"""How far back a report may look."""


class ShadowCell(Contract):
    """What one guard saw of one kind, at one point, with one action.

    `distinct` counts different literals, where every row of the cell had keyed digests.
    """

    point: GuardPoint
    guard: Column
    kind: PiiKind
    action: Action
    first_name_alone: bool = False
    log_only_destination: bool = False
    occurrences: Count
    calls: Count
    distinct: Count | None = None


class ShadowReach(Contract):
    """How many calls one guard read at one point: what the counts of that guard are a share of."""

    point: GuardPoint
    guard: Column
    calls: Count


class ShadowMiss(Contract):
    """How many calls a point could not observe, and why. `failure` is the class name of what went wrong."""

    point: GuardPoint
    why: Unobserved
    failure: str
    calls: Count


class ShadowDisagreement(Contract):
    """How many calls two guards read and wanted to treat one kind differently: the stricter one acts."""

    kind: PiiKind
    milder: Column
    stricter: Column
    calls: Count


class ShadowChoice(Contract):
    """What enforcing one kind would have changed, for an owner who picks the next one.

    `calls` are those read by any guard; `share` is (masked + denied + halted) of them, in millionths. `went_on` counts
    calls that the table would have changed and that went on as they were: where guard and table disagree.
    """

    kind: PiiKind
    enforced: bool
    calls: Count
    masked: Count
    denied: Count
    halted: Count
    logged: Count
    went_on: Count
    share: Millionths


class ShadowReport(Contract):
    """What was seen since an instant, in the order in which an owner may enforce: the kind that changes least first."""

    since: Instant
    until: Instant
    rows: Count
    cells: Annotated[tuple[ShadowCell, ...], Field(strict=False)] = ()
    reach: Annotated[tuple[ShadowReach, ...], Field(strict=False)] = ()
    missed: Annotated[tuple[ShadowMiss, ...], Field(strict=False)] = ()
    disagreements: Annotated[tuple[ShadowDisagreement, ...], Field(strict=False)] = ()
    choices: Annotated[tuple[ShadowChoice, ...], Field(strict=False)] = ()


class GovernanceFlag(Contract):
    """One flag of governance with its value, as the settings reference lists it."""

    name: str
    value: str
    accepts: str
    warning: str | None = None


class GovernanceState(Contract):
    """How the owner's identity is guarded here: the flag, the kinds enforced, and why a table is closed."""

    flags: Annotated[tuple[GovernanceFlag, ...], Field(strict=False)]
    enforced: Annotated[frozenset[PiiKind], *Unordered] = frozenset()
    table: Identifier
    log_only_destinations: Annotated[tuple[str, ...], Field(strict=False)] = ()
