"""Who may write what at the same time: everybody's rows have one writer, and a tenant's own rows one among all.

A work that looks at a person holds that person's lock alone and the tenant's shared with others; one that changes the
tenant's own rows (those whose person is empty) holds the tenant's lock alone. So two people of a tenant are written at
the same time, and who reads what the tenant decided can rely on it. Locks are advisory, of the transaction, and named
by hashes; two names that share a hash only wait for each other.

The order of all locks is: by tenant, the tenant's before its persons'. Locks that are named before a work begins are
taken in this order, so no two works wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

SHARED: Final = 1
ALONE: Final = 2
PERSON: Final = 4
"""What `iris.enter` is to take, as bits: the tenant's lock with others or alone, and the person's."""


class LockTakenError(Exception):
    """Another transaction holds a lock that is wanted, and this one holds another already."""


class Want(NamedTuple):
    """Locks to be taken for one name."""

    tenant: str
    person: str
    holds: int

    @property
    def values(self) -> dict[str, Any]:
        """Return the values of the statement that takes them."""
        return {"tenant": self.tenant, "person": self.person, "holds": self.holds}


class Locks:
    """The locks a transaction holds."""

    __slots__ = ("_persons", "_tenants")

    def __init__(self) -> None:
        self._tenants: dict[str, int] = {}
        self._persons: set[tuple[str, str]] = set()

    def is_empty(self) -> bool:
        """Say whether none is held."""
        return not self._tenants

    def copy(self) -> Locks:
        """Return the same again."""
        other = Locks()
        other._tenants, other._persons = self._tenants.copy(), self._persons.copy()
        return other

    def missing(self, tenant: str, person: str, *, changes: bool) -> Want | None:
        """Return what is to be taken before a person's rows (or, with an empty person, the tenant's) are looked at."""
        held = self._tenants.get(tenant, 0)
        if held & ALONE:
            return None
        if not person:
            holds = ALONE if changes else SHARED & ~held
        else:
            holds = (SHARED & ~held) | (0 if (tenant, person) in self._persons else PERSON)
        return Want(tenant, person, holds) if holds else None

    def take(self, wants: Iterable[Want]) -> None:
        """Take note of locks that are held now."""
        for want in wants:
            if want.holds & (SHARED | ALONE):
                self._tenants[want.tenant] = self._tenants.get(want.tenant, 0) | want.holds & (SHARED | ALONE)
            if want.holds & PERSON:
                self._persons.add((want.tenant, want.person))

    def all(self) -> tuple[Want, ...]:
        """Return every lock that is held, in the order of all locks."""
        tenants = [Want(tenant, "", ALONE if holds & ALONE else SHARED) for tenant, holds in self._tenants.items()]
        persons = [Want(tenant, person, PERSON) for tenant, person in self._persons]
        return in_order([*tenants, *persons])


def in_order(wants: Iterable[Want]) -> tuple[Want, ...]:
    """Return locks once each, in the order in which everybody takes them; a tenant that is held alone needs no more."""
    wants = list(wants)
    alone = {want.tenant for want in wants if want.holds & ALONE}
    shared = {want.tenant for want in wants} - alone
    persons = {(want.tenant, want.person) for want in wants if want.holds & PERSON and want.tenant not in alone}
    found = [
        *(Want(tenant, "", ALONE) for tenant in alone),
        *(Want(tenant, "", SHARED) for tenant in shared),
        *(Want(tenant, person, PERSON) for tenant, person in persons),
    ]
    return tuple(sorted(found, key=lambda want: (want.tenant, want.person)))
