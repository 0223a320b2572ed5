"""A ChatGPT export: what stands on the branch that was left open was said; other branches are counted, not taken.

A conversation is a tree of nodes (`mapping`); editing a prompt or regenerating an answer opens a branch. The branch
that ends in `current_node` is the one the person ended with. Parents are followed; where a node has none, the node
that lists it as a child is its parent (exports of 2026 leave some links out).

Custom instructions come as a message marked hidden, with the person's own words in its metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from iris_memory.formats.instants import from_epoch
from iris_memory.formats.row import Author, Row, RowNote, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import as_list, as_record, as_text, place, safe_id

_AUTHORS = {
    "user": Author.USER,
    "assistant": Author.ASSISTANT,
    "tool": Author.TOOL,
    "system": Author.SYSTEM,
    "developer": Author.SYSTEM,
}
_PARTS = frozenset({"text", "multimodal_text"})
_PLAIN = frozenset({"code", "execution_output"})


def _is_one(item: Item) -> bool:
    return "mapping" in item.value


def _own_id(conversation: dict[str, object]) -> str | None:
    return safe_id(conversation.get("conversation_id")) or safe_id(conversation.get("id"))


def _rows(item: Item) -> Iterator[Row]:
    nodes = item.value.get("mapping")
    if not isinstance(nodes, dict):
        yield Unreadable(item.ref, UnreadableReason.BAD_ROW)
        return
    messages = {node_id: node.get("message") if isinstance(node, dict) else node for node_id, node in nodes.items()}
    refs = {node_id: place(item.ref, node_id, index) for index, node_id in enumerate(nodes)}
    branch = _branch(nodes, as_text(item.value.get("current_node")))
    if all(message is None for message in messages.values()):  # the root of every tree is a node without a message
        yield Unreadable(item.ref, UnreadableReason.EMPTY)
    for node_id in branch:
        message = messages[node_id]
        if isinstance(message, dict):
            yield from _message(message, ref=refs[node_id], item=item)
        elif message is not None:
            yield Unreadable(refs[node_id], UnreadableReason.BAD_ROW)
    taken = set(branch)
    for node_id, message in messages.items():
        if message is not None and node_id not in taken:
            yield Unreadable(refs[node_id], UnreadableReason.ABANDONED_BRANCH)


def _branch(nodes: dict[str, object], current: str | None) -> list[str]:
    """The node ids from the root to the current node."""
    parents: dict[str, str] = {}
    for node_id, node in nodes.items():
        for child in as_list(as_record(node).get("children")):
            if isinstance(child, str):
                parents.setdefault(child, node_id)
    for node_id, node in nodes.items():
        if (parent := as_text(as_record(node).get("parent"))) is not None:
            parents[node_id] = parent
    here = current if current in nodes else _latest_leaf(nodes, parents)
    path: dict[str, None] = {}
    while here is not None and here in nodes and here not in path:
        path[here] = None
        here = parents.get(here)
    return [*reversed(path)]


def _latest_leaf(nodes: dict[str, object], parents: dict[str, str]) -> str | None:
    """The newest node without a child, when the export does not say where the person left off."""
    inner = set(parents.values())
    newest, newest_at = None, Decimal(-1)
    for node_id, node in nodes.items():
        at = as_record(as_record(node).get("message")).get("create_time")
        made = Decimal(at) if isinstance(at, int | Decimal) else Decimal(-1)
        if node_id not in inner and made >= newest_at:
            newest, newest_at = node_id, made
    return newest


def _message(message: dict[str, object], *, ref: str, item: Item) -> Iterator[Row]:
    content = as_record(message.get("content"))
    metadata = as_record(message.get("metadata"))
    kind = content.get("content_type")
    if kind == "user_editable_context":
        yield from _instructions(message, content, metadata, ref=ref, item=item)
    elif kind == "model_editable_context":  # what ChatGPT itself noted down about the person
        yield _row(message, as_text(content.get("model_set_context")), ref=ref, item=item)
    elif metadata.get("is_visually_hidden_from_conversation") is True:
        yield Unreadable(ref, UnreadableReason.HIDDEN)
    elif kind in _PARTS or (kind is None and "parts" in content):
        yield from _parts(message, as_list(content.get("parts")), ref=ref, item=item)
    elif kind in _PLAIN:
        yield _row(message, as_text(content.get("text")), ref=ref, item=item)
    else:
        yield Unreadable(ref, UnreadableReason.NOT_TEXT)


def _parts(message: dict[str, object], parts: list[object], *, ref: str, item: Item) -> Iterator[Row]:
    """One row for all that was written or spoken, and one reason for each picture or sound."""
    texts: list[str] = []
    others: list[int] = []
    for index, part in enumerate(parts):
        spoken = as_record(part).get("content_type") == "audio_transcription"
        text = as_text(as_record(part).get("text")) if spoken else as_text(part)
        if text is None:
            others.append(index)
        elif text:
            texts.append(text)
    if texts or not others:
        yield _row(message, "\n".join(texts), ref=ref, item=item)
    for index in others:
        yield Unreadable(f"{ref}:part-{index}", UnreadableReason.NOT_TEXT)


def _instructions(
    message: dict[str, object],
    content: dict[str, object],
    metadata: dict[str, object],
    *,
    ref: str,
    item: Item,
) -> Iterator[Row]:
    own_words = as_record(metadata.get("user_context_message_data"))
    found = False
    for name, own, framed in (
        ("profile", "about_user_message", "user_profile"),
        ("instructions", "about_model_message", "user_instructions"),
    ):
        text = as_text(own_words.get(own)) or as_text(content.get(framed))
        if text and text.strip():
            found = True
            yield _instruction(message, text, ref=f"{ref}:{name}", item=item)
    if not found:
        yield _instruction(message, as_text(content.get("text")), ref=ref, item=item)


def _instruction(message: dict[str, object], text: str | None, *, ref: str, item: Item) -> Row:
    said_at, note = from_epoch(message.get("create_time"))
    return said(
        ref,
        text,
        author=Author.SYSTEM,
        said_at=said_at,
        conversation=item.key,
        title=as_text(item.value.get("title")),
        note=note or RowNote.CUSTOM_INSTRUCTIONS,
    )


def _row(message: dict[str, object], text: str | None, *, ref: str, item: Item) -> Row:
    said_at, note = from_epoch(message.get("create_time"))
    return said(
        ref,
        text,
        author=_author(message),
        said_at=said_at,
        conversation=item.key,
        title=as_text(item.value.get("title")),
        note=note,
    )


def _author(message: dict[str, object]) -> Author:
    role = as_text(as_record(message.get("author")).get("role"))
    author = _AUTHORS.get(role or "", Author.UNKNOWN)
    # An assistant's message to anyone but everyone is a call of a tool.
    if author is Author.ASSISTANT and message.get("recipient") not in (None, "", "all"):
        return Author.TOOL
    return author


CHATGPT = Shape(
    expects="a list of ChatGPT conversations, each with a `mapping`",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
)
