"""A file is opened by what it is, unpacked within limits, and nothing else of it is touched."""

from __future__ import annotations

import contextlib
import gzip
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import chatgpt_chain, chatgpt_message, dump, lines, reasons, texts

from iris_memory.errors import FormatError
from iris_memory.formats import LIMITS, Format, Limits, Row, UnreadableReason, open_source, read

_ONE = dump([chatgpt_chain(chatgpt_message("user", "one"), conversation="a")])
_TWO = dump([chatgpt_chain(chatgpt_message("user", "two"), conversation="b")])
_TEN = dump([chatgpt_chain(chatgpt_message("user", "ten"), conversation="c")])


def _zip(members: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., list[Row]]:
    def read_file(data: bytes, source: Format = Format.CHATGPT, *, limits: Limits = LIMITS) -> list[Row]:
        file = tmp_path / "export.bin"
        file.write_bytes(data)
        with open_source(file, limits=limits) as stream:
            rows = [*read(stream, format=source)]
        assert [*tmp_path.iterdir()] == [file]
        assert file.read_bytes() == data
        return rows

    return read_file


@pytest.mark.parametrize("data", [_ONE, gzip.compress(_ONE), _zip({"conversations.json": _ONE})])
def test_plain_gzip_and_zip_are_told_by_their_bytes(opened: Callable[..., list[Row]], data: bytes) -> None:
    assert texts(opened(data)) == ["one"]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"user.json": b"{}", "chat.html": b"", "conversations.json": _ONE}, "one"),
        (
            {"conversations-010.json": _TEN, "conversations-001.json": _TWO, "conversations-000.json": _ONE},
            "one two ten",
        ),
        ({"conversations_2.json": _TWO, "conversations_10.json": _TEN, "conversations_1.json": _ONE}, "one two ten"),
        ({"conversations-000.json": _TWO, "conversations.json": _ONE}, "one two"),
        ({"export/Conversations.JSON": _ONE, "export/old/conversations.json": _TWO}, "one"),
        (
            {"__MACOSX/conversations.json": b"junk", "x/._conversations.json": b"junk", "x/conversations.json": _ONE},
            "one",
        ),
        ({"../../../conversations.json": _ONE}, "one"),
        ({"/etc/conversations.json": _ONE}, "one"),
        ({"dump.json": _ONE, "readme.txt": b"hello"}, "one"),
        ({"shared_conversations.json": b"[]", "conversations.json": _ONE}, "one"),
    ],
)
def test_the_conversations_of_a_zip_are_found_in_order(
    opened: Callable[..., list[Row]], members: dict[str, bytes], expected: str
) -> None:
    assert texts(opened(_zip(members))) == expected.split()


@pytest.mark.parametrize(
    ("name", "source", "data"),
    [
        ("memory.jsonl", Format.JSONL, lines([{"text": "one"}])),
        ("agent.af", Format.LETTA, dump({"blocks": [{"id": "b", "value": "one"}], "agents": []})),
        ("dump.ndjson", Format.JSONL, lines([{"text": "one"}])),
    ],
)
def test_one_file_of_any_format_may_be_zipped(
    opened: Callable[..., list[Row]], name: str, source: Format, data: bytes
) -> None:
    assert texts(opened(_zip({name: data}), source)) == ["one"]


@pytest.mark.parametrize(
    "members",
    [{}, {"readme.txt": b""}, {"a.json": _ONE, "b.json": _TWO}, {"deep/": b""}, {"conversations.json.bak": b""}],
)
def test_a_zip_without_an_export_is_refused(opened: Callable[..., list[Row]], members: dict[str, bytes]) -> None:
    with pytest.raises(FormatError, match=r"holds no conversations\.json"):
        opened(_zip(members))


def test_a_zip_that_unpacks_to_far_too_much_is_refused_before_it_is_read(opened: Callable[..., list[Row]]) -> None:
    small = Limits(ratio_from_bytes=100_000)
    bomb = b"[" + b" " * 1_000_000 + b"]"
    with pytest.raises(FormatError, match="refused"):
        opened(_zip({"conversations.json": bomb}), limits=small)
    with pytest.raises(FormatError, match="refused"):
        opened(_zip({f"conversations-{n:03}.json": bomb for n in range(9)}), limits=small)
    with pytest.raises(FormatError, match="refused"):
        opened(_zip({"conversations.json": _ONE}), limits=Limits(unpacked_bytes=len(_ONE) - 1))
    assert texts(opened(_zip({"conversations.json": _ONE}), limits=Limits(unpacked_bytes=len(_ONE)))) == ["one"]


def test_a_gzip_that_unpacks_without_end_is_refused_on_the_way(opened: Callable[..., list[Row]]) -> None:
    bomb = gzip.compress(_ONE[:-1] + b"," + b" " * 3_000_000 + _TWO[1:])
    with pytest.raises(FormatError, match="refused"):
        opened(bomb, limits=Limits(ratio_from_bytes=100_000))
    with pytest.raises(FormatError, match="refused"):
        opened(bomb, limits=Limits(unpacked_bytes=2_000_000))
    assert texts(opened(bomb)) == ["one", "two"]


