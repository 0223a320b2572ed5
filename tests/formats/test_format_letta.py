"""Agent files: blocks are memory, messages are what was said, traffic of the machine is counted."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from reading import dump, read_all, reasons, texts
from rendering import SHARED_DATA

from iris_memory.formats import Author, Format, ImportRow, UnreadableReason, open_source, read


def _message(number: int, role: str, text: str, **other: Any) -> dict[str, Any]:
    return {"id": f"message-{number}", "role": role, "content": [{"type": "text", "text": text}]} | other


def _file(*messages: dict[str, Any], **other: Any) -> bytes:
    return dump({"agents": [{"id": "agent-0", "messages": [*messages]}], "blocks": []} | other)


@pytest.mark.parametrize("name", ["evie", "loop", "void"])
def test_the_blocks_of_real_agent_files_come_back(name: str) -> None:
    path = SHARED_DATA / "agent-file" / f"{name}.af.gz"
    if not path.exists():
        pytest.skip("../shared/data/agent-file is not beside the repository")
    with open_source(path) as stream:
        rows = [*read(stream, format=Format.LETTA)]
    blocks = json.loads(gzip.decompress(path.read_bytes()))["blocks"]
    filled = {f"letta:{block['id']}": block["value"] for block in blocks if block["value"].strip()}
    assert filled
    found: dict[str, list[str]] = {}
    for row in rows:
        if isinstance(row, ImportRow):
            found.setdefault(row.ref.partition("#")[0], []).append(row.text)
    for ref, value in filled.items():
        assert "".join("".join(found[ref]).split()) == "".join(value.split())
    assert len([ref for ref, reason in reasons(rows) if reason is UnreadableReason.EMPTY]) == len(blocks) - len(filled)
    said = [row for row in rows if isinstance(row, ImportRow) and row.author is Author.ASSISTANT]
    assert len(said) == (1 if name == "loop" else 0)  # it greets through `send_message`


def test_blocks_are_of_unknown_author_under_their_label() -> None:
    block = {"id": "block-0", "label": "human", "value": "Likes tea"}
    (row,) = read_all(_file(blocks=[block]), Format.LETTA)
    assert row == ImportRow("letta:block-0", "Likes tea", Author.UNKNOWN, title="human")


def test_messages_are_what_person_and_agent_said() -> None:
    data = _file(
        _message(0, "system", "prompt"),
        _message(1, "user", "Hello", created_at="2026-01-22T02:06:34.048456+00:00"),
        _message(2, "assistant", "Hi"),
        _message(3, "tool", "{}"),
    )
    rows = read_all(data, Format.LETTA)
    assert [(row.text, row.author, row.conversation) for row in rows if isinstance(row, ImportRow)] == [
        ("Hello", Author.USER, "agent-0"),
        ("Hi", Author.ASSISTANT, "agent-0"),
    ]
    assert reasons(rows) == [
        ("letta:agent-0:message-0", UnreadableReason.HIDDEN),
        ("letta:agent-0:message-3", UnreadableReason.NOT_TEXT),
    ]


def test_an_agent_that_speaks_through_a_tool_thinks_in_text() -> None:
    def call(name: str, arguments: str) -> dict[str, Any]:
        return {"id": "x", "type": "function", "function": {"name": name, "arguments": arguments}}

    spoken = [call("send_message", '{"message": "Hi there"}'), call("archival_memory_insert", "{}")]
    rows = read_all(
        _file(
            _message(1, "assistant", "I should greet", tool_calls=spoken),
            _message(2, "assistant", "", tool_calls=[call("send_message", "{broken")]),
        ),
        Format.LETTA,
    )
    assert texts(rows) == ["Hi there"]
    assert reasons(rows) == [
        ("letta:agent-0:message-1:call-1", UnreadableReason.NOT_TEXT),
        ("letta:agent-0:message-2:call-0", UnreadableReason.NOT_TEXT),
    ]


def test_events_that_nobody_typed_are_not_text() -> None:
    rows = read_all(
        _file(
            _message(1, "user", '{"type": "login", "last_login": "never"}'),
            _message(2, "user", '{"type": "user_message", "message": "typed", "time": "now"}'),
            _message(3, "user", '{"my": "own json"}'),
            _message(4, "user", "{half"),
        ),
        Format.LETTA,
    )
    assert texts(rows) == ["typed", '{"my": "own json"}', "{half"]
    assert reasons(rows) == [("letta:agent-0:message-1", UnreadableReason.NOT_TEXT)]


def test_the_first_form_of_agent_files_is_read() -> None:
    old = {
        "agent_type": "memgpt_agent",
        "core_memory": [{"label": "human", "value": "Likes tea"}, {"label": "persona", "value": ""}],
        "messages": [{"role": "user", "text": "Hello"}, {"role": "assistant", "content": "Hi"}],
        "files": [{"id": "file-0", "content": "a book"}],
    }
    rows = read_all(dump(old), Format.LETTA)
    assert texts(rows) == ["Likes tea", "Hello", "Hi"]
    assert reasons(rows) == [
        ("letta:@1", UnreadableReason.EMPTY),
        ("letta:file-0", UnreadableReason.NOT_MEMORY),
    ]


def test_blocks_inside_an_agent_are_read_and_odd_pieces_counted() -> None:
    agent = {
        "id": "agent-0",
        "memory_blocks": [{"label": "human", "value": "Likes tea"}, {"label": "x"}],
        "messages": [_message(1, "user", "a"), _message(1, "user", "b"), _message(2, "other", "c"), 5],
    }
    rows = read_all(dump({"agents": [agent]}), Format.LETTA)
    assert texts(rows) == ["Likes tea", "a"]
    assert reasons(rows) == [
        ("letta:agent-0:@1", UnreadableReason.BAD_ROW),
        ("letta:agent-0:@3", UnreadableReason.DUPLICATE_REF),
        ("letta:agent-0:message-2", UnreadableReason.BAD_ROW),
        ("letta:agent-0:@5", UnreadableReason.BAD_ROW),
    ]
