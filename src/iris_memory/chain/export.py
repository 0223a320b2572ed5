"""The audit export of one tenant: what `iris audit export` writes and anyone can verify without Iris's store.

JSON Lines, UTF-8, each line ended by one newline. The first line is the header, in canonical form (RFC 8785):

    {"checkpoints": [<signed note>, ...],
     "format": "iris-audit-export",
     "keys": [{"from_size": 0, "until_size": 1200, "vkey": "<name>+<key id>+<base64>"}, ...],
     "tenant_id": "<tenant>",
     "version": 1}

`checkpoints` are in ascending order of size, their origin is `tenant_origin(tenant_id)`, and the last one should cover
the last line. A key signs for sizes from `from_size` to `until_size`, both included; `until_size` is null while the key
is in use. Then follow the log's lines, byte for byte as stored, from sequence 1. The leaf hash of a line does not cover
its newline.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import VerifierKey
from iris_memory.errors import CanonicalError, ChainError, CheckpointError

FORMAT: Final = "iris-audit-export"
VERSION: Final = 1

_HEADER_FIELDS: Final = {"format", "version", "tenant_id", "keys", "checkpoints"}
_KEY_FIELDS: Final = {"vkey", "from_size", "until_size"}


@dataclass(frozen=True, slots=True)
class KeyPeriod:
    """A signing key and the log sizes it signs for, both ends included; `until_size` is None while it is in use."""

    key: VerifierKey
    from_size: int = 0
    until_size: int | None = None

    def covers(self, size: int) -> bool:
        """Whether the key was in use at this size."""
        return self.from_size <= size and (self.until_size is None or size <= self.until_size)


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """The first line of an export."""

    tenant_id: str
    keys: tuple[KeyPeriod, ...]
    checkpoints: tuple[str, ...]

    def to_line(self) -> bytes:
        """The line, without its newline."""
        return canonical(
            {
                "format": FORMAT,
                "version": VERSION,
                "tenant_id": self.tenant_id,
                "keys": [
                    {"vkey": period.key.vkey, "from_size": period.from_size, "until_size": period.until_size}
                    for period in self.keys
                ],
                "checkpoints": self.checkpoints,
            }
        )

    @staticmethod
    def from_line(line: bytes) -> ExportHeader:
        """The header of a line.

        Raises:
            ChainError: not the canonical form of a header of this version.
        """
        try:
            header = _read_header(json.loads(line))
            if header.to_line() == line:
                return header
        except (ValueError, KeyError, TypeError, RecursionError, CanonicalError, CheckpointError):
            pass
        raise ChainError("this is not the header of an audit export")


def export_lines(header: ExportHeader, *, events: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of an export, each with its newline. `events` are the stored lines in order of sequence."""
    yield header.to_line() + b"\n"
    for event in events:
        yield event + b"\n"


def _read_header(fields: Mapping[str, Any]) -> ExportHeader:
    """Raises some error on whatever is not a header; `to_line` then settles types and spelling."""
    if set(fields) != _HEADER_FIELDS or not fields["tenant_id"]:
        raise ValueError("a header has other fields")
    return ExportHeader(
        tenant_id=_text(fields["tenant_id"]),
        keys=tuple(_read_period(period) for period in fields["keys"]),
        checkpoints=tuple(_text(note) for note in fields["checkpoints"]),
    )


def _read_period(fields: Mapping[str, Any]) -> KeyPeriod:
    if set(fields) != _KEY_FIELDS:
        raise ValueError("a key has other fields")
    until_size = fields["until_size"]
    return KeyPeriod(
        key=VerifierKey.from_vkey(_text(fields["vkey"])),
        from_size=_size(fields["from_size"]),
        until_size=None if until_size is None else _size(until_size),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a field is no text")
    return value


def _size(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("a field is no size")
    return value
