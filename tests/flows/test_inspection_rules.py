"""The rules of inspection: changed one at a time by many at once, and told to those they are for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest

from flows.inspecting import ada_of, as_, code, events, granted_incident, granted_routine
from flows.stores import SteppingClock
from iris_memory.errors import ContractError
from iris_memory.flows import inspection_rules
from iris_memory.flows.user_notices import deliver_due
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory


@pytest.fixture
def ada(iris: Iris) -> PersonMemory:
    return ada_of(iris)


def test_many_set_one_line_and_one_canary_each_and_none_is_lost(iris: Iris) -> None:
    def one(number: int) -> None:
        mine = as_(iris, "admin", f"approver-{number}")
        mine.set_reporting_line(f"operator-{number}", "north")
        mine.set_canary(f"canary-{number}", planted=True)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(40)))
    admin = as_(iris, "admin")
    assert admin.reporting_lines() == {f"operator-{number}": "north" for number in range(40)}
    assert set(admin.canaries()) == {f"canary-{number}" for number in range(40)}  # type: ignore[arg-type]


def test_one_operator_has_one_line_however_they_are_spelt(iris: Iris) -> None:
    admin = as_(iris, "admin")
    admin.set_reporting_lines({"sam": "north", "lea": "south"})
    assert admin.set_reporting_line("SAM", "south") == {"SAM": "south", "lea": "south"}
    assert admin.set_reporting_line("Sam", None) == {"lea": "south"}
    assert admin.set_reporting_line("nobody known", None) == {"lea": "south"}
    assert admin.set_canary("a", planted=True) == ("a",)
    assert admin.set_canary("a", planted=True) == ("a",), "planted once"
    assert admin.set_canary("b", planted=False) == ("a",)
    told = [event["actor"] for event in events(iris, "governed")]
    assert told == ["ann"] * 7, "every change stands in the trail"


def test_a_full_table_says_so_and_keeps_what_it_has(iris: Iris, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection_rules, "LINES_MOST", 2)
    monkeypatch.setattr(inspection_rules, "CANARIES_MOST", 1)
    admin = as_(iris, "admin")
    for name in ("a", "b"):
        admin.set_reporting_line(name, "north")
    admin.set_canary("x", planted=True)
    with pytest.raises(ContractError, match="remove one first"):
        admin.set_reporting_line("c", "north")
    with pytest.raises(ContractError, match="remove one first"):
        admin.set_canary("y", planted=True)
    assert admin.set_reporting_line("b", "south") == {"a": "north", "b": "south"}, "one that is there is replaced"
    assert admin.canaries() == ("x",)


def test_who_does_not_approve_neither_sees_nor_changes_them(iris: Iris) -> None:
    mine = as_(iris, "support")
    outcomes = [
        mine.reporting_lines(),
        mine.canaries(),
        mine.set_reporting_line("a", "north"),
        mine.set_canary("x", planted=True),
    ]
    assert [code(outcome) for outcome in outcomes] == ["role-not-permitted"] * 4
    assert (as_(iris, "admin").reporting_lines(), as_(iris, "admin").canaries()) == ({}, ())


@pytest.mark.parametrize("delivered", [False, True])
def test_who_touched_a_canary_and_who_does_not_approve_are_told_nothing_of_it(
    iris: Iris, ada: PersonMemory, delivered: bool
) -> None:
    bait = ada.list().entries[0]
    as_(iris, "admin").set_canaries([bait.logical_id])
    granted = granted_incident(iris, target={"categories": ["safety", bait.category.value]})
    before = as_(iris, "t&s").report(), as_(iris, "support").report()
    as_(iris, "t&s").read(granted.inspection_id)
    if delivered:
        deliver_due(iris.instruments)
    told = {
        (role, actor): (
            [alarm.kind.value for alarm in as_(iris, role, actor).alarms()],
            [alarm.kind.value for alarm in as_(iris, role, actor).pending_alarms()],
            as_(iris, role, actor).report().alarms,
        )
        for role, actor in (("t&s", "tom"), ("t&s", "TOM"), ("support", "sam"), ("admin", "tom"), ("legal", "lea"))
    }
    nothing: tuple[list[str], list[str], dict[str, int]] = ([], [], {})
    heard = (["canary-touched"], [] if delivered else ["canary-touched"], {"canary-touched": 1})
    assert told == {
        ("t&s", "tom"): nothing,
        ("t&s", "TOM"): nothing,
        ("admin", "tom"): nothing,
        ("support", "sam"): nothing,
        ("legal", "lea"): heard,
    }
    assert [one.alarms for one in before] == [{}, {}]


@pytest.mark.parametrize("days", [0, -1, 3_651, 10**12])
def test_a_time_that_is_none_is_refused(iris: Iris, days: int) -> None:
    admin = as_(iris, "admin")
    for ask in (admin.alarms, admin.given_user_notices, admin.report, partial(iris.notes_report, tenant="acme")):
        with pytest.raises(ContractError, match="days is a number between"):
            ask(days=days)


def test_what_was_told_stays_to_be_seen_with_when(iris: Iris, ada: PersonMemory, clock: SteppingClock) -> None:
    bait = next(entry for entry in ada.list().entries if entry.category.value == "work")
    as_(iris, "admin").set_canaries([bait.id])
    incident, routine = granted_incident(iris), granted_routine(iris)
    as_(iris, "t&s").read(incident.inspection_id)
    looked = clock.step(timedelta(minutes=5))
    as_(iris, "support").read(routine.inspection_id)
    legal = as_(iris, "legal")
    assert legal.given_user_notices() == []
    assert [alarm.delivered_at for alarm in legal.alarms()] == [None]
    told = clock.step(timedelta(minutes=5))
    assert deliver_due(iris.instruments) == 2, "with no channel each arrives in its list"
    (notice,) = legal.given_user_notices()
    assert (notice.notice_id, notice.delivered_at, notice.attempts) == (incident.inspection_id, told, 1)
    (alarm,) = legal.alarms()
    assert (alarm.kind.value, alarm.at, alarm.delivered_at) == ("canary-touched", looked, told)
    assert (legal.pending_alarms(), legal.pending_user_notices()) == ([], [])
    clock.step(timedelta(days=31))
    assert (legal.given_user_notices(days=30), legal.alarms(days=30)) == ([], [])
    assert (len(legal.given_user_notices(days=32)), len(legal.alarms(days=32))) == (1, 1)
    assert as_(iris, "legal", tenant="rival").given_user_notices() == []
