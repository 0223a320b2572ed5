"""Consent over the wire: withdrawals with receipts, previews, sessions, approvals by another, and closed consumers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from http_world import World, remembered

from iris_memory.access.tokens import Holder
from iris_memory.contracts.category import Consumer

pytestmark = pytest.mark.enable_socket
WORD = "Fernweh"


def test_a_withdrawal_comes_with_its_receipt(world: World) -> None:
    me = world.consenting("withdrawing", "category:medical")
    remembered(me, "Takes statins", category="medical")
    told = me.post("/v1/consent/revoke/preview", json={"names": ["category:medical"]}).json()
    assert told["deleted"]["memories"] == 1
    how = {"names": ["category:medical"], "witness": "settings page", "jurisdiction": "NL", "scan": False}
    done = me.post("/v1/consent/revoke", json=how).json()
    assert done["events"][0]["witness"] == "settings page"
    assert (done["receipt"]["reason"], done["receipt"]["memories"]) == ("consent-withdrawn", 1)
    assert me.get("/v1/memories").json()["total"] == 0
    records = me.get("/v1/consent/records").json()["records"]
    assert [record["dpv:hasConsentStatus"] for record in records][-1] == "dpv:ConsentWithdrawn"


def test_a_session_in_no_file(world: World) -> None:
    me = world.as_("fleeting")
    me.post("/v1/consent/grant", json={"names": ["data_processing"], "terms": "We use what you tell us."})
    answer = me.post("/v1/memories", json={"body": "Hums while walking", "session_id": "s1"})
    assert (answer.status_code, answer.json()["mode"]) == (201, "ephemeral")
    refused = me.post("/v1/memories", json={"body": "Hums while walking"})
    assert (refused.status_code, refused.json()["code"]) == (403, "scope-ephemeral")
    found = me.post("/v1/recall", json={"text": "hums", "session_id": "s1"}).json()
    assert [hit["entry"]["body"] for hit in found["hits"]] == ["Hums while walking"]
    assert me.post("/v1/session/end", json={"session_id": "s1"}).json() == {"forgotten": 1}
    assert me.post("/v1/recall", json={"text": "hums", "session_id": "s1"}).json()["hits"] == []


def test_approvals_need_two_and_an_auditors_token(world: World) -> None:
    olaf, petra = world.as_("olaf"), world.as_("petra")
    wish = {"adapter_scope": "cross_domain", "reason": "pilot", "for_days": 30}
    request = olaf.post("/v1/approvals", json=wish)
    assert (request.status_code, request.json()["asked_by"]) == (201, "olaf")
    where = f"/v1/approvals/{request.json()['request_id']}"
    own = olaf.post(where, json={"decision": "grant"})
    assert (own.status_code, own.json()["code"]) == (403, "self-approval")
    assert petra.post(where, json={"decision": "grant"}).json()["granted_by"] == "petra"
    assert petra.post(where, json={"decision": "grant"}).status_code == 409
    assert petra.get("/v1/approvals").json()["approvals"]
    plain = world.as_("quinn", may_audit=False)
    for method, path, body in (
        ("GET", "/v1/approvals", None),
        ("POST", "/v1/approvals", wish),
        ("POST", where, {"decision": "withdraw"}),
        ("PUT", "/v1/notices", {"names": ["data_storage"], "terms": "Words"}),
        ("GET", "/v1/notices", None),
    ):
        assert plain.request(method, path, json=body).status_code == 403, path
    assert olaf.post(where, json={"decision": "withdraw"}).json()["state"] == "withdrawn"


def test_a_changed_notice_is_due(world: World) -> None:
    me = world.consenting("due", tenant="notices")
    auditor = world.as_("auditor", tenant="notices")
    auditor.put("/v1/notices", json={"names": ["data_storage"], "terms": "Other words"})
    (due,) = me.get("/v1/consent/due").json()["due"]
    assert (due["name"], due["reason"], due["in_force"]) == ("data_storage", "terms-changed", True)


@pytest.fixture(params=["studio", "support"])
def closed(request: pytest.FixtureRequest, world: World) -> Iterator[tuple[httpx.Client, str]]:
    """A client of a consumer that may not use the profile, and the id of a memory there."""
    user = f"walled-{request.param}"
    me = world.consenting(user)
    name = remembered(me, f"{WORD} by the window")
    token = world.tokens.mint(Holder("acme", user, consumer=Consumer(request.param)))
    with httpx.Client(
        base_url=world.address, headers={"Authorization": f"Bearer {token}"}, timeout=60, verify=False
    ) as client:
        yield client, name


def _routes(world: World) -> list[tuple[str, str]]:
    told = world.nobody().get("/openapi.json").json()
    return [
        (method, path)
        for path, methods in told["paths"].items()
        for method in methods
        if path.startswith("/v1/") and path != "/v1/events"
    ]


BODIES: dict[str, Any] = {
    "/v1/recall": {"text": WORD},
    "/v1/memories/search": {"words": WORD},
    "/v1/memories": {"body": "Something else"},
    "/v1/memories/batch": {"statements": [{"body": "Something else"}]},
}


def test_no_route_shows_a_word_to_a_closed_consumer(world: World, closed: tuple[httpx.Client, str]) -> None:
    """Every route is asked, with the id of the memory wherever one fits; what ends things is asked last."""
    client, name = closed
    routes = _routes(world)
    assert len(routes) > 30
    last = {"/v1/erase", "/v1/forget", "/v1/person"}
    for method, path in sorted(routes, key=lambda route: route[1] in last):
        where = path
        while "{" in where:
            before, _, rest = where.partition("{")
            where = before + name + rest.partition("}")[2]
        body = BODIES.get(path, {"text": WORD} if path.endswith("/explain") else {})
        answer = client.request(method, where, json=body if method in {"post", "put", "patch"} else None)
        assert WORD not in answer.text, (method, path)
        if path.startswith("/v1/memories") and method in {"post", "patch"} and answer.status_code in {200, 201}:
            assert "written" not in answer.text, (method, path)
