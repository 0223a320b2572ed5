"""A file becomes its items, each as raw JSON, without holding more than one.

Only brackets and strings are followed here; an item is parsed later, on its own. So a broken item costs itself alone,
an item over a limit is passed by without being kept, and the end of the file is known to be the end or a cut.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from iris_memory.formats.limits import KIB, Limits
from iris_memory.formats.row import UnreadableReason
from iris_memory.formats.source_bytes import SourceBytes

_QUOTE, _OPEN_LIST, _CLOSE_LIST, _OPEN_RECORD, _CLOSE_RECORD, _COMMA, _COLON = b'"[]{},:'

# Everything up to the next bracket, or to a string that does not end in the bytes at hand, or to their end. One of the
# three always stands there, so no byte is looked at twice but those of a cut string. (Possessive repeats would say this
# outright, but before Python 3.11.5 they match wrongly: gh-106052.)
_STEP = re.compile(rb'(?:[^"\[\]{}]+|"[^"\\]*(?:\\.[^"\\]*)*")*(?:([\[{])|([\]}])|(")|\Z)', re.DOTALL)
_OPENING, _CLOSING, _CUT_STRING = 1, 2, 3

# What is left of a string; group 1 is the closing quote. A backslash that ends the bytes waits for its partner.
_STRING_REST = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*("?)', re.DOTALL)

_SCALAR = re.compile(rb'[^\s,:"\[\]{}]*')
_SPACE = re.compile(rb"[ \t\r\n]*")

_MEMBER_NAME_BYTES = 4 * KIB
_MEMBERS_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Frame:
    """One item: its place in the source, the member of the top object it stood in, its bytes or why there are none.

    `whole` is false for a last line without its line end, which may have been cut.
    """

    position: int
    member: str | None
    data: bytes = b""
    fault: UnreadableReason | None = None
    whole: bool = True


class Lines:
    """Items that stand one on a line; a place is a line number, from 1."""

    def __init__(self, source: SourceBytes, *, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self.position = 1
        self.opened = not source.head.strip() or source.head.lstrip()[:1] == b"{"

    def frames(self) -> Iterator[Frame]:
        """Each line that is not blank."""
        pieces: list[bytes] = []
        size = 0
        while chunk := self._source.take():
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                yield from self._frame(pieces, chunk[start:end], whole=True)
                pieces, size = [], 0
                self.position += 1
                start = end + 1
            size += len(chunk) - start
            # One piece more than fits is enough to know that the line is too large.
            if size <= self._limits.item_bytes + len(chunk):
                pieces.append(chunk[start:])
        yield from self._frame(pieces, b"", whole=False)
        self.position += size > 0

    def _frame(self, pieces: list[bytes], last: bytes, *, whole: bool) -> Iterator[Frame]:
        line = b"".join([*pieces, last])
        if len(line) > self._limits.item_bytes:
            yield Frame(self.position, None, fault=UnreadableReason.TOO_LARGE)
        elif is_too_deep(line, limits=self._limits):
            yield Frame(self.position, None, fault=UnreadableReason.TOO_DEEP)
        elif line.strip():
            yield Frame(self.position, None, line, whole=whole)


class Items:
    """Items of a top list; of the named lists of a top object; or, with no names, the top object itself.

    Several top values may follow one another: an export in numbered files is read as one. A place counts the items,
    from 0. `opened` tells whether any place for items was found.
    """

    def __init__(self, source: SourceBytes, *, members: frozenset[str], limits: Limits) -> None:
        self._source = source
        self._members = members
        self._limits = limits
        self._bytes = b""
        self._at = 0
        self.position = 0
        self.opened = False

    def frames(self) -> Iterator[Frame]:
        """The items in the order of the file. A fault that ends the file is the last frame."""
        going = True
        while going and (byte := self._peek()) is not None:
            if byte == _OPEN_LIST:
                self.opened = True
                going = yield from self._list(None)
            elif byte == _OPEN_RECORD and self._members:
                going = yield from self._record()
            elif byte == _OPEN_RECORD:
                self.opened = True
                going = yield from self._item(None)
            else:
                yield self._fault(UnreadableReason.BAD_JSON)
                going = False

    def _list(self, member: str | None) -> Generator[Frame, None, bool]:
        self._at += 1
        if self._peek() == _CLOSE_LIST:
            self._at += 1
            return True
        while (yield from self._item(member)):
            byte = self._peek()
            if byte == _CLOSE_LIST:
                self._at += 1
                return True
            if byte != _COMMA:
                return (yield from self._stop(byte))
            self._at += 1
        return False

    def _record(self) -> Generator[Frame, None, bool]:
        seen: set[str] = set()
        self._at += 1
        byte = self._peek()
        while byte == _QUOTE and len(seen) < _MEMBERS_MOST:
            name = self._name()
            if name is None or self._peek() != _COLON:
                break
            self._at += 1
            first = self._peek()
            if name in self._members and name not in seen and first == _OPEN_LIST:
                self.opened = True
                seen.add(name)
                if not (yield from self._list(name)):
                    return False
            else:
                if name in self._members and (name in seen or first == _OPEN_RECORD):
                    repeated = name in seen
                    yield self._fault(UnreadableReason.DUPLICATE_KEY if repeated else UnreadableReason.BAD_ROW)
                    self.position += 1
                seen.add(name)
                if first is None or isinstance(self._value(keep=False), _Ending):
                    break
            byte = self._peek()
            if byte == _COMMA:
                self._at += 1
                byte = self._peek()
        if byte == _CLOSE_RECORD:
            self._at += 1
            return True
        return (yield from self._stop(self._peek()))

    def _item(self, member: str | None) -> Generator[Frame, None, bool]:
        byte = self._peek()
        value = _TRUNCATED if byte is None else self._value(keep=True)
        if isinstance(value, _Ending):
            yield self._fault(value.reason, member=member)
            return False
        if isinstance(value, UnreadableReason):
            yield self._fault(value, member=member)
        else:
            yield Frame(self.position, member, value)
        self.position += 1
        return True

    def _stop(self, byte: int | None) -> Generator[Frame, None, bool]:
        reason = UnreadableReason.TRUNCATED if byte is None else UnreadableReason.BAD_JSON
        yield self._fault(reason)
        return False

    def _fault(self, reason: UnreadableReason, *, member: str | None = None) -> Frame:
        return Frame(self.position, member, fault=reason)

    def _name(self) -> str | None:
        """The member name at hand; none when it is none or absurdly long."""
        raw = self._value(keep=True)
        if not isinstance(raw, bytes) or len(raw) > _MEMBER_NAME_BYTES:
            return None
        try:
            name = json.loads(raw)
        except ValueError:
            return None
        return name if isinstance(name, str) else None

    def _value(self, *, keep: bool) -> bytes | UnreadableReason | _Ending:
        """The bytes of the value at hand, or why they are not kept, or that the file ends with it."""
        pieces = _Pieces(keep=keep, limits=self._limits)
        byte = self._bytes[self._at]
        if byte in b"[{":
            ending = self._pass_structure(pieces)
        elif byte == _QUOTE:
            self._pass_over(self._at + 1, pieces)
            ending = self._pass_string(pieces)
        else:
            ending = self._pass_scalar(pieces)
        return ending or pieces.joined()

    def _pass_scalar(self, pieces: _Pieces) -> _Ending | None:
        empty = True
        while True:
            match = _SCALAR.match(self._bytes, self._at)
            end = self._at if match is None else match.end()
            empty = empty and end == self._at
            at_border = end < len(self._bytes)
            self._pass_over(end, pieces)
            if at_border or not self._fill():
                return _BAD_JSON if empty else None

    def _pass_string(self, pieces: _Pieces) -> _Ending | None:
        while True:
            match = _STRING_REST.match(self._bytes, self._at)
            closed = match is not None and bool(match[1])
            self._pass_over(self._at if match is None else match.end(), pieces)
            if closed:
                return None
            if not self._fill():
                return _TRUNCATED

    def _pass_structure(self, pieces: _Pieces) -> _Ending | None:
        depth = 0
        while True:
            kind, end = None, self._at
            for step in _STEP.finditer(self._bytes, self._at):
                kind, end = step.lastindex, step.end()
                if kind == _OPENING:
                    depth += 1
                    pieces.deepen(depth)
                elif kind == _CLOSING:
                    depth -= 1
                    if depth == 0:
                        self._pass_over(end, pieces)
                        return None
                else:
                    break
            self._pass_over(end, pieces)
            if kind == _CUT_STRING:
                if (ending := self._pass_string(pieces)) is not None:
                    return ending
            elif not self._fill():
                return _TRUNCATED

    def _pass_over(self, end: int, pieces: _Pieces) -> None:
        pieces.add(self._bytes[self._at : end])
        self._at = end

    def _peek(self) -> int | None:
        """The next byte that is not white space; none at the end of the file."""
        while True:
            match = _SPACE.match(self._bytes, self._at)
            self._at = self._at if match is None else match.end()
            if self._at < len(self._bytes):
                return self._bytes[self._at]
            if not self._fill():
                return None

    def _fill(self) -> bool:
        """More bytes, behind those not yet passed; false at the end of the file."""
        more = self._source.take()
        self._bytes = self._bytes[self._at :] + more
        self._at = 0
        return bool(more)


@dataclass(frozen=True, slots=True)
class _Ending:
    """Nothing can be read after this."""

    reason: UnreadableReason


_TRUNCATED = _Ending(UnreadableReason.TRUNCATED)
_BAD_JSON = _Ending(UnreadableReason.BAD_JSON)


class _Pieces:
    """The bytes of one value as they come, dropped as soon as it is over a limit."""

    def __init__(self, *, keep: bool, limits: Limits) -> None:
        self._limits = limits
        self._keep = keep
        self._size = 0
        self._pieces: list[bytes] = []
        self._refused: UnreadableReason | None = None

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limits.item_bytes:
            self.refuse(UnreadableReason.TOO_LARGE)
        if self._keep:
            self._pieces.append(piece)

    def deepen(self, depth: int) -> None:
        if depth > self._limits.item_depth:
            self.refuse(UnreadableReason.TOO_DEEP)

    def refuse(self, reason: UnreadableReason) -> None:
        self._refused = self._refused or reason
        self._keep = False
        self._pieces.clear()

    def joined(self) -> bytes | UnreadableReason:
        return self._refused or b"".join(self._pieces)


def is_too_deep(data: bytes, *, limits: Limits) -> bool:
    """Whether brackets nest too deep in this JSON object. The parser has a limit too, another in every Python."""
    if data.count(b"[") + data.count(b"{") <= limits.item_depth:
        return False
    items = Items(SourceBytes(io.BytesIO(data)), members=frozenset(), limits=limits)
    return any(frame.fault is UnreadableReason.TOO_DEEP for frame in items.frames())
