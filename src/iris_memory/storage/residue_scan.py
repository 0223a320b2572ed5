"""Look through files for byte patterns. A program of its own: it is run, never imported.

Opening a SQLite file by other means inside the process that uses it drops that process's POSIX locks as soon as the
file is closed, and acknowledged writes are lost. So `scan` refuses in a process where SQLite or Iris is loaded.

Standard input: {"files": [path...], "patterns": [[label, base64]...], "shortest": bytes}
Standard output: {"files": n, "size": bytes, "patterns": n, "too_short": n, "found": {label: hits}}
Neither the patterns nor anything that was found is ever written out.
"""

from __future__ import annotations

import base64
import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

try:
    import numpy
except ImportError:  # slower without it, with the same result
    numpy = None  # type: ignore[assignment]

BLOCK = 4 << 20
TABLE_BITS = 22
ANCHOR = 4
SPREAD = 2654435761
"""Knuth's multiplicative hash: 2^32 divided by the golden ratio."""

FORBIDDEN = ("apsw", "sqlite3", "_sqlite3", "iris_memory")

Labels = dict[bytes, list[str]]
Matches = Iterable[tuple[int, bytes]]
Find = Callable[[bytes], Matches]


def scan(order: dict[str, Any]) -> dict[str, Any]:
    """Count the hits of each pattern in each file; a file that has vanished holds nothing."""
    loaded = [name for name in FORBIDDEN if name in sys.modules]
    if loaded:
        raise RuntimeError(f"a residue scan must run in a process of its own; this one has loaded {loaded[0]}")
    wanted: Labels = {}
    too_short = 0
    for label, encoded in order["patterns"]:
        pattern = base64.b64decode(encoded)
        if len(pattern) < order["shortest"]:
            too_short += 1
        else:
            wanted.setdefault(pattern, []).append(label)
    find = finder(wanted)
    found: dict[str, int] = {}
    files = size = 0
    for path in order["files"]:
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:  # noqa: PTH123 - the least is loaded
            files += 1
            size += _scan_file(file, find, wanted, found)
    return {
        "files": files,
        "size": size,
        "patterns": len(order["patterns"]),
        "too_short": too_short,
        "found": found,
    }


def _scan_file(file: BinaryIO, find: Find, wanted: Labels, found: dict[str, int]) -> int:
    """Read block by block, each after the end of the one before; what ends in that part was counted there."""
    overlap = max(map(len, wanted), default=1) - 1
    size = 0
    tail = b""
    while block := file.read(BLOCK):
        size += len(block)
        data = tail + block
        for start, pattern in find(data):
            if start + len(pattern) > len(tail):
                for label in wanted[pattern]:
                    found[label] = found.get(label, 0) + 1
        tail = data[max(len(data) - overlap, 0) :]
    return size


def finder(wanted: Iterable[bytes]) -> Find:
    """Return a function that yields (start, pattern) for every match of the wanted patterns in some bytes."""
    patterns = list(wanted)
    if numpy is None or min(map(len, patterns), default=0) < ANCHOR:
        return lambda data: _find_plainly(data, patterns)
    return _TableFinder(patterns)


def _find_plainly(data: bytes, patterns: list[bytes]) -> Iterator[tuple[int, bytes]]:
    for pattern in patterns:
        start = data.find(pattern)
        while start >= 0:
            yield start, pattern
            start = data.find(pattern, start + 1)


class _TableFinder:
    """Find by the first four bytes: a hashed table lets few positions through, exact comparison the rest."""

    def __init__(self, patterns: list[bytes]) -> None:
        self.spread = numpy.uint32(SPREAD)
        self.shift = numpy.uint32(32 - TABLE_BITS)
        self.by_anchor: dict[int, dict[int, set[bytes]]] = {}
        for pattern in patterns:
            lengths = self.by_anchor.setdefault(int.from_bytes(pattern[:ANCHOR], "little"), {})
            lengths.setdefault(len(pattern), set()).add(pattern)
        anchors = numpy.fromiter(self.by_anchor, dtype=numpy.uint32, count=len(self.by_anchor))
        self.table = numpy.zeros(1 << TABLE_BITS, dtype=numpy.bool_)
        self.table[(anchors * self.spread) >> self.shift] = True

    def __call__(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for offset in range(ANCHOR):
            count = max(len(data) - offset, 0) // ANCHOR
            words = numpy.frombuffer(data[offset : offset + ANCHOR * count], dtype="<u4")
            hashes = words * self.spread
            hashes >>= self.shift
            passed = numpy.flatnonzero(self.table.take(hashes, mode="clip"))
            for index, anchor in zip(passed.tolist(), words[passed].tolist(), strict=True):
                start = offset + ANCHOR * index
                for length, patterns in self.by_anchor.get(anchor, {}).items():
                    candidate = data[start : start + length]
                    if candidate in patterns:
                        yield start, candidate


if __name__ == "__main__":
    json.dump(scan(json.load(sys.stdin)), sys.stdout)
