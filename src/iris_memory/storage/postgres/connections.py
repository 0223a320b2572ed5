"""A bounded set of connections that are made when they are needed, in the caller's thread.

A caller is told at once that the server is not there, and finds it again at once when it is back; a pool that makes
connections in the background (as the driver's does) tells neither until its own pauses are over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from iris_memory.errors import StoreBusyError
from iris_memory.storage.postgres.faults import FAILURES, closed, unreachable
from iris_memory.storage.postgres.session import Connection, prepare_connection


class Connections:
    """At most `most` connections to one address. One that was lost, or is not idle, is not given out again."""

    def __init__(self, url: str, *, most: int, busy_seconds: float, prepare_threshold: int | None) -> None:
        self._url = url
        self._busy_seconds = busy_seconds
        self._threshold = prepare_threshold
        self._room = BoundedSemaphore(most)
        self._idle: list[Connection] = []
        self._closed = False

    def take(self) -> Connection:
        """Hand out a connection.

        Raises:
            StoreBusyError: none was given back in time, or the server cannot be reached.
        """
        if self._closed:
            raise closed()
        if not self._room.acquire(timeout=self._busy_seconds):
            raise StoreBusyError("no connection to the server was free in time; retry")
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return self._connect()
        except BaseException:
            self._room.release()
            raise

    def give_back(self, connection: Connection) -> None:
        """Take a connection back. Where one is gone, the server may be another one: those that lie idle go too."""
        if connection.closed:
            self._let_go_of_idle()
        elif self._closed or connection.info.transaction_status is not TransactionStatus.IDLE:
            _close(connection)
        else:
            self._idle.append(connection)
        self._room.release()

    @contextmanager
    def borrowed(self) -> Iterator[Connection]:
        """Hand out a connection for a block."""
        connection = self.take()
        try:
            yield connection
        finally:
            self.give_back(connection)

    def close(self) -> None:
        """Let go of what lies idle; what is out is closed when it comes back."""
        self._closed = True
        self._let_go_of_idle()

    def _connect(self) -> Connection:
        return connect(self._url, seconds=self._busy_seconds, prepare_threshold=self._threshold)

    def _let_go_of_idle(self) -> None:
        while self._idle:
            with suppress(IndexError):
                _close(self._idle.pop())


def connect(url: str, *, seconds: float, prepare_threshold: int | None = None) -> Connection:
    """Make a connection. What the address does not say of a silent network is said here.

    A server that is gone without a word is noticed after about `seconds`, whether it is asked something then
    (tcp_user_timeout) or is being waited for (keepalives); on a local socket the kernel tells.

    Raises:
        StoreBusyError: the server cannot be reached.
    """
    whole = max(2, int(seconds))  # libpq takes no less than 2
    probe = max(1, whole // 4)
    silence = {
        "connect_timeout": whole,
        "keepalives_idle": probe,
        "keepalives_interval": probe,
        "keepalives_count": 3,
        "tcp_user_timeout": whole * 1_000,
    }
    try:
        given = conninfo_to_dict(url)
        said = {name: value for name, value in silence.items() if name not in given}
        connection = psycopg.connect(make_conninfo(url, **said), prepare_threshold=prepare_threshold)
    except FAILURES as error:
        raise unreachable(error) from None
    prepare_connection(connection)
    return connection


def _close(connection: Connection) -> None:
    with suppress(psycopg.Error):
        connection.close()
