"""Webhooks: every event at least once, in order, signed, across kills; nothing of the inside is reached."""

from __future__ import annotations

import base64
import hmac
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from flows.stores import OpenIris, SteppingClock, actions, person, refused, sound, written
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.events import EventName
from iris_memory.contracts.webhook import WebhookRegistered
from iris_memory.errors import ContractError
from iris_memory.flows.webhooks import deliver_due
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.webhooks import pause_after
from iris_memory.tables.bridging import FIRST_PAUSE, LEASE, LONGEST_PAUSE, WEBHOOKS_MOST
from iris_memory.wiring.courier import HttpCourier
from words import stands_in

URL = "https://audit.example/iris"


class PowerCutError(Exception):
    """The process is gone."""


@dataclass
class Taken:
    """A courier that notes what it is given and answers as it is told; `None` means the process ends first."""

    answers: list[int | None] = field(default_factory=list)
    took: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> int:
        assert url.startswith(("https://audit.example/", "http://127.0.0.1"))
        answer = self.answers.pop(0) if self.answers else 204
        if answer is None:
            raise PowerCutError
        self.took.append((dict(headers), body))
        return answer

    def names(self) -> list[str]:
        return [json.loads(body)["name"] for _, body in self.took]


def hooked(iris: Iris, *events: str, url: str = URL) -> WebhookRegistered:
    registered = iris.webhooks("acme").register(url, events=events or tuple(EventName))
    assert isinstance(registered, WebhookRegistered)
    return registered


def test_nothing_is_sent_where_none_is_registered(iris: Iris, me: PersonMemory) -> None:
    written(me.remember("Prefers quiet trains"))
    courier = Taken()
    assert deliver_due(iris.instruments, courier) == (0, 0)
    assert courier.took == []


def test_what_happens_from_now_on_is_sent_once_in_order_and_without_text(iris: Iris, me: PersonMemory) -> None:
    me.recall("before")
    hooked(iris)
    stored = written(me.remember("Prefers quiet trains", subject="train"))
    me.remember("Prefers loud trains", subject="train")
    me.remember("Takes insulin", category="medical")
    me.recall("trains")
    me.pause("s1")
    courier = Taken()
    assert deliver_due(iris.instruments, courier).failed == 0
    assert courier.names() == [
        "memory.written", "memory.written", "question.raised", "memory.refused", "recall.completed", "pause.changed",
    ]  # fmt: skip
    assert json.loads(courier.took[0][1])["object_ids"] == [stored.entry.id]
    everything = b" ".join(body for _, body in courier.took)
    assert not [word for word in ("trains", "insulin", "ada", "s1") if stands_in(word, everything)]
    assert deliver_due(iris.instruments, courier) == (0, 0), "nothing twice"
    me.recall("after")
    assert deliver_due(iris.instruments, courier) == (1, 0)
    ids = [headers["webhook-id"] for headers, _ in courier.took]
    assert len(set(ids)) == len(ids)
    sound(iris)


def test_only_the_events_that_were_asked_for_are_sent(iris: Iris, me: PersonMemory) -> None:
    hooked(iris, "pause.changed")
    me.recall("x")
    me.pause("s1")
    courier = Taken()
    deliver_due(iris.instruments, courier)
    assert courier.names() == ["pause.changed"]
    assert deliver_due(iris.instruments, courier) == (0, 0)


