"""Laws of every format: the same rows each time, a place to go on from, refs that are unique and hold no words."""

from __future__ import annotations

import contextlib
import io
import random
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import chatgpt_chain, chatgpt_message, dump, lines, read_all

from iris_memory.errors import FormatError
from iris_memory.formats import MAX_TEXT, Format, ImportRow, Limits, Row, Unreadable, UnreadableReason, read

_ON_LINES = (Format.MCP_MEMORY, Format.JSONL)
_CANARY = "canary-7d1f"
_WORDS = f"{_CANARY} says: it rained. " * 400


def _chatgpt() -> list[dict[str, Any]]:
    image = {"content_type": "multimodal_text", "parts": [_CANARY, {"content_type": "image_asset_pointer"}]}
    first = chatgpt_chain(
        None,
        chatgpt_message("system", "", metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_message("user", _WORDS, create_time=1700000000.25),
        chatgpt_message("user", "", content=image),
        title=_CANARY,
    )
    first["mapping"]["left"] = {"parent": "n2", "message": chatgpt_message("assistant", _CANARY)}
    return [first, first, chatgpt_chain(chatgpt_message("user", _CANARY), conversation=f"{_CANARY} {_CANARY}")]


def _claude() -> list[dict[str, Any]]:
    message = {
        "uuid": "m1",
        "sender": "human",
        "created_at": "2024-05-01T10:00:00Z",
        "content": [{"type": "text", "text": _WORDS}, {"type": "tool_use", "name": _CANARY}],
        "attachments": [{"file_name": _CANARY, "extracted_content": _WORDS}],
        "files": [{"file_name": _CANARY}],
        "parent_message_uuid": "root",
    }
    messages = [message, message | {"uuid": "m2"}, message | {"uuid": _CANARY + " "}, message, 5]
    return [{"uuid": "c1", "name": _CANARY, "chat_messages": messages}, {"uuid": "c2", "chat_messages": []}]


def _letta() -> dict[str, Any]:
    blocks = [{"id": f"block-{n}", "label": _CANARY, "value": _WORDS} for n in range(3)]
    messages = [{"id": "m1", "role": role, "content": _CANARY} for role in ("system", "user", "assistant", "tool")]
    return {"agents": [{"id": "agent-0", "messages": messages, "memory_blocks": blocks}], "blocks": [*blocks, {}]}


_EXPORTS = {
    Format.CHATGPT: dump(_chatgpt()),
    Format.CLAUDE: dump(_claude()),
    Format.MEM0: dump(
        {
            "results": [
                {"id": n, "memory": _WORDS, "created_at": "2024-05-01T10:00:00"} for n in (1, 2, 1, _CANARY + "?")
            ],
            "relations": [{"source": _CANARY, "relationship": "is", "target": _CANARY}, {"source": ""}],
        }
    ),
    Format.MCP_MEMORY: lines(
        [
            {"type": "entity", "name": _CANARY, "observations": [_WORDS, "", _CANARY]},
            {"type": "relation", "from": _CANARY, "relationType": "is", "to": _CANARY},
            {"type": "entity", "name": _CANARY, "observations": []},
        ]
    ),
    Format.LETTA: dump(_letta()),
    Format.JSONL: lines([{"text": _WORDS, "id": f"{n}", "subject": _CANARY} for n in (1, 2, 1, _CANARY + "?")] + [{}]),
    Format.IRIS_EXPORT: dump(
        [
            {"id": n, "logical_id": "a", "body": _WORDS, "revision": 1, "label": "user-typed", "lifecycle": state}
            for n, state in (("1", "superseded"), ("2", "active"), ("1", "active"), (_CANARY + "?", "active"))
        ]
    ),
}


def _check(rows: list[Row]) -> None:
    refs = [row.ref for row in rows]
    assert len(refs) == len(set(refs))
    for row in rows:
        assert 1 <= len(row.ref) <= 128
        assert row.ref.isascii()
        assert row.ref.isprintable()
        if isinstance(row, ImportRow):
            assert len(row.text) <= MAX_TEXT
            assert row.text.strip()
            for words in (row.text, row.title, row.conversation, row.category, row.subject):
                (words or "").encode()
            assert row.said_at is None or row.said_at.tzinfo is UTC


@pytest.mark.parametrize("source", Format)
def test_refs_hold_no_words_and_come_once(source: Format) -> None:
    rows = read_all(_EXPORTS[source], source)
    _check(rows)
    assert {type(row) for row in rows} == {ImportRow, Unreadable}
    assert any(row.ref.endswith("#2") for row in rows)
    assert not any(_CANARY in row.ref for row in rows)
    assert not any(_CANARY in repr(row) for row in rows if isinstance(row, Unreadable))


@pytest.mark.parametrize("source", Format)
def test_reading_goes_on_from_any_place(source: Format) -> None:
    whole = read_all(_EXPORTS[source], source)
    assert read_all(_EXPORTS[source], source) == whole
    for skip in range(len(whole) + 2):
        assert read_all(_EXPORTS[source], source, skip=skip) == whole[skip:]


@pytest.mark.parametrize("source", Format)
def test_a_file_cut_anywhere_gives_the_beginning_of_its_rows(source: Format) -> None:
    data = _EXPORTS[source]
    whole = read_all(data, source)
    for cut in sorted({*random.Random(7).sample(range(len(data)), 60), *range(len(data) - 12, len(data))}):
        try:
            rows = read_all(data[:cut], source)
        except FormatError:
            assert cut < 40
            continue
        ended = [row for row in rows if isinstance(row, Unreadable) and row.reason is UnreadableReason.TRUNCATED]
        assert rows[len(rows) - len(ended) :] == ended
        assert len(ended) == 1 or (source in _ON_LINES and not ended)
        assert rows[: len(rows) - len(ended)] == whole[: len(rows) - len(ended)]


@pytest.mark.parametrize("source", Format)
@given(st.binary(max_size=80) | st.text(st.sampled_from('[]{}",:\\ \n1atextmory'), max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(source: Format, data: bytes) -> None:
    for prefix in (b"", b"[", b'{"results":[', b'{"text":"', b'[{"mapping":{"a":', b'[{"chat_messages":['):
        _read_or_refuse(prefix + data, source)


_TOKENS = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"1e9", b'"a":', b"\\"]
_EDIT = st.tuples(
    st.floats(0, 1, exclude_max=True), st.integers(0, 6), st.binary(max_size=3) | st.sampled_from(_TOKENS)
)
_EDITS = st.lists(_EDIT, max_size=6)


@pytest.mark.parametrize("source", Format)
@given(_EDITS, st.sampled_from(Format))
def test_a_changed_export_is_read_or_refused(
    source: Format, edits: list[tuple[float, int, bytes]], named: Format
) -> None:
    data = _EXPORTS[source].replace(_WORDS.encode(), b"x" * 4100)
    for where, removed, added in edits:
        at = int(where * len(data))
        data = data[:at] + added + data[at + removed :]
    _read_or_refuse(data, source)
    _read_or_refuse(data, named)


@pytest.mark.parametrize("source", Format)
@given(st.data())
def test_values_of_any_type_in_any_place_are_read(source: Format, data: st.DataObject) -> None:
    """Each name that a reader looks up may hold anything at all."""
    value = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _SHORT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=5),
        max_leaves=25,
    )
    odd = data.draw(st.lists(value, max_size=4))
    if source in _ON_LINES:
        _read_or_refuse(_EXPORTS[source] + lines(odd), source)
    else:
        _read_or_refuse(dump({"results": odd, "agents": odd, "blocks": odd}), source)
        _read_or_refuse(dump([*_first_items(source), *odd]), source)


_SHORT = st.sampled_from(
    ["", "user", "assistant", "human", "text", "entity", "m1", "n0", "{", '{"type":"x"}', "\ud83d"]
)
_LOOKED_UP = """
    mapping current_node id message author role content content_type parts text metadata create_time parent children
    uuid chat_messages sender created_at attachments extracted_content files parent_message_uuid memory categories
    source relationship target type name observations value label messages tool_calls function arguments
"""
_NAMES = st.sampled_from(_LOOKED_UP.split())


def _first_items(source: Format) -> list[dict[str, Any]]:
    return {Format.CHATGPT: _chatgpt()[:1], Format.CLAUDE: _claude()[:1]}.get(source, [{"memory": "x"}])


def _read_or_refuse(data: bytes, source: Format) -> None:
    small = Limits(item_bytes=20_000, item_values=3_000, item_depth=20)
    for limits in (Limits(), small):
        with contextlib.suppress(FormatError):
            _check([*read(io.BytesIO(data), format=source, limits=limits)])
