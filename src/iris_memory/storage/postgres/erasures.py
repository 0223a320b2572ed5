"""Hearing of erasures over LISTEN, on one connection of the process's own that leads straight to the server.

A notice does not survive a transaction pooler, so the address may be another one than that of the statements. A
connection that is lost is made again after pauses that grow; what was told meanwhile was missed, and that is said.
"""

from __future__ import annotations

import json
import logging
import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from iris_memory.storage.postgres import statements
from iris_memory.storage.postgres.pauses import Pauses
from iris_memory.storage.postgres.session import Connection

PROBE_SECONDS: Final = 30.0
"""A connection on which nothing comes is asked this often whether it is still there."""

_log = logging.getLogger(__name__)


class Erasures:
    """A thread that listens until it is stopped. It is a daemon: it never keeps a process alive."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        heard: Callable[[str, str], None],
        missed: Callable[[], None],
    ) -> None:
        """Start to listen; the first connection is made by the thread."""
        self._connect = connect
        self._heard = heard
        self._missed = missed
        self._wake, self._stopper = os.pipe()
        self._stopping = threading.Event()
        self.listens = threading.Event()
        """Whether the server tells this process now."""
        self._thread = threading.Thread(target=self._run, name="iris-erasures", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait until what is being told is told."""
        self._stopping.set()
        os.write(self._stopper, b".")
        if self._thread is not threading.current_thread():
            self._thread.join()
            os.close(self._wake)
            os.close(self._stopper)

    def _run(self) -> None:
        pauses, is_first = Pauses(), True
        while not self._stopping.is_set():
            try:
                with self._connect() as connection:
                    connection.execute(f"LISTEN {statements.ERASURES}".encode())
                    self.listens.set()
                    pauses.reset()
                    if not is_first:
                        self._tell(self._missed)
                    is_first = False
                    self._listen(connection)
            except Exception as problem:
                _log.info("listening for erasures ended with %s; it is tried again", type(problem).__name__)
            finally:
                self.listens.clear()
            self._stopping.wait(pauses.next())

    def _listen(self, connection: Connection) -> None:
        pgconn = connection.pgconn
        while not self._stopping.is_set():
            ready, _, _ = select.select([pgconn.socket, self._wake], [], [], PROBE_SECONDS)
            if self._wake in ready:
                return
            if ready:
                pgconn.consume_input()
            else:
                connection.execute(b"SELECT 1")
            while (notice := pgconn.notifies()) is not None:
                self._read(notice.extra)

    def _read(self, payload: bytes) -> None:
        with suppress(ValueError, RecursionError):
            tenant, person = json.loads(payload)
            if isinstance(tenant, str) and isinstance(person, str):
                self._tell(lambda: self._heard(tenant, person))
                return
        self._tell(self._missed)  # somebody told something that is no erasure

    def _tell(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as problem:
            _log.warning("dropping what was erased failed with %s; versions are checked", type(problem).__name__)
