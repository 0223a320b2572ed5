"""A Claude conversation is a list; a message was left behind only where the links prove it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from reading import dump, read_all, reasons, texts

from iris_memory.formats import Author, Format, ImportRow, Row, RowNote, UnreadableReason

_ROOT = "00000000-0000-4000-8000-000000000000"


def _message(uuid: str, text: str = "", **other: Any) -> dict[str, Any]:
    return {"uuid": uuid, "text": text, "sender": "human", "created_at": "2024-05-01T10:00:00.5+02:00"} | other


def _read(*messages: object, **other: Any) -> list[Row]:
    return read_all(dump([{"uuid": "c1", "name": "T", "chat_messages": [*messages], **other}]), Format.CLAUDE)


def test_a_row_carries_its_source() -> None:
    rows = _read(_message("m1", "Old form."), _message("m2", "New form.", sender="assistant"))
    assert rows == [
        ImportRow(
            ref=f"claude:c1:{ref}",
            text=text,
            author=author,
            said_at=datetime(2024, 5, 1, 8, 0, 0, 500000, tzinfo=UTC),
            conversation="c1",
            title="T",
        )
        for ref, text, author in (("m1", "Old form.", Author.USER), ("m2", "New form.", Author.ASSISTANT))
    ]


def test_blocks_speak_and_the_stopgap_text_does_not() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Before."},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": [{"type": "text", "text": "found"}]},
        {"type": "text", "text": "After."},
    ]
    stopgap = "Before.\n```\nThis block is not supported on your current device yet.\n```\nAfter."
    only = [{"type": "tool_use", "name": "search"}]
    rows = _read(_message("m1", stopgap, content=blocks), _message("m2", "This block is not supported", content=only))
    assert texts(rows) == ["Before.\n\nAfter."]
    assert [ref for ref, _ in reasons(rows)] == [
        "claude:c1:m1:block-0",
        "claude:c1:m1:block-2",
        "claude:c1:m1:block-3",
        "claude:c1:m2:block-0",
    ]
    assert {reason for _, reason in reasons(rows)} == {UnreadableReason.NOT_TEXT}


def test_an_attachment_is_a_row_of_nobody() -> None:
    attachments = [{"file_name": "a.txt", "extracted_content": "pasted words"}, {"file_name": "b.txt"}]
    rows = _read(_message("m1", attachments=attachments, files=[{"file_name": "c.png"}]))
    (row,) = [row for row in rows if isinstance(row, ImportRow)]
    assert (row.ref, row.text, row.author) == ("claude:c1:m1:attachment-0", "pasted words", Author.UNKNOWN)
    assert row.note is RowNote.ATTACHMENT
    assert reasons(rows) == [
        ("claude:c1:m1:attachment-1", UnreadableReason.EMPTY),
        ("claude:c1:m1:file-0", UnreadableReason.NOT_TEXT),
    ]


def test_an_edited_prompt_leaves_a_branch_behind() -> None:
    rows = _read(
        _message("first", "first", parent_message_uuid=_ROOT),
        _message("reply", "reply", parent_message_uuid="first"),
        _message("edited", "edited", parent_message_uuid=_ROOT),
        _message("again", "again", parent_message_uuid="edited"),
    )
    assert texts(rows) == ["edited", "again"]
    assert reasons(rows) == [
        ("claude:c1:first", UnreadableReason.ABANDONED_BRANCH),
        ("claude:c1:reply", UnreadableReason.ABANDONED_BRANCH),
    ]


def test_the_leaf_of_the_export_decides() -> None:
    messages = [
        _message("ask", "ask", parent_message_uuid=_ROOT),
        _message("one", "one", parent_message_uuid="ask"),
        _message("two", "two", parent_message_uuid="ask"),
    ]
    assert texts(_read(*messages)) == ["ask", "two"]
    assert texts(_read(*messages, current_leaf_message_uuid="one")) == ["ask", "one"]


def test_links_that_lead_nowhere_prove_nothing() -> None:
    rows = _read(
        _message("a", "a"),
        _message("b", "b", parent_message_uuid="gone"),
        _message("c", "c", parent_message_uuid="a"),
        _message("d", "d", parent_message_uuid="d"),
        _message("e", "e", parent_message_uuid="f"),
        _message("f", "f", parent_message_uuid="e"),
        _message("g", "g"),
    )
    assert texts(rows) == ["a", "b", "c", "d", "e", "f", "g"]


def test_times_without_a_zone_and_times_that_are_none() -> None:
    rows = _read(_message("a", "x", created_at="2024-05-01T10:00:00"), _message("b", "x", created_at="soon"))
    assert [(row.said_at, row.note) for row in rows if isinstance(row, ImportRow)] == [
        (None, RowNote.NAIVE_TIME),
        (None, RowNote.BAD_TIME),
    ]


def test_odd_messages_are_counted() -> None:
    rows = _read(_message("a"), 5, _message("b", "x"), _message("b", "y"), _message("not an id", "z"))
    assert texts(rows) == ["x", "z"]
    assert rows[-1].ref == "claude:c1:@4"
    assert reasons(rows) == [
        ("claude:c1:a", UnreadableReason.EMPTY),
        ("claude:c1:@1", UnreadableReason.BAD_ROW),
        ("claude:c1:@3", UnreadableReason.DUPLICATE_REF),
    ]
    assert reasons(_read()) == [("claude:c1", UnreadableReason.EMPTY)]
