"""Items are found whatever the spacing and wherever the bytes are cut; a limit costs the item and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import dump, lines, read_all, reasons, texts

from iris_memory.formats import Format, Limits, UnreadableReason
from iris_memory.formats.framing import Frame, Items, Lines, is_too_deep
from iris_memory.formats.limits import LIMITS
from iris_memory.formats.source_bytes import SourceBytes
from iris_memory.formats.values import decode

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(st.sampled_from('a"\\[]{}:,é😀\n'), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


class Dripping:
    """A stream that hands out pieces of given sizes."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = iter(sizes)
        self._at = 0

    def read(self, most: int) -> bytes:
        piece = self._data[self._at : self._at + min(most, next(self._sizes, most))]
        self._at += len(piece)
        return piece


def _source(data: bytes, sizes: list[int]) -> SourceBytes:
    return SourceBytes(cast(BinaryIO, Dripping(data, sizes)))


def _values(frames: Iterator[Frame]) -> list[object]:
    found = []
    for frame in frames:
        assert frame.fault is None
        found.append(decode(frame.data, limits=LIMITS))
    return found


_SIZES = st.lists(st.integers(1, 7), max_size=400)


@given(st.lists(_JSON, max_size=6), _SIZES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_the_items_of_a_list_are_its_values(
    values: list[object], sizes: list[int], ascii_only: bool, indent: int | str | None
) -> None:
    data = json.dumps(values, ensure_ascii=ascii_only, indent=indent).encode()
    items = Items(_source(data, sizes), members=frozenset(), limits=LIMITS)
    assert _values(items.frames()) == values
    assert items.opened
    assert items.position == len(values)


@given(st.lists(st.lists(_JSON, max_size=3), max_size=4), _SIZES)
def test_lists_that_follow_one_another_are_one(lists: list[list[object]], sizes: list[int]) -> None:
    data = b"".join(map(dump, lists))
    items = Items(_source(data, sizes), members=frozenset(), limits=LIMITS)
    assert _values(items.frames()) == [value for each in lists for value in each]


@given(st.dictionaries(st.text(max_size=4), _JSON, max_size=4), st.lists(_JSON, max_size=4), _SIZES)
def test_only_the_named_lists_of_an_object_are_taken(
    others: dict[str, object], wanted: list[object], sizes: list[int]
) -> None:
    others.pop("wanted", None)
    data = dump(others | {"wanted": wanted} | {"tail": [1, {"a": "]"}]})
    items = Items(_source(data, sizes), members=frozenset({"wanted"}), limits=LIMITS)
    frames = [*items.frames()]
    assert _values(iter(frames)) == wanted
    assert {frame.member for frame in frames} <= {"wanted"}


@given(st.lists(st.dictionaries(st.text(max_size=4), _JSON, max_size=3), max_size=5), _SIZES, st.booleans())
def test_the_items_of_lines_are_their_values(values: list[object], sizes: list[int], last_end: bool) -> None:
    data = b"\r\n\n".join(map(dump, values)) + (b"\n" if last_end else b"")
    found = Lines(_source(data, sizes), limits=LIMITS)
    assert _values(found.frames()) == values


@given(st.binary(max_size=60) | st.text(st.sampled_from('[]{}",:\\ 1a'), max_size=40).map(str.encode), _SIZES)
def test_any_bytes_come_to_an_end(data: bytes, sizes: list[int]) -> None:
    for members in (frozenset[str](), frozenset({"a"})):
        frames = [*Items(_source(data, sizes), members=members, limits=LIMITS).frames()]
        assert len(frames) <= len(data) + 1


@given(st.lists(_JSON, min_size=1, max_size=5), st.data())
def test_a_cut_list_gives_what_was_whole_and_says_so(values: list[object], data: st.DataObject) -> None:
    whole = dump(values)
    cut = data.draw(st.integers(1, len(whole) - 1))
    frames = [*Items(_source(whole[:cut], []), members=frozenset(), limits=LIMITS).frames()]
    assert frames[-1].fault is UnreadableReason.TRUNCATED
    kept = _values(iter(frames[:-1]))
    # a number at the cut may be half of itself; everything before it is what it was
    assert kept[:-1] == values[: max(len(kept) - 1, 0)]


_SMALL = Limits(item_bytes=200, item_values=20, item_depth=6)


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (dump({"memory": "x" * 300}), UnreadableReason.TOO_LARGE),
        (b'"' + b"x" * 300 + b'"', UnreadableReason.TOO_LARGE),
        (b"9" * 300, UnreadableReason.TOO_LARGE),
        (dump({"memory": "x", "more": [1] * 30}), UnreadableReason.TOO_LARGE),
        (dump({"memory": [[[[[[[]]]]]]]}), UnreadableReason.TOO_DEEP),
        (b'{"memory":"\xff"}', UnreadableReason.BAD_ENCODING),
        (b'{"memory":"\xed\xa0\x80"}', UnreadableReason.BAD_ENCODING),
        (b'{"memory":"x",}', UnreadableReason.BAD_JSON),
        (b'{"memory":"x"]', UnreadableReason.BAD_JSON),
        (b'{"memory":NaN}', UnreadableReason.BAD_JSON),
        (b'{"memory":1e99999999999999999999}', UnreadableReason.BAD_JSON),
        (b'{"memory":"x","memory":"y"}', UnreadableReason.DUPLICATE_KEY),
        (b'{"memory":"x","a":[{"b":1,"b":1}]}', UnreadableReason.DUPLICATE_KEY),
        (b"7", UnreadableReason.BAD_ROW),
        (b'{"memory":7}', UnreadableReason.BAD_ROW),
    ],
    ids=str,
)
def test_an_odd_item_costs_itself_alone(odd: bytes, reason: UnreadableReason) -> None:
    data = b'{"results":[{"id":"a","memory":"before"},' + odd + b',{"id":"b","memory":"after"}]}'
    rows = read_all(data, Format.MEM0, limits=_SMALL)
    assert texts(rows) == ["before", "after"]
    assert reasons(rows) == [("mem0:@1", reason)]


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (dump({"text": "x" * 300}), UnreadableReason.TOO_LARGE),
        (dump({"text": "x", "subject": [1] * 30}), UnreadableReason.TOO_LARGE),
        (b'{"text":' + b"[" * 7 + b"]" * 7 + b"}", UnreadableReason.TOO_DEEP),
        (b'{"text":"\xff"}', UnreadableReason.BAD_ENCODING),
        (b'{"text":"x"', UnreadableReason.BAD_JSON),
        (b'{"text":"x","text":"y"}', UnreadableReason.DUPLICATE_KEY),
    ],
    ids=lambda each: str(each)[:30],
)
def test_an_odd_line_costs_itself_alone(odd: bytes, reason: UnreadableReason) -> None:
    data = lines([{"text": "before"}]) + odd + b"\n" + lines([{"text": "after"}])
    rows = read_all(data, Format.JSONL, limits=_SMALL)
    assert texts(rows) == ["before", "after"]
    assert reasons(rows) == [("jsonl:@2", reason)]


