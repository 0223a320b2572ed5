"""The keeper: one thread that tends a store once a second while there is something to tend."""

from __future__ import annotations

import logging
import threading

from iris_memory.flows.instruments import Instruments
from iris_memory.flows.tend import hourly, minutely, tick

_SECOND = 1.0
_MINUTE = 60
_HOUR = 3_600
_log = logging.getLogger(__name__)


class Keeper:
    """Runs `tick` every second, `minutely` every minute and `hourly` every hour until it is stopped."""

    def __init__(self, instruments: Instruments) -> None:
        """Start the thread. It is a daemon: it never keeps a process alive."""
        self._instruments = instruments
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="iris-keeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait until the chore at hand is done."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        rounds = 0
        while not self._stop.wait(_SECOND):
            rounds += 1
            try:
                tick(self._instruments)
                if rounds % _HOUR == 0:
                    hourly(self._instruments)
                elif rounds % _MINUTE == 0:
                    minutely(self._instruments)
            except Exception as problem:
                _log.warning("tending the store failed with %s; it is tried again", type(problem).__name__)
