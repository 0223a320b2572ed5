"""What a legal hold keeps outlives its envelope, and no longer than the hold (DSR-7)."""

from __future__ import annotations

from flows.stores import DAY, OpenIris, SteppingClock, bodies, person, remembered, sound, written
from iris_memory.contracts.rights import LegalHold
from iris_memory.contracts.scope import SessionScope

SESSION = SessionScope(user_id="ada", session_id="s1")


def test_a_held_memory_is_kept_out_of_the_sweep_until_the_hold_ends(open_iris: OpenIris, clock: SteppingClock) -> None:
    iris = open_iris()
    me = person(iris)
    kept = written(me.remember("Paid 12 euro.", scope=SESSION)).entry.logical_id
    me.remember("Flies on 12 May.", scope=SESSION)
    desk = iris.rights_desk("acme")
    placed = desk.place_hold(
        user="ada",
        actor="op-1",
        reference="case 1",
        reason="a court asked",
        expires_at=clock.now() + 20 * DAY,
        logical_ids=[kept],
    )
    assert isinstance(desk.confirm_hold(placed.hold_id, actor="op-2"), LegalHold)
    clock.step(DAY)
    report = iris.sweep()
    assert (report.held, report.summarized, report.due) == (1, 1, 2)
    assert remembered(me) == {"Paid 12 euro.", "Flies on 12 May."}
    assert bodies(me, "paid", scope=SESSION) == ["Flies on 12 May."], "kept, and recalled by nobody"
    assert iris.sweep().held == 1
    clock.step(20 * DAY)
    report = iris.sweep()
    assert (report.held, report.summarized) == (0, 1)
    assert len(me.list(origin="summarized-from-session").entries) == 2
    sound(iris)
