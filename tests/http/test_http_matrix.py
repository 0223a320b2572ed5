"""The authorisation matrix, from the OpenAPI document: every operation by every role, and what is own, foreign, absent.

What it expects stands in authority_matrix.toml, apart from the table the service runs by: a change of either alone
fails, and so does a new address that neither knows.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest
from http_world import World, remembered

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import DevelopmentTokens
from iris_memory.http.application import create_app
from iris_memory.http.authority import AUTHORITY, row_of

pytestmark = pytest.mark.enable_socket

TABLE = tomllib.loads(Path(__file__).with_name("authority_matrix.toml").read_text(encoding="utf-8"))
ABSENT: Final = "019cae3f-5c40-7000-8000-5f2c1d9a7b31"
ABSENT_OF: Final = {"sequence": "4503599627370496"}
"""What is absent where an id is a number."""
WORDS: Final = {
    "anybody": frozenset(Role),
    "in-person": frozenset(Role) - {Role.ASSISTANT},
    "operators": frozenset(Role) - {Role.ASSISTANT, Role.CUSTOMER, Role.AUDITOR},
    "auditor": frozenset({Role.AUDITOR}),
    "admin": frozenset({Role.ADMIN}),
    "service": frozenset[Role](),
}


class Operation(NamedTuple):
    """One operation of the API, with a body that is valid and the query it needs."""

    method: str
    path: str
    params: dict[str, str]
    body: Any
    media: str

    def ask(self, client: httpx.Client, ids: dict[str, str]) -> httpx.Response:
        path = re.sub(r"{(\w+)}", lambda name: ids.get(name.group(1), ABSENT_OF.get(name.group(1), ABSENT)), self.path)
        if isinstance(self.body, str):
            headers = {"Content-Type": self.media}
            return client.request(self.method, path, params=self.params, content=self.body.encode(), headers=headers)
        return client.request(self.method, path, params=self.params, json=self.body)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def _operations() -> Iterator[Operation]:
    with_no_store: Any = None
    for path, methods in create_app(with_no_store, tokens=DevelopmentTokens()).openapi()["paths"].items():
        for method, told in methods.items():
            content = told.get("requestBody", {}).get("content", {})
            examples = [(each["value"], media) for media, body in content.items() for each in body["examples"].values()]
            needed = [each for each in told.get("parameters", []) if each.get("required") and each["in"] == "query"]
            params = {each["name"]: "jsonl" for each in needed}
            body, media = examples[0] if examples else (None, "")
            if path.startswith("/v1/"):
                yield Operation(method.upper(), path, params, body, media)


OPERATIONS: Final = tuple(_operations())
STREAMS: Final = ("/v1/events",)
"""Answers without an end; who may open them is asked by `test_http_events.py`."""
ASKED: Final = tuple(each for each in OPERATIONS if not each.path.startswith(STREAMS) or each.method != "GET")
CHOSEN: Final = "/v1/bridge/sessions/{session_id}"
"""Ids that a caller chooses: another's session of the same name is another session."""
NAMED: Final = tuple(each for each in ASKED if "{" in each.path and not each.path.startswith(CHOSEN))


def _expected(operation: Operation) -> frozenset[Role]:
    fitting = []
    for key, word in TABLE["opens"].items():
        method, _, prefix = key.rpartition(" ")
        is_under = operation.path == prefix or operation.path.startswith(prefix + "/")
        if is_under and method in {"", operation.method}:
            fitting.append((len(prefix), word))
    return WORDS[max(fitting)[1]] if fitting else WORDS["anybody"]


@pytest.mark.parametrize("role", Role)
def test_every_operation_opens_to_the_roles_of_its_row_and_to_no_other(world: World, role: Role) -> None:
    client = world.as_(f"somebody as {role}", may_audit=False, roles=[role])
    wrong = []
    for operation in ASKED:
        answer = operation.ask(client, {})
        assert answer.status_code < 500, (operation, answer.text)
        is_shut = answer.status_code in {401, 403} and answer.json()["code"] in {"not-permitted", "unauthenticated"}
        if is_shut is (role in _expected(operation)):
            wrong.append(f"{operation}: {'shut' if is_shut else 'open'}")
    assert wrong == []


