"""Holding: the words of inferences that wait for the person. They live in the memory of this process and nowhere else.

They end with the process, with their question, and with the person. What is to outlive the process needs the person's
leave to hold it, and is then a sealed record (see `flows.confirm`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime
from typing import Final

from iris_memory.contracts.inference import InferenceQuestion
from iris_memory.tables.limits import SESSION_QUESTIONS_MOST

_PEOPLE_MOST: Final = 10_000


class SessionQuestions:
    """Questions by person, bounded both ways; who was asked longest ago goes first. Safe for many threads."""

    def __init__(self) -> None:
        """Start with none."""
        self._held: OrderedDict[tuple[str, str], OrderedDict[str, InferenceQuestion]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, tenant: str, person: str, question: InferenceQuestion) -> None:
        """Add or replace a question."""
        with self._lock:
            own = self._held.setdefault((tenant, person), OrderedDict())
            self._held.move_to_end((tenant, person))
            own[question.question_id] = question
            while len(own) > SESSION_QUESTIONS_MOST:
                own.popitem(last=False)
            while len(self._held) > _PEOPLE_MOST:
                self._held.popitem(last=False)

    def renew(self, tenant: str, person: str, question: InferenceQuestion) -> None:
        """Replace a question that still waits; one that went meanwhile does not come back."""
        with self._lock:
            own = self._held.get((tenant, person), OrderedDict())
            if question.question_id in own:
                own[question.question_id] = question

    def of(self, tenant: str, person: str, now: datetime) -> list[InferenceQuestion]:
        """Return a person's questions that are still in time, oldest first."""
        with self._lock:
            own = self._held.get((tenant, person), OrderedDict())
            return [question for question in own.values() if question.expires_at > now]

    def drop(self, tenant: str, person: str, question_id: str | None = None) -> None:
        """Drop one question, or all of a person's."""
        with self._lock:
            if question_id is None:
                self._held.pop((tenant, person), None)
            elif (tenant, person) in self._held:
                self._held[tenant, person].pop(question_id, None)

    def people(self) -> list[tuple[str, str]]:
        """Return who is asked something."""
        with self._lock:
            return list(self._held)

    def prune(self, now: datetime) -> int:
        """Drop questions whose time is over; return how many."""
        gone = 0
        with self._lock:
            for name, own in list(self._held.items()):
                late = [key for key, question in own.items() if question.expires_at <= now]
                gone += len(late)
                for key in late:
                    del own[key]
                if not own:
                    del self._held[name]
        return gone
