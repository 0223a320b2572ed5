"""The generated client against the real service: contracts come back, problems are exceptions, and it is current."""

from __future__ import annotations

import asyncio
import inspect
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from http_world import World

import iris_memory.client
from iris_memory.access.issuers import Role
from iris_memory.access.tokens import DevelopmentTokens, Holder
from iris_memory.cli.generating import generate
from iris_memory.client import UNSET, AsyncIrisClient, IrisClient, ProblemError
from iris_memory.client.calling import Operation, request_of
from iris_memory.client.problems import (
    ConflictingError,
    InvalidRequestError,
    NotThereError,
    RefusedByPolicyError,
    ServiceFailedError,
    StaleRevisionError,
    TooManyRequestsError,
    UnauthenticatedError,
    error_of,
)
from iris_memory.client.shapes.import_ import Format
from iris_memory.client.shapes.memories import ReviseBody
from iris_memory.contracts.category import Category, Context
from iris_memory.contracts.entry import MemoryEntry, Origin
from iris_memory.contracts.recall import Explanation, RecallResult
from iris_memory.contracts.service_token import MintedToken
from iris_memory.contracts.write import AskUser, Written
from iris_memory.http.application import create_app

HOME = Path(iris_memory.client.__file__).parent
TERMS = "We keep what you tell us."
pytestmark = pytest.mark.enable_socket


def _token(world: World, user: str, **fields: Any) -> str:
    return world.tokens.mint(Holder("acme", user, always_fresh=True, **fields))


def test_what_lies_in_the_package_is_what_would_be_generated_now(tmp_path: Path) -> None:
    names = generate(tmp_path)
    assert [name for name in names if (HOME / name).read_text() != (tmp_path / name).read_text()] == []
    lying = {str(path.relative_to(HOME)) for room in ("calls", "shapes") for path in (HOME / room).glob("*.py")}
    assert lying | {"every_call.py"} == set(names)


def test_every_operation_is_a_method_of_both_clients() -> None:
    with_no_store: Any = None
    for methods in create_app(with_no_store, tokens=DevelopmentTokens()).openapi()["paths"].values():
        for told in methods.values():
            plain = getattr(IrisClient, told["operationId"])
            waiting = getattr(AsyncIrisClient, told["operationId"])
            assert inspect.signature(plain).parameters == inspect.signature(waiting).parameters
            assert plain.__doc__


def test_a_day_with_the_client(world: World) -> None:
    with IrisClient(world.address, token=_token(world, "ada")) as ada:
        with pytest.raises(RefusedByPolicyError) as refused:
            ada.remember(body="Likes tea in the morning")
        assert refused.value.code == "consent-missing"
        assert refused.value.problem.needs == ("data_processing", "data_storage")
        assert refused.value.request_id
        ada.grant_consent(names=("data_processing", "data_storage"), terms=TERMS)
        written = ada.remember(
            body="Likes tea in the morning", category=Category.PREFERENCE, subject="drink", idempotency_key="first"
        )
        assert isinstance(written, Written)
        again = ada.remember(
            body="Likes tea in the morning", category=Category.PREFERENCE, subject="drink", idempotency_key="first"
        )
        assert isinstance(again, Written)
        assert again.entry.id == written.entry.id
        with pytest.raises(ConflictingError, match="idempotency-conflict"):
            ada.remember(body="Likes coffee", idempotency_key="first")
        found = ada.recall(text="what to drink in the morning", contexts=frozenset({Context.GENERAL}))
        assert isinstance(found, RecallResult)
        assert [hit.entry.body for hit in found.hits] == ["Likes tea in the morning"]
        assert isinstance(ada.explain(written.entry.logical_id, text="tea"), Explanation)
        page = ada.list_memories(category=Category.PREFERENCE, origin=Origin.USER_STATED, limit=1)
        assert isinstance(page.memories[0], MemoryEntry)
        asked = ada.remember(body="Likes coffee in the morning", category=Category.PREFERENCE, subject="drink")
        assert isinstance(asked, AskUser)
        revised = ada.revise_memory(
            written.entry.logical_id, body="Likes green tea in the morning", if_match=f'"{written.entry.id}"'
        )
        assert isinstance(revised, (Written, AskUser))
        with pytest.raises(StaleRevisionError):
            ada.revise_memory(written.entry.logical_id, body="Likes white tea", if_match='"another"')
        with pytest.raises(NotThereError, match="unknown-memory"):
            ada.show_memory("no such?memory")
        with pytest.raises(InvalidRequestError) as wrong:
            ada.list_memories(limit=0)
        assert wrong.value.problem.errors[0].field == "query.limit"
        receipt = ada.forget_memory(written.entry.logical_id, scan=False)
        assert receipt.memories == 1
    assert ada._http.is_closed


