"""Envelopes by the table of the specification, and the clock of each (REL-12)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import (
    Label,
    Lifecycle,
    MemoryEntry,
    Origin,
    ProvenanceKind,
    ProvenanceLink,
    Quarantine,
    QuarantineReason,
)
from iris_memory.contracts.retaining import Fate
from iris_memory.contracts.scope import (
    AdapterScope,
    CrisisScope,
    NotebookScope,
    OperatorCopilotScope,
    PoseScope,
    ProfileScope,
    SceneScope,
    Scope,
    ScopeKind,
    SessionScope,
    TenantScope,
)
from iris_memory.rules.retention import envelope_end, expiry, extended, fate
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES

DAY = timedelta(days=1)
NOW = datetime(2028, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC)
A, F = AdapterScope, Fate

TABLE = {
    # raw days, summarised days, what happens at the end of the raw window and of the summarised one
    A.SESSION: (1, 30, F.SUMMARIZE, F.END),
    A.CONVERSATION: (90, 365, F.SUMMARIZE, F.END),
    A.ASSISTANT_PROFILE: (None, None, None, None),
    A.DOMAIN: (365, None, F.SUMMARIZE, None),
    A.CROSS_DOMAIN: (90, 365, F.REVIEW, F.REVIEW),
    A.NOTEBOOK: (None, None, None, None),
    A.SCENE: (7, 90, F.SUMMARIZE, F.END),
    A.POSE: (1, 30, F.AGGREGATE, F.END),
    A.OPERATOR_COPILOT: (14, 14, F.REVIEW, F.REVIEW),
    A.TENANT: (365, None, F.REVIEW, None),
    A.ADMIN_REVIEW: (30, 30, F.REVIEW, F.REVIEW),
    A.CRISIS: (3, 3, F.REVIEW, F.REVIEW),
}
"""Written by hand from the specification. Where nothing summarised is kept, what calls itself a summary is raw."""

SCOPES: dict[ScopeKind, Scope] = {
    ScopeKind.PROFILE: ProfileScope(user_id="u"),
    ScopeKind.SESSION: SessionScope(user_id="u", session_id="s"),
    ScopeKind.NOTEBOOK: NotebookScope(user_id="u", notebook_id="n"),
    ScopeKind.OPERATOR_COPILOT: OperatorCopilotScope(tenant_id="t", operator_id="u"),
    ScopeKind.TENANT: TenantScope(tenant_id="t", user_id="u"),
    ScopeKind.SCENE: SceneScope(user_id="u", session_id="s", scene_id="c", room_id="r"),
    ScopeKind.POSE: PoseScope(user_id="u", session_id="s", scene_id="c", pose_id="p"),
    ScopeKind.CRISIS: CrisisScope(user_id="u", session_id="s"),
}


def entry(scope: A, origin: Origin = Origin.USER_STATED, *, created_at: datetime = NOW, **more: object) -> MemoryEntry:
    """Return a memory at the end that its envelope gives it."""
    fields: dict[str, object] = {
        "id": "e",
        "logical_id": "e",
        "tenant_id": "t",
        "user_id": "u",
        "scope": SCOPES[ADAPTER_SCOPES[scope].kind],
        "adapter_scope": scope,
        "category": Category.FACT,
        "body": "words",
        "origin": origin,
        "provenance_chain": (
            ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref="t", captured_at=created_at, label=Label.USER_TYPED),
        ),
        "label": Label.USER_TYPED,
        "created_at": created_at,
        "updated_at": created_at,
        "expires_at": expiry(scope, origin, created_at=created_at, asked=None),
        **more,
    }
    return MemoryEntry.model_validate(fields)


@pytest.mark.parametrize("scope", A)
def test_the_windows_are_those_of_the_table(scope: A) -> None:
    raw, summarised, *_ = TABLE[scope]
    for origin in Origin:
        days = summarised if origin is Origin.SUMMARIZED_FROM_SESSION else raw
        end = envelope_end(scope, origin, created_at=NOW)
        assert end == (None if days is None else NOW + days * DAY)


@pytest.mark.parametrize("scope", A)
@pytest.mark.parametrize("origin", [Origin.USER_STATED, Origin.SUMMARIZED_FROM_SESSION])
def test_what_happens_at_the_end_is_what_the_table_says(scope: A, origin: Origin) -> None:
    memory = entry(scope, origin)
    wanted = TABLE[scope][3 if origin is Origin.SUMMARIZED_FROM_SESSION else 2]
    if memory.expires_at is None:
        assert wanted is None
        assert fate(memory, now=datetime(9999, 1, 1, tzinfo=UTC)) is None
        return
    assert fate(memory, now=memory.expires_at - timedelta(microseconds=1)) is None
    assert fate(memory, now=memory.expires_at) is wanted
    late = memory.expires_at + 30 * DAY
    assert fate(memory, now=late) is (F.END if wanted is F.REVIEW else wanted)
    assert fate(memory, now=late - timedelta(microseconds=1)) is wanted


def test_what_was_asked_to_end_earlier_just_ends() -> None:
    for scope in A:
        memory = entry(scope, expires_at=NOW + timedelta(hours=1))
        assert fate(memory, now=NOW + timedelta(hours=1)) is F.END


@pytest.mark.parametrize(
    "more",
    [
        {"lifecycle": Lifecycle.DRAFT},
        {"lifecycle": Lifecycle.PAUSED},
        {"quarantine": Quarantine(reason=QuarantineReason.INSTRUCTION_LIKE, since=NOW)},
    ],
)
def test_nothing_is_made_of_what_does_not_stand(more: dict[str, object]) -> None:
    for scope in (A.SESSION, A.POSE):
        assert fate(entry(scope, **more), now=NOW + DAY) is F.END


def test_a_contract_that_ended_ends_what_the_tenant_keeps_and_nothing_else() -> None:
    for scope in A:
        memory = entry(scope)
        assert fate(memory, now=NOW, contract_ended=True) is (F.END if scope is A.TENANT else None)


def test_an_extension_is_one_more_window_within_the_summarised_one_and_the_contract() -> None:
    memory = entry(A.CROSS_DOMAIN)
    assert extended(memory, now=NOW + 90 * DAY) == NOW + 180 * DAY
    assert extended(memory, now=NOW + 300 * DAY) == NOW + 365 * DAY
    assert extended(memory, now=NOW + 365 * DAY) is None
    tenant = entry(A.TENANT)
    assert extended(tenant, now=NOW + 365 * DAY) == NOW + 730 * DAY
    assert extended(tenant, now=NOW + 365 * DAY, contract_ends_at=NOW + 400 * DAY) == NOW + 400 * DAY
    assert extended(tenant, now=NOW + 365 * DAY, contract_ends_at=NOW + 365 * DAY) is None
    assert extended(entry(A.SESSION), now=NOW + DAY) is None


def test_a_day_is_24_hours_in_a_leap_year_and_whatever_the_zone() -> None:
    """The day of a leap year counts; a zone that moves its clocks moves nothing here."""
    leap = entry(A.SESSION, created_at=datetime(2028, 2, 28, 12, tzinfo=UTC))
    assert leap.expires_at == datetime(2028, 2, 29, 12, tzinfo=UTC)
    plain = entry(A.SESSION, created_at=datetime(2027, 2, 28, 12, tzinfo=UTC))
    assert plain.expires_at == datetime(2027, 3, 1, 12, tzinfo=UTC)
    year = entry(A.DOMAIN, created_at=datetime(2028, 2, 29, tzinfo=UTC))
    assert year.expires_at == datetime(2029, 2, 28, tzinfo=UTC)
    late = entry(A.SESSION, created_at=datetime(2038, 1, 19, 3, 14, 7, tzinfo=UTC))
    assert late.expires_at == datetime(2038, 1, 20, 3, 14, 7, tzinfo=UTC)
    summer = timezone(timedelta(hours=2))
    assert fate(leap, now=datetime(2028, 2, 29, 14, tzinfo=summer)) is F.SUMMARIZE


@given(st.sampled_from(A), st.sampled_from(Origin), st.timedeltas(-DAY, 800 * DAY), st.timedeltas(-DAY, 800 * DAY))
def test_later_is_never_less_over(scope: A, origin: Origin, one: timedelta, other: timedelta) -> None:
    """A clock that jumps back asks the same question again: what is not over then is not over, what is, is."""
    memory = entry(scope, origin)
    first, last = sorted((one, other))
    if fate(memory, now=NOW + first) is not None:
        assert fate(memory, now=NOW + last) is not None
    if fate(memory, now=NOW + first) is F.END:
        assert fate(memory, now=NOW + last) is F.END
