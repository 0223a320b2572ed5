"""The courier: one HTTP POST to an address of the outside, without redirects, and the thread that sends what is due."""

from __future__ import annotations

import ipaddress
import logging
import socket
import ssl
import threading
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

from iris_memory.flows.instruments import Instruments
from iris_memory.flows.webhooks import deliver_due
from iris_memory.tables.bridging import SEND_SECONDS

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses inside IPv6 ones (RFC 6052 §2.1)."""
_ANSWER_MOST: Final = 4_096
_SECOND: Final = 1.0
_log = logging.getLogger(__name__)


class HttpCourier:
    """Sends over TLS, or in the clear to this machine alone.

    The name is looked up once, every address it has must be of the outside, and the connection goes to the address that
    was looked at: a name that answers otherwise the second time reaches nothing (no DNS rebinding). Redirects, proxies
    of the environment and cookies have no part in it.
    """

    def __init__(self, *, timeout: float = SEND_SECONDS, context: ssl.SSLContext | None = None) -> None:
        """Take how many seconds an attempt may take, and the trust it is made under."""
        self._timeout = timeout
        self._context = context

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> int:
        """Return the status of the answer; 0 where there was none."""
        try:
            return self._post(url, headers, body)
        except (OSError, HTTPException, ValueError):
            return 0

    def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        parts = urlsplit(url)
        host, is_tls = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if is_tls else 80)
        address = _looked_at(host, port, is_loopback=not is_tls)
        connection = self._connection(host, port, address, is_tls=is_tls)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", path, body=body, headers={**headers, "user-agent": "iris-memory"})
            response = connection.getresponse()
            response.read(_ANSWER_MOST)
            return response.status
        finally:
            connection.close()

    def _connection(self, host: str, port: int, address: str, *, is_tls: bool) -> HTTPConnection:
        wire = socket.create_connection((address, port), timeout=self._timeout)
        connection: HTTPConnection = HTTPConnection(host, port, timeout=self._timeout)
        if is_tls:
            context = self._context or ssl.create_default_context()
            connection = HTTPSConnection(host, port, timeout=self._timeout, context=context)
            try:
                wire = context.wrap_socket(wire, server_hostname=host)
            except BaseException:
                wire.close()
                raise
        connection.sock = wire  # already open to the address that was looked at
        return connection


def _looked_at(host: str, port: int, *, is_loopback: bool) -> str:
    """Return an address of a name.

    Raises:
        ValueError: an address of the inside for a name of the outside, or the other way about.
    """
    found = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    inside_allowed = host in _LOOPBACK
    for each in found:
        address = ipaddress.ip_address(each.partition("%")[0])
        if inside_allowed:
            if not address.is_loopback:
                raise ValueError("a name of this machine leads elsewhere")
        elif is_loopback or not _is_outside(address):
            raise ValueError("an address of the inside")
    if not found:
        raise ValueError("no address")
    return found[0]


def _is_outside(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Say whether an address is of the outside, and so is what a translator on the way would make of it."""
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and address in _NAT64:
        inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return inner is None or _is_outside(inner)


class Sender:
    """One thread that sends what is due once a second. It is a daemon: it never keeps a process alive."""

    def __init__(self, instruments: Instruments, courier: HttpCourier | None = None) -> None:
        """Start the thread."""
        self._instruments = instruments
        self._courier = courier or HttpCourier()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="iris-sender", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for the attempt at hand."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_SECOND):
            try:
                deliver_due(self._instruments, self._courier)
            except Exception as problem:
                _log.warning("sending to webhooks failed with %s; it is tried again", type(problem).__name__)
