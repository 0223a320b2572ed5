"""All that is held of a person, their receipts, and what stands beside a memory, over HTTP."""

from __future__ import annotations

import pytest
from http_world import World, remembered

from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.seal import key_periods

pytestmark = pytest.mark.enable_socket


def test_what_is_held_is_counted_by_place(world: World) -> None:
    me = world.consenting("ada")
    assert me.get("/v1/holdings").json()["holdings"]["entries"] == 0
    remembered(me, "Likes walnuts")
    held = me.get("/v1/holdings").json()["holdings"]
    assert (held["entries"], held["records: consent"]) == (1, 2)
    assert not any(world.as_("nobody yet").get("/v1/holdings").json()["holdings"].values())


def test_a_receipt_can_be_read_again_by_its_person_alone(world: World) -> None:
    me = world.consenting("bob")
    assert me.get("/v1/receipts").json()["receipts"] == []
    given = me.delete(f"/v1/memories/{remembered(me, 'Likes pears')}").json()
    (kept,) = me.get("/v1/receipts").json()["receipts"]
    assert kept["receipt_id"] == given["receipt_id"]
    again = ForgetReceipt.model_validate_json(me.get(f"/v1/receipts/{given['receipt_id']}").text)
    assert is_genuine(again, keys=[period.key for period in key_periods(world.iris.instruments, "acme")])
    assert world.consenting("eve").get(f"/v1/receipts/{given['receipt_id']}").status_code == 404


def test_what_stands_beside_a_memory(world: World) -> None:
    me = world.consenting("cy")
    name = remembered(me, "Likes plums", session_id="tuesday")
    events = me.get(f"/v1/memories/{name}/events").json()["events"]
    assert events[-1]["action"] == "memory.written"
    assert me.get(f"/v1/memories/{name}/made-from").json() == {"memories": []}
    assert me.post("/v1/forget/source/preview", json={"ref": "tuesday"}).json()["memories"] == 1
    assert me.get(f"/v1/memories/{name}").status_code == 200, "nothing was changed"
