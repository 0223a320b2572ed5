"""The report counts with denominators, disagreements and what was not observed, in a form to decide from (PII-14)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from guard_world import BEGAN, EMAIL, FIRST, NAME, PHONE, SECRET, Owner, owner_of

from flows.stores import SteppingClock
from iris_memory.contracts.guarding import Firing, ShadowReport
from iris_memory.contracts.masking import Audience, PiiKind
from iris_memory.front.guarding import span_of_days
from iris_memory.masking.reporting import report_of

GOLDEN = Path(__file__).with_name("golden_report.json")
SPAN = {"since": BEGAN, "until": BEGAN + timedelta(days=1)}


def calls(owner: Owner, mode: str, clock: SteppingClock, **more: object) -> None:
    """Make the same calls under a mode."""
    guard = owner.guard(mode, clock=clock, **more)  # type: ignore[arg-type]
    guard.pre_tool_use("research", {"q": f"{NAME} {FIRST} {EMAIL}"}, sends_to=["search_engine"])
    guard.pre_tool_use("research", {"q": NAME}, sends_to=["search_engine"])
    guard.pre_tool_use("http_get", {"q": f"{EMAIL} {EMAIL}"})
    guard.pre_tool_use("mcp_mail", {"to": PHONE})
    guard.pre_tool_use("open", {"path": EMAIL}, network=False)
    guard.pre_llm_call([EMAIL, PHONE, "ottoline.varga@gmail.com"], tier="tier_3")
    guard.pre_llm_call("nothing", tier="tier_3")
    guard.pre_llm_call(EMAIL, tier="tier_1")
    guard.pre_response(f"{EMAIL} {SECRET}", audience=Audience.OWNER)
    guard.pre_response(EMAIL, audience=Audience.OTHER)
    guard.pre_response({1: EMAIL})
    clock.step()


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(BEGAN)


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path, enforce=[PiiKind.EMAIL], config="log_only_destinations: [mcp_*]\n")


def test_the_report_is_the_golden_one(owner: Owner, clock: SteppingClock) -> None:
    calls(owner, "shadow", clock, keyed=True)
    owner.write(user="nothing")
    calls(owner, "shadow", clock)
    owner.write(config="enforce: [shoe]\n")
    calls(owner, "shadow", clock)
    report = report_of(owner.firings(), **SPAN, enforced=frozenset({PiiKind.EMAIL}))
    written = report.model_dump_json(indent=1) + "\n"
    assert written == GOLDEN.read_text(encoding="utf-8")
    assert ShadowReport.model_validate_json(written) == report


def test_every_count_has_what_it_is_a_share_of(owner: Owner, clock: SteppingClock) -> None:
    calls(owner, "shadow", clock)
    report = report_of(owner.firings(), **SPAN)
    reach = {(one.point, one.guard): one.calls for one in report.reach}
    assert all(cell.calls <= reach[cell.point, cell.guard] for cell in report.cells)
    assert all(cell.calls <= cell.occurrences for cell in report.cells)
    assert {choice.kind for choice in report.choices} == set(PiiKind)
    assert all(choice.masked + choice.denied + choice.halted <= choice.calls for choice in report.choices)


def test_what_was_let_go_on_is_counted_until_its_kind_is_enforced(owner: Owner, clock: SteppingClock) -> None:
    calls(owner, "shadow", clock)
    shadow = {choice.kind: choice for choice in report_of(owner.firings(), **SPAN).choices}
    assert shadow[PiiKind.EMAIL].went_on == 4
    owner.file.unlink()
    calls(owner, "enforce", clock)
    enforce = {choice.kind: choice for choice in report_of(owner.firings(), **SPAN).choices}
    assert enforce[PiiKind.EMAIL].went_on == 0
    assert enforce[PiiKind.SECRET].went_on == shadow[PiiKind.SECRET].went_on == 1
    changed = [(one.masked, one.denied, one.halted) for one in (shadow[PiiKind.EMAIL], enforce[PiiKind.EMAIL])]
    assert changed == [(2, 2, 0), (2, 2, 0)], "the table says the same in both modes"


def test_different_literals_are_counted_only_where_every_row_had_digests(owner: Owner, clock: SteppingClock) -> None:
    calls(owner, "shadow", clock, keyed=True)
    keyed = {(cell.guard, cell.kind): cell.distinct for cell in report_of(owner.firings(), **SPAN).cells}
    assert keyed["tier3", PiiKind.EMAIL] == 2
    calls(owner, "shadow", clock)
    assert {cell.distinct for cell in report_of(owner.firings(), **SPAN).cells} == {None}


def test_only_rows_of_the_span_are_counted(owner: Owner, clock: SteppingClock) -> None:
    calls(owner, "shadow", clock)
    firings = owner.firings()
    assert report_of(firings, since=BEGAN, until=BEGAN).rows == 0
    assert report_of(firings, since=BEGAN, until=BEGAN + timedelta(microseconds=1)).rows == len(firings)
    assert report_of([], **SPAN) == report_of(list[Firing](), **SPAN)


@pytest.mark.parametrize("days", [0, -1, 3651, True])
def test_a_number_of_days_that_is_none_is_refused(days: int) -> None:
    from iris_memory.errors import ContractError

    with pytest.raises(ContractError):
        span_of_days(BEGAN, days=days)
