"""Sequences and maps that grow by a short tail without copying what was there before; none of them ever changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Generic, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class GrownList(Sequence[T], Generic[T]):
    """A long list that is shared, and a short tail of its own."""

    __slots__ = ("_base", "_tail")

    def __init__(self, base: list[T], tail: list[T] | None = None) -> None:
        """Take both; neither may change afterwards."""
        self._base = base
        self._tail = tail or []

    def grown(self, more: Iterable[T]) -> GrownList[T]:
        """Return the list with more items at its end."""
        return GrownList(self._base, [*self._tail, *more])

    def blanked(self, places: Iterable[int], blank: T) -> GrownList[T]:
        """Return the list with a blank at some places. Copies everything."""
        every = [*self._base, *self._tail]
        for place in places:
            every[place] = blank
        size = len(self._base)
        return GrownList(every[:size], every[size:])

    def at(self, places: Iterable[int]) -> list[T]:
        """Return the items at many places, none of them below zero, in their order."""
        every = [*self._base, *self._tail] if self._tail else self._base
        return list(map(every.__getitem__, places))

    def __len__(self) -> int:
        """Count the items."""
        return len(self._base) + len(self._tail)

    def __iter__(self) -> Iterator[T]:
        """Go through the items."""
        return chain(self._base, self._tail)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        """Return the item at a place, or the items of a slice."""
        if isinstance(place, slice):
            return list(self)[place]
        size = len(self._base)
        if place < 0:
            place += len(self)
        return self._base[place] if place < size else self._tail[place - size]


class GrownMap(Mapping[K, V], Generic[K, V]):
    """A long map that is shared, and a short one of its own that overrides it; some keys may be taken away."""

    __slots__ = ("_base", "_gone", "_tail")

    def __init__(self, base: dict[K, V], tail: dict[K, V] | None = None, gone: frozenset[K] = frozenset()) -> None:
        """Take both, and the keys of the long one that count as absent; none may change afterwards."""
        self._base = base
        self._tail = tail or {}
        self._gone = gone

    def grown(self, more: Mapping[K, V], *, gone: Iterable[K] = ()) -> GrownMap[K, V]:
        """Return the map without the keys that are gone and with more items."""
        lost = frozenset(gone)
        tail = {key: value for key, value in self._tail.items() if key not in lost} if lost else dict(self._tail)
        tail.update(more)
        return GrownMap(self._base, tail, self._gone | lost if lost else self._gone)

    def __getitem__(self, key: K) -> V:
        """Return the value of a key."""
        if key in self._tail:
            return self._tail[key]
        if key in self._gone:
            raise KeyError
        return self._base[key]

    def __contains__(self, key: object) -> bool:
        """Say whether a key is there."""
        return key in self._tail or (key in self._base and key not in self._gone)

    def __len__(self) -> int:
        """Count the keys."""
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[K]:
        """Go through the keys."""
        for key in self._base:
            if key not in self._gone and key not in self._tail:
                yield key
        yield from self._tail
