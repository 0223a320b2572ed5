"""Columns grown by differences answer, byte for byte, like columns laid anew."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import MemoryEntry, Origin
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.shape import to_micros
from iris_memory.gates.facts import Asked
from iris_memory.recall import columns as columns_module
from iris_memory.recall import packing
from iris_memory.recall.columns import Columns, Packed, Use, build, bytes_held, mark_uses, replace_rows, with_use
from iris_memory.recall.explain import explain
from iris_memory.recall.options import Dedupe, RecallOptions
from iris_memory.recall.packing import pack
from iris_memory.recall.pipeline import RecallPipeline
from reference.worlds import DAY, EFFORT, ENTRY_BYTES, NOW, effort, entry_of, request_of, requests, seeds, worlds

PIPELINE = RecallPipeline()
LITERAL = RecallPipeline(RecallOptions(dedupe=Dedupe.RECENCY))
LAST_USES = st.integers(-(10**6), 10**6).map(lambda minutes: to_micros(NOW) + minutes * 60_000_000)
USES = st.builds(Use, st.integers(0, 12), st.none() | LAST_USES)


def packed(entry: MemoryEntry) -> Packed:
    """Return an entry as a store hands it over."""
    return Packed(entry.logical_id, entry.id, pack(entry))


def unused(entry: MemoryEntry) -> MemoryEntry:
    """Return an entry as it is written: use is not part of a revision."""
    return entry.model_copy(update={"reference_count": 0, "last_referenced_at": None})


class Growth(RuleBasedStateMachine):
    """Adds, revises, takes away and marks, in any order, with a short tail so that every path is taken often."""

    tail_most = 4

    @initialize(rows=st.lists(seeds(ENTRY_BYTES), max_size=12))
    def lay(self, rows: list[bytes]) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(columns_module, "TAIL_MOST", self.tail_most)
        self.made = 0
        self.entries: dict[str, MemoryEntry] = {}
        self.uses: dict[str, Use] = {}
        self.written: dict[str, set[bytes]] = {}
        self.forgotten: set[bytes] = set()
        added = [self.make(row) for row in rows]
        self.columns = build([packed(entry) for entry in added])
        self.questions: list[RecallRequest] = [request_of(b"", text="window seat")]

    def make(self, row: bytes, logical_id: str | None = None, revision: int = 1) -> MemoryEntry:
        entry = unused(entry_of(row, self.made))
        self.made += 1
        return self.keep(entry.model_copy(update={"logical_id": logical_id or entry.logical_id, "revision": revision}))

    def keep(self, entry: MemoryEntry) -> MemoryEntry:
        self.entries[entry.logical_id] = entry
        self.written.setdefault(entry.logical_id, set()).add(pack(entry))
        return entry

    @rule(rows=st.lists(seeds(ENTRY_BYTES), max_size=6))
    def add(self, rows: list[bytes]) -> None:
        self.columns = replace_rows(self.columns, [packed(self.make(row)) for row in rows], [])

    @rule(places=st.lists(st.sampled_from(Origin), min_size=1, max_size=4))
    def add_rivals(self, places: list[Origin]) -> None:
        """Add memories that pass every gate and clash with one another."""
        fixed = {"subject": "seat", "category": Category.FACT}
        rivals = [
            self.keep(unused(entry_of(b"", self.made + at, origin=origin, **fixed))) for at, origin in enumerate(places)
        ]
        self.made += len(rivals)
        self.columns = replace_rows(self.columns, [packed(entry) for entry in rivals], [])

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), row=seeds(ENTRY_BYTES))
    def revise(self, data: st.DataObject, row: bytes) -> None:
        before = self.entries[data.draw(st.sampled_from(sorted(self.entries)))]
        entry = self.make(row, before.logical_id, before.revision + 1)
        self.columns = replace_rows(self.columns, [packed(entry)], [])

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), rows=st.lists(seeds(ENTRY_BYTES), max_size=2))
    def take_away(self, data: st.DataObject, rows: list[bytes]) -> None:
        gone = data.draw(st.lists(st.sampled_from(sorted(self.entries)), max_size=6, unique=True))
        for logical_id in gone:
            del self.entries[logical_id]
            self.uses.pop(logical_id, None)
            self.forgotten |= self.written.pop(logical_id)
        added = [packed(self.make(row)) for row in rows]
        self.columns = replace_rows(self.columns, added, [*gone, "never-was"])

    @precondition(lambda self: self.entries)
    @rule(data=st.data())
    def mark(self, data: st.DataObject) -> None:
        self.columns = mark_uses(self.columns, {**self.draw_uses(data), "never-was": Use(3, None)})

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), row=seeds(ENTRY_BYTES))
    def add_and_mark(self, data: st.DataObject, row: bytes) -> None:
        entry = self.make(row)
        self.columns = replace_rows(self.columns, [packed(entry)], [], self.draw_uses(data))

    def draw_uses(self, data: st.DataObject) -> dict[str, Use]:
        uses = data.draw(st.dictionaries(st.sampled_from(sorted(self.entries)), USES, max_size=4))
        self.uses.update(uses)
        return uses

    @rule(request=requests())
    def ask_more(self, request: RecallRequest) -> None:
        self.questions = [*self.questions[-3:], request]

    @invariant()
    def answers_like_columns_laid_anew(self) -> None:
        if not hasattr(self, "columns"):
            return
        anew = build(reversed([packed(entry) for entry in self.entries.values()]), self.uses)
        assert self.columns.count == anew.count == len(self.entries)
        assert sorted(self.columns.row_of) == sorted(self.entries)
        assert sorted(self.columns.keys[row] for row in self.columns.rows()) == sorted(self.entries)
        assert self.columns.size - self.columns.base <= self.tail_most
        for request in self.questions:
            asked = Asked(request)
            for pipeline in (PIPELINE, LITERAL):
                grown, fresh = (pipeline.recall(found, asked).model_dump_json() for found in (self.columns, anew))
                assert grown == fresh
        asked = Asked(self.questions[-1])
        for logical_id in list(self.entries)[:3]:
            assert explain(PIPELINE, self.columns, asked, logical_id) == explain(PIPELINE, anew, asked, logical_id)

    @invariant()
    def keeps_nothing_of_what_is_gone(self) -> None:
        if hasattr(self, "columns"):
            assert not self.forgotten & set(self.columns.packs), "a revision of a forgotten memory is still held"
            assert not self.columns.entries.keys() & self.columns.dead

    def teardown(self) -> None:
        if hasattr(self, "patch"):
            self.patch.undo()


class GrowthWithoutTail(Growth):
    """The same with no tail at all: every change lays the columns anew."""

    tail_most = 0


TestGrowth = Growth.TestCase
TestGrowth.settings = settings(max_examples=40 * EFFORT, stateful_step_count=25, deadline=None)
TestGrowthWithoutTail = GrowthWithoutTail.TestCase
TestGrowthWithoutTail.settings = settings(max_examples=5 * EFFORT, stateful_step_count=10, deadline=None)


@effort(60)
@given(worlds(), requests())
def test_store_and_library_answer_the_same(world: list[MemoryEntry], request: RecallRequest) -> None:
    """Columns with use beside the packs give the bytes that plain entries give."""
    uses = {
        entry.logical_id: Use(
            entry.reference_count, to_micros(entry.last_referenced_at) if entry.last_referenced_at else None
        )
        for entry in world
    }
    columns = build([packed(unused(entry)) for entry in world], uses)
    stored = PIPELINE.recall(columns, Asked(request))
    assert stored.model_dump_json() == PIPELINE.resolve(world, request).model_dump_json()


@pytest.mark.parametrize(("laid", "longest"), [(0, 16), (30, 16), (100, 25), (1_200, 256)])
def test_tail_is_bounded_and_answers_the_same_around_its_end(laid: int, longest: int) -> None:
    """Up to the longest tail rows are read one by one; one more and the columns are laid anew."""
    rows = [
        unused(entry_of(bytes([*[0] * 20, number % 7, number // 7 % 7]), number))
        for number in range(laid + longest + 2)
    ]
    asked = Asked(request_of(b"", text="window"))
    grown = build([packed(entry) for entry in rows[:laid]])
    for count, entry in enumerate(rows[laid:], start=1):
        grown = replace_rows(grown, [packed(entry)], [])
        assert grown.base == (laid if count <= longest else laid + longest + 1)
        if count in (1, longest, longest + 1, longest + 2):
            anew = build([packed(entry) for entry in rows[: laid + count]])
            assert PIPELINE.recall(grown, asked).model_dump_json() == PIPELINE.recall(anew, asked).model_dump_json()


@pytest.mark.parametrize("pipeline", [PIPELINE, LITERAL], ids=["authority", "recency"])
@pytest.mark.parametrize(("laid", "added"), [(0, 3), (1, 1), (2, 1), (3, 1), (3, 3), (2, 0)])
def test_rivals_on_both_sides_of_the_base_lose_once(laid: int, added: int, pipeline: RecallPipeline) -> None:
    """Of all memories that clash one stays, and each of the others is counted once."""
    origins = [Origin.MODEL_INFERRED, Origin.USER_STATED, Origin.IMPORTED, Origin.USER_CONFIRMED, *Origin]
    rows = [
        unused(entry_of(b"", place, subject="seat", origin=origins[place], updated_at=NOW - place * DAY))
        for place in range(laid + added)
    ]
    grown = replace_rows(build([packed(entry) for entry in rows[:laid]]), [packed(entry) for entry in rows[laid:]], [])
    asked = Asked(request_of(b""))
    told = pipeline.recall(grown, asked)
    assert told == pipeline.recall(build([packed(entry) for entry in rows]), asked)
    assert (len(told.hits), told.audit_envelope.deduplicated_count) == (1, laid + added - 1)


def test_many_dead_rows_are_swept_out() -> None:
    rows = [entry_of(b"", number) for number in range(600)]
    columns = build([packed(entry) for entry in rows])
    for start in range(0, 400, 100):
        columns = replace_rows(columns, [], [entry.logical_id for entry in rows[start : start + 100]])
    assert columns.count == 200
    assert len(columns.dead) <= max(columns_module.TAIL_MOST, columns.size // 2)
    assert PIPELINE.recall(columns, Asked(request_of(b""))).audit_envelope.evaluated_count == 200


def test_columns_of_nobody_grow_and_shrink() -> None:
    asked, entry = Asked(request_of(b"")), unused(entry_of(b""))
    empty = build([])
    assert (empty.count, empty.size, bytes_held(empty) >= 0) == (0, 0, True)
    assert mark_uses(empty, {"x": Use(1, None)}) is empty
    one = replace_rows(empty, [packed(entry)], ["x"])
    assert PIPELINE.recall(one, asked).audit_envelope.returned_ids == (entry.id,)
    none = replace_rows(one, [], [entry.logical_id])
    assert PIPELINE.recall(none, asked) == PIPELINE.recall(empty, asked)
    again = replace_rows(none, [packed(entry)], [])
    assert PIPELINE.recall(again, asked) == PIPELINE.recall(one, asked)


def test_marking_does_not_touch_the_columns_marked() -> None:
    entry = unused(entry_of(b""))
    before, asked = build([packed(entry)]), Asked(request_of(b""))
    told = PIPELINE.recall(before, asked)
    after = mark_uses(before, {entry.logical_id: Use(4, to_micros(NOW))})
    assert PIPELINE.recall(before, asked) == told
    (hit,) = PIPELINE.recall(after, asked).hits
    assert (hit.entry.reference_count, hit.entry.last_referenced_at) == (4, NOW)
    assert hit.score_parts.reference_count == 400_000


@pytest.fixture
def hasty() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def together(*works: Callable[[], None]) -> None:
    """Run works in threads of their own and raise what one of them raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(work) for work in works]:
            done.result()


