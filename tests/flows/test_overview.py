"""What stands beside a memory: what was made from it, its events, receipts, and all that is held but may not wait."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows.stores import DAY, SteppingClock, bodies, person, written
from iris_memory.contracts.category import Category
from iris_memory.contracts.write import Statement
from iris_memory.errors import UnknownMemoryError
from iris_memory.flows.reading import Order
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory


def test_a_listing_is_in_the_order_asked_for_page_after_page(
    iris: Iris, me: PersonMemory, clock: SteppingClock
) -> None:
    names = []
    for number in range(7):
        names.append(written(me.remember(f"Walked past lighthouse {number}")).entry.logical_id)
        clock.step()
    used = me.recall("lighthouse 2", limit=1).hits[0].entry.logical_id
    iris.flush()
    expected = {Order.CHANGED: names[::-1], Order.OLDEST: names, Order.USED: [used]}
    for order, wanted in expected.items():
        seen, cursor = list[str](), None
        while True:
            page = me.list(order=order, limit=3, cursor=cursor)
            seen += [entry.logical_id for entry in page.entries]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen[: len(wanted)] == wanted
        assert sorted(seen) == sorted(names)


def test_a_listing_counts_by_scope_what_fits_and_by_category_all(me: PersonMemory) -> None:
    me.remember_many([Statement(body="Wants to learn Greek", category=Category.GOAL), Statement(body="Likes quinces")])
    page = me.list(words="GREEK", limit=0)
    assert (page.total, page.matching, page.entries, page.next_cursor) == (2, 1, [], None)
    assert dict(page.by_scope) == {"assistant_profile": 1}
    assert dict(page.by_category) == {"goal": 1, "fact": 1}


def test_events_about_a_memory_are_those_of_its_own(iris: Iris, me: PersonMemory) -> None:
    name = written(me.remember("Likes quinces")).entry.logical_id
    other = written(me.remember("Likes medlars")).entry.logical_id
    me.revise(name, "Likes ripe quinces")
    found = [event.action.value for event in me.overview.events(name)]
    assert found[-2:] == ["memory.revised", "memory.written"]
    assert all(action.startswith("memory.") for action in found)
    assert "memory.revised" not in [event.action.value for event in me.overview.events(other)]
    stranger = person(iris, "grace")
    with pytest.raises(UnknownMemoryError):
        stranger.overview.events(name)


def test_receipts_are_ones_own(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    first = me.forget(written(me.remember("Likes quinces")).entry.logical_id)
    clock.step()
    second = me.forget(written(me.remember("Likes medlars")).entry.logical_id)
    stranger = person(iris, "grace")
    assert [one.receipt_id for one in me.overview.receipts()] == [second.receipt_id, first.receipt_id]
    assert stranger.overview.receipts() == []
    assert me.overview.receipt(first.receipt_id).receipt_id == first.receipt_id
    with pytest.raises(UnknownMemoryError):
        stranger.overview.receipt(first.receipt_id)


def test_a_sealed_hold_is_not_told_of(iris: Iris, me: PersonMemory, clock: SteppingClock) -> None:
    me.remember("Likes quinces")
    desk = iris.rights_desk("acme")
    for is_sealed in (True, False):
        hold = desk.place_hold(
            user="ada",
            actor="op-1",
            reference="case-1",
            reason="a claim",
            expires_at=clock.now() + 30 * DAY,
            is_sealed=is_sealed,
        )
        desk.confirm_hold(hold.hold_id, actor="op-2")
        assert me.overview.holdings()["records: legal-hold"] == (0 if is_sealed else 1)


def test_ones_own_request_is_carried_out_by_oneself_and_by_nobody_else(
    iris: Iris, me: PersonMemory, clock: SteppingClock
) -> None:
    me.remember("Likes quinces")
    asked = me.rights.submit(
        "delete", mode="soft", scopes=["assistant_profile"], retention_grace_ms=int(7 * DAY / timedelta(milliseconds=1))
    )
    stranger = person(iris, "grace")
    with pytest.raises(UnknownMemoryError):
        stranger.rights.carry_out(asked.request_id)
    me.rights.carry_out(asked.request_id)
    assert bodies(me, "quinces") == ["Likes quinces"]  # nobody proved yet who asks
    me.rights.verify(asked.request_id, signed_in_at=clock.now())
    me.rights.carry_out(asked.request_id)
    assert bodies(me, "quinces") == []
    me.rights.reactivate(asked.request_id)
    assert bodies(me, "quinces") == ["Likes quinces"]