def test_uploads_and_streams(world: World) -> None:
    with IrisClient(world.address, token=_token(world, "importing", may_audit=True)) as client:
        client.grant_consent(names=("data_processing", "data_storage"), terms=TERMS)
        line = json.dumps({"text": "Plays the cello", "author": "user"}).encode() + b"\n"
        report = client.import_export(content=line, format=Format("jsonl"))
        assert report.taken == 1
        lines = b"".join(client.export_audit()).splitlines()
        assert all(json.loads(each) for each in lines)
        assert client.verify_audit().ok
    with IrisClient(world.address, token=_token(world, "plain")) as plain, pytest.raises(RefusedByPolicyError):
        list(plain.export_audit())


def test_an_assistant_acts_for_one_person(world: World) -> None:
    admin = _token(world, "op", roles=frozenset({Role.ADMIN}))
    with IrisClient(world.address, token=admin) as operator:
        minted = operator.mint_service_token(name="travel", days=1)
    assert isinstance(minted, MintedToken)
    with IrisClient(world.address, token=minted.secret) as service:
        token = service.exchange_service_token(user="ada").access_token
        with pytest.raises(UnauthenticatedError):
            service.list_memories()
    with IrisClient(world.address, token=token) as assistant:
        assert assistant.show_consent().active is not None


def test_the_same_awaited(world: World) -> None:
    async def day() -> None:
        async with AsyncIrisClient(world.address, token=_token(world, "async", may_audit=True)) as client:
            await client.grant_consent(names=("data_processing", "data_storage"), terms=TERMS)
            written = await asyncio.gather(*(client.remember(body=f"Fact {number}") for number in range(8)))
            assert all(isinstance(each, Written) for each in written)
            assert (await client.list_memories()).total == 8
            assert b"".join([piece async for piece in client.export_audit()])
            with pytest.raises(NotThereError):
                await client.show_memory("never-was")
        async with AsyncIrisClient(world.address) as nobody:
            assert (await nobody.health()).status == "ok"
            with pytest.raises(UnauthenticatedError):
                await nobody.recall(text="x")

    asyncio.run(day())


def test_a_problem_of_something_between_is_a_problem_too() -> None:
    error = error_of(502, b"<html>bad gateway</html>", {})
    assert isinstance(error, ServiceFailedError)
    assert (error.code, error.problem.status, error.retry_after) == ("unknown", 502, None)
    limited = error_of(429, b"{}", {"retry-after": "7", "x-request-id": "r"})
    assert isinstance(limited, TooManyRequestsError)
    assert (limited.retry_after, limited.request_id) == (7, "r")
    assert isinstance(error_of(418, b"", {"retry-after": "soon"}), ProblemError)


def test_what_is_left_out_is_not_sent_and_a_null_is() -> None:
    operation = Operation[Any]("PATCH", "/v1/memories/{logical_id}", dict)
    told = request_of(
        operation,
        path={"logical_id": "a/../b?c"},
        query={"scan": False, "limit": 3, "cursor": None, "origin": Origin.USER_STATED, "category": UNSET},
        headers={"If-Match": UNSET, "Idempotency-Key": "k"},
        body=ReviseBody.of(body="x", category=UNSET, subject=None),
    )
    assert told["url"] == "/v1/memories/a%2F..%2Fb%3Fc"
    assert told["params"] == {"scan": "false", "limit": "3", "origin": "user-stated"}
    assert told["headers"] == {"Idempotency-Key": "k", "Content-Type": "application/json"}
    assert json.loads(told["content"]) == {"body": "x", "subject": None}


def test_ones_own_transport_is_used() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"status": "ok"})

    own = httpx.Client(transport=httpx.MockTransport(answer))
    with IrisClient("https://memory.example.com/", token="t", http=own) as client:
        client.health()
    assert str(seen[0].url) == "https://memory.example.com/health"
    assert seen[0].headers["authorization"] == "Bearer t"
