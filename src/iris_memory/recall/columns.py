"""One person's active memory as columns: small-integer codes for what gates look at, instants, and a lexical index.

A `Columns` never changes; a write makes the next one. Rows below `base` stand in tie order (updated_at descending, id
ascending) and are indexed; rows from `base` on are recent additions, few, and read one by one. A row that was replaced
or taken out of reach is dead: its bytes are dropped and it is never evaluated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, MemoryEntry, Origin, SuppressionReason
from iris_memory.contracts.shape import from_micros, to_micros, with_fields
from iris_memory.errors import StoreVersionError
from iris_memory.gates.facts import Address, Hold, Matter, Standing, address_of
from iris_memory.recall.grown import GrownList, GrownMap
from iris_memory.recall.packing import (
    FOREVER,
    HAS_CONFLICT_KEY,
    HEAD,
    PACK_VERSION,
    QUARANTINED,
    SENSITIVE_INTERACTION,
    token_bytes,
    unpack,
)
from iris_memory.tables.limits import MILLION, REFERENCES_FOR_FULL_SCORE, SCORE_WEIGHTS
from iris_memory.tables.origins import ORIGINS

Ints = NDArray[np.int64]
Codes = NDArray[np.uint8]

TAIL_MOST: Final = 256
"""Recent rows that are read one by one before the columns are laid anew; fewer where there is little before them."""
_TAIL_LEAST: Final = 16

_CATEGORIES: Final = tuple(Category)
_LIFECYCLES: Final = tuple(Lifecycle)
_ORIGINS: Final = tuple(Origin)
MATTERS: Final = tuple(Matter(category, flag) for category in _CATEGORIES for flag in (False, True))
HOLDS: Final = (Hold(None), *(Hold(reason) for reason in SuppressionReason))
STANDINGS: Final = tuple(
    Standing(quarantined, lifecycle, expired)
    for expired in (False, True)
    for lifecycle in _LIFECYCLES
    for quarantined in (False, True)
)
EXPIRED: Final = 2 * len(_LIFECYCLES)
"""What an expiry in the past adds to a standing code."""

ORIGIN_WEIGHTS: Final = np.array([ORIGINS[origin].weight for origin in _ORIGINS], dtype=np.int64)
AUTHORITIES: Final = np.array([ORIGINS[origin].authority for origin in _ORIGINS], dtype=np.int64)


class Use(NamedTuple):
    """How often a memory was used and when last, in microseconds (None: never)."""

    times: int
    last: int | None


NEVER_USED: Final = Use(0, None)
_NEVER: Final = -(1 << 62)


@dataclass(frozen=True, slots=True)
class Postings:
    """For each token, ascending, the rows that hold it: `rows[starts[i]:starts[i + 1]]`."""

    tokens: NDArray[np.uint64]
    starts: Ints
    rows: NDArray[np.int32]

    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Return the three arrays."""
        return (self.tokens, self.starts, self.rows)


class Traits(NamedTuple):
    """Columns that come straight from the heads; the plural of a code lists the codes that occur."""

    matter: Codes
    matters: tuple[int, ...]
    hold: Codes
    holds: tuple[int, ...]
    hold_rows: Ints
    hold_ends: Ints
    standing: Codes
    standings: tuple[int, ...]
    expiry_rows: Ints
    expiries: Ints
    origin: Codes
    updated: Ints


class UseColumns(NamedTuple):
    """How often and when each row was used (`_NEVER`: never), since when it counts as recent, and its `still` points.

    Still points are those that hang on neither text nor time.
    """

    references: Ints
    last: Ints
    referenced: Ints
    still: Ints


