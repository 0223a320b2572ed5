"""What gates look at: the few facts of an entry that a verdict may depend on, and the question that is asked.

A gate reads one trait. Entries that share a trait share its verdict, so a gate is compiled once per request into a
verdict per distinct trait and applied by lookup: one implementation serves one entry and a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import DropReason
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, SuppressionReason
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.scope import AdapterScope, Scope


class Trait(StrEnum):
    """The groups of facts a gate may read."""

    ADDRESS = "address"
    MATTER = "matter"
    HOLD = "hold"
    STANDING = "standing"


class Address(NamedTuple):
    """Whose memory it is and where it lives."""

    tenant_id: str
    user_id: str
    scope: Scope
    adapter_scope: AdapterScope
    ephemeral: bool = False
    """Whether it lives in the memory of the process alone."""


class Matter(NamedTuple):
    """What it is about."""

    category: Category
    sensitive_interaction: bool


class Hold(NamedTuple):
    """The suppression in force at `now`, if any."""

    reason: SuppressionReason | None


class Standing(NamedTuple):
    """Where the revision stands at `now`."""

    quarantined: bool
    lifecycle: Lifecycle
    expired: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, with what a store knows beside it: scopes its policy closes, and whether the session is paused.

    From `suppressed_scopes` nothing stored is recalled, from `closed_scopes` not even what lives in the session.
    """

    request: RecallRequest
    suppressed_scopes: frozenset[AdapterScope] = field(default_factory=frozenset)
    paused: bool = False
    closed_scopes: frozenset[AdapterScope] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of recall: the trait it reads, the rule it keeps, and its verdict (None lets the entry pass)."""

    name: str
    trait: Trait
    rule: str
    check: Callable[[Any, Asked], DropReason | None]


def address_of(entry: MemoryEntry) -> Address:
    """Return whose entry it is and where it lives."""
    return Address(entry.tenant_id, entry.user_id, entry.scope, entry.adapter_scope)


def matter_of(entry: MemoryEntry) -> Matter:
    """Return what an entry is about."""
    actor = entry.multi_actor
    return Matter(entry.category, actor is not None and actor.sensitive_interaction)


def hold_of(entry: MemoryEntry, asked: Asked) -> Hold:
    """Return the suppression of an entry in force at the request's `now` (its end is null or still to come)."""
    hold = entry.suppression
    if hold is None or (hold.ends_at is not None and hold.ends_at <= asked.request.now):
        return Hold(None)
    return Hold(hold.reason)


def standing_of(entry: MemoryEntry, asked: Asked) -> Standing:
    """Return where an entry stands at the request's `now`."""
    expired = entry.expires_at is not None and entry.expires_at <= asked.request.now
    return Standing(entry.quarantine is not None, entry.lifecycle, expired)


def trait_of(entry: MemoryEntry, trait: Trait, asked: Asked) -> Address | Matter | Hold | Standing:
    """Return the facts of one trait of an entry."""
    if trait is Trait.ADDRESS:
        return address_of(entry)
    if trait is Trait.MATTER:
        return matter_of(entry)
    if trait is Trait.HOLD:
        return hold_of(entry, asked)
    return standing_of(entry, asked)
