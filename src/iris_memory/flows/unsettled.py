"""Unsettled: statements that wait for the person's word, in the memory of this process and nowhere else.

They are gone when the process ends, when the person is erased or forgets everything, and after `LIFETIME`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from iris_memory.contracts.write import AskCategory, Statement

LIFETIME: Final = timedelta(days=1)
"""How long a statement waits."""

PER_PERSON_MOST: Final = 64
PEOPLE_MOST: Final = 4_096


class Waiting(NamedTuple):
    """A statement, what it was asked about, and when."""

    statement: Statement
    asked: AskCategory
    asked_at: datetime


class Unsettled:
    """What waits, per person, by the id of its question. The oldest goes first where there is too much."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._waiting: OrderedDict[str, OrderedDict[str, Waiting]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, person: str, waiting: Waiting) -> None:
        """Keep a statement; the same one again takes the place of the one before."""
        with self._lock:
            held = self._waiting.setdefault(person, OrderedDict())
            self._waiting.move_to_end(person)
            held[waiting.asked.question_id] = waiting
            while len(held) > PER_PERSON_MOST:
                held.popitem(last=False)
            while len(self._waiting) > PEOPLE_MOST:
                self._waiting.popitem(last=False)

    def of(self, person: str, *, now: datetime) -> list[Waiting]:
        """Return what waits for a person, oldest first; what waited too long is let go."""
        with self._lock:
            held = self._waiting.get(person, OrderedDict())
            for name in [name for name, waiting in held.items() if waiting.asked.expires_at <= now]:
                del held[name]
            return list(held.values())

    def find(self, person: str, question_id: str, *, now: datetime) -> Waiting | None:
        """Return one statement that waits."""
        return next((one for one in self.of(person, now=now) if one.asked.question_id == question_id), None)

    def settle(self, person: str, question_id: str) -> None:
        """Let one statement go."""
        with self._lock:
            self._waiting.get(person, OrderedDict()).pop(question_id, None)

    def drop(self, person: str) -> None:
        """Let everything of a person go."""
        with self._lock:
            self._waiting.pop(person, None)
