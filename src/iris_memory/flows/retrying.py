"""Starting again with the right subject: a person erased by another process is a new subject to this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from iris_memory.errors import KeyDestroyedError
from iris_memory.flows.forgetting import finish_pending
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person

T = TypeVar("T")


def with_person(instruments: Instruments, caller: Caller, attempt: Callable[[Person], T]) -> T:
    """Run an attempt with the caller's person; if it was erased meanwhile, once more with the new subject."""
    try:
        return attempt(_loaded(instruments, instruments.people.get(caller.tenant, caller.user)))
    except KeyDestroyedError:
        _let_go(instruments, caller)
        return attempt(_loaded(instruments, instruments.people.get(caller.tenant, caller.user)))


def with_known_person(
    instruments: Instruments, caller: Caller, attempt: Callable[[Person], T], *, nobody: Callable[[], T]
) -> T:
    """Run an attempt with the caller's person where there is one; a read makes no subject."""
    for _ in range(2):
        person = instruments.people.find(caller.tenant, caller.user)
        if person is None:
            return nobody()
        try:
            return attempt(_loaded(instruments, person))
        except KeyDestroyedError:
            _let_go(instruments, caller)
    return nobody()


def _loaded(instruments: Instruments, person: Person) -> Person:
    """Return a person whose memory was read once: until then the vault may be an old copy, and no slot is taken."""
    if not person.is_loaded:
        with person.load_lock, instruments.store.read() as reading:
            person.publish(person.read(reading))
        person.is_loaded = True
        instruments.people.weigh(person)
    return person


def _let_go(instruments: Instruments, caller: Caller) -> None:
    """Drop what is known of an erased person, and end an erasure that was interrupted: the link must be cut first."""
    instruments.people.drop(caller.tenant, caller.user)
    finish_pending(instruments)
