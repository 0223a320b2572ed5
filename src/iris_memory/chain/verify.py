"""Whether a log is what was written: the offline verifier. It needs an export and no store.

`verify_export` reads the export of one tenant (format: see `export`) and checks that every line is canonical, complete
and of this tenant, that sequences are gapless, links hold and time does not run backwards, that the Merkle root fits at
every checkpoint, that each checkpoint is signed by a key in use at its size, and that every *anchor* (a checkpoint that
was copied out of the store's reach before) is an ancestor of this log. Without trusted keys or anchors an export only
vouches for itself; `Report.self_declared` says so.

Memory: 8 bytes per line beside the line at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from iris_memory.chain.canonical import is_canonical
from iris_memory.chain.checkpoint import Checkpoint, read_note, tenant_origin
from iris_memory.chain.export import ExportHeader, KeyPeriod
from iris_memory.chain.findings import Finding, Problem
from iris_memory.chain.link import NO_PREVIOUS, RECORD_VERSION, Head, genesis
from iris_memory.chain.merkle import EMPTY_ROOT, Frontier, leaf_hash
from iris_memory.chain.tampering import TAG_LENGTH, Line, Run, diagnose
from iris_memory.errors import ChainError, CheckpointError

MAX_PROBLEMS: Final = 100
"""A report is for a person; what comes after this many problems adds nothing."""

_BATCH: Final = 1024
_decode: Final = json.JSONDecoder().raw_decode
_is_hash: Final = re.compile("[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True)
class Report:
    """What an export holds and what is wrong with it.

    `events` counts the lines after the header, `size` and `root` (hex) those that belong to the log. `covered` is the
    size of the newest valid checkpoint or anchor that the lines agree with.
    """

    ok: bool
    tenant_id: str | None
    events: int
    size: int
    root: str
    covered: int
    self_declared: bool
    problems: tuple[Problem, ...]


def verify_export(
    lines: Iterable[bytes], *, anchors: Sequence[str] = (), trusted_keys: Sequence[KeyPeriod] | None = None
) -> Report:
    """The verdict over an export, read once as a stream.

    Args:
        lines: the lines of the file, with or without their newline.
        anchors: checkpoints of this log that were kept elsewhere.
        trusted_keys: the signing keys and their periods, known from elsewhere; they replace those that the export
            declares for itself.
    """
    stream = iter(lines)
    self_declared = trusted_keys is None
    try:
        header = ExportHeader.from_line(next(stream, b"").removesuffix(b"\n"))
    except ChainError:
        problem = Problem(Finding.BAD_HEADER, line=1)
        return Report(False, None, 0, 0, EMPTY_ROOT.hex(), 0, self_declared, (problem,))
    periods = header.keys if trusted_keys is None else trusted_keys
    origin = tenant_origin(header.tenant_id)
    checkpoints, problems = _open_notes(header.checkpoints, origin=origin, periods=periods)
    if [point.size for point in checkpoints] != sorted(point.size for point in checkpoints):
        problems.append(Problem(Finding.BAD_CHECKPOINT))
    kept, anchor_problems = _open_notes(anchors, origin=origin, periods=periods)
    points = [*checkpoints, *kept]
    sizes = [point.size for point in points]
    walk = _walk(stream, tenant_id=header.tenant_id, sizes=sizes, first_number=2)
    problems += anchor_problems
    problems += walk.problems
    problems += _compare(checkpoints, walk.roots, Finding.ROOT_MISMATCH)
    problems += _compare(kept, walk.roots, Finding.ANCHOR_NOT_ANCESTOR)
    problems += _measure(max(sizes, default=0), size=walk.head.size)
    return Report(
        ok=not problems,
        tenant_id=header.tenant_id,
        events=walk.events,
        size=walk.head.size,
        root=walk.head.frontier.root().hex(),
        covered=max((point.size for point in points if walk.roots.get(point.size) == point.root), default=0),
        self_declared=self_declared,
        problems=tuple(problems[:MAX_PROBLEMS]),
    )


def verify_lines(lines: Iterable[bytes], *, tenant_id: str) -> tuple[Head, tuple[Problem, ...]]:
    """The head that the lines of one tenant's log give, from sequence 1, and what is wrong with them.

    The head counts the lines as they stand; compare its root with a checkpoint's.
    """
    walk = _walk(lines, tenant_id=tenant_id, sizes=(), first_number=1)
    return walk.head, tuple(walk.problems[:MAX_PROBLEMS])


def _open_notes(
    notes: Iterable[str], *, origin: str, periods: Sequence[KeyPeriod]
) -> tuple[list[Checkpoint], list[Problem]]:
    """The checkpoints that may be believed, and what is wrong with the others."""
    checkpoints, problems = [], []
    for text in notes:
        try:
            note = read_note(text)
        except CheckpointError:
            problems.append(Problem(Finding.BAD_CHECKPOINT))
            continue
        checkpoint = note.checkpoint
        signed = [(period, value) for period in periods for value in note.signatures_by(period.key)]
        if checkpoint.origin != origin:
            code = Finding.BAD_CHECKPOINT
        elif not signed:
            code = Finding.UNKNOWN_KEY
        elif not all(period.key.verifies(note.text, value) for period, value in signed):
            code = Finding.BAD_SIGNATURE
        elif not any(period.covers(checkpoint.size) for period, _ in signed):
            code = Finding.RETIRED_KEY
        else:
            checkpoints.append(checkpoint)
            continue
        problems.append(Problem(code, checkpoint.size))
    return checkpoints, problems


def _compare(checkpoints: Iterable[Checkpoint], roots: Mapping[int, bytes], code: Finding) -> Iterator[Problem]:
    for point in checkpoints:
        if roots.get(point.size, point.root) != point.root:
            yield Problem(code, point.size)


def _measure(signed: int, *, size: int) -> Iterator[Problem]:
    if signed > size:
        yield Problem(Finding.TRUNCATED_TAIL, size + 1)
    elif signed < size:
        yield Problem(Finding.UNSIGNED_TAIL, signed + 1)


@dataclass(slots=True)
class _Walk:
    """What one pass over the lines has seen. `roots` holds the root at each size that was asked for and reached."""

    head: Head
    events: int = 0
    roots: dict[int, bytes] = field(default_factory=lambda: {0: EMPTY_ROOT})
    problems: list[Problem] = field(default_factory=list)

    def note(self, code: Finding, sequence: int | None, number: int) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(code, sequence, number))


def _walk(lines: Iterable[bytes], *, tenant_id: str, sizes: Iterable[int], first_number: int) -> _Walk:
    """One pass over the lines. `sizes` are those at which the root is wanted."""
    walk = _Walk(genesis(tenant_id))
    stops = sorted({size for size in sizes if size > 0}, reverse=True)
    stop = stops.pop() if stops else 0
    frontier, leaves, size = Frontier(), list[bytes](), 0
    due, last_at, number = NO_PREVIOUS.hex(), 0, first_number - 1
    last = (0, due, NO_PREVIOUS, b"")
    runs, tags = [Run(_line(*last), _line(*last), 0, 0)], bytearray(TAG_LENGTH)
    for number, line in enumerate(lines, first_number):
        line = line.removesuffix(b"\n")
        read = _read_line(line, due=due)
        if read is None:
            walk.note(Finding.UNREADABLE_LINE, None, number)
            continue
        tenant, sequence, at, previous, clean = read
        if not clean:
            walk.note(Finding.NOT_CANONICAL, sequence, number)
        if tenant != tenant_id:
            walk.note(Finding.CROSS_TENANT_LINE, sequence, number)
            continue
        size += 1
        leaf = leaf_hash(line)
        if previous != due or sequence != last[0] + 1:
            if len(runs) <= MAX_PROBLEMS:
                runs[-1].last = _line(*last)
                first = _line(sequence, previous, leaf, line)
                runs.append(Run(first, first, size, number))
        elif at < last_at:
            walk.note(Finding.TIME_REVERSED, sequence, number)
        last, last_at, due = (sequence, previous, leaf, line), at, leaf.hex()
        leaves.append(leaf)
        if size == stop or len(leaves) == _BATCH:
            frontier = frontier.extend(leaves)
            tags += b"".join([leaf[:TAG_LENGTH] for leaf in leaves])
            leaves.clear()
            if size == stop:
                walk.roots[size] = frontier.root()
                stop = stops.pop() if stops else 0
    runs[-1].last = _line(*last)
    tags += b"".join([leaf[:TAG_LENGTH] for leaf in leaves])
    walk.problems += diagnose(runs, tags=bytes(tags))
    walk.problems.sort(key=lambda problem: problem.line or 0)
    walk.events = number - first_number + 1
    walk.head = Head(tenant_id, size, last[2], frontier.extend(leaves), last_at)
    return walk


def _line(sequence: int, previous: str, leaf: bytes, stored: bytes) -> Line:
    return Line(sequence, bytes.fromhex(previous), leaf, stored)


def _read_line(line: bytes, *, due: str) -> tuple[str, int, int, str, bool] | None:
    """Tenant, sequence, time and previous hash of a line, and whether it is canonical; None if it lacks one.

    `due` is the previous hash that the line should have, known to be well-formed.
    """
    try:
        text = line.decode()
        fields, end = _decode(text)
        tenant, previous = fields["tenant_id"], fields["previous"]
        version, sequence, at = fields["record_version"], fields["sequence"], fields["at"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if end != len(text) or type(version) is not int or type(sequence) is not int or type(at) is not int:
        return None
    if version != RECORD_VERSION or sequence < 1 or at < 0 or type(tenant) is not str:
        return None
    if previous != due and not (type(previous) is str and _is_hash(previous)):
        return None
    return tenant, sequence, at, previous, is_canonical(text, value=fields)
