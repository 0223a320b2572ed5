"""Problems name fields, rules and codes; no value that was given and no word of a memory is in one, or in a log."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from http_world import World, remembered

from iris_memory.errors import KeyDestroyedError, StorageError, StoreBusyError, StoreFullError
from iris_memory.http.problems import ALL
from iris_memory.http.shield import BODY_MOST, SECURITY_HEADERS

pytestmark = pytest.mark.enable_socket
CANARY = "xylocanary"


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Catch everything that is logged by anybody at any level, then look for the canary."""
    with caplog.at_level(logging.DEBUG):
        yield caplog
    for record in caplog.records:
        if record.name.partition(".")[0] not in {"httpcore", "httpx"}:  # the test's own client
            assert CANARY not in record.getMessage()
            assert record.exc_info is None


def _is_problem(answer: httpx.Response, code: str) -> dict[str, Any]:
    told: dict[str, Any] = answer.json()
    row = ALL[code]
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(told) == {"type", "title", "status", "detail", "code", "needs", "errors"}
    assert (told["code"], told["status"], answer.status_code) == (code, row.status, row.status)
    assert (told["title"], told["type"]) == (row.title, f"/docs#problem-{code}")
    assert CANARY not in answer.text
    assert CANARY not in str(answer.headers)
    return told


INVALID: list[tuple[str, str, Any, str, str]] = [
    ("POST", "/v1/memories", {}, "body.body", "missing"),
    ("POST", "/v1/memories", {"body": ""}, "body.body", "string too short, at least 1"),
    ("POST", "/v1/memories", {"body": CANARY * 500}, "body.body", "string too long, at most 4000"),
    ("POST", "/v1/memories", {"body": 7}, "body.body", "string type"),
    ("POST", "/v1/memories", {"body": "\x00" + CANARY}, "body.body", "text holds no NUL"),
    ("POST", "/v1/memories", {"body": "x", "category": CANARY}, "body.category", "is one of 'fact', 'preference'"),
    ("POST", "/v1/memories", {"body": "x", CANARY: CANARY}, "body", "extra forbidden"),
    ("POST", "/v1/memories", {"body": "x", "scope": {"kind": CANARY}}, "body.scope", "is one of 'profile'"),
    ("POST", "/v1/memories", {"body": "x", "expires_at": CANARY}, "body.expires_at", "an instant is a date and time"),
    ("POST", "/v1/memories", {"body": "x", "expires_at": 1}, "body.expires_at", "an instant is a date and time"),
    ("POST", "/v1/memories", {"body": "x", "session_id": CANARY + "\n"}, "body.session_id", "no control characters"),
    ("POST", "/v1/memories", {"body": "x", "actor": {"name": CANARY, CANARY: 1}}, "body.actor", "extra forbidden"),
    ("POST", "/v1/memories", [CANARY], "body", "model type"),
    ("POST", "/v1/memories/batch", {"statements": []}, "body.statements", "too short"),
    ("POST", "/v1/memories/batch", {"statements": [{"body": "x"}, {CANARY: 1}]}, "body.statements.1.body", "missing"),
    ("POST", "/v1/recall", {"text": CANARY, "contexts": [CANARY]}, "body.contexts.0", "is one of 'general'"),
    ("POST", "/v1/recall", {"text": CANARY, "limit": -1}, "body.limit", "greater than equal, at least 0"),
    ("POST", "/v1/forget", {"category": CANARY}, "body.category", "is one of"),
    ("POST", "/v1/forget", {"everything": CANARY}, "body.everything", "bool type"),
    ("POST", "/v1/erase", {"erase": CANARY}, "body.erase", "is one of 'everything-about-me'"),
    ("POST", "/v1/consent/grant", {"names": [CANARY], "terms": CANARY}, "body.names.0", "there is no such consent"),
    ("PUT", "/v1/opt-outs", {"names": [CANARY]}, "body.names.0", "is one of 'memory'"),
    ("POST", f"/v1/questions/{CANARY}/answer", {"decision": "keep", "digest": CANARY}, "body.digest", "pattern"),
    ("GET", f"/v1/memories?limit={CANARY}", None, "query.limit", "int parsing"),
    ("GET", f"/v1/memories?category={CANARY}", None, "query.category", "is one of"),
    ("POST", f"/v1/import?format={CANARY}", None, "query.format", "is one of 'chatgpt'"),
]


