"""LOG-3: RFC 6962 vectors, published proofs good and broken, and two other implementations up to 1,024 leaves."""

from __future__ import annotations

import base64
import json
import random
import tarfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree

from iris_memory.chain.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root,
    verify_consistency,
    verify_inclusion,
)
from iris_memory.errors import ChainError

VECTORS = Path(__file__).parents[2].parent / "shared" / "data" / "merkle" / "testdata.tar.gz"
LARGEST = 1024
DATA = [number.to_bytes(2, "big") for number in range(LARGEST)]
LEAVES = [leaf_hash(data) for data in DATA]

# The inputs and roots of the certificate transparency reference implementation, sizes 1 to 8.
CT_INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


@cache
def naive_root(start: int, end: int) -> bytes:
    """MTH of RFC 9162 section 2.1.1, word for word."""
    if end == start:
        return sha256(b"").digest()
    if end - start == 1:
        return LEAVES[start]
    middle = start + naive_split(end - start)
    return sha256(b"\x01" + naive_root(start, middle) + naive_root(middle, end)).digest()


def naive_split(width: int) -> int:
    power = 1
    while power * 2 < width:
        power *= 2
    return power


def naive_path(index: int, start: int, end: int) -> list[bytes]:
    """PATH of RFC 9162 section 2.1.3.1, word for word; `index` counts from `start`."""
    if end - start == 1:
        return []
    split = naive_split(end - start)
    if index < split:
        return [*naive_path(index, start, start + split), naive_root(start + split, end)]
    return [*naive_path(index - split, start + split, end), naive_root(start, start + split)]


def naive_subproof(first: int, start: int, end: int, whole: bool) -> list[bytes]:
    """SUBPROOF of RFC 9162 section 2.1.4.1, word for word."""
    if first == end - start:
        return [] if whole else [naive_root(start, end)]
    split = naive_split(end - start)
    if first <= split:
        return [*naive_subproof(first, start, start + split, whole), naive_root(start + split, end)]
    return [*naive_subproof(first - split, start + split, end, False), naive_root(start, start + split)]


def assert_consistent(first: int, second: int) -> None:
    proof = consistency_proof(LEAVES, first=first, second=second)
    assert list(proof) == naive_subproof(first, 0, second, True)
    roots = {"first_root": naive_root(0, first), "second_root": naive_root(0, second)}
    assert verify_consistency(first=first, second=second, proof=proof, **roots)


def assert_included(index: int, size: int) -> None:
    proof = inclusion_proof(LEAVES, index=index, size=size)
    assert list(proof) == naive_path(index, 0, size)
    assert verify_inclusion(LEAVES[index], index=index, size=size, proof=proof, root=naive_root(0, size))


def test_reference_roots() -> None:
    leaves = [leaf_hash(bytes.fromhex(data)) for data in CT_INPUTS]
    assert root([]) == EMPTY_ROOT == sha256(b"").digest()
    assert [root(leaves[:size]).hex() for size in range(1, 9)] == CT_ROOTS


def test_roots_of_every_size() -> None:
    frontier = Frontier()
    for size in range(LARGEST + 1):
        assert frontier.size == size
        assert frontier.root() == naive_root(0, size)
        assert len(frontier.peaks) == size.bit_count()
        if size < LARGEST:
            frontier = frontier.append(LEAVES[size])


def test_inclusion_in_every_small_tree() -> None:
    for size in range(1, 65):
        for index in range(size):
            assert_included(index, size)


def test_inclusion_in_every_size() -> None:
    choose = random.Random(6962)
    for size in range(1, LARGEST + 1):
        for index in {0, size - 1, choose.randrange(size)}:
            assert_included(index, size)


def test_consistency_of_every_small_pair() -> None:
    for second in range(1, 65):
        for first in range(1, second + 1):
            assert_consistent(first, second)


def test_consistency_of_every_size() -> None:
    choose = random.Random(9162)
    for second in range(1, LARGEST + 1):
        for first in {1, second, max(1, second - 1), choose.randint(1, second)}:
            assert_consistent(first, second)


