"""Which lines of a log were edited, deleted, inserted, swapped or replayed: told from how its hash links break.

The verifier cuts a log into *runs*: stretches in which every line follows the one before it, by sequence and
by hash. An untouched log is one run. Here the runs of a touched one are laid end to end along a *trunk*, and
each place where a run does not continue the trunk gets the code of the act that explains it. The question is
always the same: which line does this one claim to follow, and is that line nowhere, earlier, or later?

An attacker may also renumber the lines after the place, so that sequences are gapless again. A line that is put
back to the sequence it was written with has its old hash again, and that is the hash its successor still
carries: so renumbering is proved, and says by how much. Whoever links everything anew as well leaves no trace
here; checkpoints and anchors see that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from iris_memory.chain.canonical import canonical
from iris_memory.chain.findings import Finding, Problem
from iris_memory.chain.merkle import leaf_hash
from iris_memory.errors import CanonicalError

TAG_LENGTH: Final = 8
"""Bytes kept of each leaf hash: enough to find a line again, too few to prove anything, which nothing here has to."""
MAX_SHIFT: Final = 16
"""How many deleted lines in a row are recognised although the lines after them were renumbered."""


class Line(NamedTuple):
    """One line beside a break."""

    sequence: int
    previous: bytes
    leaf: bytes
    stored: bytes


@dataclass(slots=True)
class Run:
    """Lines that follow each other. The first stands at `position` in the log and at `line_number` in the file."""

    first: Line
    last: Line
    position: int
    line_number: int


def diagnose(runs: Sequence[Run], *, tags: bytes) -> list[Problem]:
    """The acts that explain why there is more than one run, in the order of the file.

    Args:
        runs: the runs of the log in order; the first begins with a line of sequence 0 that stands for the start.
        tags: the first 8 bytes of every leaf hash in order, after 8 zero bytes for the start of the log.
    """
    ends = {run.position - 1 for run in runs} | {len(tags) // TAG_LENGTH - 1}
    trunk = _Trunk(tags, ends, runs[0].last)
    problems = []
    for place, run in enumerate(runs[1:], 2):
        shift = trunk.fits(run.first)
        if shift is not None:
            trunk.grow(run, shift=shift)
            continue
        code, sequence = trunk.judge(run, [later.first for later in runs[place : place + 2]])
        problems.append(Problem(code, sequence, run.line_number))
    return problems


@dataclass(slots=True)
class _Trunk:
    """The lines taken as the log so far, and what is known about how the lines after them were moved.

    `ends` are the positions after which a run ends. `shift` is what must be added to a declared sequence to get the
    written one; `dropped` counts alien lines since the trunk's end; `displaced` maps the leaf of a line that stands
    too early to its sequence.
    """

    tags: bytes
    ends: Set[int]
    end: Line
    shift: int = 0
    dropped: int = 0
    displaced: dict[bytes, int] = field(default_factory=dict)

    def fits(self, line: Line) -> int | None:
        """The shift under which the line continues the trunk, by what is known so far; None if it does not."""
        due = self.end.sequence + 1
        if line.previous == self.end.leaf and line.sequence in (due, due + self.dropped):
            return due - line.sequence
        if self.shift and line.previous == self._written_leaf():
            if line.sequence == due:
                return self.shift
            if line.sequence == due + self.shift:
                return 0
        return 0 if self.displaced.get(line.previous) == line.sequence - 1 else None

    def grow(self, run: Run, *, shift: int = 0) -> None:
        """Makes the run the end of the trunk."""
        self.end, self.shift, self.dropped = run.last, shift, 0

    def judge(self, run: Run, after: Sequence[Line]) -> tuple[Finding, int]:
        """The act that explains why the run does not continue the trunk, and the sequence it is about.

        `after` holds the first lines of the next two runs, if there are so many.
        """
        line = run.first
        if self._is_repeated(line.leaf):
            if self._is_repeated(run.last.leaf):
                return self._drop(run, Finding.REPLAYED_LINE)
            self.grow(run)
            return Finding.REPLAYED_LINE, line.sequence
        origin = self._place(line.previous, before=run.position)
        if origin is not None and origin >= run.position:
            if origin in self.ends:
                self.displaced[run.last.leaf] = run.last.sequence
                return self._drop(run, Finding.SWAPPED_LINES)
            origin = None  # the line it claims to follow is followed by another: this one is forged
        if _stand_swapped(line, after):
            return self._drop(run, Finding.SWAPPED_LINES)
        if origin is not None and line.sequence != origin + 1 and self._is_known(_renumbered(line, origin + 1)):
            return self._drop(run, Finding.REPLAYED_LINE)
        if after and self._rejoins(after[0], run):
            return self._drop(run, Finding.INSERTED_LINE)
        return self._judge_kept(run, origin, after)

    def _judge_kept(self, run: Run, origin: int | None, after: Sequence[Line]) -> tuple[Finding, int]:
        """The run belongs to the log: then something before it does not, is missing, or was edited."""
        line, end = run.first, self.end
        due = end.sequence + 1
        if line.previous in (end.leaf, self._written_leaf()):
            written = due + self.shift
            self.grow(run, shift=written - line.sequence)
            return Finding.EDITED_LINE, written
        if origin is not None:
            self.grow(run, shift=origin + 1 - line.sequence if line.sequence == due else 0)
            return Finding.INSERTED_LINE, origin + 1
        self.grow(run)
        if line.sequence != due:
            return (Finding.DELETED_LINE if line.sequence > due else Finding.EDITED_LINE), due
        for shift in range(1, MAX_SHIFT + 1) if after else ():
            if _renumbered(line, line.sequence + shift) == after[0].previous:
                self.shift = shift
                return Finding.DELETED_LINE, due
        return Finding.EDITED_LINE, max(end.sequence, 1)

    def _rejoins(self, successor: Line, run: Run) -> bool:
        """Whether the next run continues the trunk once this one is taken away."""
        due = self.end.sequence + 1
        length = run.last.sequence - run.first.sequence + 1
        return successor.previous == self.end.leaf and successor.sequence in (due, due + length)

    def _written_leaf(self) -> bytes:
        """The leaf hash of the trunk's end before its sequence was changed, if it was."""
        return _renumbered(self.end, self.end.sequence + self.shift) if self.shift else self.end.leaf

    def _drop(self, run: Run, code: Finding) -> tuple[Finding, int]:
        self.dropped += run.last.sequence - run.first.sequence + 1
        return code, run.first.sequence

    def _place(self, leaf: bytes, *, before: int) -> int | None:
        """The last place of the line with this leaf hash before a position, else its next one from there, else None."""
        tag, border = leaf[:TAG_LENGTH], before * TAG_LENGTH
        found = self.tags.rfind(tag, 0, border)
        while found >= 0 and found % TAG_LENGTH:
            found = self.tags.rfind(tag, 0, found + TAG_LENGTH - 1)
        return found // TAG_LENGTH if found >= 0 else self._next_place(leaf, start=before)

    def _next_place(self, leaf: bytes, *, start: int = 0) -> int | None:
        tag = leaf[:TAG_LENGTH]
        found = self.tags.find(tag, start * TAG_LENGTH)
        while found >= 0 and found % TAG_LENGTH:
            found = self.tags.find(tag, found + 1)
        return found // TAG_LENGTH if found >= 0 else None

    def _is_known(self, leaf: bytes) -> bool:
        return bool(leaf) and self._next_place(leaf) is not None

    def _is_repeated(self, leaf: bytes) -> bool:
        first = self._next_place(leaf)
        return first is not None and self._next_place(leaf, start=first + 1) is not None


def _stand_swapped(line: Line, after: Sequence[Line]) -> bool:
    """Whether this line and the next changed places and sequences: with those put back, each has its successor."""
    return bool(
        after
        and after[0].sequence == line.sequence + 1
        and _renumbered(after[0], line.sequence) == line.previous
        and (len(after) < 2 or _renumbered(line, line.sequence + 1) == after[1].previous)
    )


def _renumbered(line: Line, sequence: int) -> bytes:
    """The leaf hash that the line had if it was written with another sequence; empty if it cannot have been."""
    try:
        return leaf_hash(canonical({**json.loads(line.stored), "sequence": sequence}))
    except (CanonicalError, ValueError, RecursionError):
        return b""