def test_a_token_without_a_role_opens_nothing(world: World) -> None:
    client = world.as_("nobody in particular", may_audit=False, roles=[])
    for operation in OPERATIONS:
        answer = operation.ask(client, {})
        assert answer.json()["code"] in {"not-permitted", "unauthenticated"}, operation


def test_every_operation_has_a_row_in_the_table_the_service_runs_by() -> None:
    assert [str(each) for each in OPERATIONS if row_of(each.path) is None] == []
    assert row_of("/v1/a-route-that-nobody-entered") is None


def test_an_address_without_a_row_opens_to_nobody(world: World) -> None:
    from fastapi import APIRouter
    from fastapi.testclient import TestClient

    from iris_memory.access.tokens import Holder
    from iris_memory.http.caller import TOKEN

    router = APIRouter(prefix="/v1")

    @router.get("/a-route-that-nobody-entered")
    def opened() -> str:
        return "open"

    tokens = DevelopmentTokens()
    token = tokens.mint(Holder("acme", "ada", may_audit=True, always_fresh=True, roles=frozenset(Role)))
    app = create_app(world.iris, tokens=tokens)
    app.include_router(router, dependencies=[TOKEN])
    answer = TestClient(app).get("/v1/a-route-that-nobody-entered", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


def test_no_line_of_either_table_is_idle() -> None:
    prefixes = [*AUTHORITY, *(key.rpartition(" ")[2] for key in TABLE["opens"])]
    for prefix in prefixes:
        is_used = any((each.path + "/").startswith(prefix + "/") for each in OPERATIONS)
        assert is_used or prefix in {"/mcp", "/governance"}, prefix
    assert all(key in {str(each) for each in NAMED} for key in TABLE["never-absent"])


DESK: Final[list[httpx.Client]] = []
"""The client of an operator who signs off, while a test runs."""


def _memory(owner: httpx.Client, user: str) -> str:
    del user
    return remembered(owner, "Likes the window", category="preference", subject="seat of the matrix")


def _question(owner: httpx.Client, user: str) -> str:
    _memory(owner, user)
    aisle = {"body": "Likes the aisle", "category": "preference", "subject": "seat of the matrix"}
    return str(owner.post("/v1/memories", json=aisle).json()["question_id"])


def _request(owner: httpx.Client, user: str) -> str:
    del user
    payload = {"kind": "object", "purposes": ["history"]}
    return str(owner.post("/v1/rights", json={"payload": payload}).json()["request_id"])


def _approval(owner: httpx.Client, user: str) -> str:
    del user
    leave = {"adapter_scope": "tenant", "reason": "pilot", "for_days": 30}
    return str(owner.post("/v1/approvals", json=leave).json()["request_id"])


def _hold(owner: httpx.Client, user: str) -> str:
    placed = {"of_user": user, "reference": "case 1", "reason": "asked", "expires_at": "2999-01-01T00:00:00Z"}
    return str(owner.post("/v1/desk/legal-holds", json=placed).json()["hold_id"])


def _token(owner: httpx.Client, user: str) -> str:
    del user
    return str(owner.post("/v1/service-tokens", json={"name": "of the matrix"}).json()["token"]["token_id"])


def _export(owner: httpx.Client, user: str) -> str:
    """Of a request that an operator of the tenant, another person, has signed off."""
    del user
    request_id = str(owner.post("/v1/rights", json={"payload": {"kind": "export"}}).json()["request_id"])
    owner.post(f"/v1/rights/{request_id}/steps", json={"step": "verify"})
    seen = {"step": "sign-off", "method": "operator-signoff", "declared": True}
    assert DESK[0].post(f"/v1/desk/rights/{request_id}/steps", json=seen).status_code == 200
    made = owner.post("/v1/exports", json={"request_id": request_id})
    assert made.status_code == 201, made.text
    return request_id


def _inspection(owner: httpx.Client, user: str) -> str:
    wish = next(each.body for each in OPERATIONS if str(each) == "POST /v1/inspections")
    asked = owner.post("/v1/inspections", json={**wish, "of_user": user})
    assert asked.status_code == 201, asked.text
    return str(asked.json()["inspection_id"])


def _event(owner: httpx.Client, user: str) -> str:
    _memory(owner, user)
    return str(owner.get("/v1/audit/events", params={"limit": 1}).json()["lines"][0]["sequence"])


def _receipt(owner: httpx.Client, user: str) -> str:
    return str(owner.delete(f"/v1/memories/{_memory(owner, user)}", params={"scan": False}).json()["receipt_id"])


THINGS: Final[dict[str, tuple[str, Callable[[httpx.Client, str], str]]]] = {
    "/v1/memories/{logical_id}": ("logical_id", _memory),
    "/v1/explain/{logical_id}": ("logical_id", _memory),
    "/v1/reviews/{logical_id}": ("logical_id", _memory),
    "/v1/questions/{question_id}": ("question_id", _question),
    "/v1/inbox/{question_id}": ("question_id", _question),
    "/v1/rights/{request_id}": ("request_id", _request),
    "/v1/desk/rights/{request_id}": ("request_id", _request),
    "/v1/approvals/{request_id}": ("request_id", _approval),
    "/v1/desk/legal-holds/{hold_id}": ("hold_id", _hold),
    "/v1/service-tokens/{token_id}": ("token_id", _token),
    "/v1/exports/{request_id}": ("request_id", _export),
    "/v1/inspections/{inspection_id}": ("inspection_id", _inspection),
    "/v1/receipts/{receipt_id}": ("receipt_id", _receipt),
    "/v1/audit/events/{sequence}": ("sequence", _event),
}
"""How a thing is made that an operation names, by the address up to its id."""

OF_TENANT: Final = ("/v1/desk", "/v1/approvals", "/v1/service-tokens", "/v1/inspections", "/v1/audit")
"""Things of a tenant: to its own operators none is foreign."""


def _everybody(world: World, user: str, tenant: str = "acme", roles: Iterable[Role] = Role) -> httpx.Client:
    client = world.as_(user, tenant=tenant, roles=list(roles))
    if client.get("/v1/memories").json()["total"] == 0:
        body = {"names": ["data_processing", "data_storage"], "terms": "We keep what you tell us."}
        assert client.post("/v1/consent/grant", json=body).status_code == 200
    return client


@pytest.mark.parametrize("operation", NAMED, ids=str)
def test_what_is_foreign_reads_like_what_is_absent_and_what_is_own_does_not(world: World, operation: Operation) -> None:
    start = re.match(r"[^}]*}", operation.path)
    assert start is not None
    assert start.group() in THINGS, "say in THINGS how such a thing is made"
    name, make = THINGS[start.group()]
    user = f"owner of {operation}".replace("/", ".")
    # an operator of several roles has to say which one looks
    roles = (Role.CUSTOMER, Role.SUPPORT) if operation.path.startswith("/v1/inspections") else tuple(Role)
    owner = _everybody(world, user, roles=roles)
    DESK[:] = [world.as_("desk", roles=[Role.AUDITOR])]
    ids = {name: make(owner, user)}
    strangers = [_everybody(world, "owner", tenant="rival", roles=roles)]
    if not operation.path.startswith(OF_TENANT):
        strangers += [_everybody(world, "stranger"), world.as_("never seen", roles=list(Role))]
    for stranger in strangers:
        foreign, absent = operation.ask(stranger, ids), operation.ask(stranger, {})
        assert (absent.status_code == 404) is (str(operation) not in TABLE["never-absent"]), absent.text
        assert (foreign.status_code, foreign.content) == (absent.status_code, absent.content)
        assert sorted(foreign.headers) == sorted(absent.headers)
    own = operation.ask(owner, ids)
    assert own.status_code < 500, own.text
    assert own.status_code != 404, own.text


def test_a_session_of_the_same_name_is_another_persons_own(world: World) -> None:
    operations = [each for each in ASKED if each.path.startswith(CHOSEN)]
    assert len(operations) >= 5
    owner = _everybody(world, "owner of a session")
    turns = {"turns": [{"turn_id": "t1", "sequence": 1, "role": "user", "text": "Whispers zebra-canary"}]}
    assert owner.post("/v1/bridge/sessions/tuesday/turns", json=turns).status_code == 200
    before = owner.get("/v1/bridge/sessions/tuesday/turns").json()
    assert "zebra-canary" in str(before)
    for stranger in (_everybody(world, "stranger"), _everybody(world, "owner of a session", tenant="rival")):
        for operation in operations:
            answer = operation.ask(stranger, {"session_id": "tuesday"})
            assert answer.status_code < 500
            assert "zebra-canary" not in answer.text
    assert owner.get("/v1/bridge/sessions/tuesday/turns").json() == before
