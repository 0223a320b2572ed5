"""The audit tree: RFC 6962 / RFC 9162 Merkle hashing, the frontier that grows it, and its two proofs.

`leaves` are always leaf *hashes* in order, indexes start at 0. A proof is a tuple of 32-byte hashes in the order of
RFC 9162 (sections 2.1.3 and 2.1.4). Verification answers a bool and never raises on a malformed proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

from iris_memory.errors import ChainError

HASH_LENGTH: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()

Proof: TypeAlias = tuple[bytes, ...]


def leaf_hash(data: bytes) -> bytes:
    """The hash of one log line (RFC 9162 section 2.1.1)."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node (RFC 9162 section 2.1.1)."""
    return sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that is needed to grow a tree and know its root: the roots of its full subtrees, largest first.

    There is one peak per set bit of `size`, so a tree of a million lines is held by at most 20 hashes.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> Frontier:
        """The frontier after one more leaf hash."""
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> Frontier:
        """The frontier after more leaf hashes."""
        size, peaks = self.size, list(self.peaks)
        for node in leaves:
            full = size
            while full & 1:
                node = sha256(b"\x01" + peaks.pop() + node).digest()
                full >>= 1
            peaks.append(node)
            size += 1
        return Frontier(size, tuple(peaks))

    def root(self) -> bytes:
        """The root of the tree; `EMPTY_ROOT` when it has no leaf."""
        if not self.peaks:
            return EMPTY_ROOT
        *larger, node = self.peaks
        for peak in reversed(larger):
            node = node_hash(peak, node)
        return node

    def to_bytes(self) -> bytes:
        """For storage: the size (8 bytes, big-endian), then the peaks."""
        return self.size.to_bytes(8, "big") + b"".join(self.peaks)

    @staticmethod
    def from_bytes(data: bytes) -> Frontier:
        """The frontier that `to_bytes` wrote.

        Raises:
            ChainError: the length does not fit the size.
        """
        size, hashes = int.from_bytes(data[:8], "big"), data[8:]
        if len(data) < 8 or len(hashes) != HASH_LENGTH * size.bit_count():
            raise ChainError("a stored frontier has the wrong length")
        peaks = (hashes[start : start + HASH_LENGTH] for start in range(0, len(hashes), HASH_LENGTH))
        return Frontier(size, tuple(peaks))


def root(leaves: Iterable[bytes]) -> bytes:
    """The root over leaf hashes."""
    return Frontier().extend(leaves).root()


def inclusion_proof(leaves: Sequence[bytes], *, index: int, size: int) -> Proof:
    """The proof that leaf `index` is in the tree of the first `size` leaves (RFC 9162 section 2.1.3.1).

    Raises:
        ChainError: unless 0 <= index < size <= len(leaves).
    """
    if not 0 <= index < size <= len(leaves):
        raise ChainError("an inclusion proof needs an index below the size and a size within the log")
    start, end = 0, size
    path: list[bytes] = []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(root(leaves[middle:end]))
            end = middle
        else:
            path.append(root(leaves[start:middle]))
            start = middle
    return tuple(reversed(path))


def consistency_proof(leaves: Sequence[bytes], *, first: int, second: int) -> Proof:
    """The proof that the tree of `second` leaves begins with the tree of `first` (RFC 9162 section 2.1.4.1).

    Raises:
        ChainError: unless 0 < first <= second <= len(leaves).
    """
    if not 0 < first <= second <= len(leaves):
        raise ChainError("a consistency proof needs two sizes in order, above zero and within the log")
    start, end = 0, second
    path: list[bytes] = []
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(root(leaves[middle:end]))
            end = middle
        else:
            path.append(root(leaves[start:middle]))
            start = middle
    if start:
        path.append(root(leaves[start:end]))
    return tuple(reversed(path))


def verify_inclusion(leaf: bytes, *, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof shows the leaf hash at `index` of the tree with that root (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size or not _are_hashes(leaf, root, *proof):
        return False
    place, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = node_hash(sibling, node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


def verify_consistency(
    *, first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether the proof shows that the second tree begins with the first (RFC 9162 section 2.1.4.2).

    Every tree begins with the empty one, so a proof from size 0 says nothing and is refused.
    """
    if not 0 < first <= second:
        return False
    if first == second:
        return not proof and first_root == second_root
    if not proof or not _are_hashes(first_root, second_root, *proof):
        return False
    # A full first tree is itself a node of the second, and the proof leaves it out.
    path = list(proof) if first & (first - 1) else [first_root, *proof]
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


def _split(width: int) -> int:
    """The largest power of two below `width` (at least 2): where RFC 9162 parts a tree."""
    return 1 << (width - 1).bit_length() - 1


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_LENGTH for value in values)
