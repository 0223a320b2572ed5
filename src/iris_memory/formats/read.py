"""An export becomes rows, in the order of the file; what gives no row is counted with its reason.

Laws:
* the same bytes give the same rows, refs and reasons in the same order, so `skip` goes on where a reader stopped;
* nothing is dropped silently, and no ref comes twice;
* one item is held at a time, and no item over a limit (`limits.Limits`); to know an id that comes again, a short
  digest of each is kept;
* only `FormatError` is raised, and only for a file that is not of the named format or that would unpack without end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import BinaryIO

from iris_memory.errors import FormatError
from iris_memory.formats.chatgpt import CHATGPT
from iris_memory.formats.claude import CLAUDE
from iris_memory.formats.detect import detect
from iris_memory.formats.framing import Frame, Items, Lines
from iris_memory.formats.iris_export import IRIS_EXPORT
from iris_memory.formats.jsonl import JSONL
from iris_memory.formats.letta import LETTA
from iris_memory.formats.limits import LIMITS, Limits
from iris_memory.formats.mcp_memory import MCP_MEMORY
from iris_memory.formats.mem0 import MEM0
from iris_memory.formats.row import Format, ImportRow, Row, Unreadable, UnreadableReason
from iris_memory.formats.shape import Item, Shape
from iris_memory.formats.source_bytes import SourceBytes
from iris_memory.formats.split import MAX_TEXT, parts
from iris_memory.formats.values import decode, is_storable, storable

_SHAPES = {
    Format.CHATGPT: CHATGPT,
    Format.CLAUDE: CLAUDE,
    Format.MEM0: MEM0,
    Format.MCP_MEMORY: MCP_MEMORY,
    Format.LETTA: LETTA,
    Format.JSONL: JSONL,
    Format.IRIS_EXPORT: IRIS_EXPORT,
}
_PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b")
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def read(
    stream: BinaryIO,
    *,
    format: Format,
    skip: int = 0,
    limits: Limits = LIMITS,
) -> Iterator[Row]:
    """The rows of an unpacked export (see `open_source`), without the first `skip` rows and reasons.

    Raises:
        FormatError: at the first row asked for, when the stream is not of this format.
    """
    return islice(_Reading(stream, shape=_SHAPES[format], name=format, limits=limits).rows(), skip, None)


class _Reading:
    """One pass over one source."""

    def __init__(self, stream: BinaryIO, *, shape: Shape, name: Format, limits: Limits) -> None:
        self._shape = shape
        self._name = name
        self._limits = limits
        self._source = SourceBytes(stream)
        self._known = False
        self._seen: set[int] = set()

    def rows(self) -> Iterator[Row]:
        self._refuse_foreign_bytes()
        framing: Lines | Items
        if self._shape.on_lines:
            framing = Lines(self._source, limits=self._limits)
        else:
            framing = Items(self._source, members=self._shape.members, limits=self._limits)
        ended_early = False
        for frame in framing.frames():
            if not framing.opened:
                raise self._foreign()
            for row in self._item_rows(frame):
                ended_early = isinstance(row, Unreadable) and row.reason is UnreadableReason.TRUNCATED
                yield from _fitted(row)
        if not framing.opened:
            raise self._foreign()
        if self._source.cut and not ended_early:
            yield Unreadable(f"{self._name}:@{framing.position}", UnreadableReason.TRUNCATED)

    def _item_rows(self, frame: Frame) -> Iterator[Row]:
        here = f"{self._name}:@{frame.position}"
        value = frame.fault or decode(frame.data, limits=self._limits)
        if isinstance(value, UnreadableReason):
            if not self._known and self._likely not in (None, self._name):
                raise self._foreign()
            cut = value is UnreadableReason.BAD_JSON and not frame.whole
            yield Unreadable(here, UnreadableReason.TRUNCATED if cut else value)
            return
        own_id = self._shape.own_id(value) if isinstance(value, dict) else None
        ref = here if own_id is None else f"{self._name}:{own_id}"
        item = Item(ref, frame.member, value) if isinstance(value, dict) else None
        if not self._known and (item is None or not self._shape.is_one(item)):
            raise self._foreign()
        self._known = True
        if item is None:
            yield Unreadable(here, UnreadableReason.BAD_ROW)
        elif own_id is not None and not self._first_time(own_id):
            yield Unreadable(here, UnreadableReason.DUPLICATE_REF)
        else:
            yield from self._shape.rows(item)

    def _first_time(self, own_id: str) -> bool:
        digest = int.from_bytes(hashlib.blake2b(own_id.encode(), digest_size=8).digest())
        new = digest not in self._seen
        self._seen.add(digest)
        return new

    def _refuse_foreign_bytes(self) -> None:
        if self._source.head.startswith(_PACKED):
            raise FormatError("expected an unpacked export: open packed files with open_source")
        if self._source.head.startswith(_WIDE):
            raise FormatError("expected UTF-8 text, found UTF-16: save the export as UTF-8")

    @cached_property
    def _likely(self) -> Format | None:
        return detect(self._source.head)

    def _foreign(self) -> FormatError:
        if self._source.cut:
            return FormatError("the file is damaged: nothing could be read from it")
        hint = "" if self._likely in (None, self._name) else f"; it looks like `--format {self._likely}`"
        return FormatError(f"expected {self._shape.expects}{hint}")


def _fitted(row: Row) -> Iterator[Row]:
    """The row with texts that can be stored, in numbered parts when it is too long for one memory."""
    if isinstance(row, Unreadable):
        yield row
        return
    row = _mended(row)
    if len(row.text) <= MAX_TEXT:
        yield row
        return
    for number, text in enumerate(parts(row.text), start=1):
        yield replace(row, ref=f"{row.ref}#{number}", text=text)


def _mended(row: ImportRow) -> ImportRow:
    words = (row.text, row.title, row.conversation, row.category, row.subject)
    if all(word is None or is_storable(word) for word in words):
        return row
    text, title, conversation, category, subject = (word and storable(word) for word in words)
    return replace(row, text=text or "", title=title, conversation=conversation, category=category, subject=subject)
