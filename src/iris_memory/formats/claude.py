"""A Claude export: what stands on the branch that was left open was said; other branches are counted, not taken.

Messages are a list. Newer exports link each to its parent, and an edited prompt or a retried answer gives a parent two
children; the branch that ends in the newest message is the one the person ended with. A message counts as left behind
only when the links prove it: an export without links is one straight line.
"""

from __future__ import annotations

from collections.abc import Iterator

from iris_memory.formats.instants import from_iso
from iris_memory.formats.row import Author, Row, RowNote, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import as_list, as_record, as_text, place, safe_id

_AUTHORS = {"human": Author.USER, "user": Author.USER, "assistant": Author.ASSISTANT}
_SPOKEN = frozenset({"text", "voice_note"})


def _is_one(item: Item) -> bool:
    return "chat_messages" in item.value


def _own_id(conversation: dict[str, object]) -> str | None:
    return safe_id(conversation.get("uuid"))


def _rows(item: Item) -> Iterator[Row]:
    listed = item.value.get("chat_messages")
    if not isinstance(listed, list):
        yield Unreadable(item.ref, UnreadableReason.BAD_ROW)
        return
    if not listed:
        yield Unreadable(item.ref, UnreadableReason.EMPTY)
    messages = [as_record(message) for message in listed]
    left = _left_behind(messages, as_text(item.value.get("current_leaf_message_uuid")))
    refs: set[str] = set()
    for index, message in enumerate(messages):
        ref = place(item.ref, message.get("uuid"), index)
        if ref in refs:
            yield Unreadable(f"{item.ref}:@{index}", UnreadableReason.DUPLICATE_REF)
            continue
        refs.add(ref)
        if not message:
            yield Unreadable(ref, UnreadableReason.BAD_ROW)
        elif index in left:
            yield Unreadable(ref, UnreadableReason.ABANDONED_BRANCH)
        else:
            yield from _message(message, ref=ref, item=item)


def _left_behind(messages: list[dict[str, object]], leaf: str | None) -> set[int]:
    """The places of messages on a branch that parted from the one that ends in the leaf.

    A message is left behind when another child of its parent was gone on with, or when its parent is left behind.
    """
    ids = [as_text(message.get("uuid")) for message in messages]
    parents = [as_text(message.get("parent_message_uuid")) or "" for message in messages]
    where = {uuid: index for index, uuid in enumerate(ids) if uuid}
    here = where.get(leaf or "", len(messages) - 1 if messages else None)
    left: dict[int, bool] = {}
    gone_on_with: set[str] = set()
    while here is not None and here not in left:
        left[here] = False
        if parents[here]:
            gone_on_with.add(parents[here])
        here = where.get(parents[here])
    for index in range(len(messages)):
        trail: list[int] = []
        above: int | None = index
        parted = False
        while above is not None and above not in left and not parted:
            left[above] = False  # for now; it also ends a circle
            trail.append(above)
            parted = parents[above] in gone_on_with
            above = where.get(parents[above])
        if above is not None:
            parted = parted or left[above]
        left.update(dict.fromkeys(trail, parted))
    return {index for index, parted in left.items() if parted}


def _message(message: dict[str, object], *, ref: str, item: Item) -> Iterator[Row]:
    texts: list[str] = []
    others: list[int] = []
    for index, block in enumerate(as_list(message.get("content"))):
        text = as_text(as_record(block).get("text"))
        if as_record(block).get("type") in _SPOKEN and text is not None:
            texts.append(text)
        else:
            others.append(index)
    # Beside blocks, `text` only repeats them, with a stopgap for those that are not text.
    text = "\n\n".join(filter(None, texts)) or (None if others else as_text(message.get("text")))
    pasted = [as_record(each) for each in as_list(message.get("attachments"))]
    files = as_list(message.get("files"))
    if (text and text.strip()) or not (others or pasted or files):
        author = _AUTHORS.get(as_text(message.get("sender")) or "", Author.UNKNOWN)
        yield _row(message, text, ref=ref, author=author, item=item)
    for index in others:
        yield Unreadable(f"{ref}:block-{index}", UnreadableReason.NOT_TEXT)
    for index, each in enumerate(pasted):
        content = as_text(each.get("extracted_content"))
        at = f"{ref}:attachment-{index}"
        yield _row(message, content, ref=at, author=Author.UNKNOWN, item=item, note=RowNote.ATTACHMENT)
    for index in range(len(files)):
        yield Unreadable(f"{ref}:file-{index}", UnreadableReason.NOT_TEXT)


def _row(
    message: dict[str, object],
    text: str | None,
    *,
    ref: str,
    author: Author,
    item: Item,
    note: RowNote | None = None,
) -> Row:
    said_at, time_note = from_iso(message.get("created_at"))
    return said(
        ref,
        text,
        author=author,
        said_at=said_at,
        conversation=item.key,
        title=as_text(item.value.get("name")),
        note=time_note or note,
    )


CLAUDE = Shape(
    expects="a list of Claude conversations, each with `chat_messages`",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
)
