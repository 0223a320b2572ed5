"""The audit trail over HTTP: a tenant's events by filter and page, and proofs that hold without the store."""

from __future__ import annotations

import json
from typing import Any

import pytest
from http_world import World, remembered

from iris_memory.access.issuers import Role
from iris_memory.front.audit_trail import is_event_proved
from words import stands_in

pytestmark = pytest.mark.enable_socket

EVENTS = "/v1/audit/events"


def told(client: Any, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(EVENTS, params=params)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["lines"])


def test_events_are_listed_newest_first_through_a_filter_and_say_no_word(world: World) -> None:
    me = world.consenting("ada")
    auditor = world.as_("aud", roles=[Role.AUDITOR])
    name = remembered(me, "Likes walnuts")
    me.post("/v1/recall", json={"text": "walnuts"})
    lines = told(auditor)
    assert [line["sequence"] for line in lines] == sorted((line["sequence"] for line in lines), reverse=True)
    assert lines[0]["action"] == "memory.recall.resolved"
    (written,) = told(auditor, action="memory.written")
    entry_id = me.get(f"/v1/memories/{name}").json()["memory"]["id"]
    assert [line["sequence"] for line in told(auditor, object_id=entry_id, action="memory.written")] == [
        written["sequence"]
    ]
    assert {line["person"] for line in told(auditor, person=written["person"])} == {written["person"]}
    assert told(auditor, since="2999-01-01T00:00:00Z") == told(auditor, until="2000-01-01T00:00:00Z") == []
    text = auditor.get(EVENTS).text
    assert not [word for word in ("walnuts", "ada") if stands_in(word, text)]
    assert auditor.get(f"{EVENTS}/{written['sequence']}").json() == written


def test_a_page_ends_at_a_sequence_and_what_comes_in_shifts_nothing(world: World) -> None:
    me, auditor = world.consenting("bob"), world.as_("aud", roles=[Role.AUDITOR])
    for number in range(7):
        remembered(me, f"Likes thing {number}")
    every = [line["sequence"] for line in told(auditor, limit=500)]
    found: list[int] = []
    page = auditor.get(EVENTS, params={"limit": 3}).json()
    while True:
        found += [line["sequence"] for line in page["lines"]]
        remembered(me, f"Likes what came in after {len(found)}")
        if page["next_before"] is None:
            break
        page = auditor.get(EVENTS, params={"limit": 3, "before": page["next_before"]}).json()
    assert found == every


def test_a_proof_holds_without_the_store_and_a_changed_one_does_not(world: World) -> None:
    me, auditor = world.consenting("cy"), world.as_("aud", roles=[Role.AUDITOR])
    remembered(me, "Likes pears")
    line = told(auditor, limit=1)[0]
    proof = auditor.get(f"{EVENTS}/{line['sequence']}/proof").json()
    assert is_event_proved(json.dumps(proof))
    assert not is_event_proved(json.dumps({**proof, "line": proof["line"].replace("info", "warning")}))
    assert not is_event_proved(json.dumps({**proof, "tenant_id": "rival"}))
    assert auditor.get(f"{EVENTS}/{line['sequence'] + 1_000_000}/proof").status_code == 404


def test_a_wrong_filter_is_told_by_its_field(world: World) -> None:
    auditor = world.as_("aud", roles=[Role.AUDITOR])
    wrong = {"action": "no.such", "severity": "loud", "since": "yesterday", "until": "0", "limit": "0", "before": "0"}
    for params in ({name: value} for name, value in wrong.items()):
        answer = auditor.get(EVENTS, params=params)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert [each["field"].rpartition(".")[2] for each in answer.json()["errors"]] == list(params)
    for far in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        assert auditor.get(EVENTS, params={"since": far}).status_code in {200, 422}
    assert world.as_("plain", may_audit=False).get(EVENTS).status_code == 403


def test_a_tenant_reads_its_own_chain_alone(world: World) -> None:
    remembered(world.consenting("ada"), "Likes plums")
    rival = world.as_("aud", tenant="rival", roles=[Role.AUDITOR])
    assert told(rival) == []
    newest = told(world.as_("aud", roles=[Role.AUDITOR]), limit=1)[0]["sequence"]
    assert rival.get(f"{EVENTS}/{newest}").status_code == 404
