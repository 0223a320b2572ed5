"""Lists over HTTP end, and their cursors stay good while others write: nothing is missed or comes twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from http_world import World, remembered
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.access.issuers import Role
from iris_memory.errors import ContractError
from iris_memory.http.listing import part

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
PLACES = st.lists(
    st.tuples(st.integers(0, 5).map(lambda hours: BEGAN + timedelta(hours=hours)), st.text("abc", min_size=1)),
    unique=True,
    max_size=12,
)


@given(rows=PLACES, late=PLACES, limit=st.integers(1, 4))
def test_every_row_is_met_once_in_order_whatever_is_added_meanwhile(
    rows: list[Any], late: list[Any], limit: int
) -> None:
    late = [row for row in late if row not in rows]
    met: list[Any] = []
    cursor, known = None, list(rows)
    while True:
        page, cursor = part(known, lambda row: row, limit=limit, cursor=cursor)
        assert len(page) <= limit
        met += page
        if late:
            known.append(late.pop())
        if cursor is None:
            break
    assert met == sorted(set(met))
    assert set(rows) <= set(met)


@pytest.mark.parametrize("cursor", ["", ".", "1", "x.y", "-1.a", "1.", "\u0661.a"])
def test_a_cursor_of_no_listing_is_refused(cursor: str) -> None:
    with pytest.raises(ContractError, match="next_cursor"):
        part([], lambda row: row, limit=1, cursor=cursor)


def _walked(client: httpx.Client, path: str, name: str, key: str) -> list[str]:
    met: list[str] = []
    cursor: str | None = None
    while True:
        told = client.get(path, params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        assert len(told[name]) <= 2
        met += [row[key] for row in told[name]]
        cursor = told["next_cursor"]
        if cursor is None:
            assert len(met) == told["total"]
            return met


@pytest.mark.enable_socket
def test_operators_walk_their_lists(world: World) -> None:
    for number in range(5):
        me = world.consenting(f"listed-{number}", tenant="listing")
        remembered(me, "Prefers a window seat", category="preference")
        me.post("/v1/rights", json={"payload": {"kind": "access"}})
    sam = world.as_("sam", tenant="listing", roles=[Role.SUPPORT])
    ops = world.as_("ops", tenant="listing", roles=[Role.AUDITOR])
    target = {"categories": ["preference"]}
    wish = {"path": "routine-review", "reason": "support-case", "reference": "C", "target": target}
    hold = {"reference": "Case", "reason": "A court", "expires_at": "2999-01-01T00:00:00Z"}
    for number in range(5):
        sam.post("/v1/inspections", json={**wish, "of_user": f"listed-{number}"})
        ops.post("/v1/desk/legal-holds", json={**hold, "of_user": f"listed-{number}"})
    for client, path, name, key in (
        (sam, "/v1/inspections", "inspections", "inspection_id"),
        (ops, "/v1/desk/rights", "requests", "request_id"),
        (ops, "/v1/desk/legal-holds", "holds", "hold_id"),
    ):
        met = _walked(client, path, name, key)
        assert len(met) == len(set(met)) == 5, path
        answer = client.get(path, params={"cursor": "of-nothing"})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
