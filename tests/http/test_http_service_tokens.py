"""A service token opens the exchange alone; what it is exchanged for opens one person's memory, for a quarter hour."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from http_world import TERMS, World, remembered

from iris_memory import Iris
from iris_memory.access.issuers import Role
from iris_memory.access.service_tokens import PersonTokens
from iris_memory.contracts.category import Consumer
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.people import TENANT
from iris_memory.ports.rows import RecordKind
from iris_memory.storage.keys import FixedKey
from iris_memory.tables.limits import SERVICE_TOKENS_MOST
from words import stands_in

EXCHANGE = "/v1/tokens/person"


def _mint(world: World, **fields: Any) -> dict[str, Any]:
    admin = world.as_("op-admin", roles=[Role.ADMIN])
    answer = admin.post("/v1/service-tokens", json={"name": "travel", **fields})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def _exchange(world: World, secret: str, user: str) -> httpx.Response:
    return world.nobody(Authorization=f"Bearer {secret}").post(EXCHANGE, json={"user": user})


def _lines(iris: Iris, tenant: str = "acme") -> list[dict[str, Any]]:
    return [json.loads(line) for line in iris.export_audit(tenant=tenant)]


@pytest.mark.enable_socket
def test_the_way_of_an_assistant(world: World) -> None:
    ada = world.consenting("ada", "category:medical")
    memory = remembered(ada, "Takes insulin", category="medical")
    minted = _mint(world, consumer="tara", assistant_id="tara-7", days=3)
    answer = _exchange(world, minted["secret"], "ada")
    assert answer.status_code == 200
    token = answer.json()
    me = world.nobody(Authorization=f"Bearer {token['access_token']}")
    asked = {"text": "insulin", "contexts": ["health", "general"]}
    assert [hit["entry"]["logical_id"] for hit in me.post("/v1/recall", json=asked).json()["hits"]] == [memory]
    assert me.get(f"/v1/memories/{memory}").status_code == 200
    for destroying in (
        me.delete(f"/v1/memories/{memory}"),
        me.post("/v1/forget", json={"everything": True}),
    ):
        assert (destroying.status_code, destroying.json()["code"]) == (401, "step-up-needed")
    for in_person in (
        me.post("/v1/consent/grant", json={"names": ["data_storage"], "terms": TERMS}),
        me.put("/v1/opt-outs", json={"names": []}),
        me.get("/v1/rights"),
        me.post("/v1/erase", json={"erase": "everything-about-me"}),
        me.get("/v1/audit/verify"),
        me.get("/v1/service-tokens"),
        me.post(EXCHANGE, json={"user": "bob"}),
    ):
        assert in_person.status_code in {401, 403}
        assert in_person.json()["code"] in {"not-permitted", "unauthenticated"}
    world.iris.flush()
    told = [line for line in _lines(world.iris) if line.get("policy_id") == "iris-access-v1"]
    assert [line["action"] for line in told[-2:]] == ["access.service-token.minted", "access.person-token.issued"]
    assert told[-1]["person"] == world.iris.instruments.vault.find_subject("acme", "ada").person  # type: ignore[union-attr]
    assert not stands_in("ada", json.dumps(told))
    assert minted["secret"] not in json.dumps(told)


@pytest.mark.enable_socket
def test_a_service_token_opens_nothing_but_the_exchange(world: World) -> None:
    secret = _mint(world)["secret"]
    service = world.nobody(Authorization=f"Bearer {secret}")
    for path in ("/v1/memories", "/v1/service-tokens", "/v1/audit/verify", "/v1/consent"):
        assert service.get(path).json()["code"] == "unauthenticated"
    assert service.post(EXCHANGE, json={"user": ""}).status_code == 422
    assert service.post(EXCHANGE, json={"user": "x", "tenant": "rival"}).status_code == 422
    person = world.as_("ada")
    assert person.post(EXCHANGE, json={"user": "bob"}).json()["code"] == "unauthenticated"


@pytest.mark.enable_socket
def test_it_is_listed_without_its_secret_and_revoked_with_what_it_gave(world: World) -> None:
    minted = _mint(world, name="to be revoked")
    token_id, secret = minted["token"]["token_id"], minted["secret"]
    access = _exchange(world, secret, "ada").json()["access_token"]
    admin = world.as_("op-admin", roles=[Role.ADMIN])
    listed = admin.get("/v1/service-tokens")
    assert minted["token"] in listed.json()["tokens"]
    assert secret.rpartition(".")[2] not in listed.text
    rival = world.as_("op-admin", tenant="rival", roles=[Role.ADMIN])
    assert rival.get("/v1/service-tokens").json()["tokens"] == []
    foreign, absent = (rival.delete(f"/v1/service-tokens/{each}") for each in (token_id, "never-was"))
    assert (foreign.status_code, foreign.content) == (404, absent.content)
    ended = admin.delete(f"/v1/service-tokens/{token_id}").json()
    assert ended["revoked_by"] == "op-admin"
    assert admin.delete(f"/v1/service-tokens/{token_id}").json() == ended
    assert _exchange(world, secret, "ada").status_code == 401
    fresh = PersonTokens(world.iris)  # as another process sees it, or this one after a minute
    assert fresh.holder(access) is None


class Clock:
    """A clock that a test moves."""

    def __init__(self, start: Any) -> None:
        self.at = start

    def now(self) -> Any:
        return self.at


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tuple[Iris, Clock]]:
    """An open store with a clock of its own."""
    from datetime import UTC, datetime

    clock = Clock(datetime(2026, 3, 1, 12, tzinfo=UTC))
    with Iris.open(tmp_path / "memory", key=FixedKey(bytes(32)), tended=False, clock=clock) as iris:
        yield iris, clock


def test_time_ends_both(store: tuple[Iris, Clock]) -> None:
    iris, clock = store
    tokens, start = PersonTokens(iris), clock.at
    minted = iris.service_tokens(tenant="acme").mint("a", consumer="veritas", created_by="op", days=1)
    service = tokens.service(minted.secret)
    assert service == minted.token
    token = tokens.issue(service, user="ada")
    assert token.expires_at == start + timedelta(minutes=15)
    clock.at = token.expires_at - timedelta(microseconds=1)
    holder = tokens.holder(token.access_token)
    assert holder is not None
    assert (holder.tenant, holder.user, holder.consumer, holder.roles) == (
        "acme",
        "ada",
        Consumer.VERITAS,
        frozenset({Role.ASSISTANT}),
    )
    assert not holder.may_audit
    assert tokens.known(token.access_token) == holder
    clock.at = token.expires_at
    assert tokens.known(token.access_token) is None
    assert tokens.holder(token.access_token) is None
    clock.at = minted.token.expires_at - timedelta(seconds=30)
    assert tokens.issue(service, user="ada").expires_at == minted.token.expires_at
    clock.at = minted.token.expires_at
    assert tokens.service(minted.secret) is None


def test_what_is_known_is_looked_at_again_after_a_minute(store: tuple[Iris, Clock]) -> None:
    iris, clock = store
    tokens = PersonTokens(iris)
    minted = iris.service_tokens(tenant="acme").mint("a", consumer="assistant", created_by="op", days=1)
    token = tokens.issue(minted.token, user="ada").access_token
    assert tokens.known(token) is None
    assert tokens.holder(token) is not None
    iris.service_tokens(tenant="acme").revoke(minted.token.token_id, revoked_by="op")
    clock.at += timedelta(seconds=59)
    assert tokens.known(token) is not None
    clock.at += timedelta(seconds=1)
    assert tokens.known(token) is None
    assert tokens.holder(token) is None


def _wrong(token: str) -> Iterator[str]:
    head, _, mac = token.partition(".")
    prefix, payload = head[: len("iris_person_")], head[len("iris_person_") :]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    yield from ("", "x", prefix, head, f"{head}.", f".{mac}", token[:-1], f"{token}A", f"{token}.{mac}", token.upper())
    yield f"{token}=="
    for change in (
        {"user": "bob"},
        {"tenant": "rival"},
        {"tenant": "a\x00b"},
        {"service": "other"},
        {"until": "2999-01-01T00:00:00.000000Z"},
        {"consumer": "tara"},
        {"until": 7},
    ):
        raw = json.dumps({**claims, **change}).encode()
        yield f"{prefix}{base64.urlsafe_b64encode(raw).rstrip(b'=').decode()}.{mac}"
    yield f"{prefix}{base64.urlsafe_b64encode(b'[' * 2000).decode()}.{mac}"


def test_nothing_that_was_changed_is_good_and_nothing_unknown_makes_a_tenant(store: tuple[Iris, Clock]) -> None:
    iris, _ = store
    tokens = PersonTokens(iris)
    minted = iris.service_tokens(tenant="acme").mint("a", consumer="assistant", created_by="op", days=1)
    token = tokens.issue(minted.token, user="ada").access_token
    for wrong in _wrong(token):
        assert tokens.holder(wrong) is None, wrong
    secret = minted.secret
    for wrong in (secret[:-1], secret + "A", secret.swapcase(), secret.replace(".", ""), "iris_service_", "é" * 9):
        assert tokens.service(wrong) is None
    tenant = base64.urlsafe_b64encode(b"rival").rstrip(b"=").decode()
    assert tokens.service(f"iris_service_{tenant}.{secret.partition('.')[2]}") is None
    assert iris.tenants() == ["acme"]
    assert iris.instruments.vault.find_subject("acme", "ada") is None  # a token makes no subject


def test_what_is_kept_is_a_digest_in_a_sealed_record(store: tuple[Iris, Clock]) -> None:
    iris, _ = store
    minted = iris.service_tokens(tenant="acme").mint("a quiet name", consumer="assistant", created_by="op", days=1)
    with iris.instruments.store.read() as reading:
        (row,) = reading.records("acme", TENANT, RecordKind.SERVICE_TOKEN)
    for word in (minted.secret.rpartition(".")[2].encode(), b"quiet", b"digest"):
        assert word not in row.blob


def test_there_are_so_many_for_so_long(store: tuple[Iris, Clock]) -> None:
    iris, _ = store
    tokens = iris.service_tokens(tenant="acme")
    for days in (0, -1, 367):
        with pytest.raises(ContractError):
            tokens.mint("a", consumer="assistant", created_by="op", days=days)
    for _ in range(SERVICE_TOKENS_MOST):
        last = tokens.mint("a", consumer="assistant", created_by="op", days=1)
    with pytest.raises(ContractError, match="up to"):
        tokens.mint("a", consumer="assistant", created_by="op", days=1)
    tokens.revoke(last.token.token_id, revoked_by="op")
    tokens.mint("a", consumer="assistant", created_by="op", days=1)
    with pytest.raises(UnknownMemoryError):
        tokens.revoke("never-was", revoked_by="op")
