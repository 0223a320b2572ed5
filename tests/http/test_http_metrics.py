"""What operators see of the service: counts, times, ids of requests. Of what anybody said or is called, nothing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_world import World, remembered, served
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import Holder
from iris_memory.http.conduct import Conduct
from iris_memory.http.metrics import may_read
from iris_memory.http.observing import RequestLog, request_logger

pytestmark = pytest.mark.enable_socket
CANARY = "xylocanary"
OWN_ID = "f00-Bar_1.2"


def _samples(world: World, name: str) -> dict[tuple[tuple[str, str], ...], float]:
    text = world.nobody().get("/metrics").text
    return {
        tuple(sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name
    }


def test_requests_are_counted_by_route_and_status(world: World) -> None:
    ada = world.consenting(CANARY)
    memory = remembered(ada, f"Likes the {CANARY}")
    before = _samples(world, "iris_http_requests_total")
    for _ in range(3):
        ada.get(f"/v1/memories/{memory}")
    ada.get(f"/v1/memories/{CANARY}")
    ada.get(f"/{CANARY}")
    world.nobody().get("/v1/memories")
    after = _samples(world, "iris_http_requests_total")

    def grown(**labels: str) -> float:
        key = tuple(sorted(labels.items()))
        return after.get(key, 0) - before.get(key, 0)

    assert grown(method="GET", route="/v1/memories/{logical_id}", status="200") == 3
    assert grown(method="GET", route="/v1/memories/{logical_id}", status="404") == 1
    assert grown(method="GET", route="other", status="404") == 1
    assert grown(method="GET", route="other", status="401") == 1
    text = world.nobody().get("/metrics").text
    assert CANARY not in text
    assert memory not in text
    assert _samples(world, "iris_http_requests_in_progress") == {(): 1.0}  # the one that asks


def test_the_metrics_are_for_this_machine_or_an_auditor() -> None:
    def scope(client: tuple[str, int] | None, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
        return {"client": client, "headers": [(b"host", b"x"), *headers]}

    here, there = ("127.0.0.1", 1), ("192.0.2.1", 1)
    auditor, other = Holder("acme", "a", roles=frozenset({Role.AUDITOR})), Holder("acme", "a")
    assert may_read(scope(here), None)
    assert may_read(scope(("::1", 1)), other)
    assert may_read(scope(there), auditor)
    assert not may_read(scope(there), other)
    for name in (b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"):  # a proxy of this machine asks for others
        assert not may_read(scope(here, (name, b"1")), None)
    assert not may_read(scope(None), None)
    assert not may_read(scope(("no address", 1)), None)


def test_through_a_proxy_there_is_nothing_to_see(world: World) -> None:
    answer = world.nobody(**{"X-Forwarded-For": "192.0.2.1"}).get("/metrics")
    assert (answer.status_code, answer.json()["code"]) == (404, "no-such-address")
    assert world.as_("auditor").get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 200
    plain = world.as_("plain", may_audit=False).get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"})
    assert plain.status_code == 404


def test_every_answer_has_a_request_id_and_only_a_plain_one_is_taken_over(world: World) -> None:
    client = world.nobody()
    assert client.get("/health", headers={"X-Request-Id": OWN_ID}).headers["x-request-id"] == OWN_ID
    assert client.get("/v1/memories", headers={"X-Request-Id": OWN_ID}).headers["x-request-id"] == OWN_ID
    made = {client.get("/health").headers["x-request-id"] for _ in range(5)}
    assert len(made) == 5
    for wrong in ("short", "x" * 65, "with space", 'a"b{c}def', "ünïcode-id".encode(), "12345678\t9"):
        told = client.get("/health", headers=[("X-Request-Id", wrong)]).headers["x-request-id"]  # type: ignore[list-item]
        assert re.fullmatch("[0-9a-f]{32}", told)
    twice = client.get("/health", headers=[("X-Request-Id", OWN_ID), ("X-Request-Id", OWN_ID)])
    assert twice.headers["x-request-id"] != OWN_ID


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[tuple[World, io.StringIO, InMemorySpanExporter]]:
    """A service whose lines and spans are kept here."""
    lines, spans = io.StringIO(), InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    conduct = Conduct(requests=RequestLog.ALL, log=request_logger(lines), tracer=provider.get_tracer("test"))
    with served(tmp_path, conduct=conduct) as world:
        yield world, lines, spans
    provider.shutdown()


def test_lines_and_spans_name_the_route_and_hold_no_word(
    seen: tuple[World, io.StringIO, InMemorySpanExporter],
) -> None:
    world, lines, spans = seen
    ada = world.consenting(CANARY)
    memory = remembered(ada, f"Likes the {CANARY}")
    ada.get(f"/v1/memories/{memory}", params={"note": CANARY}, headers={"X-Request-Id": OWN_ID})
    ada.post("/v1/recall", json={"text": CANARY})
    ada.get(f"/v1/memories/{CANARY}")
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert all(
        set(line) == {"event", "request_id", "method", "route", "status", "milliseconds", "timestamp"} for line in told
    )
    (own,) = [line for line in told if line["request_id"] == OWN_ID]
    assert (own["event"], own["method"], own["route"], own["status"]) == (
        "request",
        "GET",
        "/v1/memories/{logical_id}",
        200,
    )
    finished = spans.get_finished_spans()
    assert len(finished) == len(told)
    assert [span.name for span in finished] == [f"{line['method']} {line['route']}" for line in told]
    everything = lines.getvalue() + "".join(span.to_json() for span in finished)
    assert CANARY not in everything
    assert memory not in everything
    assert set(finished[-1].attributes or {}) == {
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "iris.request_id",
    }


def test_errors_alone_get_a_line_where_that_is_chosen(tmp_path: Path) -> None:
    lines = io.StringIO()
    conduct = Conduct(requests=RequestLog.ERRORS, log=request_logger(lines))
    with served(tmp_path, conduct=conduct) as world:
        world.as_("ada").get("/v1/memories")
        world.nobody().get("/v1/memories")
        world.iris.close()
        failed = world.nobody().get("/ready")
        assert failed.status_code == 500
    (line,) = lines.getvalue().splitlines()
    assert json.loads(line)["request_id"] == failed.headers["x-request-id"]