def test_a_payload_is_signed_with_the_secret_that_was_told_once(iris: Iris, me: PersonMemory) -> None:
    registered = hooked(iris)
    me.recall("x")
    courier = Taken()
    deliver_due(iris.instruments, courier)
    ((headers, body),) = courier.took
    key = base64.b64decode(registered.secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{mac}"
    assert int(headers["webhook-timestamp"]) == int(iris.instruments.clock.now().timestamp())
    (listed,) = iris.webhooks("acme").list()
    assert registered.secret not in listed.model_dump_json()


def test_a_refused_message_is_sent_again_after_a_pause_that_grows(
    iris: Iris, me: PersonMemory, clock: SteppingClock
) -> None:
    hooked(iris, "recall.completed")
    me.recall("one")
    me.recall("two")
    courier = Taken([500, 0, 302, 204])
    assert deliver_due(iris.instruments, courier) == (0, 1)
    assert deliver_due(iris.instruments, courier) == (0, 0), "not before its time"
    for failures, status in ((1, 500), (2, 0), (3, 302)):
        (hook,) = iris.webhooks("acme").list()
        assert (hook.failures, hook.last_status) == (failures, status)
        assert hook.next_attempt_at == clock.now() + pause_after(failures)
        clock.step(pause_after(failures))
        deliver_due(iris.instruments, courier)
    (hook,) = iris.webhooks("acme").list()
    assert (hook.failures, hook.last_status) == (0, 204)
    sent = [headers["webhook-id"] for headers, _ in courier.took]
    assert len(sent) == 5
    assert len(set(sent[:4])) == 1, "the first message, until it is taken"
    assert len(set(sent)) == 2


def test_pauses_double_up_to_an_hour() -> None:
    assert [pause_after(number) for number in (0, 1, 2, 3)] == [
        FIRST_PAUSE,
        FIRST_PAUSE,
        2 * FIRST_PAUSE,
        4 * FIRST_PAUSE,
    ]
    assert pause_after(10_000) == LONGEST_PAUSE


@pytest.mark.parametrize("cut_at", range(4))
def test_a_kill_at_any_point_loses_nothing(open_iris: OpenIris, clock: SteppingClock, cut_at: int) -> None:
    iris = open_iris()
    me = person(iris)
    hooked(iris, "recall.completed")
    for text in ("one", "two", "three", "four"):
        me.recall(text)
    before = Taken([204] * cut_at + [None])
    with pytest.raises(PowerCutError):
        deliver_due(iris.instruments, before)
    iris.close()
    again, after = open_iris(), Taken()
    assert deliver_due(again.instruments, after) == (0, 0), "until the lease of the process that is gone is over"
    clock.step(LEASE)
    deliver_due(again.instruments, after)
    sent = [headers["webhook-id"] for headers, _ in (*before.took, *after.took)]
    assert len(set(sent)) == 4
    assert sent == sorted(set(sent), key=sent.index), "each once: the cut came before it was given out"


def test_an_event_taken_just_before_the_kill_comes_again_with_its_id(
    open_iris: OpenIris, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    iris = open_iris()
    me = person(iris)
    hooked(iris, "recall.completed")
    me.recall("one")
    courier = Taken()

    def cut(*given: Any, **named: Any) -> bool:
        raise PowerCutError

    with monkeypatch.context() as patched:
        patched.setattr("iris_memory.flows.webhooks._note", cut)
        with pytest.raises(PowerCutError):
            deliver_due(iris.instruments, courier)
    clock.step(LEASE)
    deliver_due(iris.instruments, courier)
    first, second = (headers["webhook-id"] for headers, _ in courier.took)
    assert first == second


def test_what_another_process_wrote_is_sent_as_well_and_by_one_alone(open_iris: OpenIris, clock: SteppingClock) -> None:
    one, two = open_iris(), open_iris()
    me = person(one)
    hooked(two, "recall.completed")
    me.recall("one")

    class Nested(Taken):
        def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> int:
            assert deliver_due(one.instruments, inner) == (0, 0), "the other has it to itself"
            return super().post(url, headers=headers, body=body)

    inner, outer = Taken(), Nested()
    assert deliver_due(two.instruments, outer) == (1, 0)
    assert inner.took == []


def test_a_webhook_is_removed_and_there_are_so_many_at_most(iris: Iris, me: PersonMemory) -> None:
    registered = hooked(iris)
    me.recall("x")
    desk = iris.webhooks("acme")
    assert desk.remove(registered.webhook.webhook_id)
    assert not desk.remove(registered.webhook.webhook_id)
    assert deliver_due(iris.instruments, Taken()) == (0, 0)
    for _ in range(WEBHOOKS_MOST):
        hooked(iris)
    assert refused(desk.register(URL)).reason is RefusalReason.WRITE_BUDGET_SPENT
    assert iris.webhooks("globex").list() == ()
    assert actions(iris).count("webhook.changed") == WEBHOOKS_MOST + 2


@pytest.mark.parametrize(
    "url",
    [
        "http://audit.example/",
        "ftp://audit.example/",
        "https://user:secret@audit.example/",
        "https://audit.example/#part",
        "https://",
        "http://10.0.0.1/",
        "http://localhost.example/",
        "https://audit.example:99999/",
        "https://aud it.example/",
        "javascript:alert(1)",
    ],
)
def test_an_address_is_https_or_this_machine(iris: Iris, url: str) -> None:
    with pytest.raises(ContractError) as told:
        iris.webhooks("acme").register(url)
    assert "secret" not in str(told.value)


class _Answering(BaseHTTPRequestHandler):
    """Answers what the path says, and notes the request."""

    seen: ClassVar[list[tuple[str, dict[str, str], bytes]]] = []

    def do_POST(self) -> None:
        """Answer."""
        body = self.rfile.read(int(self.headers["content-length"]))
        type(self).seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        status = int(self.path.strip("/").partition("?")[0])
        self.send_response(status)
        if status == 307:
            self.send_header("location", "/200")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[str]:
    """A server on loopback; its address."""
    _Answering.seen.clear()
    server = HTTPServer(("127.0.0.1", 0), _Answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.enable_socket
def test_a_real_message_arrives_and_a_redirect_is_not_followed(iris: Iris, me: PersonMemory, receiver: str) -> None:
    hooked(iris, "recall.completed", url=f"{receiver}/200?from=iris")
    me.recall("x")
    assert deliver_due(iris.instruments, HttpCourier()) == (1, 0)
    ((path, headers, body),) = _Answering.seen
    assert path == "/200?from=iris"
    assert json.loads(body)["name"] == "recall.completed"
    assert headers["content-type"] == "application/json"
    courier = HttpCourier()
    assert courier.post(f"{receiver}/307", headers={}, body=b"{}") == 307
    assert [path for path, _, _ in _Answering.seen] == ["/200?from=iris", "/307"]


@pytest.mark.enable_socket
def test_what_cannot_be_reached_is_no_answer(receiver: str) -> None:
    courier = HttpCourier(timeout=0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert courier.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", headers={}, body=b"") == 0
    assert courier.post(f"http://127.0.0.1:{silent_port()}/", headers={}, body=b"") == 0
    assert courier.post(receiver.replace("http:", "https:") + "/200", headers={}, body=b"") == 0, "no TLS there"


def silent_port() -> int:
    """Return a port nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    "inside", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.9", "::1", "fe80::1", "0.0.0.0", "100.64.0.1"]
)
def test_a_name_of_the_outside_that_leads_inside_is_not_connected_to(
    receiver: str, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    port = int(receiver.rpartition(":")[2])

    def lookup(host: str, port: int, **more: Any) -> list[Any]:
        assert host == "rebound.example"
        family = socket.AF_INET6 if ":" in inside else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (inside, port))]

    connected: list[Any] = []

    def connect(address: Any, **more: Any) -> Any:
        connected.append(address)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(socket, "create_connection", connect)
    assert HttpCourier(timeout=0.5).post(f"https://rebound.example:{port}/200", headers={}, body=b"{}") == 0
    assert connected == []
    inside = "93.184.215.14"
    assert HttpCourier(timeout=0.5).post("https://rebound.example/", headers={}, body=b"{}") == 0
    assert connected == [(inside, 443)], "to the address that was looked at"


@pytest.mark.enable_socket
def test_a_served_store_sends_by_itself(tmp_path: Path, receiver: str) -> None:
    with Iris.open(tmp_path / "memory") as iris:
        me = person(iris)
        hooked(iris, "recall.completed", url=f"{receiver}/200")
        me.recall("x")
        ended = threading.Event()
        for _ in range(100):
            if _Answering.seen or ended.wait(0.1):
                break
    assert [path for path, _, _ in _Answering.seen] == ["/200"]
