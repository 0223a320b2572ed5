"""A free port of this machine."""

from __future__ import annotations

import socket

import pytest


@pytest.fixture
def port() -> int:
    with socket.create_server(("localhost", 0)) as listener:
        return int(listener.getsockname()[1])
