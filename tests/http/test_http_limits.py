"""Rates, patience and https: what the service does with those who ask too often, too slowly, or in the clear."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from http_world import World, served
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.errors import SettingError
from iris_memory.http.conduct import Conduct
from iris_memory.http.limits import BUCKETS_MOST, Buckets, Rates
from iris_memory.http.serving import conduct_of
from iris_memory.wiring.settings import read_settings


class Seconds:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_a_minutes_worth_and_then_one_at_a_time() -> None:
    clock = Seconds()
    buckets = Buckets(6, clock)
    assert [buckets.wait("ada") for _ in range(7)] == [0, 0, 0, 0, 0, 0, 10]
    assert buckets.wait("bob") == 0
    clock.at += 9.9
    assert buckets.wait("ada") == 1
    clock.at += 0.2
    assert [buckets.wait("ada"), buckets.wait("ada")] == [0, 10]
    clock.at += 10_000
    assert [buckets.wait("ada") for _ in range(7)] == [0, 0, 0, 0, 0, 0, 10]


def test_no_rate_is_no_limit_and_keeps_nothing() -> None:
    buckets = Buckets(0, Seconds())
    assert {buckets.wait("ada") for _ in range(1_000)} == {0}
    assert not buckets._buckets


@given(st.lists(st.floats(0, 30), min_size=1, max_size=60), st.integers(1, 20))
def test_whoever_waits_as_long_as_told_is_let_in(pauses: list[float], rate: int) -> None:
    clock = Seconds()
    buckets = Buckets(rate, clock)
    for let_in, pause in enumerate(pauses, 1):
        clock.at += pause
        seconds = buckets.wait("ada")
        if seconds:
            clock.at += seconds
            assert buckets.wait("ada") == 0
        assert let_in <= rate + (clock.at - 100.0) * rate / 60 + 1e-3


def test_names_are_not_kept_and_not_for_ever() -> None:
    buckets = Buckets(1, Seconds())
    for number in range(BUCKETS_MOST + 50):
        buckets.wait(f"somebody-{number}")
    assert len(buckets._buckets) == BUCKETS_MOST
    assert not any(b"somebody" in mark for mark in buckets._buckets)


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[World]:
    """A service with low rates and little patience."""
    conduct = Conduct(rates=Rates(per_holder=5, per_address=60), body_seconds=0.3, is_https=True)
    with served(tmp_path, conduct=conduct) as world:
        yield world


@pytest.mark.enable_socket
def test_a_holder_over_the_rate_is_told_when_to_come_back(strict: World) -> None:
    ada, bob = strict.as_("ada"), strict.as_("bob")
    assert [ada.get("/v1/memories").status_code for _ in range(6)] == [200] * 5 + [429]
    answer = ada.get("/v1/memories")
    assert answer.json()["code"] == "too-many-requests"
    assert answer.headers["content-type"] == "application/problem+json"
    assert 1 <= int(answer.headers["retry-after"]) <= 12
    assert bob.get("/v1/memories").status_code == 200
    assert strict.as_("ada", tenant="rival").get("/v1/memories").status_code == 200


@pytest.mark.enable_socket
def test_an_address_over_the_rate_is_refused_before_its_token_is_looked_at(strict: World) -> None:
    statuses = [
        strict.nobody(Authorization=f"Bearer guess-{number}").get("/v1/memories").status_code for number in range(62)
    ]
    assert statuses[:60] == [401] * 60
    assert statuses[-1] == 429
    assert strict.as_("ada").get("/v1/memories").status_code == 429


@pytest.mark.enable_socket
def test_a_body_that_does_not_come_is_not_waited_for(strict: World) -> None:
    token = strict.as_("ada").headers["authorization"]
    place = urlsplit(strict.address)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=10) as connection:
        head = f"POST /v1/recall HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nContent-Type: application/json\r\n"
        connection.sendall(f'{head}Content-Length: 100\r\n\r\n{{"text"'.encode())
        told = b""
        while piece := connection.recv(65_536):
            told += piece
    assert told.startswith(b"HTTP/1.1 408")
    assert json.loads(told.partition(b"\r\n\r\n")[2])["code"] == "too-slow"


@pytest.mark.enable_socket
def test_https_is_for_good_and_http_says_nothing_of_it(strict: World, world: World) -> None:
    assert strict.nobody().get("/health").headers["strict-transport-security"].startswith("max-age=")
    assert "strict-transport-security" not in world.nobody().get("/health").headers


def test_the_settings_say_how_the_service_behaves() -> None:
    conduct = conduct_of(read_settings({}), "http://127.0.0.1:8765")
    assert (conduct.rates, conduct.is_https, conduct.tracer) == (Rates(per_holder=6000, per_address=12000), False, None)
    given = {
        "IRIS_RATE_PER_HOLDER": "7",
        "IRIS_RATE_PER_ADDRESS": "0",
        "IRIS_REQUEST_LOG": "off",
        "IRIS_TRACING": "yes",
    }
    conduct = conduct_of(read_settings(given), "https://memory.example.com")
    assert (conduct.rates, conduct.is_https, conduct.log) == (Rates(per_holder=7, per_address=0), True, None)
    assert conduct.tracer is not None
    for name, value in (("IRIS_RATE_PER_HOLDER", "-1"), ("IRIS_REQUEST_LOG", "some"), ("IRIS_TRACING", "1")):
        with pytest.raises(SettingError, match=name):
            read_settings({name: value})