def test_agrees_with_pymerkle() -> None:
    tree = InmemoryTree(algorithm="sha256")
    for size in range(1, 130):
        tree.append_entry(DATA[size - 1])
        assert tree.get_root() == root(LEAVES[:size])
        for index in {0, size // 3, size - 1}:
            path = tree.prove_inclusion(index + 1, size).path  # which begins with the leaf itself
            assert path == [LEAVES[index], *inclusion_proof(LEAVES, index=index, size=size)]


def published(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    with tarfile.open(VECTORS) as archive:
        for member in archive:
            if member.isfile() and member.name.startswith(f"testdata/{kind}/"):
                content = archive.extractfile(member)
                assert content is not None
                yield member.name, json.load(content)


def hashes(encoded: list[str] | None) -> list[bytes]:
    return [base64.b64decode(text) for text in encoded or []]


@pytest.mark.skipif(not VECTORS.is_file(), reason="the public Merkle vectors are not beside the checkout")
@pytest.mark.parametrize(("kind", "at_least"), [("inclusion", 98), ("subtreeinclusion", 101)])
def test_published_inclusion_proofs(kind: str, at_least: int) -> None:
    seen = 0
    for name, case in published(kind):
        if case.get("start", 0) != 0:
            continue  # a subtree that starts elsewhere is no tree of RFC 9162
        seen += 1
        accepted = verify_inclusion(
            base64.b64decode(case["leafHash"]),
            index=case["leafIdx"],
            size=case["treeSize"] if "treeSize" in case else case["end"],
            proof=hashes(case["proof"]),
            root=base64.b64decode(case["root"]),
        )
        assert accepted is not case["wantErr"], name
    assert seen >= at_least


@pytest.mark.skipif(not VECTORS.is_file(), reason="the public Merkle vectors are not beside the checkout")
@pytest.mark.parametrize(("kind", "at_least"), [("consistency", 98), ("subtreeconsistency", 91)])
def test_published_consistency_proofs(kind: str, at_least: int) -> None:
    seen = 0
    for name, case in published(kind):
        if case.get("start", 0) != 0 or case.get("end") == 0:
            continue  # nor is an empty subtree a first tree
        seen += 1
        accepted = verify_consistency(
            first=case["size1"] if "size1" in case else case["end"],
            second=case["size2"] if "size2" in case else case["size"],
            first_root=base64.b64decode(case["root1"]),
            second_root=base64.b64decode(case["root2"]),
            proof=hashes(case["proof"]),
        )
        assert accepted is not case["wantErr"], name
    assert seen >= at_least


@st.composite
def broken_paths(draw: st.DrawFn, path: list[bytes]) -> list[bytes]:
    """The path with one hash changed, taken out, doubled, put in, cut short, or two swapped."""
    at = draw(st.integers(0, max(0, len(path) - 1)))
    other = draw(st.sampled_from([bytes(32), LEAVES[0], EMPTY_ROOT, b"", bytes(31)]))
    here = path[at : at + 1]
    changes = [[*path[:at], other, *path[at:]], [*path, other]]
    if here:
        changes += [
            [*path[:at], *path[at + 1 :]],
            [*path[:at], *here, *path[at:]],
            [*path[:at], other, *path[at + 1 :]],
            [*path[:at], here[0][:-1], *path[at + 1 :]],
            [*path[:at], here[0][:-1] + bytes([here[0][-1] ^ 1]), *path[at + 1 :]],
            [*here, *path[:at], *path[at + 1 :]],
        ]
    return draw(st.sampled_from([change for change in changes if change != path]))


@given(st.data())
def test_a_broken_inclusion_proof_is_refused(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 200))
    index = data.draw(st.integers(0, size - 1))
    proof = list(inclusion_proof(LEAVES, index=index, size=size))
    good = {"index": index, "size": size, "proof": proof, "root": naive_root(0, size)}
    leaf = LEAVES[index]
    assert verify_inclusion(leaf, **good)
    assert not verify_inclusion(leaf, **{**good, "proof": data.draw(broken_paths(proof))})
    assert not verify_inclusion(
        leaf, **{**good, "index": data.draw(st.integers(-1, size).filter(lambda i: i != index))}
    )
    assert not verify_inclusion(leaf, **{**good, "root": naive_root(0, size + 1)})
    assert not verify_inclusion(leaf_hash(b"other"), **good)
    assert not verify_inclusion(leaf[:31], **good)


@given(st.data())
def test_a_broken_consistency_proof_is_refused(data: st.DataObject) -> None:
    second = data.draw(st.integers(2, 200))
    first = data.draw(st.integers(1, second - 1))
    proof = list(consistency_proof(LEAVES, first=first, second=second))
    good = {
        "first": first,
        "second": second,
        "first_root": naive_root(0, first),
        "second_root": naive_root(0, second),
        "proof": proof,
    }
    assert verify_consistency(**good)
    assert not verify_consistency(**{**good, "proof": data.draw(broken_paths(proof))})
    assert not verify_consistency(**{**good, "first_root": naive_root(1, first + 1)})
    assert not verify_consistency(**{**good, "second_root": naive_root(1, second + 1)})
    assert not verify_consistency(**{**good, "first": second, "second": first})
    assert not verify_consistency(**{**good, "first": 0})


def test_equal_sizes_need_equal_roots_and_no_proof() -> None:
    here = naive_root(0, 5)
    assert verify_consistency(first=5, second=5, first_root=here, second_root=here, proof=())
    assert not verify_consistency(first=5, second=5, first_root=here, second_root=naive_root(1, 6), proof=())
    assert not verify_consistency(first=5, second=5, first_root=here, second_root=here, proof=[here])


def test_a_leaf_cannot_pass_for_a_node() -> None:
    left, right = LEAVES[:2]
    assert leaf_hash(left + right) != node_hash(left, right)


@pytest.mark.parametrize(("index", "size"), [(-1, 1), (1, 1), (0, 0), (0, LARGEST + 1)])
def test_no_inclusion_proof_outside_the_log(index: int, size: int) -> None:
    with pytest.raises(ChainError):
        inclusion_proof(LEAVES, index=index, size=size)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 1), (1, LARGEST + 1)])
def test_no_consistency_proof_outside_the_log(first: int, second: int) -> None:
    with pytest.raises(ChainError):
        consistency_proof(LEAVES, first=first, second=second)


@given(st.integers(0, 300), st.integers(0, 300))
def test_a_frontier_grows_alike_in_any_steps(first: int, more: int) -> None:
    stored = Frontier().extend(LEAVES[:first]).to_bytes()
    frontier = Frontier.from_bytes(stored)
    assert frontier.to_bytes() == stored
    assert frontier.extend(LEAVES[first : first + more]) == Frontier().extend(LEAVES[: first + more])


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b + b"\0", lambda b: b[32:], lambda b: b[:7]])
def test_a_damaged_frontier_is_refused(change: Any) -> None:
    with pytest.raises(ChainError):
        Frontier.from_bytes(change(Frontier().extend(LEAVES[:7]).to_bytes()))
