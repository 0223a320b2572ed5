"""Reading back: after an erasure every place is asked what it still has. What is left keeps it open."""

from __future__ import annotations

from typing import Final

from iris_memory.errors import StorageError
from iris_memory.flows.held import NOBODY
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.intents import Intent
from iris_memory.flows.people import Person
from iris_memory.flows.register import REGISTER, Eraser
from iris_memory.ports.unit_of_work import Reading
from iris_memory.ports.vault import Subject

KEYS: Final = "vault slots"
"""The holding of keys, as the register calls it."""


_IN_STORE: Final = frozenset({Eraser.BURY, Eraser.ERASE_PERSON, Eraser.DROP_RECORDS})


def read_back_of(instruments: Instruments, reading: Reading, intent: Intent) -> dict[str, int]:
    """Return what each holding of the store still has of what went, by the register's names.

    Of a person that goes whole every holding's prober is asked; the keys are looked for apart.
    """
    tenant, subject = intent.tenant, intent.person
    if not intent.whole_person:
        names = intent.logical_ids
        return {
            "entries": len(reading.blobs_of(tenant, subject, names)) if names else 0,
            "usage": len(reading.usage_of(tenant, subject, names)) if names else 0,
        }
    nobody = Person(
        Subject(tenant, subject, bytes(32)),
        NOBODY,
        tenant_key=bytes(32),
        vault=instruments.vault,
        secret=instruments.ids.secret,
    )
    return {
        holding.name: holding.prober(instruments, nobody, reading)
        for holding in REGISTER
        if holding.eraser in _IN_STORE
    }


def require_keys_gone(instruments: Instruments, intent: Intent) -> None:
    """Look that no key that was to be destroyed is there.

    Raises:
        StorageError: one is.
    """
    if intent.whole_person:
        left = len(instruments.vault.wrapped_slots(intent.tenant, intent.person, None))
    else:
        left = len(instruments.vault.wrapped_slots(intent.tenant, intent.person, intent.slots)) if intent.slots else 0
    if left:
        raise StorageError("a key that was destroyed is still in the vault; the erasure is not completed")


def drop_caches(instruments: Instruments, tenant: str, subject: str) -> None:
    """Drop what this process holds of a person that goes whole. Other processes hear of it where the engine tells."""
    for known in instruments.people.known():
        if (known.tenant, known.person) == (tenant, subject):
            instruments.people.usage.drop(known)
            instruments.people.drop(tenant, known.user_id)
    instruments.people.unsettled.drop(subject)
    instruments.asked.drop(tenant, subject)
