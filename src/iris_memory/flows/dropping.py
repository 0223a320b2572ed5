"""Dropping what another process took out of reach: keys and columns go at once, not when the person is next asked for.

Correctness does not rest on it: a recall is told on condition that its version still holds.
"""

from __future__ import annotations

from iris_memory.errors import IrisError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.people import Person
from iris_memory.flows.recall import current


def drop_erased(instruments: Instruments, tenant: str, person: str) -> None:
    """Drop what this process holds of a person that is gone: keys at once, columns by reading what still stands."""
    for known in instruments.people.known():
        if known.tenant == tenant and known.person == person:
            _drop(instruments, known)


def drop_all_erased(instruments: Instruments) -> None:
    """Drop what is gone of everybody this process knows: some erasure may not have been heard of."""
    for known in instruments.people.known():
        _drop(instruments, known)


def _drop(instruments: Instruments, known: Person) -> None:
    known.drop_every_key()
    try:
        current(instruments, known)
    except IrisError:  # erased whole, or it cannot be read now: then nothing of it is kept
        instruments.people.drop(known.tenant, known.user_id)
