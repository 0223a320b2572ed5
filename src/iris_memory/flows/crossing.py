"""Crossing: what goes from device to device, and the words of turns, end with their consent, in its transaction."""

from __future__ import annotations

import json
from collections.abc import Collection

from iris_memory.contracts.consent import ConsentType
from iris_memory.flows.cascading import Cascader, Cascading
from iris_memory.ports.rows import RecordKind


def crossing(kind: RecordKind) -> Cascader:
    """Return the hook that drops places whose sensitive categories lose their consent, or that cannot be read."""

    def drop(cascading: Cascading) -> int:
        person, tx = cascading.person, cascading.tx
        ending = {category.value for category in cascading.cut.categories}
        everything = ConsentType.CROSS_DEVICE.value in cascading.names
        going, tokens = [], set()
        for row in tx.records(person.tenant, person.person, kind):
            plain = person.open_record(row)
            said = json.loads(plain) if plain is not None else None
            if said is None:
                going.append(row)
                continue
            token = said.get("token", said)
            sensitive = set(token["sensitive_categories"])
            if sensitive and (everything or sensitive & ending):
                going.append(row)
                tokens.add(token["token_id"])
        _drop_notices(cascading, tokens)
        return cascading.take(kind, going)

    return drop


def _drop_notices(cascading: Cascading, tokens: Collection[str]) -> None:
    """Drop what devices were not told yet about these places."""
    person, tx = cascading.person, cascading.tx
    keys = [
        row.key
        for row in (tx.records(person.tenant, person.person, RecordKind.DEVICE_NOTICE) if tokens else ())
        if (plain := person.open_record(row)) is None or json.loads(plain)["token_id"] in tokens
    ]
    if keys:
        tx.drop_records(person.tenant, person.person, RecordKind.DEVICE_NOTICE, keys)


def drop_words(cascading: Cascading) -> int:
    """Drop the words of every turn when a consent that cuts memory off ends: nobody can say what a turn is about."""
    person = cascading.person
    return cascading.take(
        RecordKind.TURN_TEXT, cascading.tx.records(person.tenant, person.person, RecordKind.TURN_TEXT)
    )