@dataclass(frozen=True, slots=True)
class Columns:
    """See the module. Arrays have one item a row; `packs` are the packed entries, empty for a dead row."""

    packs: GrownList[bytes]
    ids: GrownList[str]
    keys: GrownList[str]
    row_of: GrownMap[str, int]
    base: int
    dead: frozenset[int]
    alive: NDArray[np.bool_]
    addresses: tuple[Address, ...]
    address_codes: GrownMap[bytes, int]
    address: NDArray[np.int32]
    traits: Traits
    conflict: Ints
    conflict_codes: GrownMap[bytes, int]
    conflict_count: int
    rivals: Ints
    token_count: Ints
    postings: Postings
    tail_tokens: tuple[frozenset[int], ...]
    use: UseColumns
    verdicts: dict[object, tuple[Codes | None, ...]] = field(default_factory=dict, compare=False)
    entries: dict[int, tuple[Use, MemoryEntry]] = field(default_factory=dict, compare=False)

    @property
    def size(self) -> int:
        """Return how many rows there are, dead ones included."""
        return len(self.packs)

    @property
    def count(self) -> int:
        """Return how many memories are alive."""
        return len(self.packs) - len(self.dead)

    def entry(self, row: int) -> MemoryEntry:
        """Return the entry of a row, with its use."""
        use, known = self.use_at(row), self.entries.get(row)
        if known is not None and known[0] == use:
            return known[1]
        entry = with_use(unpack(self.packs[row]) if known is None else known[1], use)
        if known is not None or len(self.entries) < _ENTRIES_KEPT:
            self.entries[row] = (use, entry)
        return entry

    def use_at(self, row: int) -> Use:
        """Return how often and when a row was used."""
        last = int(self.use.last[row])
        return Use(int(self.use.references[row]), None if last == _NEVER else last)

    def rows(self) -> list[int]:
        """Return the rows that are alive, oldest position first."""
        return [row for row in range(self.size) if row not in self.dead]


_ENTRIES_KEPT: Final = 512


def with_use(entry: MemoryEntry, use: Use) -> MemoryEntry:
    """Return an entry with its use counts."""
    if use.times == entry.reference_count and use.last is None and entry.last_referenced_at is None:
        return entry
    last = from_micros(use.last) if use.last is not None else None
    return with_fields(entry, reference_count=use.times, last_referenced_at=last)


def use_of(entry: MemoryEntry) -> Use:
    """Return the use that an entry carries."""
    return Use(entry.reference_count, to_micros(entry.last_referenced_at) if entry.last_referenced_at else None)


class Packed(NamedTuple):
    """One memory as columns take it: the logical id, the revision's id, and the packed entry."""

    logical_id: str
    entry_id: str
    pack: bytes


def build(memories: Iterable[Packed], uses: Mapping[str, Use] | None = None) -> Columns:
    """Lay columns over packed entries, in tie order, with every row indexed."""
    given = list(memories)
    heads = _heads([memory.pack for memory in given])
    updated = heads["updated"].astype(np.int64)
    order = sorted(range(len(given)), key=lambda row: given[row].entry_id)
    if order:
        positions = np.array(order, dtype=np.int64)
        order = positions[np.argsort(-updated[positions], kind="stable")].tolist()
    given = [given[row] for row in order]
    heads = heads[np.array(order, dtype=np.int64)]
    packs = [memory.pack for memory in given]
    keys = [memory.logical_id for memory in given]
    size = len(given)
    address, first_rows, address_codes = _codes(heads["address"])
    conflict, _, conflict_codes = _codes(heads["conflict"])
    conflict = np.where(heads["flags"] & HAS_CONFLICT_KEY, conflict, -1)
    postings, token_count = _index(packs, heads["token_count"].astype(np.int64))
    traits = _traits(heads)
    row_of = {key: row for row, key in enumerate(keys)}
    used = {row_of[key]: use for key, use in uses.items() if key in row_of} if uses else {}
    return Columns(
        packs=GrownList(packs),
        ids=GrownList([memory.entry_id for memory in given]),
        keys=GrownList(keys),
        row_of=GrownMap(row_of),
        base=size,
        dead=frozenset(),
        alive=np.ones(size, dtype=np.bool_),
        addresses=tuple(address_of(unpack(packs[row])) for row in first_rows),
        address_codes=GrownMap(address_codes),
        address=address.astype(np.int32),
        traits=traits,
        conflict=conflict,
        conflict_codes=GrownMap(conflict_codes),
        conflict_count=len(conflict_codes),
        rivals=_rivals(conflict, heads["origin"]),
        token_count=token_count,
        postings=postings,
        tail_tokens=(),
        use=_used(_unused(traits), traits, used),
    )


