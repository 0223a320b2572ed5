"""What a look leaves behind (AUT-7, AUT-9): a break-glass and its review, notices, carve-outs, the access log."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.inspecting import (
    ORDINARY,
    ada_of,
    as_,
    asked,
    bodies,
    code,
    events,
    granted_incident,
    granted_routine,
    incident,
)
from flows.stores import DAY, SteppingClock, person
from iris_memory.contracts.inspection import OperatorAlarm, UserNotice
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from words import stands_in

HOUR = timedelta(hours=1)


@pytest.fixture
def ada(iris: Iris) -> PersonMemory:
    return ada_of(iris)


def test_a_break_glass_opens_safety_critical_memory_alone_and_loudly(
    iris: Iris, ada: PersonMemory, clock: SteppingClock
) -> None:  # AUT-7
    for target in (
        {"categories": ["safety", "medical"]},
        ORDINARY,
        {"categories": ["safety"], "include_sensitive": True},
    ):
        assert code(incident(iris, target=target, break_glass=True)) == "no-legitimate-interest"
    assert code(incident(iris, break_glass=True, incident=None)) == "no-legitimate-interest"
    assert code(incident(iris, break_glass=True, role="admin")) == "role-not-permitted"
    assert as_(iris, "admin").pending_alarms() == []
    granted = asked(incident(iris, break_glass=True))
    assert (granted.state.value, granted.approvals) == ("granted", ())
    assert bodies(as_(iris, "t&s").read(granted.inspection_id)) == ["Asked for help after threats"]
    (alarm,) = as_(iris, "admin").pending_alarms()
    assert (alarm.kind.value, [role.value for role in alarm.to_roles]) == ("break-glass", ["admin", "legal", "t&s"])
    assert {event["severity"] for event in events(iris, "read")} == {"critical"}
    assert [one.inspection_id for one in as_(iris, "admin").open_reviews()] == [granted.inspection_id]
    assert code(as_(iris, "t&s").review(granted.inspection_id, "justified")) == "self-approval"
    assert code(as_(iris, "support").review(granted.inspection_id, "justified")) == "role-not-permitted"
    clock.step(timedelta(hours=72))
    report = as_(iris, "admin").report()
    assert (report.break_glass, report.reviews_open, report.reviews_overdue) == (1, 1, 1)
    assert report.alarms == {"break-glass": 1, "review-overdue": 1}
    as_(iris, "admin").list()
    assert len(as_(iris, "admin").pending_alarms()) == 2, "told of once"
    done = asked(as_(iris, "admin").review(granted.inspection_id, "unjustified"))
    assert done.review is not None
    assert done.review.reviewed_by == "ann"
    assert code(as_(iris, "admin").review(granted.inspection_id, "justified")) == "not-in-review"
    (reviewed,) = events(iris, "reviewed")
    assert (reviewed["late"], reviewed["severity"]) == (True, "critical")
    report = as_(iris, "admin").report()
    assert (report.reviews_open, report.break_glass_unjustified) == (0, 1)


def test_a_look_at_sensitive_memory_is_told_within_72_hours_of_the_first_read(
    iris: Iris, ada: PersonMemory, clock: SteppingClock
) -> None:
    granted = granted_incident(iris)
    legal = as_(iris, "legal")
    assert legal.pending_user_notices() == []
    first = clock.step(timedelta(minutes=10))
    as_(iris, "t&s").read(granted.inspection_id)
    clock.step(timedelta(minutes=10))
    as_(iris, "t&s").read(granted.inspection_id)
    (notice,) = legal.pending_user_notices()
    assert (notice.user_id, notice.first_read_at, notice.due_at) == ("ada", first, first + 72 * HOUR)
    clock.step(72 * HOUR)
    assert legal.pending_user_notices()[0].overdue
    assert legal.report().notices_overdue == 1
    told: list[object] = []
    assert legal.deliver_pending(told.append) == 1
    assert isinstance(told[0], UserNotice)
    assert legal.deliver_pending(told.append) == 0
    assert legal.pending_user_notices() == []


def test_ordinary_looks_are_in_the_log_and_no_notice_is_sent(
    iris: Iris, ada: PersonMemory, clock: SteppingClock
) -> None:
    granted = granted_routine(iris)
    as_(iris, "support").read(granted.inspection_id, limit=1)
    clock.step()
    as_(iris, "support").read(granted.inspection_id, offset=1)
    assert as_(iris, "admin").pending_user_notices() == []
    log = ada.looked()
    assert [(one.role.value, one.path.value, one.reason.value, len(one.logical_ids)) for one in log] == [
        ("support", "routine-review", "support-case", 1)
    ] * 2
    assert log[0].at == clock.now(), "newest first"
    assert not stands_in("sam", str(log)), "who is told by role"
    assert person(iris, "bob").looked() == []
    assert iris.for_user(tenant="acme", user="never seen").looked() == []


def test_a_carve_out_delays_both_and_ends(iris: Iris, ada: PersonMemory, clock: SteppingClock) -> None:
    granted = granted_incident(iris)
    as_(iris, "t&s").read(granted.inspection_id)
    began = clock.now()
    wish = {"ground": "active-investigation", "reference": "POL-1", "until": began + 30 * DAY}
    name = granted.inspection_id
    assert code(as_(iris, "t&s").carve_out(name, **wish)) == "self-approval"  # type: ignore[arg-type]
    assert code(as_(iris, "admin").carve_out(name, **wish)) == "role-not-permitted"  # type: ignore[arg-type]
    legal = as_(iris, "legal")
    for until in (began, began + 91 * DAY):
        assert code(legal.carve_out(name, **{**wish, "until": until})) == "carve-out-not-allowed"  # type: ignore[arg-type]
    asked(legal.carve_out(name, **wish))  # type: ignore[arg-type]
    assert ada.looked() == []
    told: list[object] = []
    assert legal.deliver_pending(told.append) == 0
    assert legal.pending_user_notices()[0].held_until == wish["until"]
    clock.step(29 * DAY)
    assert code(legal.carve_out(name, **{**wish, "until": began + 91 * DAY})) == "carve-out-not-allowed"  # type: ignore[arg-type]
    asked(legal.carve_out(name, **{**wish, "until": began + 90 * DAY}))  # type: ignore[arg-type]
    clock.step(61 * DAY)
    assert len(ada.looked()) == 1, "every carve-out ends"
    assert legal.deliver_pending(told.append) == 1


def test_a_channel_that_fails_gets_it_again(iris: Iris, ada: PersonMemory) -> None:
    granted = granted_incident(iris, break_glass=False)
    as_(iris, "t&s").read(granted.inspection_id)
    as_(iris, "admin").set_canaries([ada.list().entries[0].id])
    legal = as_(iris, "legal")

    def broken(what: object) -> None:
        raise OSError("no line")

    assert legal.deliver_pending(broken) == 0
    assert legal.pending_user_notices()[0].attempts == 1
    told: list[UserNotice | OperatorAlarm] = []
    assert legal.deliver_pending(told.append) == 1
