"""A Letta agent file: memory blocks, and what was said between the person and the agent.

Of unknown author are the blocks: either the agent or its maker wrote them. In the older agents the agent speaks only
through the tool `send_message`, and its plain text is a thought; the person's words come wrapped in a JSON event, and
events nobody typed (a login, a heartbeat) are not text. System prompts are hidden; attached files are not memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from iris_memory.formats.framing import is_too_deep
from iris_memory.formats.instants import from_iso
from iris_memory.formats.limits import LIMITS
from iris_memory.formats.row import Author, Row, Unreadable, UnreadableReason, said
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.values import as_list, as_record, as_text, decode, place, safe_id

_BLOCKS = frozenset({"blocks", "memory_blocks", "core_memory"})


def _is_one(item: Item) -> bool:
    if item.member in _BLOCKS:
        return "value" in item.value
    if item.member == "messages":
        return "role" in item.value
    return item.member is not None


def _own_id(value: dict[str, object]) -> str | None:
    return safe_id(value.get("id"))


def _rows(item: Item) -> Iterator[Row]:
    if item.member in _BLOCKS:
        yield _block(item.value, ref=item.ref)
    elif item.member == "messages":
        yield from _message(item.value, ref=item.ref, conversation=None)
    elif item.member == "agents":
        yield from _agent(item)
    else:
        yield Unreadable(item.ref, UnreadableReason.NOT_MEMORY)


def _agent(item: Item) -> Iterator[Row]:
    refs: set[str] = set()
    pieces = [(True, each) for name in sorted(_BLOCKS) for each in as_list(item.value.get(name))]
    pieces += [(False, each) for each in as_list(item.value.get("messages"))]
    for index, (is_block, piece) in enumerate(pieces):
        value = as_record(piece)
        ref = place(item.ref, value.get("id"), index)
        if ref in refs:
            yield Unreadable(f"{item.ref}:@{index}", UnreadableReason.DUPLICATE_REF)
            continue
        refs.add(ref)
        if is_block:
            yield _block(value, ref=ref)
        else:
            yield from _message(value, ref=ref, conversation=item.key)


def _block(block: dict[str, object], *, ref: str) -> Row:
    text = as_text(block.get("value"))
    if text is None:
        return Unreadable(ref, UnreadableReason.BAD_ROW)
    return said(ref, text, author=Author.UNKNOWN, title=as_text(block.get("label")))


def _message(message: dict[str, object], *, ref: str, conversation: str | None) -> Iterator[Row]:
    role = message.get("role")
    said_at, note = from_iso(message.get("created_at"))
    if role == "system":
        yield Unreadable(ref, UnreadableReason.HIDDEN)
    elif role == "user":
        text = _typed(_text(message))
        author = Author.USER
        yield (
            Unreadable(ref, UnreadableReason.NOT_TEXT)
            if text is None
            else said(ref, text, author=author, said_at=said_at, conversation=conversation, note=note)
        )
    elif role == "assistant":
        calls = as_list(message.get("tool_calls"))
        spoken = [_spoken(call) for call in calls]
        text = "\n\n".join(filter(None, spoken)) or (None if calls else _text(message))
        author = Author.ASSISTANT
        if text or not calls:
            yield said(ref, text, author=author, said_at=said_at, conversation=conversation, note=note)
        for index, words in enumerate(spoken):
            if words is None:
                yield Unreadable(f"{ref}:call-{index}", UnreadableReason.NOT_TEXT)
    else:
        yield Unreadable(ref, UnreadableReason.NOT_TEXT if role == "tool" else UnreadableReason.BAD_ROW)


def _text(message: dict[str, object]) -> str:
    """The text of a message: `text` in old files, `content` as text or as parts in newer ones."""
    content = message.get("content", message.get("text"))
    if isinstance(content, str):
        return content
    texts = [as_text(as_record(part).get("text")) for part in as_list(content)]
    return "\n".join(filter(None, texts))


def _typed(text: str) -> str | None:
    """What the person typed; none when the message is an event of the machine."""
    event = as_record(_parsed(text))
    if "type" not in event:
        return text
    return as_text(event.get("message")) if event["type"] == "user_message" else None


def _spoken(call: object) -> str | None:
    """What the agent says through this call; none when the call is of another tool."""
    function = as_record(as_record(call).get("function"))
    if function.get("name") != "send_message":
        return None
    return as_text(as_record(_parsed(as_text(function.get("arguments")) or "")).get("message"))


def _parsed(text: str) -> object:
    if not text.startswith("{"):
        return None
    data = text.encode("utf-8", "surrogatepass")
    return None if is_too_deep(data, limits=LIMITS) else decode(data, limits=LIMITS)


LETTA = Shape(
    expects="a Letta agent file: an object with `agents` and `blocks`",
    is_one=_is_one,
    own_id=_own_id,
    rows=_rows,
    members=_BLOCKS | {"agents", "messages", "files"},
)
