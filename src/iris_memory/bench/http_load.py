"""A load generator in the manner of wrk: connections on one event loop, each asks again once it was answered."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_END: Final = b"\r\n\r\n"


@dataclass(slots=True)
class Load:
    """What was measured: the time each answer took in milliseconds, sorted, over how many seconds, and its size."""

    taken: list[float] = field(default_factory=list)
    seconds: float = 0.0
    size: int = 0
    failed: int = 0

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.taken) / self.seconds if self.seconds else 0.0


def request(path: str, body: object, *, token: str = "") -> bytes:
    """Return the bytes of a POST request."""
    content = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"Authorization: Bearer {token}"] * bool(token)
    lines += [f"Content-Length: {len(content)}", "", ""]
    return "\r\n".join(lines).encode() + content


def asked(path: str, *, cookie: str) -> bytes:
    """Return the bytes of a GET request of somebody who is signed in."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode()


def measure(port: int, requests: Sequence[bytes], *, connections: int, seconds: float, warm: float = 1.0) -> Load:
    """Ask for a while over so many connections; what is answered in the first `warm` seconds does not count."""
    return asyncio.run(_measure(port, requests, connections, seconds, warm))


async def _measure(port: int, requests: Sequence[bytes], connections: int, seconds: float, warm: float) -> Load:
    loop = asyncio.get_running_loop()
    load = Load()
    begins = time.perf_counter() + warm
    ends = begins + seconds
    asking = [_Connection([*requests[place:], *requests[:place]], load, begins, ends) for place in range(connections)]
    for each in asking:
        await loop.create_connection(each.itself, "127.0.0.1", port)
    await asyncio.gather(*(each.done for each in asking))
    load.seconds = seconds
    load.taken.sort()
    return load


class _Connection(asyncio.Protocol):
    def __init__(self, requests: Sequence[bytes], load: Load, begins: float, ends: float) -> None:
        self._requests = requests
        self._load = load
        self._begins = begins
        self._ends = ends
        self._asked = 0
        self._at = 0.0
        self._held = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def itself(self) -> _Connection:
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._held += data
        head = self._held.find(_END)
        if head < 0:
            return
        length = _LENGTH.search(self._held, 0, head + 2)
        size = int(length.group(1)) if length else 0
        if len(self._held) < head + len(_END) + size:
            return
        now = time.perf_counter()
        if self._begins <= self._at and now <= self._ends:
            self._load.taken.append((now - self._at) * 1e3)
            self._load.size = size
        self._load.failed += not self._held.startswith(b"HTTP/1.1 200")
        self._held = b""
        if now < self._ends:
            self._ask()
        else:
            self._transport.close()

    def connection_lost(self, problem: Exception | None) -> None:
        if not self.done.done():
            self._load.failed += problem is not None
            self.done.set_result(None)

    def _ask(self) -> None:
        self._at = time.perf_counter()
        self._transport.write(self._requests[self._asked % len(self._requests)])
        self._asked += 1