@pytest.mark.usefixtures("hasty")
def test_threads_share_columns() -> None:
    """Readers of one `Columns`, with writers that derive the next from it, get the bytes of a lone reader."""
    entries = [unused(entry_of(bytes([*[0] * 20, number % 50]), number)) for number in range(300)]
    laid = build([packed(entry) for entry in entries])
    questions = [request_of(b"", text=text, limit=number) for number, text in enumerate(["seat", "window", "", "fine"])]
    expected = [PIPELINE.resolve(entries, request).model_dump_json() for request in questions]
    for _ in range(6):
        columns = replace(laid, entries={}, verdicts={})

        def read(columns: Columns = columns) -> None:
            for request, told in zip(questions, expected, strict=True):
                assert PIPELINE.recall(columns, Asked(request)).model_dump_json() == told
            for row in range(300):
                assert columns.entry(row).logical_id == columns.keys[row]

        def write(columns: Columns = columns) -> None:
            for entry in entries:
                marked = mark_uses(columns, {entry.logical_id: Use(1, None)})
                assert replace_rows(marked, [], [entry.logical_id]).count == 299

        together(read, write, read, write)


def test_more_entries_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "_ENTRIES_KEPT", 2)
    entries = [entry_of(b"", number) for number in range(9)]
    result = PIPELINE.resolve(entries, request_of(b""))
    assert {hit.entry.id for hit in result.hits} == {entry.id for entry in entries}


