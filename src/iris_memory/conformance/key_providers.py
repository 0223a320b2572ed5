"""What every provider of a root key promises. A provider that cannot give the key out refuses: nothing is made up."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import NamedTuple

from iris_memory.conformance.reporting import expect, refused, same
from iris_memory.conformance.surroundings import together
from iris_memory.errors import KeyMissingError
from iris_memory.ports.vault import KeyProvider

KEY_LENGTH = 32


class KeyPlace(NamedTuple):
    """One place a root key comes from.

    `open` returns a provider, again one that finds the same key; the first of a place MAY make the key. `lose` takes
    the key away from the place: a file that is gone, a variable that is not set, a service that refuses.
    """

    open: Callable[[], KeyProvider]
    lose: Callable[[], None]


def the_key_is_32_bytes_and_stays(key_place: KeyPlace) -> None:
    """root_key returns 32 bytes, the same each time, from every provider of one place."""
    one, two = key_place.open(), key_place.open()
    key = one.root_key()
    same(len(key), KEY_LENGTH, "32 bytes")
    same([one.root_key(), two.root_key(), key_place.open().root_key()], [key] * 3, "the same key")
    expect(len(set(key)) > 1, "it is no filling")


def all_who_ask_at_once_get_one_key(key_place: KeyPlace) -> None:
    """Providers of one place that are asked at the same time for the first time agree on one key."""
    found: list[bytes] = []
    together([lambda: found.append(key_place.open().root_key())] * 4)
    same(len(set(found)), 1, "one key")


def it_says_where_the_key_is_and_shows_none(key_place: KeyPlace) -> None:
    """describe is one line in words; neither it nor the provider's repr shows the key in any form."""
    provider = key_place.open()
    key = provider.root_key()
    told = provider.describe()
    expect(bool(told.strip()) and "\n" not in told, "one line in words")
    for form in (key.hex(), base64.b64encode(key).decode(), repr(key)):
        expect(form not in told and form not in repr(provider), "the key is shown")


def a_lost_key_is_refused(key_place: KeyPlace) -> None:
    """Without its key a place refuses, by KeyMissingError, however often it is asked; no other key is made."""
    key_place.open().root_key()
    key_place.lose()
    for _ in range(2):
        refused(key_place.open().root_key, "a key that is not there", by=KeyMissingError)


CHECKS = (
    the_key_is_32_bytes_and_stays,
    all_who_ask_at_once_get_one_key,
    it_says_where_the_key_is_and_shows_none,
    a_lost_key_is_refused,
)