def test_a_directory_of_absurd_size_is_refused(opened: Callable[..., list[Row]]) -> None:
    data = _zip({f"file-{n}.png": b"" for n in range(100)} | {"conversations.json": _ONE})
    with pytest.raises(FormatError, match="too many files"):
        opened(data, limits=Limits(directory_bytes=2_000))
    assert texts(opened(data)) == ["one"]


def test_a_locked_zip_is_refused(opened: Callable[..., list[Row]]) -> None:
    data = bytearray(_zip({"conversations.json": _ONE}))
    central = data.index(b"PK\x01\x02")
    for flags in (6, central + 8):
        data[flags] |= 1
    with pytest.raises(FormatError, match="password"):
        opened(bytes(data))


def test_an_unusual_packing_is_refused(opened: Callable[..., list[Row]]) -> None:
    with pytest.raises(FormatError, match="unusual"):
        opened(_zip({"conversations.json": _ONE}, method=zipfile.ZIP_BZIP2))


def test_a_damaged_zip_is_refused(opened: Callable[..., list[Row]]) -> None:
    whole = _zip({"conversations.json": _ONE})
    with pytest.raises(FormatError, match="damaged"):
        opened(whole[:-30])
    with pytest.raises(FormatError, match="damaged"):
        opened(b"PK\x03\x04" + b"\0" * 200)


def _long(count: int) -> bytes:
    """Conversations that pack badly, so that a cut of the packed bytes leaves some whole."""
    texts_ = (f"{n * 0x9E3779B97F4A7C15 % 2**64:016x}" for n in range(count))
    return dump([chatgpt_chain(chatgpt_message("user", t), conversation=f"c{n}") for n, t in enumerate(texts_)])


def test_a_gzip_that_breaks_off_gives_what_came_before(opened: Callable[..., list[Row]]) -> None:
    packed = gzip.compress(_long(3000))
    rows = opened(packed[: len(packed) // 2])
    assert len(texts(rows)) > 1000
    assert [reason for _, reason in reasons(rows)] == [UnreadableReason.TRUNCATED]


def test_lines_that_break_off_between_two_lines_are_known_to_be_cut(opened: Callable[..., list[Row]]) -> None:
    packed = gzip.compress(lines([{"text": "a"}, {"text": "b"}]))
    rows = opened(packed[:-8], Format.JSONL)  # the checksum alone is missing
    assert texts(rows) == ["a", "b"]
    assert reasons(rows) == [("jsonl:@3", UnreadableReason.TRUNCATED)]


def test_the_end_of_a_cut_file_has_a_place_of_its_own(opened: Callable[..., list[Row]]) -> None:
    packed = gzip.compress(lines([{"text": "a"}, {"text": "b"}]).rstrip())
    assert [row.ref for row in opened(packed[:-8], Format.JSONL)] == ["jsonl:@1", "jsonl:@2", "jsonl:@3"]


def test_a_zip_whose_bytes_were_changed_says_so(opened: Callable[..., list[Row]]) -> None:
    plain = _long(3000)
    data = bytearray(_zip({"conversations.json": plain}, method=zipfile.ZIP_STORED))
    at = data.rindex(b'"T"')
    data[at + 1 : at + 2] = b"U"  # only the checksum knows
    rows = opened(bytes(data))
    assert len(texts(rows)) > 1000
    assert [reason for _, reason in reasons(rows)] == [UnreadableReason.TRUNCATED]


def test_a_member_that_is_not_where_the_directory_says_is_damage(opened: Callable[..., list[Row]]) -> None:
    data = bytearray(_zip({"conversations.json": _ONE}))
    central = data.index(b"PK\x01\x02")
    struct.pack_into("<L", data, central + 42, 7)
    with pytest.raises(FormatError, match="damaged"):
        opened(bytes(data))


_PACKED = (
    gzip.compress(_ONE),
    _zip({"a.txt": b"", "conversations.json": _ONE}),
    _zip({"conversations-000.json": _ONE, "conversations-001.json": _TWO}, method=zipfile.ZIP_STORED),
)
_EDITS = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 5), st.binary(max_size=3)), max_size=4)


@given(st.sampled_from(_PACKED), _EDITS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_changed_packed_bytes_are_read_or_refused(
    opened: Callable[..., list[Row]], data: bytes, edits: list[tuple[float, int, bytes]]
) -> None:
    for where, removed, added in edits:
        at = int(where * len(data))
        data = data[:at] + added + data[at + removed :]
    with contextlib.suppress(FormatError):
        opened(data)


def test_a_member_without_a_name_is_no_export(opened: Callable[..., list[Row]]) -> None:
    named = _zip({"x": b""}, method=zipfile.ZIP_STORED)
    central, end = named.index(b"PK\x01\x02"), named.index(b"PK\x05\x06")
    local = named[:26] + b"\0\0" + named[28:central].replace(b"x", b"")
    listed = named[central : central + 28] + b"\0\0" + named[central + 30 : end].replace(b"x", b"")
    tail = bytearray(named[end:])
    struct.pack_into("<LL", tail, 12, len(listed), len(local))
    nameless = local + listed + tail
    assert zipfile.ZipFile(io.BytesIO(nameless)).namelist() == [""]
    with pytest.raises(FormatError, match="holds no"):
        opened(nameless)


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), open_source(tmp_path / "none"):
        pass
