"""AUT-4: the token alone says whose memory it is; what is somebody else's reads exactly like what never was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import httpx
import pytest
from http_world import World, remembered

from iris_memory import Iris
from iris_memory.access.tokens import DevelopmentTokens, Holder, bearer_token
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.decision import RefusalReason
from iris_memory.http.application import create_app
from iris_memory.http.problems import ALL, REFUSALS
from iris_memory.storage.keys import FixedKey

pytestmark = pytest.mark.enable_socket
ABSENT = "019cae3f-5c40-7000-8000-5f2c1d9a7b31"
ABSENT_OF = {"sequence": "4503599627370496"}
"""What is absent where an id is a number."""


class Call(NamedTuple):
    """One operation of the API with a valid body."""

    method: str
    path: str
    params: Mapping[str, str]
    body: Any

    def ask(self, client: httpx.Client, **ids: str) -> httpx.Response:
        """Make the call, with ids in the place of those of the path."""
        names = re.findall(r"{(\w+)}", self.path)
        path = self.path.format(**{**{name: ABSENT_OF.get(name, ABSENT) for name in names}, **ids})
        if isinstance(self.body, str):
            return client.request(self.method, path, params=self.params, content=self.body.encode())
        return client.request(self.method, path, params=self.params, json=self.body)


def _calls() -> Iterator[Call]:
    with_no_store: Any = None
    for path, methods in create_app(with_no_store, tokens=DevelopmentTokens()).openapi()["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            examples = [each["value"] for media in content.values() for each in media["examples"].values()]
            needed = [
                each for each in operation.get("parameters", []) if each.get("required") and each["in"] == "query"
            ]
            params = {each["name"]: "jsonl" for each in needed}
            yield Call(method.upper(), path, params, examples[0] if examples else None)


CALLS = list(_calls())
CLOSED = [call for call in CALLS if call.path.startswith("/v1/")]
OWN_NAMES = ("/v1/service-tokens", "/v1/bridge/sessions/", "/v1/exports/", "/v1/inspections/")
"""A session is named by who asks, as a body names it: the same name of somebody else is another session. Exports and
inspections answer in words of their own, and to their roles: the matrix asks as owner, for foreign and for absent."""
NAMED = [call for call in CLOSED if "{" in call.path and not call.path.startswith(OWN_NAMES)]


def _name(call: Call) -> str:
    return f"{call.method} {call.path}"


def test_everything_but_the_service_itself_is_closed() -> None:
    assert {call.path for call in CALLS if call not in CLOSED} == {"/health", "/ready"}
    assert len(CLOSED) >= 29


@pytest.mark.parametrize("call", CLOSED, ids=_name)
def test_without_a_good_token_every_route_answers_the_same(world: World, call: Call) -> None:
    world.as_("somebody")
    good = next(iter(world._clients.values())).headers["authorization"].removeprefix("Bearer ")
    answers = [
        call.ask(world.nobody(**headers))
        for headers in (
            {},
            {"Authorization": "Bearer nonsense"},
            {"Authorization": f"Bearer {good[:-1]}"},
            {"Authorization": f"Basic {good}"},
            {"Authorization": good},
            {"Authorization": f"Bearer {good} x"},
            {"Cookie": f"token={good}"},
        )
    ]
    answers.append(
        httpx.request(call.method, world.address + call.path, params={**call.params, "token": good}, verify=False)
    )
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].json()["code"] == "unauthenticated"


@pytest.mark.parametrize("call", NAMED, ids=_name)
def test_the_id_of_somebody_else_reads_exactly_like_one_that_never_was(world: World, call: Call) -> None:
    owner = world.consenting("owner")
    seat = {"category": "preference", "subject": "seat"}
    memory = remembered(owner, f"Likes the window, says {_name(call)}", **{**seat, "subject": _name(call)})
    asked = owner.post(
        "/v1/memories", json={"body": f"Likes the aisle, says {_name(call)}", **seat | {"subject": _name(call)}}
    )
    ids = {"logical_id": memory, "question_id": asked.json()["question_id"]}
    before = owner.get("/v1/memories", params={"limit": 200}).json(), owner.get("/v1/questions").json()
    for stranger in (world.consenting("stranger"), world.as_("owner", tenant="rival"), world.as_("never seen")):
        foreign, absent = call.ask(stranger, **ids), call.ask(stranger)
        assert foreign.status_code == absent.status_code == 404
        assert foreign.content == absent.content
        assert foreign.json()["code"] == "unknown-memory"
        assert sorted(foreign.headers) == sorted(absent.headers)
    assert (owner.get("/v1/memories", params={"limit": 200}).json(), owner.get("/v1/questions").json()) == before


def test_ids_inside_bodies_reach_nobody_else(world: World) -> None:
    memory = remembered(world.consenting("owner"), "Hides a key under the mat")
    stranger = world.consenting("stranger")
    for path in ("/v1/forget", "/v1/forget/preview"):
        foreign = stranger.post(path, json={"logical_id": memory, "scan": False})
        absent = stranger.post(path, json={"logical_id": ABSENT, "scan": False})
        assert (foreign.status_code, foreign.content) == (404, absent.content)
    assert world.as_("owner").get(f"/v1/memories/{memory}").status_code == 200


@pytest.mark.parametrize("call", [call for call in CLOSED if "{" not in call.path], ids=_name)
def test_what_one_person_does_shows_another_nothing(world: World, call: Call) -> None:
    canary = "zebra-canary"
    owner = world.consenting("quiet owner")
    if owner.get("/v1/memories").json()["total"] == 0:
        remembered(owner, f"Whispers {canary}")
    if "audit" in call.path or call.path == "/v1/events":  # a stream has no end: tests of events read it
        return
    stranger = world.as_(f"stranger at {_name(call)}", tenant="rival")
    answer = call.ask(stranger)
    assert answer.status_code < 500
    assert canary not in answer.text
    assert "quiet owner" not in answer.text
    assert owner.get("/v1/memories").json()["total"] == 1


def test_a_scope_names_no_person(world: World) -> None:
    me = world.consenting("scoped")
    stated = me.post("/v1/memories", json={"body": "Likes x", "scope": {"kind": "session", "session_id": "s"}})
    assert stated.json()["entry"]["scope"] == {"kind": "session", "user_id": "scoped", "session_id": "s"}
    for scope in ({"kind": "profile", "user_id": "owner"}, {"kind": "tenant", "tenant_id": "rival"}):
        for path in ("/v1/memories", "/v1/recall"):
            refused = me.post(
                path, json={"body": "Likes y", "scope": scope} if path.endswith("s") else {"scope": scope}
            )
            assert refused.status_code == 422
    for name in ("tenant", "tenant_id", "user", "user_id", "consumer"):
        assert me.post("/v1/recall", json={"text": "x", name: "owner"}).status_code == 422
        assert me.get("/v1/memories", params={name: "owner"}).json()["memories"][0]["user_id"] == "scoped"


def test_the_consumer_is_the_tokens(world: World) -> None:
    me = world.consenting("patient", "category:medical")
    memory = remembered(me, "Takes insulin", category="medical")
    found = {}
    for consumer in (Consumer.TARA, Consumer.VERITAS):
        token = world.tokens.mint(Holder("acme", "patient", consumer))
        client = world.nobody(Authorization=f"Bearer {token}")
        result = client.post("/v1/recall", json={"text": "insulin", "contexts": ["health", "general"]}).json()
        found[consumer] = [hit["entry"]["logical_id"] for hit in result["hits"]]
    assert found == {Consumer.TARA: [memory], Consumer.VERITAS: []}


def test_the_tenants_chain_is_for_those_who_may_audit(world: World) -> None:
    world.consenting("plain")
    plain = world.as_("plain", may_audit=False)
    for call in CLOSED:
        if "audit" in call.path:
            answer = call.ask(plain)
            assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


def test_a_token_is_kept_as_a_digest_and_compared_whole() -> None:
    tokens = DevelopmentTokens()
    token = tokens.mint(Holder("acme", "ada"))
    assert tokens.holder(token) == Holder("acme", "ada")
    assert token not in repr(vars(tokens))
    assert {tokens.holder(wrong) for wrong in ("", token[:-1], token + "x", token.upper(), "é")} == {None}
    assert tokens.mint(Holder("acme", "ada")) != token
    assert DevelopmentTokens().holder(token) is None


def test_one_authorization_header_is_read_and_only_a_bearer_one() -> None:
    def read(*values: bytes) -> str | None:
        return bearer_token([(b"accept", b"*/*"), *((b"authorization", value) for value in values)])

    assert read(b"Bearer abc") == read(b"bearer  abc") == read(b" BEARER abc ") == "abc"
    for values in ((), (b"Bearer",), (b"Bearer a b",), (b"Basic abc",), (b"Bearer a", b"Bearer a"), (b"Bearer \xff",)):
        assert read(*values) is None


def test_every_refusal_has_a_status_of_its_family() -> None:
    assert set(REFUSALS) == set(RefusalReason)
    statuses = {reason: row.status for reason, row in REFUSALS.items()}
    assert set(statuses.values()) == {403, 404, 409, 412, 422}
    assert [reason for reason, status in statuses.items() if status == 412] == [RefusalReason.STALE_REVISION]
    assert [reason for reason, status in statuses.items() if status == 404] == [RefusalReason.UNKNOWN_MEMORY]
    assert all(code == code.lower() and row.title[0].islower() and row.title[-1] != "." for code, row in ALL.items())


def test_a_store_that_fails_is_not_ready_though_the_process_is_healthy(world: World, tmp_path: Any) -> None:
    assert world.nobody().get("/health").json() == {"status": "ok"}
    assert world.nobody().get("/ready").json() == {"status": "ready"}
    from http_world import served

    with served(tmp_path) as other:
        other.iris.close()
        assert other.nobody().get("/health").status_code == 200
        answer = other.nobody().get("/ready")
        assert (answer.status_code, answer.json()["code"]) == (500, "storage-failed")
    assert Iris.open(tmp_path / "memory", key=FixedKey(bytes(range(32))), tended=False).close() is None
