"""What stands on the branch left open was said; every other piece is counted under its reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from reading import chatgpt_chain, chatgpt_message, dump, read_all, reasons, texts

from iris_memory.formats import Author, Format, ImportRow, Row, RowNote, UnreadableReason


def _read(*conversations: dict[str, Any]) -> list[Row]:
    return read_all(dump([*conversations]), Format.CHATGPT)


def test_a_row_carries_its_source() -> None:
    conversation = chatgpt_chain(None, chatgpt_message("user", "I moved to Lyon.", create_time=1700000000.123456))
    assert _read(conversation) == [
        ImportRow(
            ref="chatgpt:c1:n1",
            text="I moved to Lyon.",
            author=Author.USER,
            said_at=datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC),
            conversation="c1",
            title="T",
        )
    ]


@pytest.mark.parametrize(
    ("role", "recipient", "author"),
    [
        ("user", "all", Author.USER),
        ("assistant", "all", Author.ASSISTANT),
        ("assistant", None, Author.ASSISTANT),
        ("assistant", "python", Author.TOOL),
        ("tool", "all", Author.TOOL),
        ("system", "all", Author.SYSTEM),
        ("developer", "all", Author.SYSTEM),
        ("critic", "all", Author.UNKNOWN),
    ],
)
def test_the_author_is_the_role(role: str, recipient: str | None, author: Author) -> None:
    (row,) = _read(chatgpt_chain(chatgpt_message(role, "x", recipient=recipient)))
    assert isinstance(row, ImportRow)
    assert row.author is author


def _branching(**links: Any) -> dict[str, Any]:
    """root - ask - old, and ask - new - thanks: the answer was regenerated once."""
    nodes = {
        "root": {"parent": None, "children": ["ask"], "message": None},
        "ask": {"parent": "root", "children": ["old", "new"], "message": chatgpt_message("user", "ask")},
        "old": {"parent": "ask", "children": [], "message": chatgpt_message("assistant", "old", create_time=9)},
        "new": {"parent": "ask", "children": ["thanks"], "message": chatgpt_message("assistant", "new")},
        "thanks": {"parent": "new", "children": [], "message": chatgpt_message("user", "thanks", create_time=10)},
    }
    return {"id": "c", "title": None, "mapping": nodes, "current_node": "thanks"} | links


def test_an_abandoned_branch_was_not_said() -> None:
    rows = _read(_branching())
    assert texts(rows) == ["ask", "new", "thanks"]
    assert reasons(rows) == [("chatgpt:c:old", UnreadableReason.ABANDONED_BRANCH)]
    rows = _read(_branching(current_node="old"))
    assert texts(rows) == ["ask", "old"]
    assert [ref for ref, _ in reasons(rows)] == ["chatgpt:c:new", "chatgpt:c:thanks"]


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_without_a_current_node_the_newest_leaf_is_it(current: object) -> None:
    assert texts(_read(_branching(current_node=current))) == ["ask", "new", "thanks"]


def test_either_link_holds_the_branch_together() -> None:
    for link, nothing in (("parent", None), ("children", [])):
        conversation = _branching()
        for node in conversation["mapping"].values():
            node[link] = nothing
        assert texts(_read(conversation)) == ["ask", "new", "thanks"]


def test_a_circle_of_nodes_ends() -> None:
    conversation = chatgpt_chain(chatgpt_message("user", "a"), chatgpt_message("user", "b"))
    conversation["mapping"]["n0"]["parent"] = "n1"
    assert texts(_read(conversation)) == ["a", "b"]


def test_hidden_and_textless_messages_are_counted() -> None:
    hidden = chatgpt_message("system", "secret", metadata={"is_visually_hidden_from_conversation": True})
    thoughts = chatgpt_message("assistant", "", content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]})
    rows = _read(chatgpt_chain(hidden, thoughts, chatgpt_message("assistant", " "), chatgpt_message("user", "hi")))
    assert texts(rows) == ["hi"]
    assert reasons(rows) == [
        ("chatgpt:c1:n0", UnreadableReason.HIDDEN),
        ("chatgpt:c1:n1", UnreadableReason.NOT_TEXT),
        ("chatgpt:c1:n2", UnreadableReason.EMPTY),
    ]


def test_code_and_its_output_are_text() -> None:
    code = chatgpt_message("assistant", "", content={"content_type": "code", "text": "1+1"}, recipient="python")
    output = chatgpt_message("tool", "", content={"content_type": "execution_output", "text": "2"})
    rows = _read(chatgpt_chain(code, output))
    assert [(row.text, row.author) for row in rows if isinstance(row, ImportRow)] == [
        ("1+1", Author.TOOL),
        ("2", Author.TOOL),
    ]


def test_of_mixed_parts_the_words_are_taken_and_the_rest_is_counted() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "sediment://x"},
        "what is this?",
        {"content_type": "audio_transcription", "text": "and this?", "direction": "in"},
    ]
    mixed = chatgpt_message("user", "", content={"content_type": "multimodal_text", "parts": parts})
    only = chatgpt_message("user", "", content={"content_type": "multimodal_text", "parts": parts[:1]})
    rows = _read(chatgpt_chain(mixed, only))
    assert texts(rows) == ["what is this?\nand this?"]
    assert reasons(rows) == [
        ("chatgpt:c1:n0:part-0", UnreadableReason.NOT_TEXT),
        ("chatgpt:c1:n1:part-0", UnreadableReason.NOT_TEXT),
    ]


def test_custom_instructions_are_read_although_hidden() -> None:
    content = {"content_type": "user_editable_context", "user_profile": "Framed: P", "user_instructions": "Framed: I"}
    own = {"about_user_message": "P", "about_model_message": "I"}
    metadata = {"is_visually_hidden_from_conversation": True, "user_context_message_data": own}
    with_own = chatgpt_message("user", "", content=content, metadata=metadata)
    framed = chatgpt_message("user", "", content=content)
    plain = chatgpt_message("user", "", content={"content_type": "user_editable_context", "text": "old form"})
    rows = _read(chatgpt_chain(with_own, framed, plain))
    assert texts(rows) == ["P", "I", "Framed: P", "Framed: I", "old form"]
    assert [row.ref for row in rows[:2]] == ["chatgpt:c1:n0:profile", "chatgpt:c1:n0:instructions"]
    assert {(row.author, row.note) for row in rows if isinstance(row, ImportRow)} == {
        (Author.SYSTEM, RowNote.CUSTOM_INSTRUCTIONS)
    }


def test_what_chatgpt_noted_down_is_the_assistants() -> None:
    content = {"content_type": "model_editable_context", "model_set_context": "1. Likes tea"}
    (row,) = _read(chatgpt_chain(chatgpt_message("assistant", "", content=content)))
    assert isinstance(row, ImportRow)
    assert (row.text, row.author) == ("1. Likes tea", Author.ASSISTANT)


def test_ids_that_may_be_words_stay_out_of_the_ref() -> None:
    conversation = chatgpt_chain(chatgpt_message("user", "x"), conversation="my secret trip")
    conversation["mapping"] = {"Alex Smith": conversation["mapping"]["n0"]}
    conversation["current_node"] = "Alex Smith"
    (row,) = _read(conversation)
    assert row.ref == "chatgpt:@0:@0"
    assert isinstance(row, ImportRow)
    assert row.conversation == "@0"


def test_a_conversation_that_comes_again_is_counted_once() -> None:
    same = chatgpt_chain(chatgpt_message("user", "x"))
    rows = _read(same, same)
    assert texts(rows) == ["x"]
    assert reasons(rows) == [("chatgpt:@1", UnreadableReason.DUPLICATE_REF)]


def test_odd_conversations_are_counted() -> None:
    empty, broken = chatgpt_chain(None, conversation="a"), {"id": "b", "mapping": None}
    odd = chatgpt_chain({"author": 1, "content": []}, {}, conversation="d")
    odd["mapping"] |= {"n1": {"message": "x", "parent": "n0"}, "n2": 5, "n3": None}
    rows = _read(chatgpt_chain(chatgpt_message("user", "x")), empty, broken, {"id": "e"}, odd)
    assert reasons(rows) == [
        ("chatgpt:a", UnreadableReason.EMPTY),
        ("chatgpt:b", UnreadableReason.BAD_ROW),
        ("chatgpt:e", UnreadableReason.BAD_ROW),
        ("chatgpt:d:n0", UnreadableReason.NOT_TEXT),
        ("chatgpt:d:n1", UnreadableReason.BAD_ROW),
        ("chatgpt:d:n2", UnreadableReason.ABANDONED_BRANCH),
    ]


def test_one_conversation_alone_is_an_export_too() -> None:
    assert texts(read_all(dump(chatgpt_chain(chatgpt_message("user", "x"))), Format.CHATGPT)) == ["x"]