def replace_rows(
    columns: Columns, added: Sequence[Packed], gone: Iterable[str], uses: Mapping[str, Use] | None = None
) -> Columns:
    """Return columns with memories added (each replaces its own earlier revision) and others taken out of reach."""
    lost = {columns.row_of[key] for key in gone if key in columns.row_of}
    lost |= {columns.row_of[memory.logical_id] for memory in added if memory.logical_id in columns.row_of}
    dead = columns.dead | lost
    tail = columns.size - columns.base + len(added)
    if tail > min(TAIL_MOST, max(_TAIL_LEAST, columns.base // 4)) or len(dead) > max(TAIL_MOST, columns.size // 2):
        living = [
            Packed(columns.keys[row], columns.ids[row], columns.packs[row])
            for row in range(columns.size)
            if row not in dead
        ]
        return build([*living, *added], {**_uses(columns), **(uses or {})})
    return _append(columns, added, dead, lost, uses or {})


def mark_uses(columns: Columns, uses: Mapping[str, Use]) -> Columns:
    """Return columns with newer use counts of some memories."""
    rows = {columns.row_of[key]: use for key, use in uses.items() if key in columns.row_of}
    if not rows:
        return columns
    return replace(columns, use=_used(columns.use, columns.traits, rows))


def _entries_but(columns: Columns, rows: Collection[int]) -> dict[int, tuple[Use, MemoryEntry]]:
    # copied in one step first: another thread may be reading an entry, which adds to it
    return {row: entry for row, entry in columns.entries.copy().items() if row not in rows}


def _uses(columns: Columns) -> dict[str, Use]:
    """Return the use of every memory that was used."""
    rows = np.flatnonzero(columns.alive & ((columns.use.references > 0) | (columns.use.last != _NEVER)))
    return {columns.keys[row]: columns.use_at(row) for row in rows.tolist()}


def _append(
    columns: Columns, added: Sequence[Packed], dead: frozenset[int], lost: set[int], uses: Mapping[str, Use]
) -> Columns:
    heads = _heads([memory.pack for memory in added])
    size = columns.size + len(added)
    packs = columns.packs.grown(memory.pack for memory in added)
    revised = {memory.logical_id for memory in added}
    out_of_reach = [columns.keys[row] for row in lost if columns.keys[row] not in revised]
    if out_of_reach:  # forgotten words leave this process's memory at once; superseded ones with the next build
        packs = packs.blanked(dead, b"")
    places = {memory.logical_id: columns.size + offset for offset, memory in enumerate(added)}
    row_of = columns.row_of.grown(places, gone=out_of_reach)
    used = {  # a revision takes over the use of its memory
        row_of[memory.logical_id]: columns.use_at(columns.row_of[memory.logical_id])
        for memory in added
        if memory.logical_id in columns.row_of
    } | {row_of[key]: use for key, use in uses.items() if key in row_of}
    alive = np.ones(size, dtype=np.bool_)
    alive[list(dead)] = False
    addresses, new_addresses, address = list(columns.addresses), dict[bytes, int](), list[int]()
    first_code, new_conflicts, conflict = columns.conflict_count, dict[bytes, int](), list[int]()
    for head, memory in zip(heads, added, strict=True):
        mark = head["address"].tobytes()
        code = columns.address_codes.get(mark, new_addresses.get(mark))
        if code is None:
            code = new_addresses[mark] = len(addresses)
            addresses.append(address_of(unpack(memory.pack)))
        address.append(code)
        clash = head["conflict"].tobytes()
        if not head["flags"] & HAS_CONFLICT_KEY:
            conflict.append(-1)
            continue
        known = columns.conflict_codes.get(clash)
        if known is None:
            known = new_conflicts.setdefault(clash, first_code + len(new_conflicts))
        conflict.append(known)
    new_traits = _traits(heads)
    traits = _join(columns.traits, new_traits, offset=columns.size)
    use = UseColumns(*(np.concatenate(pair) for pair in zip(columns.use, _unused(new_traits), strict=True)))
    return Columns(
        packs=packs,
        ids=columns.ids.grown(memory.entry_id for memory in added),
        keys=columns.keys.grown(memory.logical_id for memory in added),
        row_of=row_of,
        base=columns.base,
        dead=dead,
        alive=alive,
        addresses=tuple(addresses),
        address_codes=columns.address_codes.grown(new_addresses),
        address=np.concatenate([columns.address, np.array(address, dtype=np.int32)]),
        traits=traits,
        conflict=np.concatenate([columns.conflict, np.array(conflict, dtype=np.int64)]),
        conflict_codes=columns.conflict_codes.grown(new_conflicts),
        conflict_count=first_code + len(new_conflicts),
        rivals=columns.rivals,
        token_count=np.concatenate([columns.token_count, heads["token_count"].astype(np.int64)]),
        postings=columns.postings,
        tail_tokens=(
            *columns.tail_tokens,
            *(frozenset(np.frombuffer(token_bytes(memory.pack), dtype="<u8").tolist()) for memory in added),
        ),
        use=_used(use, traits, used),
        verdicts=columns.verdicts if _same_traits(columns, traits, len(addresses)) else {},
        entries=_entries_but(columns, lost),
    )


def _same_traits(columns: Columns, traits: Traits, addresses: int) -> bool:
    """Say whether verdicts of the earlier columns still cover every code."""
    before = columns.traits
    return (len(columns.addresses), before.matters, before.holds, before.standings) == (
        addresses,
        traits.matters,
        traits.holds,
        traits.standings,
    )


def _heads(packs: Sequence[bytes]) -> NDArray[np.void]:
    heads = np.frombuffer(b"".join([pack[: HEAD.itemsize] for pack in packs]), dtype=HEAD)
    if len(heads) and (heads["version"] != PACK_VERSION).any():
        raise StoreVersionError("an entry was packed by a newer Iris; upgrade Iris to read it")
    return heads


def _codes(digests: NDArray[np.uint64]) -> tuple[Ints, list[int], dict[bytes, int]]:
    """Return a code per row, the first row of each code, and the code of each 128-bit digest."""
    if not len(digests):
        return np.zeros(0, dtype=np.int64), [], {}
    _, first, codes = np.unique(digests[:, 0], return_index=True, return_inverse=True)
    if not (digests[first, 1][codes] == digests[:, 1]).all():
        # two digests agree in their first half: tell them apart the slow way
        table: dict[bytes, int] = {}
        slow = [table.setdefault(row.tobytes(), len(table)) for row in digests]
        firsts = {code: row for row, code in reversed(list(enumerate(slow)))}
        return np.array(slow, dtype=np.int64), [firsts[code] for code in range(len(table))], table
    return codes.astype(np.int64), first.tolist(), {digests[row].tobytes(): code for code, row in enumerate(first)}


def _traits(heads: NDArray[np.void]) -> Traits:
    flags = heads["flags"]
    matter = (heads["category"] * 2 + ((flags & SENSITIVE_INTERACTION) != 0)).astype(np.uint8)
    standing = (heads["lifecycle"] * 2 + ((flags & QUARANTINED) != 0)).astype(np.uint8)
    hold = heads["hold"].astype(np.uint8)
    hold_rows = np.flatnonzero((heads["hold"] > 0) & (heads["hold_ends"] < FOREVER)).astype(np.int64)
    expiry_rows = np.flatnonzero(heads["expires"] < FOREVER).astype(np.int64)
    return Traits(
        matter=matter,
        matters=tuple(np.unique(matter).tolist()),
        hold=hold,
        holds=tuple(np.unique(hold).tolist()),
        hold_rows=hold_rows,
        hold_ends=heads["hold_ends"][hold_rows].astype(np.int64),
        standing=standing,
        standings=tuple(np.unique(standing).tolist()),
        expiry_rows=expiry_rows,
        expiries=heads["expires"][expiry_rows].astype(np.int64),
        origin=heads["origin"].astype(np.uint8),
        updated=heads["updated"].astype(np.int64),
    )


def _join(first: Traits, second: Traits, *, offset: int) -> Traits:
    return Traits(
        matter=np.concatenate([first.matter, second.matter]),
        matters=tuple(sorted({*first.matters, *second.matters})),
        hold=np.concatenate([first.hold, second.hold]),
        holds=tuple(sorted({*first.holds, *second.holds})),
        hold_rows=np.concatenate([first.hold_rows, second.hold_rows + offset]),
        hold_ends=np.concatenate([first.hold_ends, second.hold_ends]),
        standing=np.concatenate([first.standing, second.standing]),
        standings=tuple(sorted({*first.standings, *second.standings})),
        expiry_rows=np.concatenate([first.expiry_rows, second.expiry_rows + offset]),
        expiries=np.concatenate([first.expiries, second.expiries]),
        origin=np.concatenate([first.origin, second.origin]),
        updated=np.concatenate([first.updated, second.updated]),
    )


def _rivals(conflict: Ints, origin: NDArray[np.generic]) -> Ints:
    """Return the rows that share a conflict key with another, strongest claim first (rows come in tie order)."""
    if not len(conflict):
        return np.zeros(0, dtype=np.int64)
    keyed = conflict >= 0
    counts = np.bincount(conflict[keyed], minlength=1) if keyed.any() else np.zeros(1, dtype=np.int64)
    rows = np.flatnonzero(keyed & (counts[np.maximum(conflict, 0)] > 1)).astype(np.int64)
    return rows[np.argsort(-AUTHORITIES[origin[rows]], kind="stable")]


def _index(packs: Sequence[bytes], counts: Ints) -> tuple[Postings, Ints]:
    tokens = np.frombuffer(b"".join([token_bytes(pack) for pack in packs]), dtype="<u8")
    rows = np.repeat(np.arange(len(packs), dtype=np.int32), counts)
    order = np.argsort(tokens, kind="stable")
    distinct, starts = np.unique(tokens[order], return_index=True)
    return Postings(distinct, np.append(starts, len(tokens)).astype(np.int64), rows[order]), counts


def _unused(traits: Traits) -> UseColumns:
    nothing = np.zeros(len(traits.updated), dtype=np.int64)
    return UseColumns(nothing, nothing + _NEVER, traits.updated, still(nothing, traits.origin, SCORE_WEIGHTS))


def _used(before: UseColumns, traits: Traits, uses: Mapping[int, Use]) -> UseColumns:
    """Return use columns with the use of some rows replaced; the others are not looked at."""
    if not uses:
        return before
    rows = np.array(list(uses), dtype=np.int64)
    times = np.array([use.times for use in uses.values()], dtype=np.int64)
    last = np.array([_NEVER if use.last is None else use.last for use in uses.values()], dtype=np.int64)
    after = UseColumns(*(part.copy() for part in before))
    after.references[rows] = times
    after.last[rows] = last
    after.referenced[rows] = np.where(last == _NEVER, traits.updated[rows], last)
    after.still[rows] = still(times, traits.origin[rows], SCORE_WEIGHTS)
    return after


def still(references: Ints, origin: Codes, weights: Mapping[str, int]) -> Ints:
    """Return the points that hang on neither text nor time, under given weights."""
    full = REFERENCES_FOR_FULL_SCORE
    use_part = (2 * MILLION * np.minimum(references, full) + full) // (2 * full)
    points: Ints = weights["reference_count"] * use_part + weights["origin"] * ORIGIN_WEIGHTS[origin]
    return points


def body_digest_of(columns: Columns, row: int) -> bytes:
    """Return the digest of a row's body as it is compared."""
    offset = HEAD.fields["body"][1] if HEAD.fields else 0
    return columns.packs[row][offset : offset + 16]


def bytes_held(columns: Columns) -> int:
    """Return roughly how many bytes the columns hold, packed entries included."""
    postings = columns.postings
    arrays: tuple[NDArray[np.generic], ...] = (
        columns.address,
        columns.conflict,
        columns.token_count,
        columns.alive,
        columns.rivals,
        *postings.arrays(),
    )
    arrays += tuple(part for part in (*columns.traits, *columns.use) if isinstance(part, np.ndarray))
    return (
        sum(array.nbytes for array in arrays)
        + sum(map(len, columns.packs))
        + 150 * columns.size
        + 5_000 * len(columns.entries)
    )
