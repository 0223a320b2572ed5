"""A file of another format is refused, with the format to name instead; words of the file never reach an error."""

from __future__ import annotations

import traceback

import pytest
from reading import chatgpt_chain, chatgpt_message, dump, lines, read_all, reasons

from iris_memory.errors import FormatError
from iris_memory.formats import Format, UnreadableReason, detect

_CANARY = "canary-7d1f"
_MEMORY = {"id": "a", "memory": _CANARY, "hash": "x"}
_ENTRY = {"body": _CANARY, "revision": 1, "label": "user-typed", "lifecycle": "active"}
_EXPORTS = {
    Format.CHATGPT: dump([chatgpt_chain(chatgpt_message("user", _CANARY))]),
    Format.CLAUDE: dump([{"uuid": "c", "name": _CANARY, "chat_messages": [{"uuid": "m", "text": _CANARY}]}]),
    Format.MEM0: dump({"results": [_MEMORY]}),
    Format.MCP_MEMORY: lines([{"type": "entity", "name": _CANARY, "entityType": "p", "observations": [_CANARY]}]),
    Format.LETTA: dump({"agents": [], "blocks": [{"id": "b", "label": "human", "value": _CANARY}]}),
    Format.JSONL: lines([{"text": _CANARY}]),
    Format.IRIS_EXPORT: dump([{"id": "a", "logical_id": "a", **_ENTRY}]),
}


@pytest.mark.parametrize("named", Format)
@pytest.mark.parametrize("real", Format)
def test_the_right_format_is_named(named: Format, real: Format) -> None:
    assert detect(_EXPORTS[real]) is real
    if named is real:
        assert read_all(_EXPORTS[real], named)
        return
    with pytest.raises(FormatError) as caught:
        read_all(_EXPORTS[real], named)
    assert f"`--format {real}`" in str(caught.value)


@pytest.mark.parametrize("named", Format)
@pytest.mark.parametrize(
    "data",
    [
        _CANARY.encode(),
        dump(_CANARY),
        dump([_CANARY]),
        dump([{_CANARY: _CANARY}]),
        dump({_CANARY: [_CANARY]}),
        dump([[_CANARY]]),
        f"<html>{_CANARY}</html>".encode(),
        f"\x7fELF{_CANARY}".encode(),
        _CANARY.encode("utf-16"),
        f"PK\x03\x04{_CANARY}".encode(),
        b"\x1f\x8b" + _CANARY.encode(),
        b"%PDF-1.7 " + _CANARY.encode(),
        b"null",
        b"5",
    ],
)
def test_what_is_no_export_is_refused_without_its_words(named: Format, data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read_all(data, named)
    shown = "".join(traceback.format_exception(caught.value, chain=True))
    assert _CANARY not in str(caught.value)
    assert "expected" in str(caught.value)
    assert "--format" not in str(caught.value)
    assert "During handling" not in shown


@pytest.mark.parametrize("named", [Format.CHATGPT, Format.CLAUDE, Format.MEM0, Format.LETTA])
def test_an_empty_file_is_no_json_export(named: Format) -> None:
    with pytest.raises(FormatError):
        read_all(b" \n", named)


@pytest.mark.parametrize(
    ("named", "data"),
    [
        (Format.CHATGPT, b"[]"),
        (Format.CLAUDE, b"[]"),
        (Format.MEM0, b"[]"),
        (Format.MEM0, b'{"results": []}'),
        (Format.LETTA, b'{"agents": [], "blocks": []}'),
    ],
)
def test_an_export_with_nothing_in_it_is_one(named: Format, data: bytes) -> None:
    assert read_all(data, named) == []


def test_only_the_first_item_decides() -> None:
    data = dump([_MEMORY, {"mapping": {}}, 5])
    assert [reason for _, reason in reasons(read_all(data, Format.MEM0))] == [UnreadableReason.BAD_ROW] * 2


def test_a_cut_export_of_another_format_is_recognised() -> None:
    with pytest.raises(FormatError, match="--format chatgpt"):
        read_all(_EXPORTS[Format.CHATGPT][:-20], Format.CLAUDE)
    with pytest.raises(FormatError, match="--format chatgpt"):
        read_all(_EXPORTS[Format.CHATGPT].replace(b"[", b"{", 1), Format.JSONL)


def test_marks_inside_somebodys_words_do_not_mislead() -> None:
    words = '{"mapping": {}, "chat_messages": [], "agent_type": "x", "memory": "y"}'
    assert detect(lines([{"text": words}])) is Format.JSONL
    assert detect(dump([{"memory": words}])) is Format.MEM0
    assert detect(b"") is detect(b"hello") is None
