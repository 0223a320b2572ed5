"""The test bench itself: sockets are blocked, settings are the test's own."""

from __future__ import annotations

import os
import socket

import pytest
from pytest_socket import SocketBlockedError


def test_a_socket_is_refused() -> None:
    with pytest.warns(UserWarning, match="socket"), pytest.raises(SocketBlockedError):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


@pytest.mark.enable_socket
def test_a_marked_test_may_serve_on_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.bind(("127.0.0.1", 0))
        assert server.getsockname()[1] > 0


def test_no_setting_of_the_machine_is_seen() -> None:
    assert not [name for name in os.environ if name.startswith("IRIS_") and name != "IRIS_TEST_EFFORT"]
