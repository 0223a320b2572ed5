"""Sessions that live in this process alone: memory that may not be stored, bound to a person and a session.

Nothing here is written anywhere. It ends with the process, with the session, with its time, and at its bounds the
oldest goes first. Python cannot wipe a string and a machine may swap: what is promised is that no file of the store
holds a byte of it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.write import AskUser, WriteOutcome, Written
from iris_memory.recall.columns import Packed
from iris_memory.tables.limits import (
    EPHEMERAL_BYTES_MOST,
    EPHEMERAL_IDLE,
    EPHEMERAL_LIFETIME,
    EPHEMERAL_MEMORIES_MOST,
    EPHEMERAL_SESSIONS_MOST,
)

if TYPE_CHECKING:
    from iris_memory.flows.people import Person


class Fleeting(NamedTuple):
    """One memory of a session: its revisions, the last one packed, and how many consent events it was written after.

    `names` are keyed tags of whom it was about: a name that was never stored leads nowhere else.
    """

    revisions: tuple[MemoryEntry, ...]
    packed: bytes
    ledger: int
    names: frozenset[str] = frozenset()

    @property
    def entry(self) -> MemoryEntry:
        """The revision in force."""
        return self.revisions[-1]

    def row(self) -> Packed:
        """Return the memory as columns take it."""
        return Packed(self.entry.logical_id, self.entry.id, self.packed)


@dataclass(slots=True)
class Session:
    """What one session of one person holds."""

    person: str
    session_id: str
    began: datetime
    used: datetime
    memories: OrderedDict[str, Fleeting] = field(default_factory=OrderedDict)
    answers: OrderedDict[str, tuple[str, tuple[WriteOutcome, ...]]] = field(default_factory=OrderedDict)

    def is_over(self, now: datetime) -> bool:
        """Say whether the session's time is over."""
        return now - self.used >= EPHEMERAL_IDLE or now - self.began >= EPHEMERAL_LIFETIME

    def trim(self) -> None:
        """Let the oldest memories and answers go until the bounds are kept."""
        held = sum(len(memory.packed) for memory in self.memories.values())
        while len(self.memories) > EPHEMERAL_MEMORIES_MOST or (held > EPHEMERAL_BYTES_MOST and len(self.memories) > 1):
            name, gone = self.memories.popitem(last=False)
            held -= len(gone.packed)
            self.drop_answers({name})
        while len(self.answers) > EPHEMERAL_MEMORIES_MOST:
            self.answers.popitem(last=False)

    def drop_answers(self, gone: Collection[str]) -> None:
        """Let go of answers that say the words of memories that went."""
        for key in [key for key, (_, outcomes) in self.answers.items() if _ids_in(outcomes) & set(gone)]:
            del self.answers[key]


def _ids_in(outcomes: Sequence[WriteOutcome]) -> set[str]:
    return {one.entry.logical_id for one in outcomes if isinstance(one, (Written, AskUser))}


class Sessions:
    """The sessions of this process. Safe for many threads; no call waits for a store."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.RLock()
        self._held: OrderedDict[tuple[str, str, str], Session] = OrderedDict()

    def keep(self, person: Person, session_id: str, memories: Sequence[Fleeting], *, now: datetime) -> None:
        """Keep memories in a session, each in place of the revision before."""
        name = (person.tenant, person.person, session_id)
        with self._lock:
            session = self._held.get(name)
            if session is None or session.is_over(now):
                session = self._held[name] = Session(person.person, session_id, began=now, used=now)
            for memory in memories:
                session.memories[memory.entry.logical_id] = memory
            session.used = max(session.used, now)
            session.trim()
            self._held.move_to_end(name)
            while len(self._held) > EPHEMERAL_SESSIONS_MOST:
                self._held.popitem(last=False)

    def take_back(self, person: Person, session_id: str, logical_ids: Sequence[str]) -> None:
        """Take back what a transaction kept that did not come to its end."""
        with self._lock:
            session = self._held.get((person.tenant, person.person, session_id))
            for name in logical_ids if session is not None else ():
                session.memories.pop(name, None)  # type: ignore[union-attr]

    def of(self, person: Person, *, session: str | None = None) -> list[Session]:
        """Return the sessions of a person, or the one named."""
        with self._lock:
            if session is not None:
                found = self._held.get((person.tenant, person.person, session))
                return [found] if found is not None else []
            return [
                held
                for (tenant, subject, _), held in self._held.items()
                if (tenant, subject) == (person.tenant, person.person)
            ]

    def retain(self, person: Person, session: Session, fits: Callable[[Fleeting], bool], *, now: datetime) -> int:
        """Let go of what does not fit, and of the session where its time is over; return how many memories went."""
        name = (person.tenant, person.person, session.session_id)
        with self._lock:
            if self._held.get(name) is not session:
                return 0
            going = [key for key, memory in session.memories.items() if session.is_over(now) or not fits(memory)]
            for key in going:
                del session.memories[key]
            session.drop_answers(going)
            if session.is_over(now):
                del self._held[name]
            return len(going)

    def memories(self, session: Session) -> list[Fleeting]:
        """Return what a session holds, oldest first."""
        with self._lock:
            return list(session.memories.values())

    def touch(self, session: Session, now: datetime) -> None:
        """Note that a session was used."""
        with self._lock:
            session.used = max(session.used, now)

    def find(self, person: Person, logical_id: str) -> Fleeting | None:
        """Return one memory of a person in whichever session it is."""
        with self._lock:
            return next((held.memories[logical_id] for held in self.of(person) if logical_id in held.memories), None)

    def drop(
        self,
        person: Person,
        *,
        session: str | None = None,
        everything: bool = False,
        fits: Callable[[MemoryEntry], bool] | None = None,
    ) -> int:
        """Forget: a session, everything of the person, or what fits in every session; return how many memories went."""
        with self._lock:
            gone = 0
            for held in self.of(person, session=session) if session is not None or everything or fits else ():
                going = [key for key, memory in held.memories.items() if fits is None or fits(memory.entry)]
                for key in going:
                    del held.memories[key]
                gone += len(going)
                held.answers.clear()
                if not held.memories:
                    self._held.pop((person.tenant, held.person, held.session_id), None)
            return gone

    def answered(self, person: Person, session_id: str, key: str) -> tuple[str, tuple[WriteOutcome, ...]] | None:
        """Return what a call under an idempotency key was answered in a session: the tag of its body, the outcomes."""
        with self._lock:
            session = self._held.get((person.tenant, person.person, session_id))
            return session.answers.get(key) if session is not None else None

    def note_answer(
        self, person: Person, session_id: str, key: str, body: str, outcomes: Sequence[WriteOutcome]
    ) -> None:
        """Keep the answer of a call under an idempotency key, as long as its session lives."""
        with self._lock:
            session = self._held.get((person.tenant, person.person, session_id))
            if session is not None:
                session.answers[key] = (body, tuple(outcomes))
                session.trim()

    def clear(self) -> int:
        """Forget every session; return how many there were."""
        with self._lock:
            gone = len(self._held)
            self._held.clear()
            return gone

    def expire(self, now: datetime) -> int:
        """Forget every session whose time is over; return how many memories went."""
        with self._lock:
            over = [name for name, held in self._held.items() if held.is_over(now)]
            return sum(len(self._held.pop(name).memories) for name in over)

    def people(self) -> list[tuple[str, str]]:
        """Return (tenant, pseudonym) of everybody with a session."""
        with self._lock:
            return list(dict.fromkeys((tenant, subject) for tenant, subject, _ in self._held))