@pytest.mark.parametrize(("method", "path", "body", "field", "rule"), INVALID)
def test_a_broken_rule_is_named_and_the_value_is_not(
    world: World, logged: pytest.LogCaptureFixture, method: str, path: str, body: Any, field: str, rule: str
) -> None:
    answer = world.consenting("invalid").request(method, path, json=body)
    errors = _is_problem(answer, "invalid")["errors"]
    assert any(each["field"] == field and rule in each["rule"] for each in errors), errors


def test_what_the_flows_call_invalid_is_a_problem_too(world: World, logged: pytest.LogCaptureFixture) -> None:
    me = world.consenting("flows")
    for body in ({}, {"category": "fact", "everything": True}):
        assert "exactly one" in _is_problem(me.post("/v1/forget", json=body), "invalid")["detail"]
    assert me.get("/v1/memories", params={"cursor": CANARY}).status_code == 422
    _is_problem(me.get("/v1/memories", params={"cursor": CANARY}), "invalid")


def test_a_body_that_is_no_json_or_not_called_so(world: World, logged: pytest.LogCaptureFixture) -> None:
    me = world.consenting("unreadable")
    for content in (f'{{"body": "{CANARY}"'.encode(), CANARY.encode(), b"\xff\xfe" + CANARY.encode()):
        answer = me.post("/v1/memories", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code in {400, 422}
        _is_problem(answer, "invalid" if answer.status_code == 422 else "unreadable-body")
    surrogate = b'{"body": "' + CANARY.encode() + b'\\ud800"}'
    _is_problem(me.post("/v1/memories", content=surrogate, headers={"Content-Type": "application/json"}), "invalid")
    deep = b"[" * 100_000
    answer = me.post("/v1/memories", content=deep, headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 422}
    long = b'{"body": ' + b"9" * 10_000 + b"}"
    assert me.post("/v1/memories", content=long, headers={"Content-Type": "application/json"}).status_code == 400
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        body = json.dumps({"body": CANARY}).encode()
        _is_problem(me.post("/v1/memories", content=body, headers={"Content-Type": kind}), "not-json")
    assert me.get("/v1/memories").json()["total"] == 0


def test_refusals_repeat_no_word(world: World, logged: pytest.LogCaptureFixture) -> None:
    me = world.as_("refused")
    _is_problem(me.post("/v1/memories", json={"body": CANARY, "subject": CANARY}), "consent-missing")
    world.consenting("refused")
    told = _is_problem(
        me.post("/v1/memories", json={"body": CANARY, "category": "medical"}), "sensitive-category-without-consent"
    )
    assert told["needs"] == ["category:medical"]
    _is_problem(me.post("/v1/memories", json={"body": f"{CANARY}\U000e0041"}), "hidden-characters")
    _is_problem(me.post("/v1/memories", json={"body": CANARY, "label": "web"}), "origin-above-ceiling")
    past = {"body": CANARY, "expires_at": "2020-01-01T00:00:00Z"}
    _is_problem(me.post("/v1/memories", json=past), "already-expired")
    remembered(me, f"The {CANARY} sings", subject=CANARY)
    inferred = {"body": f"A {CANARY} hums", "subject": CANARY, "label": "assistant", "origin": "model-inferred"}
    _is_problem(me.post("/v1/memories", json=inferred), "conflict-kept-existing")
    _is_problem(me.get(f"/v1/memories/{CANARY}"), "unknown-memory")
    _is_problem(me.get(f"/{CANARY}"), "no-such-address")
    refused = me.put("/v1/memories", json={"body": CANARY})
    _is_problem(refused, "method-not-allowed")
    assert refused.headers["allow"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreBusyError(CANARY), "store-busy"),
        (StoreFullError(CANARY), "store-full"),
        (StorageError(CANARY), "storage-failed"),
        (KeyDestroyedError(CANARY), "defect"),
        (RuntimeError(CANARY), "defect"),
        (KeyError(CANARY), "defect"),
    ],
)
def test_what_fails_inside_stays_inside(
    world: World, logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    def fail(*args: object) -> None:
        raise error

    me = world.consenting("inside")
    monkeypatch.setattr("iris_memory.flows.recall.recall", fail)
    answer = me.post("/v1/recall", json={"text": CANARY})
    told = _is_problem(answer, code)
    assert told["detail"] == ALL[code].title
    assert ("retry-after" in answer.headers) is (code == "store-busy")
    ours = [record for record in logged.records if record.name.startswith("iris_memory")]
    assert len(ours) == (1 if answer.status_code >= 500 else 0)
    assert "/v1/recall" in ours[0].getMessage()
    assert type(error).__name__ in ours[0].getMessage()


def test_a_body_that_is_too_large_is_refused_declared_or_not(world: World, logged: pytest.LogCaptureFixture) -> None:
    me = world.consenting("large")
    large = json.dumps({"body": CANARY * (BODY_MOST // len(CANARY))}).encode() + b" " * 64
    assert len(large) > BODY_MOST

    def in_pieces() -> Iterator[bytes]:
        for start in range(0, len(large), 64_000):
            yield large[start : start + 64_000]

    headers = {"Content-Type": "application/json"}
    _is_problem(me.post("/v1/memories", content=in_pieces(), headers=headers), "too-large")
    _is_problem(me.post("/v1/memories", content=large, headers=headers), "too-large")
    statements = {"statements": [{"body": "x" * 3_000} for _ in range(900)]}
    assert len(json.dumps(statements)) > BODY_MOST
    assert me.post("/v1/memories/batch", json=statements).status_code == 200


def test_an_upload_is_limited_and_leaves_no_file(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, logged: pytest.LogCaptureFixture
) -> None:
    import tempfile

    from http_world import served

    from iris_memory.http import application

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(application.create_app.__kwdefaults__, "import_most", 2_000)
    with served(tmp_path / "world") as small:
        me = small.consenting("uploader")
        line = json.dumps({"text": f"Likes {CANARY}"}).encode() + b"\n"
        assert me.post("/v1/import", params={"format": "jsonl"}, content=line).json()["taken"] == 1

        def in_pieces() -> Iterator[bytes]:
            for _ in range(200):
                yield line

        _is_problem(me.post("/v1/import", params={"format": "jsonl"}, content=in_pieces()), "too-large")
        _is_problem(me.post("/v1/import", params={"format": "jsonl"}, content=line * 200), "too-large")
        _is_problem(me.post("/v1/import", params={"format": "claude"}, content=b"\x00" + line), "wrong-format")
        assert me.get("/v1/memories").json()["total"] == 1
        assert list(tmp_path.glob("iris-import-*")) == []


def test_every_answer_carries_the_security_headers_and_no_other_origin_is_let_in(world: World) -> None:
    me = world.consenting("headers")
    asked = [
        me.get("/v1/memories"),
        me.get("/v1/memories/none"),
        me.post("/v1/memories", json={}),
        world.nobody().get("/v1/memories"),
        world.nobody().get("/health"),
        world.nobody().get("/nothing"),
        world.nobody().options("/v1/memories", headers={"Origin": "https://evil.example"}),
    ]
    for answer in asked:
        for name, value in SECURITY_HEADERS.items():
            assert answer.headers[name] == value
        assert "server" not in answer.headers
        assert not any(name.startswith("access-control") for name in answer.headers)