def test_digests_that_agree_in_their_first_half_are_told_apart() -> None:
    digests = np.array([[7, 1], [7, 2], [5, 1], [7, 1], [7, 3], [5, 1]], dtype=np.uint64)
    codes, firsts, table = columns_module._codes(digests)
    assert [codes[row] == codes[other] for row, other in ((0, 3), (2, 5), (0, 1), (0, 4), (1, 4), (0, 2))] == [
        True, True, False, False, False, False,
    ]  # fmt: skip
    assert len(set(codes.tolist())) == len(table) == len(firsts) == 4
    for row, code in enumerate(codes.tolist()):
        assert table[digests[row].tobytes()] == code
        assert (digests[firsts[code]] == digests[row]).all()
        assert firsts[code] <= row


def test_recall_survives_digests_that_agree_in_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two addresses and two conflict keys whose first 64 bits agree stay two."""
    real = packing.digest
    monkeypatch.setattr(packing, "digest", lambda text: bytes(8) + real(text)[8:])
    entries = [
        entry_of(bytes(ENTRY_BYTES), number, user_id=person, subject=subject)
        for number, (person, subject) in enumerate([("u", "seat"), ("w", "seat"), ("u", "meal"), ("u", "seat")])
    ]
    result = PIPELINE.resolve(entries, request_of(b""))
    assert result.audit_envelope.returned_ids == ("m0", "m2")
    assert result.audit_envelope.suppression_counts == {"scope-mismatch": 1}
    assert result.audit_envelope.deduplicated_count == 1
    grown = build([packed(unused(entry)) for entry in entries[:3]])
    grown = replace_rows(grown, [packed(unused(entries[3]))], [])
    assert PIPELINE.recall(grown, Asked(request_of(b""))).audit_envelope == result.audit_envelope


@given(st.integers(0, 2**53 - 1), st.none() | st.integers(-(10**15), 10**17))
def test_use_of_any_size_is_kept(times: int, last: int | None) -> None:
    entry = unused(entry_of(b""))
    columns = build([packed(entry)], {entry.logical_id: Use(times, last)})
    assert columns.use_at(0) == Use(times, last)
    assert columns.entry(0) == with_use(entry, Use(times, last))
    assert replace(columns).use_at(0) == Use(times, last)