def test_a_number_of_thousands_of_digits_is_no_program_error() -> None:
    rows = read_all(b'[{"memory":"a"},{"memory":' + b"9" * 5000 + b'},{"memory":"b"}]', Format.MEM0)
    assert texts(rows) == ["a", "b"]


def test_a_member_that_comes_twice_is_refused_the_second_time() -> None:
    relations = b'"relations":[{"source":"a","relationship":"is","target":"b"}]'
    rows = read_all(b'{"results":[{"memory":"a"}],"results":[{"memory":"b"}],' + relations + b"}", Format.MEM0)
    assert texts(rows) == ["a", "a is b"]
    assert reasons(rows) == [("mem0:@1", UnreadableReason.DUPLICATE_KEY)]
    assert [row.ref for row in rows] == ["mem0:@0", "mem0:@1", "mem0:@2"]


def test_a_byte_order_mark_is_no_part_of_the_export() -> None:
    assert texts(read_all(b"\xef\xbb\xbf" + dump([{"memory": "a"}]), Format.MEM0)) == ["a"]
    assert texts(read_all(b"\xef\xbb\xbf" + lines([{"text": "a"}]), Format.JSONL)) == ["a"]


def test_half_an_emoji_is_replaced_and_costs_nothing_else() -> None:
    data = rb'[{"memory":"cut \ud83d here"},{"memory":"or \ude00 there"},{"memory":"whole \ud83d\ude00"}]'
    assert texts(read_all(data, Format.MEM0)) == ["cut \ufffd here", "or \ufffd there", "whole 😀"]


@given(_JSON, st.integers(0, 4))
def test_depth_is_that_of_the_brackets(value: object, most: int) -> None:
    def depth(each: object) -> int:
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, list) else None
        return 0 if inner is None else 1 + max(map(depth, inner), default=0)

    data = dump({"a": value})
    assert is_too_deep(data, limits=Limits(item_depth=most)) == (depth(value) + 1 > most)


@pytest.mark.parametrize("nested", [127, 128, 100_000])
def test_a_very_deep_text_is_refused_alike_everywhere(nested: int) -> None:
    odd = b'{"text":' + b"[" * nested + b"]" * nested + b"}"
    for data in (b'[{"memory":"a"},' + odd + b"]", b'{"text":"a"}\n' + odd + b"\n"):
        source = Format.MEM0 if data.startswith(b"[") else Format.JSONL
        reason = UnreadableReason.BAD_ROW if nested == 127 else UnreadableReason.TOO_DEEP
        assert [reason for _, reason in reasons(read_all(data, source))] == [reason]
