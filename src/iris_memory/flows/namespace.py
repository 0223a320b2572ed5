"""The namespace of a person: who was mentioned, as handles. A name leads to its handle only while the record is there.

Each handle has a record of its own, named by a keyed tag of the name and sealed under a slot of its own: a random salt
and the handle made with it. To forget somebody is to destroy that slot: no copy of the store and no name gives the
handle again, and somebody of that name who is mentioned later has another one.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from iris_memory.flows.people import Mention, Person, Snapshot
from iris_memory.flows.sealing import Secret
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.rules.actors import HANDLE, actor_handle, folded_name

_SALT_LENGTH: Final = 16


class Namespace:
    """The handles that one call gives, over those the person has."""

    def __init__(self, person: Person, snapshot: Snapshot, *, secret: Secret, now: datetime) -> None:
        """Take what is known."""
        self._person = person
        self._known = snapshot.mentions
        self._secret = secret
        self._now = now
        self._given: dict[str, Mention] = {}

    def handle(self, name: str) -> str:
        """Return the handle of a name, a new one where the person never mentioned it."""
        tag = name_tag(self._person, name)
        mention = self._known.get(tag) or self._given.get(tag)
        if mention is None:
            salt = self._secret(_SALT_LENGTH)
            handle = actor_handle(name, key=self._person.actor_key, salt=salt)
            mention = Mention(handle=handle, salt=salt.hex(), since=self._now)
        self._given[tag] = mention
        return mention.handle

    def keep(self, tx: Transaction, handles: Collection[str], *, seq: int) -> None:
        """Keep the records of the handles that were written, where they are not kept yet."""
        tenant, person = self._person.tenant, self._person.person
        for tag, mention in self._given.items():
            # looked for in the store: what an earlier transaction gave may be known here and never have been committed
            if mention.handle in handles and tx.record(tenant, person, RecordKind.MENTION, tag) is None:
                tx.put_record(
                    tenant, person, self._person.record(RecordKind.MENTION, tag, mention, seq=seq, now=self._now)
                )
                self._known[tag] = mention


def name_tag(person: Person, name: str) -> str:
    """Return the keyed tag under which the record of a name is kept."""
    return person.tag("mention", folded_name(name))


def handles_of(person: Person, snapshot: Snapshot, mention: str) -> frozenset[str]:
    """Return the handles that a name, or a handle itself, stands for. Also the one a name had before salts."""
    known = snapshot.mentions.get(name_tag(person, mention))
    found = {actor_handle(mention, key=person.actor_key)}
    if known is not None:
        found.add(known.handle)
    if HANDLE.fullmatch(mention):
        found.add(mention)
    return frozenset(found)


def drop_handles(person: Person, tx: Transaction, handles: Collection[str] | None) -> list[int]:
    """Drop the records of handles (of all with None) and return the slots to destroy."""
    slots, keys = [], []
    for row in tx.records(person.tenant, person.person, RecordKind.MENTION):
        plain = person.open_record(row) if handles is not None else None
        if handles is None or (plain is not None and Mention.model_validate_json(plain).handle in handles):
            keys.append(row.key)
            slots.append(row.slot)
    if keys:
        tx.drop_records(person.tenant, person.person, RecordKind.MENTION, keys)
    return [slot for slot in slots if slot]
