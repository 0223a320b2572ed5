"""A person's whole story over a real server: consent, memory, recall, a question, correction, forgetting, audit."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from http_world import TERMS, World, remembered

from iris_memory.chain.checkpoint import VerifierKey
from iris_memory.chain.verify import verify_export
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.flows.receipts import is_genuine

pytestmark = pytest.mark.enable_socket


def test_consent_memory_recall_and_forgetting(world: World) -> None:
    me = world.as_("journey")
    refused = me.post("/v1/memories", json={"body": "Plays the cello"})
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == "consent-missing"
    assert refused.json()["needs"] == ["data_processing", "data_storage"]

    world.consenting("journey")
    seat = me.post(
        "/v1/memories",
        json={"body": "Prefers a window seat on trains", "category": "preference", "subject": "seat preference"},
    )
    assert seat.status_code == 201
    seat_id = seat.json()["entry"]["logical_id"]
    assert seat.headers["location"] == f"/v1/memories/{seat_id}"
    assert seat.headers["etag"] == f'"{seat.json()["entry"]["id"]}"'
    assert me.get(seat.headers["location"]).json()["memory"]["body"] == "Prefers a window seat on trains"

    asked = me.post(
        "/v1/memories",
        json={"body": "Prefers an aisle seat on trains", "category": "preference", "subject": "seat preference"},
    )
    assert asked.status_code == 202
    (question,) = me.get("/v1/questions").json()["questions"]
    assert question["question_id"] == asked.json()["question_id"]
    told = me.post(
        f"/v1/questions/{question['question_id']}/answer", json={"decision": "replace", "digest": question["digest"]}
    )
    assert told.json()["body"] == "Prefers an aisle seat on trains"
    assert me.get("/v1/questions").json()["questions"] == []
    revisions = me.get(f"/v1/memories/{seat_id}/history").json()["revisions"]
    assert [each["body"] for each in revisions] == [
        "Prefers a window seat on trains",
        "Prefers an aisle seat on trains",
    ]

    found = me.post("/v1/recall", json={"text": "a train seat"}).json()
    assert [hit["entry"]["logical_id"] for hit in found["hits"]] == [seat_id]
    why = me.post(f"/v1/explain/{seat_id}", json={"text": "a train seat"}).json()
    assert why["outcome"] == "returned"
    assert why["score"] == found["hits"][0]["score"]

    preview = me.post("/v1/forget/preview", json={"logical_id": seat_id}).json()
    assert preview["reached"]["memories"] == 1
    receipt = me.delete(f"/v1/memories/{seat_id}")
    assert receipt.status_code == 200
    keys = [VerifierKey.from_vkey(each["vkey"]) for each in me.get("/v1/audit/keys").json()["keys"]]
    assert is_genuine(ForgetReceipt.model_validate_json(receipt.content), keys=keys)
    assert receipt.json()["residue"]["found"] == {}
    gone = me.get(f"/v1/memories/{seat_id}")
    assert gone.status_code == 404
    again = me.post("/v1/memories", json={"body": "Prefers an aisle seat on trains"})
    assert (again.status_code, again.json()["code"], again.json()["needs"]) == (403, "forgotten-before", ["again"])


def test_the_audit_export_streams_and_verifies_offline(world: World) -> None:
    me = world.consenting("auditor")
    for batch in range(4):
        statements = [{"body": f"note {batch} {place} about apples"} for place in range(50)]
        assert me.post("/v1/memories/batch", json={"statements": statements}).status_code == 200
    for _ in range(700):  # more than one chunk of the stream
        world.iris.for_user(tenant="acme", user="auditor").recall("apples")
    checked = me.get("/v1/audit/verify").json()
    assert checked["ok"] is True
    assert checked["problems"] == []
    with me.stream("GET", "/v1/audit/export") as export:
        assert export.headers["content-type"].startswith("application/x-ndjson")
        lines = list(_lines(export))
    report = verify_export(lines)
    assert report.ok
    assert report.size >= max(checked["size"], 700)
    assert not any(b"apples" in line for line in lines)


def test_a_reader_that_goes_away_early_leaves_no_view_open(world: World) -> None:
    me = world.consenting("leaver")
    with me.stream("GET", "/v1/audit/export") as export:
        next(export.iter_bytes())
    # a view left open would keep the log from being cut, and the receipt would say so
    remembered(me, "Something to forget")
    assert me.post("/v1/forget", json={"everything": True, "scan": False}).json()["files_scrubbed"] is True


def test_the_same_idempotency_key_answers_the_same_and_another_body_is_a_conflict(world: World) -> None:
    me = world.consenting("twice")
    key = {"Idempotency-Key": "k-1"}
    first = me.post("/v1/memories", json={"body": "Keeps bees"}, headers=key)
    second = me.post("/v1/memories", json={"body": "Keeps bees"}, headers=key)
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    other = me.post("/v1/memories", json={"body": "Keeps hens"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency-conflict")
    assert me.get("/v1/memories").json()["total"] == 1
    after_forgetting = me.post("/v1/forget", json={"logical_id": first.json()["entry"]["logical_id"], "scan": False})
    assert after_forgetting.status_code == 200
    replayed = me.post("/v1/memories", json={"body": "Keeps bees"}, headers=key)
    missing = me.get("/v1/memories/nothing-here")
    assert (replayed.status_code, replayed.json()) == (missing.status_code, missing.json())


def test_a_batch_answers_each_statement_and_a_refusal_stops_no_other(world: World) -> None:
    me = world.consenting("batch")
    body = {
        "statements": [
            {"body": "Likes figs"},
            {"body": "Takes insulin", "category": "medical"},
            {"body": "Likes plums"},
        ]
    }
    outcomes = me.post("/v1/memories/batch", json=body).json()["outcomes"]
    assert [each["outcome"] for each in outcomes] == ["written", "refused", "written"]
    assert outcomes[1]["reason"] == "sensitive-category-without-consent"
    assert outcomes[1]["needs"] == ["category:medical"]


def test_a_correction_names_the_revision_that_was_seen(world: World) -> None:
    me = world.consenting("editor")
    memory = remembered(me, "Lives in Lisbon")
    seen = me.get(f"/v1/memories/{memory}").headers["etag"]
    changed = me.patch(f"/v1/memories/{memory}", json={"body": "Lives in Porto"}, headers={"If-Match": seen})
    assert changed.status_code == 200
    assert changed.json()["entry"]["revision"] == 2
    assert changed.headers["etag"] == me.get(f"/v1/memories/{memory}").headers["etag"] != seen
    for stale in (seen, f"W/{changed.headers['etag']}", '"nothing"'):
        refused = me.patch(f"/v1/memories/{memory}", json={"body": "Lives in Faro"}, headers={"If-Match": stale})
        assert (refused.status_code, refused.json()["code"]) == (412, "stale-revision")
    anyone = me.patch(f"/v1/memories/{memory}", json={"category": "identity"}, headers={"If-Match": "*"})
    assert anyone.json()["entry"]["category"] == "identity"
    assert me.get(f"/v1/memories/{memory}").json()["memory"]["body"] == "Lives in Porto"


def test_pages_of_a_listing_are_whole_and_say_how_many(world: World) -> None:
    me = world.consenting("lister")
    ids = {remembered(me, f"Reads book number {place}") for place in range(7)}
    ids |= {remembered(me, f"Wants to see city number {place}", category="goal") for place in range(3)}
    seen: list[str] = []
    cursor = None
    while True:
        page = me.get("/v1/memories", params={"limit": 4, **({"cursor": cursor} if cursor else {})}).json()
        assert (page["total"], page["matching"]) == (10, 10)
        seen += [each["logical_id"] for each in page["memories"]]
        if len(seen) == 4:  # a change between two pages repeats and skips nothing of what did not change
            me.patch(f"/v1/memories/{seen[3]}", json={"body": "Reads another book"})
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 10
    assert set(seen) == ids
    goals = me.get("/v1/memories", params={"category": "goal"}).json()
    assert (goals["total"], goals["matching"], len(goals["memories"])) == (10, 3, 3)
    found = me.post("/v1/memories/search", json={"words": "CITY"}).json()
    assert (found["total"], found["matching"]) == (10, 3)


def test_off_the_record_is_kept_to_over_http(world: World) -> None:
    me = world.consenting("paused")
    memory = remembered(me, "Likes rain")
    assert me.post("/v1/pause", json={"session_id": "s1"}).json()["session_id"] == "s1"
    refused = me.post("/v1/memories", json={"body": "Likes snow", "session_id": "s1"})
    assert (refused.status_code, refused.json()["code"]) == (403, "off-the-record")
    assert me.patch(f"/v1/memories/{memory}", json={"body": "Likes hail", "session_id": "s1"}).status_code == 403
    recalled = me.post("/v1/recall", json={"text": "rain", "session_id": "s1"}).json()
    assert recalled["hits"] == []
    assert recalled["audit_envelope"]["suppression_counts"] == {"user-pause": 1}
    assert [each["session_id"] for each in me.get("/v1/pause").json()["pauses"]] == ["s1"]
    assert me.delete("/v1/pause", params={"session_id": "s1"}).json() == {"was_paused": True}
    assert me.delete("/v1/pause", params={"session_id": "s1"}).json() == {"was_paused": False}
    assert len(me.post("/v1/recall", json={"text": "rain", "session_id": "s1"}).json()["hits"]) == 1


def test_consent_is_given_withdrawn_and_listed(world: World) -> None:
    me = world.consenting("consents", "category:medical")
    assert me.get("/v1/consent").json()["active"] == ["category:medical", "data_processing", "data_storage"]
    assert me.post("/v1/consent/deny", json={"names": ["model_improvement"], "terms": TERMS}).status_code == 200
    assert me.post("/v1/consent/revoke", json={"names": ["category:medical"]}).status_code == 200
    state = me.get("/v1/consent").json()
    assert state["active"] == ["data_processing", "data_storage"]
    modes = {each["adapter_scope"]: each["mode"] for each in state["scopes"]}
    assert (modes["assistant_profile"], modes["domain"]) == ("durable", "suppressed")
    trail = me.get("/v1/consent/trail").json()["events"]
    assert [each["status"] for each in trail] == ["granted", "granted", "granted", "denied", "revoked"]
    assert me.put("/v1/opt-outs", json={"names": ["memory"]}).json() == {"opt_outs": ["memory"]}
    refused = me.post("/v1/memories", json={"body": "Likes tea"})
    assert (refused.status_code, refused.json()["code"]) == (403, "opted-out")
    wrong = me.post(
        "/v1/consent/grant", json={"names": ["category:medical"], "terms": TERMS, "legal_basis": "contract"}
    )
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid")


def test_an_upload_is_taken_in_once_and_what_looks_sensitive_is_held(world: World) -> None:
    me = world.as_("importer")
    export = "".join(
        f'{{"id": "r{place}", "text": "{text}", "author": "user"}}\n'
        for place, text in enumerate(["Plays the cello", "I was diagnosed with diabetes last year"])
    ).encode()
    refused = me.post("/v1/import", params={"format": "jsonl"}, content=export)
    assert (refused.status_code, refused.json()["code"]) == (403, "consent-missing")
    world.consenting("importer")
    trial = me.post("/v1/import", params={"format": "jsonl", "dry_run": "true"}, content=export).json()
    assert (trial["taken"], trial["dry_run"], me.get("/v1/memories").json()["total"]) == (1, True, 0)
    done = me.post("/v1/import", params={"format": "jsonl"}, content=export).json()
    assert (done["read"], done["taken"], done["held"]) == (2, 1, {"sensitive-looking": 1})
    (held,) = me.get("/v1/held").json()["held"]
    assert held["ref"] == done["held_refs"][0]
    assert "diabetes" not in me.get("/v1/held").text
    accepted = me.post("/v1/import", params={"format": "jsonl", "accept": held["ref"]}, content=export).json()
    assert (accepted["already"], accepted["taken"]) == (1, 0), "the person's word does not stand for the consent"
    me.post("/v1/consent/grant", json={"names": held["needs"], "terms": TERMS})
    consented = me.post("/v1/import", params={"format": "jsonl"}, content=export).json()
    assert (consented["already"], consented["taken"]) == (1, 1)
    memories = me.get("/v1/memories").json()["memories"]
    assert {(each["origin"], each["category"]) for each in memories} == {("imported", "other"), ("imported", "medical")}
    wrong = me.post("/v1/import", params={"format": "claude"}, content=b"\x00\x01 nothing of the kind")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "wrong-format")


def test_erasing_leaves_nobody_and_a_second_time_there_is_nothing_to_erase(world: World) -> None:
    me = world.consenting("eraser")
    remembered(me, "Likes being forgotten")
    body = {"erase": "everything-about-me"}
    assert me.post("/v1/erase", json={}).status_code == 422
    receipt = me.post("/v1/erase", json=body).json()["receipt"]
    assert receipt["memories"] == 1
    assert receipt["residue"]["found"] == {}
    assert me.post("/v1/erase", json=body).json() == {"receipt": None}
    assert me.get("/v1/memories").json()["total"] == 0
    assert me.get("/v1/consent").json()["active"] == []


def _lines(answer: httpx.Response) -> Iterator[bytes]:
    for line in answer.iter_lines():
        yield line.encode()
